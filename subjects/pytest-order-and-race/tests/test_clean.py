"""Tests that depend on nothing."""


class TestArithmetic:
    def test_adds(self):
        assert 1 + 1 == 2

    def test_multiplies(self):
        assert 2 * 3 == 6


def test_text_is_text():
    assert "a" + "b" == "ab"
