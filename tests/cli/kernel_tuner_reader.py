# SPDX-License-Identifier: Apache-2.0
"""Reads exported files with Kernel Tuner's own code, and prints what it found as JSON.

usage: kernel_tuner_reader.py FOLDERS [DASHBOARD] FILE ...

FOLDERS are source trees of kernel_tuner and of its imports that are not installed, separated by ":"; DASHBOARD is one
of the dashboard, or "". Files named *.t4.json are checked against its schema of results; the others are searched with
every strategy that its Python can import, in simulation mode, and opened in the dashboard."""

import importlib.metadata
import json
import sys
import time
import unittest.mock
import warnings

STRATEGIES = ("brute_force", "random_sample", "minimize", "basinhopping", "diff_evo", "genetic_algorithm", "greedy_mls",
              "ordered_greedy_mls", "greedy_ils", "dual_annealing", "mls", "pso", "simulated_annealing",
              "firefly_algorithm", "hybrid_vndx", "adaptive_tabu_greywolf")


def import_kernel_tuner():
    """Imports Kernel Tuner from a source tree, which lacks the distribution version that its package reads."""
    version = importlib.metadata.version

    def known(name):
        try:
            return version(name)
        except importlib.metadata.PackageNotFoundError:
            return "0"
    importlib.metadata.version = known
    warnings.simplefilter("ignore")
    import kernel_tuner.file_utils
    import kernel_tuner.interface
    import kernel_tuner.util
    return kernel_tuner


def search(tuner, file):
    """Returns for each strategy the number of results and the best time that it found."""
    found = {}
    count = sum("__error__" not in entry for entry in tuner.util.read_cache(file, open_cache=False)["cache"].values())
    for name in STRATEGIES:
        options_of_strategy = getattr(tuner.interface.strategy_map[name], "_options", {})
        options = {key: value for key, value in (("popsize", 4), ("popsize_times_dimensions", False),
                                                 ("neighbor", "adjacent"))
                   if key in options_of_strategy}
        if name != "brute_force":
            options["max_fevals"] = min(8, count)
        begin = time.perf_counter()
        results, environment = tuner.interface.tune_cache(file, strategy=name, strategy_options=options, quiet=True)
        found[name] = {"results": len(results), "best_ms": environment["best_config"]["time"],
                       "seconds": round(time.perf_counter() - begin, 2)}
        if name == "brute_force":
            parameters = json.loads(open(file, encoding="utf-8").read())["tune_params"]
            check_t4(tuner, tuner.file_utils.get_t4_results(results, parameters))
            found[name]["compile_ms"] = environment["total_compile_time"]
    return found


def check_t4(tuner, results):
    import jsonschema
    _, schema = tuner.file_utils.output_file_schema("results")
    jsonschema.validate(results, schema)


def open_dashboard(file):
    """Returns the dashboard's table, prepared by its own code; drawing modules that are not installed are replaced."""
    for package in ("panel", "panel.widgets", "bokeh", "bokeh.palettes", "bokeh.models", "bokeh.models.ranges",
                    "bokeh.transform", "bokeh.plotting"):
        try:
            __import__(package)
        except ImportError:
            sys.modules[package] = unittest.mock.MagicMock()
    from ktdashboard.ktdashboard import KTdashboard
    board = KTdashboard(file)
    frame = board.data_df
    assert not frame[board.tune_param_keys].isnull().any().any(), "a parameter without value"
    for column in board.tune_param_keys:
        board.make_scatter(column, "time", "time", "linear", "linear")
    return {"rows": len(frame), "parameters": board.tune_param_keys, "columns": len(frame.columns)}


def main():
    folders, dashboard, *files = sys.argv[1:]
    sys.path[:0] = [*folders.split(":"), *([dashboard] if dashboard else [])]
    try:
        import numpy  # noqa: F401
        import jsonschema  # noqa: F401
        if dashboard:
            import pandas  # noqa: F401
        tuner = import_kernel_tuner()
    except ImportError as error:
        sys.exit(f"cannot import: {error}")
    found = {}
    for file in files:
        if file.endswith(".t4.json"):
            with open(file, encoding="utf-8") as opened:
                results = json.load(opened)
            check_t4(tuner, results)
            found[file] = {"results": len(results["results"])}
        else:
            found[file] = search(tuner, file)
            if dashboard:
                found[file]["dashboard"] = open_dashboard(file)
    json.dump(found, sys.stdout, indent=1, default=str)


if __name__ == "__main__":
    main()
