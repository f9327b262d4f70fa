#!/usr/bin/env python3
"""Computes the main tables and the headline of a report again, and compares them with what the report says.

    scripts/recompute.py RUN_DIR [--baseline NAME] [--edited]

Reads trials.csv and tests.parquet; of report/ only what is compared: the tables, the macros of
numbers.tex, and the headline and cards of index.html and report.md.

Intervals are computed again: the t interval of the log ratios by its formula, the BCa bootstrap with the same draws (ChaCha
with 8 rounds from the seed 1, which all judgements have). What each comparison shows follows from that by the rule in docs/report.md: at least five
sound pairs, observed concurrency in every one of them, and an interval on one side of 1. A page, a card or a macro that claims
more is reported first, as CLAIM.

Exit code 0 if all agrees (numbers to nine digits, ends of bootstrap intervals to six), 1 if something does not, 2 if a file is
missing. Needs pandas with pyarrow.
"""

import argparse
import hashlib
import html
import json
import math
import re
import sys
from collections import Counter
from pathlib import Path
from statistics import NormalDist

try:
    import numpy as np
    import pandas as pd
    import pyarrow  # noqa: F401
except ImportError as missing:
    sys.exit(f"recompute.py: {missing.name} is missing; install it with: pip install numpy pandas pyarrow")

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
    """Two-sided p of the signed-rank test; pairs without a difference are left out, and without any other there is none.

    Exact for up to EXACT_UP_TO pairs, beyond that by the normal approximation with corrections for ties and continuity."""
    doubled, positive, negative = signed_ranks(pairs)
    if not doubled:
        return math.nan
    if len(doubled) > EXACT_UP_TO:
        count = len(doubled)
        ties = sum(size ** 3 - size for size in Counter(doubled).values())
        variance = count * (count + 1) * (2 * count + 1) / 24 - ties / 48
        distance = max(abs(positive - negative) / 4 - 0.5, 0.0)
        return min(1.0, math.erfc(distance / math.sqrt(variance) / math.sqrt(2)))
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


# --- intervals ---

CONFIDENCE = 0.95
RESAMPLES = 9_999
FEWEST_FOR_LOG_RATIOS, FEWEST_FOR_BOOTSTRAP, FEWEST_PAIRS = 3, 30, 5
JUDGEMENT_SEED = 1


