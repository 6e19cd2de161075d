# SPDX-License-Identifier: Apache-2.0
"""Whether a finding of a paper holds on the numbers that a figure shows.

A figure's script states each finding as a condition: for every input, how far ahead the side is that the paper has
ahead, and optionally a number of ours that should be close to the paper's.

- *holds*: the paper's side is ahead on at least 80 % of the inputs, by more than the limit of the condition, and the
  number is within a factor of 2 of the paper's, or of a larger factor that the condition explains.
- *partly*: the paper's side is ahead in the geometric mean.
- *differs*: neither.

A figure's verdict is *holds* if all its findings are on record and hold, *differs* if more than half of those on record
differ, and else *partly*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import results  # noqa: F401  before numpy: says what to do when that is missing

import numpy as np

HOLDS, PARTLY, DIFFERS = "holds", "partly", "differs"
REQUIRED_SHARE = 0.8
# Limit of a side that a paper calls much or substantially ahead.
MUCH = 1.5
# Limit of numbers that are alike: at most twice as large as each other.
ALIKE = 0.5


@dataclass(frozen=True)
class Finding:
    """A finding of the paper, as a condition on the numbers that are drawn."""

    # What the paper finds, and where it says so: "ADDS is slower than MLMQ (5.2)".
    statement: str
    # By input, how many times the side is ahead that the paper has ahead: above 1 agrees with the paper; NaN is
    # unknown. Empty if only `measure` is compared.
    lead: np.ndarray
    # The measure whose number is compared with the paper's in the figure's file; "" for none.
    measure: str = ""
    # How far the number may be from the paper's.
    factor: float = 2.0
    # How far the paper's side must be ahead: 10 for "an order of magnitude". For numbers that should be alike, the lead
    # is the smaller over the larger one, and the limit is below 1.
    limit: float = 1.0


@dataclass(frozen=True)
class Verdict:
    """Whether a finding holds, and the numbers that say so. `name` is empty if the finding's numbers are not on record.
    """

    name: str
    numbers: str


def single(value: float | None, limit: float) -> np.ndarray:
    """Returns the lead of a finding about one number of the whole figure: that `value` is above `limit`."""
    return np.array([np.nan if value is None else value / limit])


def below(value: float | None, limit: float) -> np.ndarray:
    """Returns the lead of a finding about one number of the whole figure: that `value` is below `limit`."""
    return np.array([np.nan if value is None else limit / max(value, 1e-9)])


def alike(values: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Returns the lead of a finding that pairs of numbers are alike, whose limit is ALIKE: the smaller number over the
    larger one; NaN if one of them is missing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.minimum(values, others) / np.maximum(values, others)


def _text(number: float, digits: int) -> str:
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.{digits}g}"


def judge(finding: Finding, ours: Mapping[str, float | str | None],
          paper: Mapping[str, Sequence[float]]) -> Verdict:
    """Judges a finding.

    @param ours our number of each measure
    @param paper the paper's numbers of each measure, one for each of its devices; a measure without one is not compared
    """
    lead = np.asarray(finding.lead, dtype=float)
    known = lead[~np.isnan(lead)]
    texts = []
    is_close = True
    if stated := paper.get(finding.measure, ()):
        number = ours[finding.measure]
        if number is None or isinstance(number, str):
            return Verdict("", "not on record")
        is_close = min(stated) / finding.factor <= number <= max(stated) * finding.factor
        interval = _text(min(stated), 4) + (f" to {_text(max(stated), 4)}" if max(stated) > min(stated) else "")
        texts.append(f"here {_text(number, 3)}, paper {interval}")
    if len(lead) == 0 and stated:
        return Verdict(HOLDS if is_close else DIFFERS, "; ".join(texts))
    if len(known) == 0:
        return Verdict("", "not on record")
    ahead = int((known > finding.limit).sum())
    # A count or a time may be zero.
    mean = float(np.exp(np.log(np.clip(known, 1e-12, 1e12)).mean()))
    needed = "" if finding.limit == 1 else f", {finding.limit:.3g}× needed"
    if len(known) > 1:
        texts.insert(0, f"{ahead:,} of {len(known):,} inputs, {mean:.3g}× in the mean{needed}")
    elif needed:
        texts.insert(0, f"{mean:.3g}×{needed}")
    elif not texts:
        texts.append(f"{mean:.3g}× what is needed" if mean < 1e6 else "far above what is needed")
    if ahead >= REQUIRED_SHARE * len(known) and is_close:
        return Verdict(HOLDS, "; ".join(texts))
    return Verdict(PARTLY if mean > min(1.0, finding.limit) else DIFFERS, "; ".join(texts))


def overall(names: Sequence[str]) -> str:
    """Returns the verdict on a figure; "" if no finding could be judged.

    @param names verdicts on its findings, "" for one that could not be judged
    """
    judged = [name for name in names if name]
    if not judged:
        return ""
    if all(name == HOLDS for name in names):
        return HOLDS
    return DIFFERS if 2 * sum(name == DIFFERS for name in judged) > len(judged) else PARTLY
