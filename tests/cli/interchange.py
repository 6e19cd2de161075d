# SPDX-License-Identifier: Apache-2.0
"""Checks files in the formats of other auto-tuners: each function returns a list of problems."""

import datetime
import json
import re

NUMBER = (int, float)
CACHE_ERRORS = {"InvalidConfig", "CompilationFailedConfig", "RuntimeFailedConfig"}
INVALIDITIES = {"timeout", "compile", "runtime", "correctness", "constraints", "correct"}


class _Checker:
    def __init__(self):
        self.problems = []

    def need(self, holds, what):
        if not holds:
            self.problems.append(what)
        return holds

    def fields(self, where, value, /, **types):
        """Checks that every field exists and has its type; a boolean does not count as a number."""
        if not self.need(isinstance(value, dict), f"{where} is no object"):
            return False
        return all([self.need(name in value and isinstance(value[name], kind) and
                              not (kind == NUMBER and isinstance(value[name], bool)), f"{where}: {name}")
                    for name, kind in types.items()])

    def time_of_day(self, where, text):
        try:
            self.need(datetime.datetime.fromisoformat(text).tzinfo is not None, f"{where}: timestamp without zone")
        except ValueError:
            self.problems.append(f"{where}: timestamp {text!r}")


def cache_problems(text):
    """Checks Kernel Tuner's cache file against schema 1.1.0, and what its simulation mode needs beyond the schema."""
    check = _Checker()
    file = json.loads(text)
    if not check.fields("file", file, schema_version=str, device_name=str, kernel_name=str, problem_size=int,
                        tune_params_keys=list, tune_params=dict, objective=str, cache=dict):
        return check.problems
    check.need(file["schema_version"] == "1.1.0", "schema_version")
    check.need(text.endswith("}\n}"), "the end by which Kernel Tuner knows a complete file")
    keys = file["tune_params_keys"]
    check.need(list(file["tune_params"]) == keys, "tune_params and tune_params_keys differ")
    for name, values in file["tune_params"].items():
        # A constant stops its local searches; mixed types or nulls stop the dashboard.
        check.need(len(values) > 1 or keys == ["configuration"], f"{name} is constant")
        check.need(len({type(value) for value in values}) == 1 and isinstance(values[0], (int, float, str)) and
                   not isinstance(values[0], bool), f"{name}: values of several types, or none")
    check.need(any("__error__" not in entry for entry in file["cache"].values()), "no configuration has a time")
    for key, entry in file["cache"].items():
        if not check.fields(key, entry, compile_time=NUMBER, verification_time=NUMBER, benchmark_time=NUMBER,
                            strategy_time=NUMBER, framework_time=NUMBER, timestamp=str, times=list):
            continue
        check.time_of_day(key, entry["timestamp"])
        check.need(all(isinstance(time, NUMBER) for time in entry["times"]), f"{key}: times")
        check.need(key == ",".join(str(entry.get(name)) for name in keys), f"{key}: is not the key of its entry")
        check.need(all(entry.get(name) in file["tune_params"][name] for name in keys), f"{key}: an unknown value")
        if "__error__" in entry:
            check.need(entry["__error__"] in CACHE_ERRORS and entry["time"] == entry["__error__"], f"{key}: error")
        else:
            check.need(isinstance(entry.get("time"), NUMBER), f"{key}: time")
    return check.problems


def t4_problems(text):
    """Checks the results format of the auto-tuning community, schema 1.0.0."""
    check = _Checker()
    file = json.loads(text)
    if not check.fields("file", file, schema_version=str, metadata=dict, results=list):
        return check.problems
    check.need(re.fullmatch(r"\d+\.\d+\.\d+", file["schema_version"]), "schema_version")
    check.need(file["metadata"].get("timeunit") == "milliseconds", "timeunit")
    for number, entry in enumerate(file["results"]):
        where = f"result {number}"
        if not check.fields(where, entry, timestamp=str, configuration=dict, objectives=list, times=dict,
                            invalidity=str, correctness=NUMBER, measurements=list):
            continue
        check.time_of_day(where, entry["timestamp"])
        check.fields(where, entry["times"], compilation=NUMBER, benchmark=NUMBER, framework=NUMBER,
                     search_algorithm=NUMBER, validation=NUMBER, runtimes=list)
        check.need(entry["invalidity"] in INVALIDITIES, f"{where}: invalidity")
        for measurement in entry["measurements"]:
            check.fields(where, measurement, name=str, value=(int, float, str, list), unit=str)
        names = [measurement["name"] for measurement in entry["measurements"]]
        check.need(set(entry["objectives"]) <= set(names), f"{where}: an objective without measurement")
        if entry["invalidity"] == "correct":
            check.need(isinstance(entry["measurements"][names.index("time")]["value"], NUMBER), f"{where}: time")
    return check.problems
