#!/usr/bin/env python3
"""Computes the main tables of a report again, with pandas alone, and compares them with report/*.csv.

    scripts/recompute.py RUN_DIR [--baseline NAME]

Reads trials.csv and tests.parquet; of report/*.csv only what is compared. Confidence intervals are left out: they are drawn
at random from the seed. Exit code 0 if every number agrees to nine digits, 1 if one does not, 2 if a file is missing.
Needs pandas with pyarrow.
"""

import argparse
import json
import math
import re
import sys
from pathlib import Path

import pandas as pd

ENDED = {"clean", "failing", "lost_tests"}
BROKE_BEFORE = {"build_failed", "harness_error"}
TALLY = ["passed", "failed", "errors", "skipped", "timed_out", "crashed", "not_run"]
EXACT_UP_TO = 50
TEXTS = dict.fromkeys(["subject", "configuration", "failures_after_stages", "lost_in_stages", "stage_ends", "outcomes_hash", "findings"], str)


# --- statistics, written down once more ---

def ranks(values):
    """Mean ranks of the absolute values, doubled so that they are whole numbers."""
    order = sorted(range(len(values)), key=lambda i: abs(values[i]))
    doubled = [0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end < len(order) and abs(values[order[end]]) == abs(values[order[at]]):
            end += 1
        for place in range(at, end):
            doubled[order[place]] = at + 1 + end
        at = end
    return doubled


def signed_ranks(pairs):
    differences = [a - b for a, b in pairs if a != b]
    doubled = ranks(differences)
    positive = sum(rank for rank, d in zip(doubled, differences) if d > 0)
    return doubled, positive, sum(doubled) - positive


def wilcoxon_p(pairs):
    """Two-sided exact p of the signed-rank test; pairs without a difference are left out, and without any other there is none."""
    doubled, positive, negative = signed_ranks(pairs)
    if not doubled or len(doubled) > EXACT_UP_TO:
        return math.nan
    ways = {0: 1}
    for rank in doubled:
        extended = dict(ways)
        for total, count in ways.items():
            extended[total + rank] = extended.get(total + rank, 0) + count
        ways = extended
    low = min(positive, negative)
    return min(1.0, 2 * sum(count for total, count in ways.items() if total <= low) / 2 ** len(doubled))


def rank_biserial(pairs):
    doubled, positive, negative = signed_ranks(pairs)
    return (positive - negative) / sum(doubled) if doubled else math.nan


def holm(p_values):
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    corrected, running = [0.0] * len(p_values), 0.0
    for place, index in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - place) * p_values[index]))
        corrected[index] = running
    return corrected


# --- the tables ---

def numbers(text):
    return [int(part) for part in str(text).split()] if pd.notna(text) else []


def words(text):
    return str(text).split() if pd.notna(text) else []


def failures_of(trial, stage):
    """('ran', failures, lost), ('not needed',) or ('broke',) of one stage of one trial."""
    after, lost, ends = (trial.failures_after, trial.lost_in, trial.ends)
    if stage <= len(after):
        if ends[stage - 1] != "finished":
            return ("broke",)
        in_the_end = trial.not_run if stage == len(after) else 0
        return ("ran", after[stage - 1], max(lost[stage - 1], in_the_end))
    if any(end != "finished" for end in ends):
        return ("never reached",)
    if trial.verdict in ENDED or (trial.verdict == "crashed" and after):
        return ("not needed",)
    return ("broke",)


def failures(trials):
    rows = []
    for (subject, configuration, cores), cell in trials.groupby(["subject", "configuration", "cores"], sort=False):
        if cell.technique.iloc[0] == "sequential":
            continue
        for stage in range(1, max(3, max(map(len, cell.failures_after), default=0)) + 1):
            seen = [failures_of(trial, stage) for trial in cell.itertuples()]
            ran = [each for each in seen if each[0] == "ran"]
            over = len(ran) + sum(each[0] == "not needed" for each in seen)
            rows.append({
                "subject": subject, "configuration": configuration, "cores": cores, "stage": stage,
                "failures": sum(each[1] for each in ran) / over if ran else math.nan,
                "lost": sum(each[2] for each in ran) / over if ran else 0.0,
                "trials": over if ran else 0,
                "tests": cell.subject_tests.iloc[0] or math.nan,
            })
    return pd.DataFrame(rows, columns=["subject", "configuration", "cores", "stage", "failures", "lost", "trials", "tests"])


