# SPDX-License-Identifier: Apache-2.0
"""Confidence intervals of means over workloads, and of times that are repeated, by Student's t distribution."""

from __future__ import annotations

import math
from statistics import NormalDist

import style  # before numpy: says what to do when that is missing

import numpy as np

CONFIDENCE = 0.95
LEAST_VALUES = 3  # of fewer, an interval says nothing
QUARTILE_DISTANCE = 1.349  # between the quartiles of a normal distribution, in standard deviations


def t_quantile(freedom: int) -> float:
    """Returns the two-sided quantile of Student's t distribution for CONFIDENCE, by its expansion around the normal
    distribution; 3 % too small for two degrees of freedom, and less than 1 % for more."""
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    return (z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
            + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3))


def half_width(values: np.ndarray) -> float:
    """Returns half the width of the interval of the mean of the values without NaN; NaN for too few values."""
    finite = values[np.isfinite(values)]
    if len(finite) < LEAST_VALUES:
        return math.nan
    return t_quantile(len(finite) - 1) * float(finite.std(ddof=1)) / math.sqrt(len(finite))


def of_repeats(spread: float, repeats: int) -> float:
    """Returns half the width of the interval of a repeated time, relative to the time; NaN for too few repeats.

    @param spread interquartile range / median
    """
    if repeats < LEAST_VALUES:
        return math.nan
    return t_quantile(repeats - 1) * spread / QUARTILE_DISTANCE / math.sqrt(repeats)


def note_of_repeats(half_widths: np.ndarray, subject: str) -> list[str]:
    """Returns a note about how much repeats leave open of `subject`; none if the repeats are not on record.

    @param half_widths half the widths of intervals, relative to the values
    """
    known = half_widths[np.isfinite(half_widths)]
    if len(known) == 0:
        return []
    return [f"{style.percent(CONFIDENCE)} intervals of {subject} from repeated runs: "
            f"±{100 * np.median(known):.2g} % in the median, ±{100 * known.max():.2g} % at most."]


def of_geometric_mean(values: np.ndarray) -> tuple[float, float]:
    """Returns the ends of the interval of the geometric mean of the positive values; NaN for too few of them."""
    logarithms = np.log(values[np.isfinite(values) & (values > 0)])
    half = half_width(logarithms)
    if math.isnan(half):
        return math.nan, math.nan
    return math.exp(float(logarithms.mean()) - half), math.exp(float(logarithms.mean()) + half)
