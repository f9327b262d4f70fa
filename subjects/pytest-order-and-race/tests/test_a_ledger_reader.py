"""The first test fails if, and only if, the writer of the ledger runs at the same time in another process."""

import pytest
from ledger import LEDGER, hears, say


def test_reads_what_it_wrote():
    LEDGER.write_text("reader")
    say("the reader has written")
    hears("the writer has written")
    assert LEDGER.read_text() == "reader"


@pytest.mark.parametrize("line", range(5))
def test_lines_have_numbers(line):
    assert line >= 0