def judgement(baseline, candidate):
    if candidate.verdict != "clean":
        return "candidate", candidate.verdict not in BROKE_BEFORE
    if baseline.verdict != "clean":
        return "baseline", False
    if pd.notna(baseline.outcomes_hash) and pd.notna(candidate.outcomes_hash):
        same = baseline.outcomes_hash == candidate.outcomes_hash
    else:
        same = all(getattr(baseline, name) == getattr(candidate, name) for name in TALLY)
    return ("sound", False) if same else ("differs", True)


def speedups(trials, baseline):
    blocks = {(t.subject, t.cores, t.repetition): t for t in trials[trials.configuration == baseline].itertuples()}
    rows = []
    candidates = trials[trials.configuration != baseline]
    for (subject, configuration, cores), cell in candidates.groupby(["subject", "configuration", "cores"], sort=False):
        judged = []
        for candidate in cell.sort_values("repetition").itertuples():
            base = blocks.get((subject, cores, candidate.repetition))
            if base is not None:
                judged.append((judgement(base, candidate), (base.wall_seconds, candidate.wall_seconds)))
        pairs = [times for (kind, _), times in judged if kind == "sound"]
        row = {"subject": subject, "configuration": configuration, "cores": cores,
               "dropped_pairs": len(cell) - len(pairs), "overlapped": bool((cell.concurrency_max > 1).any()),
               "speedup": math.nan, "pairs": 0}
        if pairs and not any(voids for (_, voids), _ in judged):
            mean = [sum(side) / len(pairs) for side in zip(*pairs)]
            row |= {"baseline_seconds": mean[0], "candidate_seconds": mean[1], "speedup": mean[0] / mean[1],
                    "pairs": len(pairs), "p": wilcoxon_p(pairs), "effect": rank_biserial(pairs)}
        rows.append(row)
    table = pd.DataFrame(rows, columns=["subject", "configuration", "cores", "dropped_pairs", "overlapped", "speedup", "pairs",
                                        "baseline_seconds", "candidate_seconds", "p", "effect"])
    table["p_holm"] = math.nan
    for _, family in table[table.p.notna()].groupby(["configuration", "cores"]):
        table.loc[family.index, "p_holm"] = holm(list(family.p))
    return table


def savings(table):
    return table.assign(saving_percent=(1 - 1 / table.speedup) * 100)[
        ["subject", "configuration", "cores", "saving_percent"]]


def averages(table):
    rows = []
    table = table.assign(gained=(table.speedup > 1) & table.overlapped)
    for cores, here in table.groupby("cores", sort=False):
        gained = set(here.subject[here.gained])
        for scope, chosen in (("all", here), ("study", here[here.subject.isin(gained)])):
            for configuration in here.configuration.unique():
                of_it = chosen[chosen.configuration == configuration]
                values = of_it.speedup.dropna()
                rows.append({
                    "configuration": configuration, "cores": cores, "scope": scope, "subjects": len(values),
                    "gained": int(of_it.gained.sum()), "average": values.mean(), "median": values.median(),
                    "geometric_mean": math.exp(sum(map(math.log, values)) / len(values)) if len(values) else math.nan,
                })
    return pd.DataFrame(rows, columns=["configuration", "cores", "scope", "subjects", "gained", "average", "median", "geometric_mean"])


def concurrency(trials):
    ended = trials[trials.verdict.isin(ENDED)]
    grouped = ended.groupby(["subject", "configuration", "cores"], sort=False)
    table = grouped.agg(mean=("concurrency", "mean"), max=("concurrency_max", "max"), forks=("forks", "first"),
                        threads=("threads", "first"), modules=("modules_at_once", "first")).reset_index()
    return table.assign(asked=table.forks * table.threads * table.modules).drop(columns="modules")


def costs(trials):
    ended = trials[trials.verdict.isin(ENDED)]
    clean = ended[ended.verdict == "clean"].groupby(["subject", "configuration", "cores"]).wall_seconds
    table = ended.groupby(["subject", "configuration", "cores"], sort=False).agg(
        trials=("trial", "size"), wall_seconds=("wall_seconds", "mean"), wall_sd=("wall_seconds", "std"),
        cpu_seconds=("cpu_seconds", "mean"), peak_memory_bytes=("peak_memory_bytes", "max")).reset_index()
    keys = pd.MultiIndex.from_frame(table[["subject", "configuration", "cores"]])
    table["clean_trials"] = clean.size().reindex(keys).fillna(0).to_numpy()
    table["clean_wall_seconds"] = clean.mean().reindex(keys).to_numpy()
    return table


