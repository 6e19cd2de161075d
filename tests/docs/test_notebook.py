#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a notebook with nbconvert, and compares its pictures with the stored ones in number: a stored notebook whose
outputs are of other cells, or a cell that draws nothing, is an error.

usage: test_notebook.py NOTEBOOK MLMQ       Exit status: 0 success, 1 an error, 77 a Python module is missing.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

MODULES = ("nbconvert", "ipykernel", "matplotlib", "pandas", "scipy")
LEAST_LETTERS = 3000  # of an encoded picture; an empty figure has fewer


def pictures(notebook: dict) -> list[int]:
    """Returns for each cell the number of pictures. @raises SystemExit for an empty picture or an error output."""
    counts = []
    for cell in notebook["cells"]:
        count = 0
        for output in cell.get("outputs", []):
            if output["output_type"] == "error" or output.get("name") == "stderr":
                sys.exit(f"a cell writes to stderr or fails: {output}")
            picture = output.get("data", {}).get("image/png")
            if picture is None:
                continue
            count += 1
            if len("".join(picture)) < LEAST_LETTERS:
                sys.exit(f"an empty picture:\n{''.join(cell['source'])}")
        counts.append(count)
    return counts


def main() -> int:
    file, program = (Path(argument).resolve() for argument in sys.argv[1:])
    missing = [name for name in MODULES if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: no {', '.join(missing)}")
        return 77
    environment = {**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
                   "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    with tempfile.TemporaryDirectory(prefix="mlmq-notebook-") as folder:
        environment["IPYTHONDIR"] = environment["JUPYTER_CONFIG_DIR"] = folder
        command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir", folder,
                   "--output", "run.ipynb", file]
        run = subprocess.run(command, env=environment, text=True, capture_output=True, check=False)
        if run.returncode != 0:
            sys.exit(run.stdout + run.stderr)
        executed = json.loads((Path(folder) / "run.ipynb").read_text(encoding="utf-8"))
    stored = json.loads(file.read_text(encoding="utf-8"))
    if pictures(executed) != pictures(stored):
        sys.exit(f"pictures by cell: {pictures(executed)}, stored {pictures(stored)}; store the notebook as it was run")
    print(f"{sum(pictures(stored))} pictures in {len(stored['cells'])} cells")
    return 0


if __name__ == "__main__":
    sys.exit(main())