def student_two_sided(t, freedom):
    """P(|T| >= t) for a whole number of degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine, term, total = math.cos(angle) ** 2, 1.0, 0.0
    if freedom % 2 == 0:
        for k in range(freedom // 2):
            total += term
            term *= cosine * (2 * k + 1) / (2 * k + 2)
        return 1 - math.sin(angle) * total
    term = math.cos(angle)
    for k in range((freedom - 1) // 2):
        total += term
        term *= cosine * (2 * k + 2) / (2 * k + 3)
    return 1 - 2 / math.pi * (angle + math.sin(angle) * total)


def student_critical(level, freedom):
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if student_two_sided(middle, freedom) > 1 - level else (low, middle)
    return (low + high) / 2


def log_ratio_interval(pairs):
    logs = [math.log(a) - math.log(b) for a, b in pairs]
    n = len(logs)
    mean = math.fsum(logs) / n
    sd = math.sqrt(math.fsum((x - mean) ** 2 for x in logs) / (n - 1))
    half = student_critical(CONFIDENCE, n - 1) * sd / math.sqrt(n)
    return math.exp(mean - half), math.exp(mean + half)


def chacha8_words(seed, count):
    """The first 32-bit words of ChaCha with 8 rounds, its key made from the seed by PCG32."""
    key, state = [], seed
    for _ in range(8):
        state = (state * 0x5851F42D4C957F2D + 0xA17654E46FBE17F3) % 2**64
        shifted, turn = (((state >> 18) ^ state) >> 27) % 2**32, state >> 59
        key.append(((shifted >> turn) | (shifted << (32 - turn) % 32)) % 2**32)
    blocks = -(-count // 16)
    start = np.zeros((16, blocks), dtype=np.uint32)
    start[:4] = np.array([0x61707865, 0x3320646E, 0x79622D32, 0x6B206574], dtype=np.uint32)[:, None]
    start[4:12] = np.array(key, dtype=np.uint32)[:, None]
    start[12] = np.arange(blocks, dtype=np.uint64).astype(np.uint32)
    x = start.copy()

    def turned(words, bits):
        return (words << np.uint32(bits)) | (words >> np.uint32(32 - bits))

    def quarter(a, b, c, d):
        for first, second, third, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[first] += x[second]
            x[third] = turned(x[third] ^ x[first], bits)

    for _ in range(4):
        for column in range(4):
            quarter(column, 4 + column, 8 + column, 12 + column)
        for column in range(4):
            quarter(column, 4 + (column + 1) % 4, 8 + (column + 2) % 4, 12 + (column + 3) % 4)
    return (x + start).T.reshape(-1)


def drawn_rows(seed, n, times):
    """Row numbers below n, `times` times n of them: the high word of a product, one more word where it would be biased."""
    count = n * times
    words = chacha8_words(seed, count + 64)
    products = words.astype(np.uint64) * np.uint64(n)
    high, low = (products >> np.uint64(32)).astype(np.int64), products & np.uint64(2**32 - 1)
    biased = np.nonzero(low[:count] > np.uint64(2**32 - n))[0]
    if len(biased) == 0:
        return high[:count].reshape(times, n)
    rows, at = [], 0
    while len(rows) < count:
        row, rest = int(high[at]), int(low[at])
        at += 1
        if rest > 2**32 - n:
            row += rest + int(high[at]) >= 2**32
            at += 1
        rows.append(row)
    return np.array(rows).reshape(times, n)


def means(columns):
    """Added one after the other, as rounding decides which resamples equal the sample."""
    total = columns[0].copy()
    for column in columns[1:]:
        total = total + column
    return total / len(columns)


def bootstrap_interval(pairs, seed):
    """Bias-corrected and accelerated (Efron 1987), over whole pairs."""
    a, b = np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])
    n = len(pairs)
    rows = drawn_rows(seed, n, max(999, min(RESAMPLES, 100_000_000 // n)))
    ratios = np.sort(means(list(a[rows].T)) / means(list(b[rows].T)))
    estimate = means([np.float64(x) for x in a]) / means([np.float64(x) for x in b])
    below, equal = np.searchsorted(ratios, estimate, "left"), np.searchsorted(ratios, estimate, "right")
    share = (below + (equal - below) / 2) / len(ratios)
    left_out = (a.sum() - a) / (b.sum() - b)
    influences = (n - 1) * (left_out.mean() - left_out) / n
    squares = (influences**2).sum()
    acceleration = (influences**3).sum() / (6 * squares**1.5) if squares > 0 else math.nan
    normal = NormalDist()

    def end(tail):
        if not 0 < share < 1 or math.isnan(acceleration):
            return np.quantile(ratios, tail)
        bias = normal.inv_cdf(share)
        z = bias + normal.inv_cdf(tail)
        return np.quantile(ratios, normal.cdf(bias + z / (1 - acceleration * z)))

    return end(0.5 - CONFIDENCE / 2), end(0.5 + CONFIDENCE / 2)


def interval(pairs, ratio, seed):
    """Low, high and method; nothing for fewer than three pairs. An interval always holds its ratio."""
    if len(pairs) < FEWEST_FOR_LOG_RATIOS or any(a <= 0 or b <= 0 for a, b in pairs):
        return math.nan, math.nan, None
    is_few = len(pairs) < FEWEST_FOR_BOOTSTRAP
    low, high = log_ratio_interval(pairs) if is_few else bootstrap_interval(pairs, seed)
    return min(low, ratio), max(high, ratio), "log_ratio_t" if is_few else "bca_bootstrap"


def speed_judgement(pairs, overlapping, low, high):
    if overlapping < pairs:
        return "no_concurrency"
    if pairs < FEWEST_PAIRS or math.isnan(low):
        return "not_enough_runs"
    return "faster" if low > 1 else "slower" if high < 1 else "no_difference_shown"


ANSWERS = {"faster", "slower", "no_difference_shown"}


# --- the tables ---

def numbers(text):
    return [int(part) for part in str(text).split()] if pd.notna(text) else []


def words(text):
    return str(text).split() if pd.notna(text) else []


def failures_of(trial, stage):
    """('ran', failures, lost), ('not needed',) or ('broke',) of one stage of one trial."""
    after, lost, ends = (trial.failures_after, trial.lost_in, trial.ends)
    if trial.verdict == "contradicted":
        return ("broke",)
    if stage <= len(after):
        if ends[stage - 1] != "finished":
            return ("broke",)
        return ("ran", after[stage - 1], max(lost[stage - 1], trial.not_run))
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
    return ("sound", False) if same and ran_the_whole_suite(baseline, candidate) else ("differs", True)


def ran_the_whole_suite(baseline, candidate):
    """Set-aside tests that were cut short on either side, or a suite that the baseline does not wholly know."""
    is_cut = any("set_aside_cut" in words(trial.findings) for trial in (baseline, candidate))
    return not is_cut and "lost_tests" not in words(baseline.findings)


def showed_concurrency(trial):
    return trial.concurrency_max > 1 and "no_concurrency" not in words(trial.findings)


def is_repeated(trial, earlier):
    """The same computation of a model suite, in another of the merged runs? Both trials are of one cell."""
    return (trial.engine == earlier.engine == "model"
            and str(trial.origin) != str(earlier.origin)
            and trial.wall_seconds == earlier.wall_seconds
            and str(trial.outcomes_hash) == str(earlier.outcomes_hash))


def repeats(pair, earlier):
    (base, candidate), (base_before, candidate_before) = pair, earlier
    return (base.engine == base_before.engine == "model"
            and base.wall_seconds == base_before.wall_seconds
            and is_repeated(candidate, candidate_before))


def counted_once(trials):
    """The trials without those that another of the merged runs computed as well."""
    kept = {}
    for trial in trials.itertuples():
        cell = kept.setdefault((trial.subject, trial.configuration, trial.cores), [])
        if not any(is_repeated(trial, earlier) for earlier in cell):
            cell.append(trial)
    return [trial for cell in kept.values() for trial in cell]


def sound_pairs(judged):
    used, repeated = [], 0
    for (kind, _), pair in judged:
        if kind != "sound":
            continue
        if any(repeats(pair, earlier) for earlier in used):
            repeated += 1
        else:
            used.append(pair)
    return used, repeated


SPEEDUP_COLUMNS = ["subject", "configuration", "cores", "dropped_pairs", "speedup", "pairs", "baseline_seconds",
                   "candidate_seconds", "ci_low", "ci_high", "ci_method", "judgement", "overlapping_pairs", "repeated_pairs",
                   "p", "effect"]


def speedups(trials, baseline, seed):
    blocks = {}
    for trial in trials[trials.configuration == baseline].itertuples():
        blocks.setdefault((trial.subject, trial.cores, trial.repetition), trial)
    rows = []
    candidates = trials[trials.configuration != baseline]
    for (subject, configuration, cores), cell in candidates.groupby(["subject", "configuration", "cores"], sort=False):
        judged = []
        for candidate in cell.sort_values("repetition").itertuples():
            base = blocks.get((subject, cores, candidate.repetition))
            if base is not None:
                judged.append((judgement(base, candidate), (base, candidate)))
        used, repeated = sound_pairs(judged)
        row = {"subject": subject, "configuration": configuration, "cores": cores,
               "dropped_pairs": len(cell) - len(used) - repeated, "speedup": math.nan, "pairs": 0,
               "judgement": "not_compared", "overlapping_pairs": 0, "repeated_pairs": 0}
        if used and not any(voids for (_, voids), _ in judged):
            pairs = [(base.wall_seconds, candidate.wall_seconds) for base, candidate in used]
            mean = [sum(side) / len(pairs) for side in zip(*pairs)]
            ratio = mean[0] / mean[1]
            low, high, method = interval(pairs, ratio, seed)
            overlapping = sum(showed_concurrency(candidate) for _, candidate in used)
            row |= {"baseline_seconds": mean[0], "candidate_seconds": mean[1], "speedup": ratio,
                    "pairs": len(pairs), "p": wilcoxon_p(pairs), "effect": rank_biserial(pairs),
                    "ci_low": low, "ci_high": high, "ci_method": method, "overlapping_pairs": overlapping,
                    "repeated_pairs": repeated, "judgement": speed_judgement(len(pairs), overlapping, low, high)}
        rows.append(row)
    table = pd.DataFrame(rows, columns=SPEEDUP_COLUMNS)
    table["p_holm"] = math.nan
    for _, family in table[table.p.notna()].groupby(["configuration", "cores"]):
        table.loc[family.index, "p_holm"] = holm(list(family.p))
    return table


def savings(table):
    return table.assign(saving_percent=(1 - 1 / table.speedup) * 100)[
        ["subject", "configuration", "cores", "saving_percent", "judgement"]]


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if len(values) else math.nan


def averages(table):
    rows = []
    table = table.assign(gained=table.judgement == "faster", answers=table.judgement.isin(ANSWERS))
    for cores, here in table.groupby("cores", sort=False):
        gained = set(here.subject[here.gained])
        for scope, chosen in (("all", here), ("study", here[here.subject.isin(gained)])):
            for configuration in here.configuration.unique():
                of_it = chosen[chosen.configuration == configuration]
                values = of_it.speedup[of_it.answers]
                rows.append({
                    "configuration": configuration, "cores": cores, "scope": scope, "subjects": len(values),
                    "gained": int(of_it.gained.sum()), "left_out": int((of_it.speedup.notna() & ~of_it.answers).sum()),
                    "average": values.mean(), "median": values.median(), "geometric_mean": geometric_mean(list(values)),
                })
    return pd.DataFrame(rows, columns=["configuration", "cores", "scope", "subjects", "gained", "left_out", "average", "median",
                                       "geometric_mean"])


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


def subjects(trials, baseline):
    ended = trials[(trials.configuration == baseline) & trials.verdict.isin(ENDED)]
    skipped = ended.groupby("subject").skipped.max()
    table = trials.groupby("subject", sort=False)[
        ["subject_tests", "subject_classes", "subject_modules", "subject_set_aside", "subject_deviations"]].first()
    table = table.rename(columns=lambda name: name.removeprefix("subject_")).reset_index()
    return table.assign(skipped=table.subject.map(skipped))


def timed(trials, manifest):
    """The trials whose times are compared: orders of algorithms are evaluated by what fails in them."""
    arranged = {each["name"] for each in manifest["configurations"] if each.get("ordering")}
    return trials[~trials.configuration.isin(arranged)]


def comparable(manifest):
    """Configurations that one sentence may speak of together: those of the baseline's own engine, if there are any."""
    engines = lambda each: (each["harness"].get("engine"), each["harness"].get("rerun_engine"))
    configurations = {each["name"]: each for each in manifest["configurations"] if not each.get("ordering")}
    if manifest["baseline"] not in configurations:
        return []
    kept = engines(configurations[manifest["baseline"]])[0]
    others = [each for name, each in configurations.items() if name != manifest["baseline"]]
    reruns = lambda each: each["technique"] not in ("sequential", "parallel")
    alike = [each for each in others if engines(each)[0] == kept and (not reruns(each) or engines(each)[1] == kept)]
    return alike or others


