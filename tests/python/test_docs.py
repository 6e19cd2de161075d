# SPDX-License-Identifier: Apache-2.0
"""Runs the sessions of a page of the documentation, from the first to the last: test_docs.py PAGE

Blocks that begin with ```python are sessions with their output; other blocks are not run. Exit status 77 without a
required module.
"""

import doctest
import importlib.util
import os
import re
import sys
import tempfile

NEEDED = ("scipy", "matplotlib", "networkx")


def main():
    page = os.path.abspath(sys.argv[1])
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: no {', '.join(missing)}")
        return 77
    with open(page, encoding="utf-8") as file:
        text = file.read()
    blocks = list(re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    if not blocks:
        print(f"{page} has no session")
        return 1
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    names = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for block in blocks:
            line = text.count("\n", 0, block.start(1))
            test = doctest.DocTestParser().get_doctest(block.group(1), names, os.path.basename(page), page, line)
            runner.run(test, clear_globs=False)
            names = test.globs
        drawn = os.path.getsize("distances.png") > 1000
        os.chdir("/")
    print(f"{runner.tries} steps, {runner.failures} wrong; plot: {drawn}")
    return 0 if runner.failures == 0 and drawn else 1


if __name__ == "__main__":
    sys.exit(main())
