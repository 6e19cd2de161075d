# SPDX-License-Identifier: Apache-2.0
"""Only problems/recommendation.cpp and the hooks of the problems choose a configuration.

usage: one_place.py SOURCES

Lists every other file that ranks configurations with a model, or that calls a rule of a problem's folder.
"""

import pathlib
import re
import sys

# The functions that choose configurations, and the files that may use them.
ALLOWED = {
    # Models: the function itself, and the selector's own code, which trains and evaluates models.
    r"\bshipped_ranking_model\(":
        r"selector/ranking_model\..pp|problems/shortest_paths/rules/recommendation\.cpp"
        r"|problems/[a-z_]+/registration\.cpp"
        # The names of its features alone.
        r"|cli/reproduce_picks\.cpp",
    r"\bread_tuned_ranking_model\(": r"selector/ranking_model\..pp|problems/installed_model\.cpp",
    r"\binstalled_model\(": r"problems/(installed_model|recommendation)\..pp",
    # Rules.
    r"\bexpected_cost_of\(": r"problems/multi_source/(class_costs|recommendation)\..pp",
    r"\blevel_search_for\(": r"problems/shortest_paths/rules/recommendation\..pp",
    r"\bnear_search_for\(": r"problems/shortest_paths/rules/recommendation\..pp",
    r"\bpart_search_for\(": r"problems/shortest_paths/rules/(part_rule|recommendation)\..pp",
    r"\brank_processor_searches\(": r"problems/shortest_paths/rules/(processor_rule|recommendation)\..pp",
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
