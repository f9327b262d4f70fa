#!/usr/bin/env python3
"""Writes tests/data/stats-scipy.csv: what SciPy and NumPy compute for drawn samples.

Needs SciPy 1.13 or later (`pip install scipy`). The cases are drawn from a fixed seed, so a second run gives the same
file. Every row has a function, its options, one or two samples, and the expected numbers; `nan` where there is none.
The tests in src/core/stats/reference_tests.rs compare parade's own with them.
"""

import csv
import warnings
from pathlib import Path

import numpy as np
from scipy import stats

OUT = Path(__file__).resolve().parent.parent / "tests" / "data" / "stats-scipy.csv"
SIDES = ["two-sided", "less", "greater"]
ZEROS = ["wilcox", "pratt", "zsplit"]
QUANTILES = [
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
]


def distinct_pairs(random, n):
    while True:
        a, b = random.normal(10, 2, n).round(3), random.normal(10.5, 2, n).round(3)
        magnitudes = np.abs(a - b)
        if len(set(magnitudes)) == n and magnitudes.min() > 0:
            return a, b


def tied_pairs(random, n, spread):
    while True:
        a, b = random.integers(0, spread, n).astype(float), random.integers(0, spread, n).astype(float)
        if np.count_nonzero(a != b) >= 1:
            return a, b


def signed_rank(random):
    def row(a, b, side, zero, method, known):
        options = {"asymptotic": {"method": "asymptotic", "correction": True}, "exact": {"method": "exact"}}
        every = {"method": stats.PermutationMethod(n_resamples=np.inf)}
        test = stats.wilcoxon(a, b, zero_method=zero, alternative=side, **options.get(known, every))
        return ["wilcoxon", f"{side} {zero} {method}", a, b, [test.statistic, test.pvalue]]

    for n in list(range(1, 51)) * 4:
        yield row(*distinct_pairs(random, n), SIDES[random.integers(3)], "wilcox", "auto", "exact")
    for n in list(range(2, 13)) * 20:
        yield row(*tied_pairs(random, n, 6), SIDES[random.integers(3)], ZEROS[random.integers(3)], "auto", "enumerated")
    for n in list(range(51, 131)) * 2:
        yield row(*distinct_pairs(random, n), SIDES[random.integers(3)], "wilcox", "auto", "asymptotic")
    for n in list(range(90, 130)) * 3:
        yield row(*tied_pairs(random, n, 12), SIDES[random.integers(3)], ZEROS[random.integers(3)], "asymptotic", "asymptotic")
    for n in list(range(3, 50)) * 4:
        yield row(*tied_pairs(random, n, 9), SIDES[random.integers(3)], ZEROS[random.integers(3)], "asymptotic", "asymptotic")
    for side in SIDES:
        for n in (1, 2, 7, 60):
            yield row(np.full(n, 3.0), np.full(n, 1.0), side, "wilcox", "asymptotic", "asymptotic")
    a = random.lognormal(1, 1, 3000).round(2)
    for zero in ZEROS:
        yield row(a, random.permutation(a), "two-sided", zero, "auto", "asymptotic")


def rank_sum(random):
    def row(a, b, side, method, known):
        every = {"method": stats.PermutationMethod(n_resamples=np.inf)}
        options = {"method": known} if known != "enumerated" else every
        test = stats.mannwhitneyu(a, b, alternative=side, **options)
        return ["mann_whitney", f"{side} {method}", a, b, [test.statistic, test.pvalue]]

    def drawn(m, n):
        while True:
            pooled = random.normal(10, 3, m + n).round(4)
            if len(set(pooled)) == m + n:
                return pooled[:m], (pooled[m:] + random.choice([0, 0.00005, 2.00005])).round(5)

    for _ in range(260):
        m, n = random.integers(1, 30, 2)
        yield row(*drawn(m, n), SIDES[random.integers(3)], "auto", "exact")
    for m, n in [(50, 50), (1, 400), (400, 3), (7, 300)]:
        yield row(*drawn(m, n), "two-sided", "auto", "exact")
    for _ in range(60):
        m = n = random.integers(2, 6)
        a, b = random.integers(0, 5, m).astype(float), random.integers(0, 5, n).astype(float)
        yield row(a, b, SIDES[random.integers(3)], "auto", "enumerated")
    for _ in range(60):
        m, n = random.integers(2, 6, 2)
        a, b = random.integers(0, 5, m).astype(float), random.integers(0, 5, n).astype(float)
        yield row(a, b, ["less", "greater"][random.integers(2)], "auto", "enumerated")
    for _ in range(160):
        m, n = random.integers(2, 60, 2)
        a, b = random.integers(0, 20, m).astype(float), random.integers(0, 22, n).astype(float)
        yield row(a, b, SIDES[random.integers(3)], "asymptotic", "asymptotic")
    large = random.normal(10, 3, 3500).round(4)
    yield row(large[:2000], large[2000:], "two-sided", "auto", "asymptotic")