FAILURES = {"failed", "error", "timed_out", "crashed"}
TEST = ["module", "class", "name", "occurrence"]


def failing_after(rows, stage):
    """Tests of one trial that fail once a stage is over. A class that ran again, or one nested in it, clears its fixture's failure."""
    standing = {}
    for number, here in rows[rows.stage <= stage].sort_values("stage", kind="stable").groupby("stage"):
        ran = set(zip(here.module[here.outcome != "not_run"], here["class"][here.outcome != "not_run"]))
        for test in [test for test in standing if test[2] == "<class>"]:
            if any(module == test[0] and (f"{name}$").startswith(f"{test[1]}$") for module, name in ran):
                del standing[test]
        standing.update(zip(here[TEST].itertuples(index=False, name=None), here.outcome))
    return {test for test, outcome in standing.items() if outcome in FAILURES}


def set_aside_tests(run):
    """Texts of the tests that do not count, by subject."""
    file = run / "report" / "set-aside.csv"
    table = pd.read_csv(file, keep_default_na=False, dtype=str) if file.exists() else pd.DataFrame(columns=["subject", "test"])
    return {unescaped(subject): set(rows.test.map(unescaped)) for subject, rows in table.groupby("subject")}


def test_text(test):
    module, name, method, occurrence = test
    return f"{module + ':' if module else ''}{name}#{method}{f'~{occurrence}' if occurrence > 1 else ''}"


