#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the blocks of a recipe from the first to the last, in one folder: `sh` as commands that must succeed, `python`
as a session whose output must be as shown.

usage: test_recipes.py PAGE ROOT MLMQ       Exit status: 0 success, 1 a block fails, 77 a Python module is missing.

The folder has a graph roads.gr, and `experiments` of the source tree.
"""

from __future__ import annotations

import doctest
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ROADS = "road12"


def missing_modules(text: str) -> list[str]:
    modules = set(re.findall(r"^>>> import (\w+)", text, re.MULTILINE)) - {"mlmq"}
    if "read_results" in text:
        modules.add("pandas")
    return sorted(name for name in modules if importlib.util.find_spec(name) is None)


def run_commands(commands: str) -> bool:
    finished = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], text=True, capture_output=True, check=False)
    if finished.returncode != 0:
        print(f"{commands}\nexit status {finished.returncode}\n{finished.stdout}{finished.stderr}")
    return finished.returncode == 0


def main() -> int:
    page, root, program = (Path(argument).resolve() for argument in sys.argv[1:])
    text = page.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    if not blocks:
        print(f"{page} has no block to run")
        return 1
    missing = missing_modules(text)
    if missing:
        print(f"skipped: no {', '.join(missing)}")
        return 77
    os.environ["PATH"] = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    session = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    variables: dict[str, object] = {}
    succeeded = True
    with tempfile.TemporaryDirectory(prefix="mlmq-recipe-") as folder:
        os.chdir(folder)
        os.symlink(root / "experiments", "experiments")
        subprocess.run([program, "graph", "generate", ROADS, "roads.gr"], check=True, stdout=subprocess.DEVNULL)
        for block in blocks:
            language, code = block.groups()
            if language == "sh":
                succeeded = run_commands(code) and succeeded
            else:
                line = text.count("\n", 0, block.start(2))
                example = doctest.DocTestParser().get_doctest(code, variables, page.name, str(page), line)
                session.run(example, clear_globs=False)
                variables = example.globs
        os.chdir("/")
    print(f"{len(blocks)} blocks; steps of Python: {session.tries}, wrong: {session.failures}")
    return 0 if succeeded and session.failures == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