def cloud(random, n, slope, digits=3):
    x = random.normal(0, 1, n).round(digits) if digits else random.integers(0, 8, n).astype(float)
    return x, (slope * x + random.normal(0, 1, n)).round(digits)


def relations(random):
    sizes = [3, 4, 5] * 15 + [int(n) for n in random.integers(6, 60, 150)] + [4000]
    for n in sizes:
        x, y = cloud(random, n, random.choice([-1.5, -0.3, 0, 0.4, 2]), random.choice([0, 1, 3]))
        if len(set(x)) == 1 or len(set(y)) == 1:
            continue
        r = stats.pearsonr(x, y)
        low, high = r.confidence_interval(0.95)
        if abs(r.statistic) < 1 - 1e-9:
            ends = [low, high] if n > 3 else [np.nan, np.nan]
            yield ["pearson", "", x, y, [r.statistic, r.pvalue, *ends]]
        rho = stats.spearmanr(x, y)
        if abs(rho.statistic) < 1 - 1e-9:
            yield ["spearman", "", x, y, [rho.statistic, rho.pvalue]]
        line = stats.linregress(x, y)
        if abs(line.rvalue) < 1 - 1e-9:
            errors = [line.stderr, line.intercept_stderr]
            yield ["regression", "", x, y, [line.slope, line.intercept, line.rvalue**2, *errors, line.pvalue]]


def trends(random):
    for n in list(range(3, 51)) * 3:
        x = random.normal(0, 1, n).round(4) + random.choice([0, 0.05]) * np.arange(n)
        x = x.round(4)
        if len(set(x)) == n:
            test = stats.kendalltau(np.arange(n), x, method="exact")
            yield ["drift", "exact", x, [], [test.statistic, test.pvalue, stats.theilslopes(x).slope]]


def means(random):
    for n in list(range(1, 40)) * 3:
        x = random.lognormal(1, 1, n).round(4) + 0.0001
        w = random.integers(0, 5, n) + 1.0
        share = random.choice([0.0, 0.05, 0.1, 0.2, 0.25, 0.49])
        expected = [x.mean(), np.median(x), stats.gmean(x), stats.hmean(x), np.average(x, weights=w)]
        sd = x.std(ddof=1) if n > 1 else np.nan
        yield ["means", f"{share}", x, w, [*expected, stats.trim_mean(x, share), sd]]


def quantiles(random):
    for n in list(range(1, 30)) * 2:
        x = random.normal(0, 10, n).round(2) if random.integers(2) else random.integers(0, 9, n).astype(float)
        for p in (0.0, 0.1, 0.25, 1 / 3, 0.5, 0.77, 0.9, 1.0):
            yield ["quantiles", repr(p), x, [], [np.quantile(x, p, method=name) for name in QUANTILES]]


def proportions(random):
    for _ in range(200):
        table = random.integers(0, random.choice([6, 30, 400]), (2, 2))
        if table.sum() == 0:
            continue
        for side in SIDES:
            yield ["fisher", side, table.flatten(), [], [stats.fisher_exact(table, side).pvalue]]
    for _ in range(150):
        n = int(random.integers(1, random.choice([5, 50, 5000])))
        k, level = int(random.integers(0, n + 1)), random.choice([0.8, 0.9, 0.95, 0.99])
        interval = stats.binomtest(k, n).proportion_ci(float(level), method="wilson")
        yield ["wilson", f"{level}", [k, n], [], [interval.low, interval.high]]


def corrections(random):
    for m in list(range(1, 30)) * 3:
        p = random.uniform(0, 1, m).round(int(random.integers(1, 6))) ** 2
        yield ["benjamini_hochberg", "", p, [], stats.false_discovery_control(p)]


