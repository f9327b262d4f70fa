#!/usr/bin/env python3
"""Writes tests/data/foreign-1.parquet and foreign-2.parquet: executions as pandas and pyarrow write them, not parade.

Needs pandas and pyarrow (`pip install pandas pyarrow`). Other compression, pages of both versions, numbers of 64 bits, names with
and without a dictionary, several row groups.
"""

from pathlib import Path

import pandas as pd

OUT = Path(__file__).resolve().parent.parent / "tests" / "data"


def rows():
    """Two trials of 30 tests; each third fails at first, and is run again."""
    found = []
    for trial in ["b", "a"]:
        for test in range(30):
            outcome = "failed" if test % 3 == 0 else "passed"
            found.append((trial, 1, f"C{test % 4}", f"test{test}", outcome, test * 0.5, 0.5))
        for test in range(0, 30, 3):
            found.append((trial, 2, f"C{test % 4}", f"test{test}", "passed" if test else "error", test * 1.0, 1.0))
    columns = ["trial", "stage", "class", "name", "outcome", "start", "seconds"]
    return pd.DataFrame(found, columns=columns).assign(
        machine=1, module="", occurrence=1, process=4711, thread="main", display=None, message=None
    )


if __name__ == "__main__":
    frame = rows()
    names = ["trial", "module", "class", "name", "outcome", "thread"]
    frame.astype({name: "category" for name in names}).to_parquet(OUT / "foreign-1.parquet", row_group_size=25)
    frame.to_parquet(
        OUT / "foreign-2.parquet", compression="gzip", use_dictionary=["trial"], data_page_version="2.0", row_group_size=50
    )
