"""A polluter and its victim: the order of the file keeps them apart."""

import pytest

prices = {"currency": "euro"}


def test_prices_are_in_euro():
    assert prices["currency"] == "euro"


@pytest.mark.parametrize("amount", [1, 2, 3])
def test_amounts_are_positive(amount):
    assert amount > 0


def test_prices_can_be_in_francs():
    prices["currency"] = "franc"
    assert prices["currency"] == "franc"
