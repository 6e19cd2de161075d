# SPDX-License-Identifier: Apache-2.0
"""CSV files that begin with lines "# NAME: VALUE" about their origin."""

from __future__ import annotations

import csv
from pathlib import Path


def read_described_csv(path: Path) -> tuple[dict[str, str], list[tuple[str, dict[str, str | None]]]]:
    """Returns what the file says about itself, and its rows, each with its place "FILE:LINE" for messages."""
    lines = path.read_text(encoding="utf-8").splitlines()
    facts = {}
    start = 0
    while start < len(lines) and lines[start].startswith("#"):
        name, colon, value = lines[start].lstrip("# ").partition(": ")
        if colon:
            facts[name] = value
        start += 1
    rows = csv.DictReader(lines[start:])
    return facts, [(f"{path}:{start + rows.line_num}", row) for row in rows]
