#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the matrices of experiments/kernels/spmv.yaml: a CSV file for each, with a column for each array.

make_matrices.py [FOLDER]      default: the folder of this script
"""

import pathlib
import random
import sys


def banded(rows, width):
    return [[c for c in range(r - width, r + width + 1) if 0 <= c < rows] for r in range(rows)]


def uniform(rows, length, draw):
    return [sorted(draw.sample(range(rows), length)) for _ in range(rows)]


def skewed(rows, longest, draw):
    """A few long rows, as in the graph of a social network."""
    return [sorted(draw.sample(range(rows), max(1, longest // (r + 1)))) for r in range(rows)]


def write(path, matrix, draw):
    numbers = [[round(draw.uniform(-1, 1), 3) for _ in row] for row in matrix]
    longest = max(map(len, matrix))
    starts = [0]
    for row in matrix:
        starts.append(starts[-1] + len(row))
    columns = {
        "row_of": [r for r, row in enumerate(matrix) for _ in row],
        "column": [c for row in matrix for c in row],
        "number": [n for row in numbers for n in row],
        "row_start": starts,
        "ell_column": [row[i] if i < len(row) else -1 for i in range(longest) for row in matrix],
        "ell_number": [row[i] if i < len(row) else 0 for i in range(longest) for row in numbers],
    }
    with open(path, "w", encoding="ascii") as file:
        file.write(",".join(columns) + "\n")
        for i in range(max(map(len, columns.values()))):
            file.write(",".join(str(c[i]) if i < len(c) else "" for c in columns.values()) + "\n")
    print(f"{path.stem}: rows {len(matrix)}, entries {starts[-1]}, longest {longest}")


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    folder = folder if folder.is_dir() else folder.parent
    draw = random.Random(1)
    write(folder / "tridiagonal.csv", banded(96, 1), draw)
    write(folder / "banded.csv", banded(64, 4), draw)
    write(folder / "uniform.csv", uniform(64, 6, draw), draw)
    write(folder / "skewed.csv", skewed(48, 30, draw), draw)


if __name__ == "__main__":
    main()
