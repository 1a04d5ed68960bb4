"""The ratio of two measures that were taken by turns."""

import math
import statistics

# The quantiles of Student's t at 97.5 %, by degrees of freedom. Beyond them, the one of many.
QUANTILES = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09]


def ratio(first, second):
    """Returns the geometric mean of the ratios of each pair, second to first, with the limits of its 95 % confidence interval."""
    logarithms = [math.log(two / one) for one, two in zip(first, second, strict=True)]
    mean = statistics.fmean(logarithms)
    freedom = len(logarithms) - 1
    quantile = QUANTILES[freedom - 1] if freedom <= len(QUANTILES) else 2.0
    error = quantile * statistics.stdev(logarithms) / math.sqrt(len(logarithms))
    return math.exp(mean), math.exp(mean - error), math.exp(mean + error)


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