def repairs(trials, tests, aside, manifest):
    """Failures after the first stage of PASTE on several cores, of tests that never failed in the baseline on as many cores; how
    many of them were gone in the end; and failures of the other tests."""
    names = {each["name"] for each in manifest["configurations"] if each["technique"] == "paste"}
    is_counted = trials.configuration.isin(names) & trials.verdict.isin(ENDED) & (trials.cores > 1)
    is_baseline = trials.configuration == manifest["baseline"]
    of_trial = dict(list(tests[tests.trial.isin(trials.trial[is_counted | is_baseline])].groupby("trial")))
    nothing = tests.iloc[:0]

    def failing(trial, stage):
        found = failing_after(of_trial.get(trial.trial, nothing), stage)
        return {test for test in found if test_text(test) not in aside.get(trial.subject, ())}

    anyway = {}
    is_failing = trials[["failed", "errors", "timed_out", "crashed"]].sum(axis=1) > 0
    for trial in trials[is_baseline & is_failing].itertuples():
        anyway.setdefault((trial.subject, trial.cores), set()).update(failing(trial, math.inf))
    provoked = repaired = others = 0
    for trial in counted_once(trials[is_counted]):
        if sum(trial.failures_after[:1]) == 0:
            continue
        known = anyway.get((trial.subject, trial.cores), set())
        first, last = failing(trial, 1), failing(trial, math.inf)
        provoked += len(first - known)
        # A trial that lost tests repaired nothing.
        if trial.not_run == 0:
            repaired += max(len(first - known) - len(last - known), 0)
        others += len(first & known)
    return {"Provoked": provoked, "Repaired": repaired, "AlsoInBaseline": others}