def scaling(trials):
    clean = trials[trials.verdict == "clean"].groupby(["subject", "configuration", "cores"]).wall_seconds.mean()
    lowest = trials.cores.min()
    rows = []
    for (subject, configuration, cores), seconds in clean.items():
        there = clean.get((subject, configuration, lowest))
        if cores > lowest and there is not None and seconds > 0:
            rows.append({"subject": subject, "configuration": configuration, "cores": cores,
                         "scaling": there / seconds, "efficiency": there / seconds * lowest / cores})
    return pd.DataFrame(rows, columns=["subject", "configuration", "cores", "scaling", "efficiency"])


def subjects(trials):
    table = trials.groupby("subject", sort=False)[
        ["subject_tests", "subject_classes", "subject_modules", "subject_set_aside", "subject_deviations"]].first()
    return table.rename(columns=lambda name: name.removeprefix("subject_")).reset_index()


def repairs(trials, manifest):
    """Failures after the first stage of PASTE on several cores, less those of the baseline, and how many were gone in the end."""
    engines = lambda each: (each["harness"].get("engine"), each["harness"].get("rerun_engine"))
    configurations = {each["name"]: each for each in manifest["configurations"]}
    kept = engines(configurations[manifest["baseline"]])[0]
    others = [each for name, each in configurations.items() if name != manifest["baseline"]]
    reruns = lambda each: each["technique"] not in ("sequential", "parallel")
    alike = [each for each in others if engines(each)[0] == kept and (not reruns(each) or engines(each)[1] == kept)]
    names = {each["name"] for each in (alike or others) if each["technique"] == "paste"}
    bad = trials[["failed", "errors", "timed_out", "crashed"]].sum(axis=1)
    block = ["subject", "cores", "repetition"]
    is_baseline = trials.configuration == manifest["baseline"]
    anyway = trials[is_baseline].assign(bad=bad).drop_duplicates(block).set_index(block).bad.to_dict()
    provoked = repaired = 0
    for row in trials[trials.configuration.isin(names) & trials.verdict.isin(ENDED) & (trials.cores > 1)].itertuples():
        known = anyway.get((row.subject, row.cores, row.repetition), 0)
        after = [max(count - known, 0) for count in row.failures_after] or [0]
        provoked += after[0]
        repaired += max(after[0] - after[-1], 0)
    return {"Provoked": provoked, "Repaired": repaired}


def headline_differences(run, again):
    """Against the macros of numbers.tex, where the run has PASTE at all."""
    file = run / "report" / "numbers.tex"
    macros = re.findall(r"\\newcommand\{\\paradeFailures(Provoked|Repaired)\}\{([0-9]+)\}", file.read_text() if file.exists() else "")
    for name, reported in macros:
        if int(reported) != again[name]:
            yield f"headline: Failures{name} is {reported} in the report, {again[name]} here"


# --- what single tests did, against the counts of the trials ---

def last_outcomes(trials, tests):
    """Failing tests of each trial by their last execution, where nothing but tests is on record and none was set aside."""
    simple = trials[trials.subject_set_aside == 0]
    tests = tests[tests.trial.isin(simple.trial)]
    fixtures = set(tests.trial[tests.name == "<class>"])
    tests = tests[~tests.trial.isin(fixtures)]
    keys = ["trial", "module", "class", "name", "occurrence"]
    last = tests.sort_values(["stage"], kind="stable").drop_duplicates(keys, keep="last")
    bad = last[last.outcome.isin(["failed", "error", "timed_out", "crashed"])].groupby("trial").size()
    counted = simple[simple.trial.isin(set(tests.trial))]
    recorded = counted.set_index("trial")[["failed", "errors", "timed_out", "crashed"]].sum(axis=1)
    recomputed = bad.reindex(recorded.index).fillna(0)
    return pd.DataFrame({"trial": recorded.index, "failures": recomputed.to_numpy()}), recorded.reset_index(name="failures")


# --- the comparison ---

