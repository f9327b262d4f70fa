"""The first test overwrites the ledger: after the reader, if both run at the same time."""

import pytest
from ledger import LEDGER, hears, say


def test_writes_the_ledger():
    hears("the reader has written")
    LEDGER.write_text("writer")
    say("the writer has written")
    assert LEDGER.exists()


@pytest.mark.parametrize("page", range(5))
def test_pages_have_numbers(page):
    assert page >= 0
