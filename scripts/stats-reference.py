#!/usr/bin/env python3
"""Writes tests/data/wilcoxon.csv: signed-rank tests as SciPy computes them.

Needs SciPy 1.13 or later (`pip install scipy`). The cases are drawn from a fixed seed, so a second run gives the same
file. Without ties up to 50 pairs SciPy's exact distribution is used; with ties, up to 12 pairs, every assignment of
signs; beyond 50 pairs the normal approximation with tie and continuity correction.
"""

import csv
from pathlib import Path

import numpy as np
from scipy.stats import PermutationMethod, wilcoxon

OUT = Path(__file__).resolve().parent.parent / "tests" / "data" / "wilcoxon.csv"


def exact(a, b):
    return wilcoxon(a, b, method="exact")


def enumerated(a, b):
    return wilcoxon(a, b, method=PermutationMethod(n_resamples=np.inf))


def asymptotic(a, b):
    return wilcoxon(a, b, method="asymptotic", correction=True)


def distinct(random, n):
    while True:
        a, b = random.normal(10, 2, n).round(6), random.normal(10.5, 2, n).round(6)
        magnitudes = np.abs(a - b)
        if len(set(magnitudes)) == n and magnitudes.min() > 0:
            return a, b


def tied(random, n, spread):
    while True:
        a, b = random.integers(0, spread, n).astype(float), random.integers(0, spread, n).astype(float)
        if np.count_nonzero(a != b) >= 2:
            return a, b


def cases(random):
    for n in list(range(1, 51)) * 3:
        yield f"exact-{n}", *distinct(random, n), exact
    for n in list(range(3, 13)) * 12:
        yield f"tied-{n}", *tied(random, n, 6), enumerated
    for n in range(60, 100):
        yield f"asymptotic-{n}", *distinct(random, n), asymptotic
    for n in range(90, 130):
        yield f"asymptotic-tied-{n}", *tied(random, n, 12), asymptotic


def written(values):
    return " ".join(repr(float(value)) for value in values)


def main():
    OUT.parent.mkdir(parents=True, exist_ok=True)
    with OUT.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["case", "a", "b", "statistic", "p"])
        for name, a, b, test in cases(np.random.default_rng(2021)):
            result = test(a, b)
            out.writerow([name, written(a), written(b), repr(float(result.statistic)), repr(float(result.pvalue))])


if __name__ == "__main__":
    main()
