# SPDX-License-Identifier: Apache-2.0
"""Only problems/recommendation.cpp, problems/searches/ and the hooks of the problems choose a configuration.

usage: one_place.py SOURCES

Lists every other file that ranks configurations with a model, or that asks for costs or rows of the plan of searches.
"""

import pathlib
import re
import sys

# The functions that choose configurations, and the files that may use them.
ALLOWED = {
    # Models: the function itself, and the selector's own code, which trains and evaluates models.
    r"\bshipped_ranking_model\(":
        r"selector/ranking_model\..pp|problems/searches/(plan|solver_table)\.cpp"
        r"|problems/[a-z_]+/registration\.cpp"
        # The names of its features alone.
        r"|cli/reproduce_picks\.cpp",
    r"\bread_tuned_ranking_model\(": r"selector/ranking_model\..pp|problems/installed_model\.cpp",
    r"\binstalled_model\(": r"problems/(installed_model|recommendation)\..pp",
    # The plan of searches.
    r"\b(expected_cost_of|cost_of_many|near_pull_gain|expected_processor_ms|planned_solvers)\(":
        r"problems/searches/.*",
    r"\b(level_search_for|part_search_for)\(": r"problems/searches/.*",
}
# A model read at run time makes its choices through this class, which is for training and evaluation.
FORBIDDEN = r"\bselector::selector\b"
FOLDERS = ("backends", "base", "cli", "db", "graph", "library", "plots", "problems", "report", "selector", "tuner")


def main():
    root = pathlib.Path(sys.argv[1])
    used = set()
    wrong = []
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*.?pp")):
            name = file.relative_to(root).as_posix()
            text = re.sub(r"//[^\n]*", "", file.read_text(encoding="utf-8"))
            if re.search(FORBIDDEN, text):
                wrong.append(f"{name}: {re.search(FORBIDDEN, text).group()}")
            for chooser, places in ALLOWED.items():
                if not re.search(chooser, text):
                    continue
                used.add(chooser)
                if not re.fullmatch(places, name):
                    wrong.append(f"{name}: {re.search(chooser, text).group()}")
    # A name that occurs nowhere would make its check useless.
    wrong.extend(f"{chooser}: used nowhere" for chooser in ALLOWED if chooser not in used)
    for line in wrong:
        print(line)
    if wrong:
        print("Configurations are chosen by problems::recommend() alone (docs/guide/add-a-problem.md).")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
