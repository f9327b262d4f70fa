#!/usr/bin/env python3
"""The tables of the PASTE study from a run's tests.parquet, with pandas: what `parade report --json` gives as `executions`.

    tables.py RUN_DIR > tables.json

As someone writes it who knows pandas: only the columns that are needed are read, names stay categories, tests are told apart by
numbers, groups are taken as they come, and `nunique`, which is slow, is done without.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd

COLUMNS = ["trial", "stage", "module", "class", "name", "occurrence", "outcome", "start", "seconds"]
FAILURES = ["failed", "error", "timed_out", "crashed"]
STAGE = ["trial", "stage"]
CELL = ["subject", "configuration", "cores"]


def read(path):
    """The rows, with a number for each test of the file, and one for each test of a trial."""
    rows = pd.read_parquet(path, columns=COLUMNS)
    test = rows["module"].cat.codes.astype(np.int64)
    for names in ["class", "name"]:
        test = test * len(rows[names].cat.categories) + rows[names].cat.codes
    test = test * (int(rows["occurrence"].max()) + 1) + rows["occurrence"]
    test, known = pd.factorize(test)
    rows["test"] = rows["trial"].cat.codes.astype(np.int64) * len(known) + test
    return rows.drop(columns=["module", "class", "name", "occurrence"]), len(known)


def stage_totals(rows):
    """One row per trial and stage."""
    rows = rows.assign(end=rows["start"] + rows["seconds"])
    groups = rows.groupby(STAGE, observed=True, sort=False)
    totals = groups.agg(
        executions=("seconds", "size"),
        first_start=("start", "min"),
        last_end=("end", "max"),
        seconds=("seconds", "sum"),
        median_seconds=("seconds", "median"),
    )
    stages = int(rows["stage"].max()) + 1
    tests = pd.Series(pd.unique(rows["test"] * stages + rows["stage"]))
    totals["tests"] = number_of_tests(tests // stages, rows, stage=tests % stages)
    outcomes = rows.groupby([*STAGE, "outcome"], observed=True, sort=False).size().unstack(fill_value=0)
    for outcome in ["passed", "skipped", "not_run"]:
        totals[outcome] = outcomes[outcome] if outcome in outcomes else 0
    totals["failures_after"] = failures_after(rows).reindex(totals.index, fill_value=0)
    totals["test_seconds"] = totals["last_end"] - totals["first_start"]
    return totals.reset_index()


def number_of_tests(tests, rows, **by):
    """How many of these tests each trial has."""
    trial = pd.Categorical.from_codes(tests // rows.attrs["tests"], dtype=rows["trial"].dtype)
    return pd.DataFrame({"trial": trial, **by}).groupby(["trial", *by], observed=True, sort=False).size()


def failures_after(rows):
    """Tests whose last outcome so far is a failure. Only those that ever failed in their trial can be among them."""
    failed = rows["outcome"].isin(FAILURES)
    suspects = rows["test"].isin(rows.loc[failed, "test"].unique())
    suspects = rows.loc[suspects, [*STAGE, "test"]].assign(fails=failed[suspects])
    remaining = []
    for stage in sorted(suspects["stage"].unique()):
        last = suspects[suspects["stage"] <= stage].drop_duplicates("test", keep="last")
        counts = last.groupby("trial", observed=True, sort=False)["fails"].sum().rename("failures").reset_index()
        remaining.append(counts.assign(stage=stage))
    return pd.concat(remaining).set_index(STAGE)["failures"]


def times(totals, tests, plan, baseline):
    """One row per cell, all of its stages together."""
    trials = totals.groupby("trial").agg(test_seconds=("test_seconds", "sum"), seconds=("seconds", "sum"))
    trials["tests"] = tests.rename(index=str)
    trials = trials.reset_index().merge(plan, on="trial")
    cells = trials.groupby(CELL).agg(
        trials=("trial", "size"), tests=("tests", "mean"), test_seconds=("test_seconds", "mean"), seconds=("seconds", "mean")
    )
    sequential = cells.xs(baseline, level="configuration")["test_seconds"]
    cells = cells.join(sequential.rename("baseline"), on=["subject", "cores"]).reset_index()
    cells["ratio"] = cells.pop("baseline") / cells["test_seconds"]
    return cells


def stages(totals, cells):
    """One row per stage of a cell."""
    means = ["executions", "tests", "passed", "skipped", "not_run", "test_seconds", "seconds", "median_seconds"]
    groups = totals.groupby([*CELL, "stage"])
    table = groups[means].mean()
    table["ran"] = groups.size()
    table["failures"] = groups["failures_after"].sum()
    table = table.reset_index().merge(cells[[*CELL, "trials"]].rename(columns={"trials": "of"}), on=CELL)
    table["failures"] = table["failures"] / table["of"]
    return table


def main(run_dir):
    manifest = json.loads((run_dir / "manifest.json").read_text())
    plan = pd.DataFrame(manifest["trials"]).rename(columns={"id": "trial"})
    rows, known = read(run_dir / "tests.parquet")
    rows.attrs["tests"] = known
    totals = stage_totals(rows)
    totals["trial"] = totals["trial"].astype(str)
    totals = totals.merge(plan, on="trial")
    tests = number_of_tests(pd.Series(pd.unique(rows["test"])), rows)
    cells = times(totals, tests, plan, manifest["baseline"])
    tables = {"stages": stages(totals, cells).to_dict("records"), "times": cells.to_dict("records")}
    json.dump({"executions": len(rows), **tables}, sys.stdout)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