def effects(random):
    """By their definitions, over all pairs of values."""
    for _ in range(150):
        m, n = random.integers(2, 25, 2)
        a, b = random.integers(0, 12, m).astype(float), random.integers(0, 12, n).astype(float) + random.integers(0, 4)
        signs = np.sign(a[:, None] - b[None, :])
        delta = signs.mean()
        if abs(delta) == 1:
            continue
        rows, columns = signs.mean(axis=1), signs.mean(axis=0)
        variance = n**2 * ((rows - delta) ** 2).sum() + m**2 * ((columns - delta) ** 2).sum() - ((signs - delta) ** 2).sum()
        variance = max(variance / (m * n * (m - 1) * (n - 1)), (1 - delta**2) / (m * n - 1))
        z = stats.norm.ppf(0.975)
        root = z * np.sqrt(variance) * np.sqrt((1 - delta**2) ** 2 + z**2 * variance)
        ends = [(delta - delta**3 + sign * root) / (1 - delta**2 + z**2 * variance) for sign in (-1, 1)]
        yield ["cliffs_delta", "", a, b, [delta, *np.clip(ends, -1, 1), (delta + 1) / 2]]


def ratios(random):
    """Fieller's set as the roots of its quadratic."""
    for _ in range(150):
        m = int(random.integers(2, 20))
        a, b = random.normal(10, 1, m).round(3), random.normal(random.choice([5, 0.3]), 1, m).round(3)
        paired = np.cov(a, b) / m
        yield ["fieller", "paired", a, b, fieller(a, b, paired, m - 1)]
        n = int(random.integers(2, 20))
        b = random.normal(random.choice([5, 0.3]), 0.7, n).round(3)
        variances = np.array([a.var(ddof=1) / m, b.var(ddof=1) / n])
        parts = variances * np.array([1, (a.mean() / b.mean()) ** 2])
        freedom = parts.sum() ** 2 / (parts**2 / np.array([m - 1, n - 1])).sum()
        yield ["fieller", "unpaired", a, b, fieller(a, b, np.diag(variances), freedom)]


def fieller(a, b, covariance, freedom):
    """Ends, and 1 if the set lies between them, −1 if it lies outside, 0 if it is everything."""
    square = stats.t.ppf(0.975, freedom) ** 2
    leading = b.mean() ** 2 - square * covariance[1, 1]
    roots = np.roots(
        [leading, -2 * (a.mean() * b.mean() - square * covariance[0, 1]), a.mean() ** 2 - square * covariance[0, 0]]
    )
    if leading < 0 and np.iscomplex(roots).any():
        return [np.nan, np.nan, 0]
    return [*np.sort(roots.real), np.sign(leading)]


def log_ratios(random):
    """The t interval of log ratios, and Welch's of independent samples, widened to the ratio of means."""
    for n in list(range(3, 16)) * 8:
        a, b = random.lognormal(3, 0.2, n).round(3), random.lognormal(2.5, 0.2, n).round(3)
        ratios = np.log(a) - np.log(b)
        ends = stats.t.interval(0.95, n - 1, ratios.mean(), stats.sem(ratios))
        yield ["log_ratio", "paired", a, b, widened(ends, a.mean() / b.mean())]
        b = random.lognormal(2.5, 0.3, int(random.integers(3, 16))).round(3)
        interval = stats.ttest_ind(np.log(a), np.log(b), equal_var=False).confidence_interval(0.95)
        yield ["log_ratio", "unpaired", a, b, widened((interval.low, interval.high), a.mean() / b.mean())]


def widened(ends, ratio):
    low, high = np.exp(ends)
    return [min(low, ratio), max(high, ratio)]


def written(values):
    return " ".join(short(value) for value in values)


def short(value):
    value = float(value)
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def main():
    warnings.simplefilter("ignore")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    families = [signed_rank, rank_sum, relations, trends, means, quantiles, proportions, corrections, effects, ratios, log_ratios]
    with OUT.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["function", "options", "x", "y", "expected"])
        for seed, family in enumerate(families, 2021):
            for function, options, x, y, expected in family(np.random.default_rng(seed)):
                out.writerow([function, options, written(x), written(y), " ".join(repr(float(e)) for e in expected)])


if __name__ == "__main__":
    main()
