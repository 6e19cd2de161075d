# SPDX-License-Identifier: Apache-2.0
"""Durations on the command lines of scripts."""

import argparse
import re


def duration(text: str) -> float:
    """Returns the seconds of "90s", "8min" or "1h", for argparse."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(s|min|h)", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"'{text}' is not a duration, such as 90s or 8min")
    return float(match[1]) * {"s": 1, "min": 60, "h": 3600}[match[2]]