def headline(trials, tests, aside, ratios, manifest):
    """The numbers of the headline, by the names of their macros."""
    names = {each["name"] for each in comparable(manifest)}
    rows = ratios[ratios.configuration.isin(names)]
    faster = rows[rows.judgement == "faster"]
    count = lambda judgement: int((rows.judgement == judgement).sum())
    best = faster.loc[faster.speedup.idxmax()] if len(faster) else None
    fixed = lambda value: f"{value:.2f}"
    numbers = {
        "SubjectsGained": str(faster.subject.nunique()),
        "ComparisonsFaster": str(len(faster)),
        "ComparisonsSlower": str(count("slower")),
        "ComparisonsWithoutDifference": str(count("no_difference_shown")),
        "ComparisonsWithTooFewRuns": str(count("not_enough_runs")),
        "ComparisonsWithoutConcurrency": str(count("no_concurrency")),
    }
    repaired = repairs(trials, tests, aside, manifest)
    numbers |= {f"Failures{name}": str(value) for name, value in repaired.items()}
    if best is not None:
        numbers |= {"BestSpeedup": fixed(best.speedup), "BestSpeedupLow": fixed(best.ci_low), "BestSpeedupHigh": fixed(best.ci_high)}
    return numbers, rows


def macro_differences(run, again):
    """Against numbers.tex: a macro that differs, and a best speedup where there is none."""
    file = run / "report" / "numbers.tex"
    macros = dict(re.findall(r"\\newcommand\{\\parade([A-Za-z]+)\}\{([^}]*)\}", file.read_text() if file.exists() else ""))
    for name, reported in macros.items():
        if name.startswith("BestSpeedup") and name not in again:
            yield f"CLAIM: numbers.tex has {name} {reported}, but no comparison shows that anything is faster"
        elif name in again and not same_number(reported, again[name]):
            yield f"headline: {name} is {reported} in the report, {again[name]} here"


