# SPDX-License-Identifier: Apache-2.0
"""Parts that all scripts share: arguments, notes and errors."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import style

from results.records import NotOnRecord, ResultsError


def add_common_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments that select the results to read."""
    parser.add_argument("database", metavar="DB", help="database of finished trials")
    parser.add_argument("--device", metavar="NAME", help="part of a device's name, when the database holds several")
    parser.add_argument("--problem", metavar="NAME", help="problem that was solved [the only one on record]")


def figure_path(text: str) -> Path:
    """Checks the name of a figure, for argparse."""
    path = Path(text)
    if path.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise argparse.ArgumentTypeError(f"'{text}' does not end in .png, .svg or .pdf")
    return path


def add_figure_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments about the figure to write."""
    parser.add_argument("--output", metavar="FILE", type=figure_path, required=True,
                        help="figure to write: .png, .pdf, or .svg for SVG and PNG")
    parser.add_argument("--width", choices=("page", "column"), default="page",
                        help="column: the figure fits one column of a two-column paper [%(default)s]")


def apply_figure_arguments(arguments: argparse.Namespace) -> None:
    """Sets the layout of the figure. Call this before drawing."""
    style.layout.in_column = arguments.width == "column"


def note(text: str) -> None:
    """Prints a one-line note on the terminal, also for users of a program that runs this script."""
    print(f"{Path(sys.argv[0]).name}: note: {text}", file=sys.stderr)


def run(main: Callable[[], None]) -> None:
    """Runs a script. An error that the caller can fix is one line on stderr with exit status 2, or 3 if the data to be
    shown was not measured."""
    status = 2
    try:
        main()
    except NotOnRecord as error:
        reason = str(error)
        status = 3
    except (ResultsError, ValueError) as error:
        reason = str(error)
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    else:
        return
    print(f"{Path(sys.argv[0]).name}: {' '.join(reason.split())}", file=sys.stderr)
    sys.exit(status)
