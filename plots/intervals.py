# SPDX-License-Identifier: Apache-2.0
"""Confidence intervals of means over workloads, by Student's t distribution."""

from __future__ import annotations

import math
from statistics import NormalDist

import style  # noqa: F401  before numpy: says what to do when that is missing

import numpy as np

CONFIDENCE = 0.95
LEAST_VALUES = 3  # of fewer, an interval says nothing


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


def of_geometric_mean(values: np.ndarray) -> tuple[float, float]:
    """Returns the ends of the interval of the geometric mean of the positive values; NaN for too few of them."""
    logarithms = np.log(values[np.isfinite(values) & (values > 0)])
    half = half_width(logarithms)
    if math.isnan(half):
        return math.nan, math.nan
    return math.exp(float(logarithms.mean()) - half), math.exp(float(logarithms.mean()) + half)