def differences(name, ours, theirs, keys):
    """A line for each number that does not agree, and for each row that only one side has."""
    values = [column for column in ours.columns if column in theirs.columns and column not in keys]
    merged = ours.merge(theirs, on=keys, how="outer", suffixes=("_again", ""), indicator="found_in")
    for row in merged[merged.found_in != "both"].itertuples():
        place = ", ".join(str(getattr(row, key)) for key in keys)
        side = "is not in the report" if row.found_in == "left_only" else "cannot be recomputed"
        yield f"{name}: {place}: {side}"
    both = merged[merged.found_in == "both"]
    for column in values:
        for index, again, reported in zip(both.index, both[f"{column}_again"], both[column]):
            if pd.isna(again) and pd.isna(reported):
                continue
            if pd.isna(again) or pd.isna(reported) or not math.isclose(float(again), float(reported), rel_tol=1e-9, abs_tol=1e-9):
                place = ", ".join(str(both.at[index, key]) for key in keys)
                yield f"{name}: {place}: {column} is {reported} in the report, {again} here"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run_dir", type=Path)
    parser.add_argument("--baseline", help="the baseline's name [default: as manifest.json has it]")
    options = parser.parse_args()
    run = options.run_dir
    try:
        manifest = json.loads((run / "manifest.json").read_text())
        baseline = options.baseline or manifest["baseline"]
        trials = pd.read_csv(run / "trials.csv", keep_default_na=False, na_values=[""], dtype=TEXTS)
        tests = pd.read_parquet(run / "tests.parquet", columns=["trial", "stage", "module", "class", "name", "occurrence", "outcome"])
    except FileNotFoundError as error:
        print(f"{error.filename or error} is missing", file=sys.stderr)
        return 2
    if "stage_ends" not in trials.columns:
        print(f"{run}/trials.csv was written by an older parade; parade report {run} writes it again", file=sys.stderr)
        return 2
    tests = tests.astype({"trial": str, "module": str, "class": str, "name": str, "outcome": str})
    trials["failures_after"] = trials.failures_after_stages.map(numbers)
    trials["lost_in"] = trials.lost_in_stages.map(numbers)
    trials["ends"] = trials.stage_ends.map(words)

    cell = ["subject", "configuration", "cores"]
    ratios = speedups(trials, baseline)
    again = {
        "failures": (failures(trials), cell + ["stage"]),
        "speedups": (ratios.drop(columns="overlapped"), cell),
        "savings": (savings(ratios), cell),
        "averages": (averages(ratios), ["configuration", "cores", "scope"]),
        "concurrency": (concurrency(trials), cell),
        "costs": (costs(trials), cell),
        "scaling": (scaling(trials), cell),
        "subjects": (subjects(trials), ["subject"]),
    }
    found, compared = [], 0
    for name, (ours, keys) in again.items():
        theirs = pd.read_csv(run / "report" / f"{name}.csv", keep_default_na=False, na_values=[""],
                             dtype={"subject": str, "configuration": str})
        # What never ran has a state in the report, and no trial to recompute it from.
        if "state" in theirs.columns:
            theirs = theirs[~theirs.state.isin(["pending", "not_planned", "build_failed", "harness_error"])
                            | theirs.set_index(keys).index.isin(ours.set_index(keys).index)]
        if name == "savings":
            theirs = theirs[theirs.saving_percent.notna() | theirs.set_index(keys).index.isin(ours.set_index(keys).index)]
        if name == "averages":
            theirs = theirs[(theirs.subjects > 0) | theirs.set_index(keys).index.isin(ours.set_index(keys).index)]
        if name == "failures":
            ours = ours[ours.set_index(keys).index.isin(theirs.set_index(keys).index)]
        if name == "subjects":
            theirs = theirs[theirs.failure.isna()]
            ours = ours[ours.subject.isin(theirs.subject)]
            theirs = theirs[theirs.subject.isin(trials.subject)]
        compared += len(theirs)
        found += differences(name, ours, theirs, keys)
    found += differences("tests.parquet", *last_outcomes(trials, tests), ["trial"])
    found += headline_differences(run, repairs(trials, manifest))
    for line in found:
        print(line)
    print(f"{compared} rows of {len(again)} tables and {len(trials)} trials compared: "
          + (f"{len(found)} differences" if found else "all numbers agree"))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
