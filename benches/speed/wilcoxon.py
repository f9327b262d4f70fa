#!/usr/bin/env python3
"""Signed-rank tests by SciPy: one call per sample for the first of them, and one call for all.

    wilcoxon.py DIFFERENCES PAIRS CALLS > times.json

DIFFERENCES holds samples of so many differences each, as 64-bit floats. The time to start Python and to import SciPy is not
counted.
"""

import json
import sys
import time

import numpy as np
from scipy.stats import wilcoxon


def main():
    path, pairs, calls = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    samples = np.fromfile(path).reshape(-1, pairs)
    wilcoxon(samples[0])
    begin = time.perf_counter()
    one_by_one = [wilcoxon(sample).pvalue for sample in samples[:calls]]
    called = time.perf_counter() - begin
    begin = time.perf_counter()
    at_once = wilcoxon(samples, axis=1).pvalue
    vectorised = time.perf_counter() - begin
    assert np.array_equal(one_by_one, at_once[:calls])
    json.dump({"called": called, "vectorised": vectorised, "p": at_once.sum()}, sys.stdout)


if __name__ == "__main__":
    main()