def same_number(reported, again):
    return reported == again or abs(float(reported) - float(again)) < 0.0101


def heads_of_the_report(run):
    """The headline as the page and report.md have it, and the labels of the page's cards."""
    heads, cards = [], []
    page = run / "report" / "index.html"
    if page.exists():
        text = page.read_text()
        heads += [("index.html", html.unescape(found)) for found in re.findall(r"<h1>(.*?)</h1>", text, re.S)]
        cards = re.findall(r'<li><span class="label">(.*?)</span><strong>(.*?)</strong>', text)
    lines = (run / "report" / "report.md").read_text().splitlines() if (run / "report" / "report.md").exists() else []
    heads += [("report.md", line) for line in lines[1:12]
              if " faster than " in line or " slower than " in line or "On average, " in line]
    return heads, cards


def claim_differences(run, rows):
    """What the page, its cards and report.md claim, against what the comparisons show."""
    heads, cards = heads_of_the_report(run)
    faster = rows[rows.judgement == "faster"]
    for file, sentence in heads:
        told = re.sub(r"^The run is unfinished \(.*?\)\. So far: ", "", sentence.replace("\\", ""))
        claim = re.match(r"(.+?) is ([0-9.]+)× faster than ", told)
        average = re.match(r"On average, (.+?) has a speedup of ([0-9.]+)× over ", told)
        if "faster" in sentence and len(faster) == 0:
            yield f"CLAIM: {file} says `{sentence}`, but no comparison shows that"
        elif claim and not any(same_number(claim[2], f"{gain:.2f}") for gain in possible_gains(faster, claim[1])):
            yield f"CLAIM: {file} says `{sentence}`, but {claim[1]} gains {', '.join(f'{g:.2f}' for g in possible_gains(faster, claim[1])) or 'nowhere'}"
        elif average and not any(agrees_with_average(told, average[2], each) for each in possible_averages(rows, average[1])):
            yield f"CLAIM: {file} says `{sentence}`, which no average over all compared subjects of {average[1]} shows"
        elif "faster" not in sentence and len(faster) > 0:
            yield f"headline: {file} says `{sentence}`, though {len(faster)} comparisons show that a configuration is faster"
    for label, value in cards:
        if label == "Best speedup" and len(faster) == 0:
            yield f"CLAIM: the page has a card `Best speedup {value}`, but no comparison shows that anything is faster"


def possible_gains(faster, configuration):
    """Typical gains of a configuration, at each number of cores, over the subjects on which it is faster."""
    of_it = faster[faster.configuration == configuration]
    return [geometric_mean(list(here.speedup)) for _, here in of_it.groupby("cores")]


def possible_averages(rows, configuration):
    """The geometric mean of a configuration over all subjects with an answer, and what they show, at each number of cores."""
    of_it = rows[(rows.configuration == configuration) & rows.judgement.isin(ANSWERS)]
    return [(geometric_mean(list(here.speedup)), here.judgement.value_counts()) for _, here in of_it.groupby("cores")]


def agrees_with_average(sentence, stated, average):
    mean, counts = average
    words = {"faster": "faster on", "slower": "slower on", "no_difference_shown": "no difference shown on"}
    stated_counts = {name: re.search(rf"{text} (\d+)", sentence) for name, text in words.items()}
    return same_number(stated, f"{mean:.2f}") and all(
        int(found[1] if found else 0) == counts.get(name, 0) for name, found in stated_counts.items())


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
            if pd.isna(again) or pd.isna(reported) or not agrees(column, again, reported):
                place = ", ".join(str(both.at[index, key]) for key in keys)
                yield f"{name}: {place}: {column} is {reported} in the report, {again} here"


