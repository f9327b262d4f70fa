"""A brittle test: it needs what an earlier test of the same file left behind."""

account = {}


def test_opens_the_account():
    account["balance"] = 0
    assert account["balance"] == 0


def test_deposits_ten():
    account["balance"] += 10
    assert account["balance"] == 10


def test_the_bank_is_open():
    assert True