def agrees(column, again, reported):
    if isinstance(reported, str):
        return str(again) == reported
    # Ends of a bootstrap interval lie between two of its draws: where exactly depends on the last digits of a normal quantile.
    tolerance = 1e-6 if column in ("ci_low", "ci_high") else 1e-9
    return math.isclose(float(again), float(reported), rel_tol=tolerance, abs_tol=1e-9)


def unescaped(cell):
    """A text that begins like a formula is written with an apostrophe in front."""
    return cell[1:] if isinstance(cell, str) and re.match(r"'+[=+\-@\t\r\n＝＋－＠]", cell) else cell


def read_table(path, texts):
    table = pd.read_csv(path, keep_default_na=False, na_values=[""], dtype=texts)
    for column in table.columns:
        if any(isinstance(cell, str) for cell in table[column]):
            table[column] = table[column].map(unescaped)
    return table


def chain_differences(run):
    """Lines of the journal that do not follow from each other. A journal without a chain says nothing."""
    last = before = ""
    for number, line in enumerate((run / "journal.jsonl").read_bytes().splitlines(), start=1):
        try:
            chain = json.loads(line).get("chain")
        except ValueError:
            # A line that was being written when parade was killed.
            continue
        if chain is None:
            return
        if chain["previous"] != before:
            yield f"CLAIM: journal.jsonl, line {number} does not follow from the line before it: the record was changed"
        last, before = before, hashlib.sha256(line).hexdigest()
    yield from end_differences(run, last, before)


def end_differences(run, last, end):
    """The last line is the one that journal.end counts, or one more that it announced before parade was killed."""
    try:
        known = json.loads((run / "journal.end").read_text())
    except (FileNotFoundError, ValueError):
        yield "CLAIM: journal.end is missing or damaged"
        return
    if known["end"].strip() != end and (known["end"].strip(), known.get("next")) != (last, end):
        yield "CLAIM: journal.jsonl does not end with the line that parade wrote: the record was changed"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run_dir", type=Path)
    parser.add_argument("--baseline", help="the baseline's name [default: as manifest.json has it]")
    parser.add_argument("--edited", action="store_true", help="the journal was edited on purpose: its chain is not checked")
    options = parser.parse_args()
    run = options.run_dir
    try:
        manifest = json.loads((run / "manifest.json").read_text())
        if manifest.get("command") == "detect":
            print(f"{run} is a run of parade detect: it has no trials, so there is nothing to recompute")
            return 0
        baseline = options.baseline or manifest["baseline"]
        trials = read_table(run / "trials.csv", TEXTS)
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
    compared_trials = timed(trials, manifest)
    ratios = speedups(compared_trials, baseline, JUDGEMENT_SEED)
    again = {
        "failures": (failures(compared_trials), cell + ["stage"]),
        "speedups": (ratios, cell),
        "savings": (savings(ratios), cell),
        "averages": (averages(ratios), ["configuration", "cores", "scope"]),
        "concurrency": (concurrency(compared_trials), cell),
        "costs": (costs(trials), cell),
        "scaling": (scaling(compared_trials), cell),
        "subjects": (subjects(trials, baseline), ["subject"]),
    }
    found, compared = [], 0
    for name, (ours, keys) in again.items():
        theirs = read_table(run / "report" / f"{name}.csv", {"subject": str, "configuration": str})
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
    again_told, told_rows = headline(compared_trials, tests, set_aside_tests(run), ratios, manifest)
    found += macro_differences(run, again_told)
    found = ([] if options.edited else list(chain_differences(run))) + list(claim_differences(run, told_rows)) + found
    found.sort(key=lambda line: not line.startswith("CLAIM"))
    for line in found:
        print(line)
    print(f"{compared} rows of {len(again)} tables, {len(trials)} trials and the headline compared: "
          + (f"{len(found)} differences" if found else "all numbers agree"))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
