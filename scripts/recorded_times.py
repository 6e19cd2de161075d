# SPDX-License-Identifier: Apache-2.0
"""Times on record, and the folds of a cross-validation, for scripts that fit rules to them."""

import hashlib
import json
import math
import pathlib
import sqlite3

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORDED = ROOT / "experiments/recorded"
COSTS = ROOT / "problems/searches/costs.json"
FOLDS = 10
# The selector's configurations take this much longer than the best ones on record, in the geometric mean.
SELECTED = 1.04


def read_costs():
    """Returns the expected costs of the program."""
    return json.loads(COSTS.read_text(encoding="utf-8"))


def costs_text(value, indent=""):
    """Returns JSON in which an object without objects is a line."""
    if not isinstance(value, dict) or not any(isinstance(member, dict) for member in value.values()):
        return json.dumps(value)
    deeper = indent + "  "
    members = [f"{deeper}{json.dumps(name)}: {costs_text(member, deeper)}" for name, member in value.items()]
    return "{\n" + ",\n".join(members) + f"\n{indent}}}"


def write_costs(costs):
    COSTS.write_text(costs_text(costs) + "\n", encoding="utf-8")


def times_of(path):
    """Returns {hash of a graph: ((name, family, features), {query: {configuration: milliseconds}})}.

    @param path a record as text (docs/reference/database.md)"""
    tables, series, graphs = {}, {}, {}
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        kind, blank, row = line.partition(" ")
        if "\t" in kind or not blank:
            key, *cells = line.split("\t")
            if key in series:
                for query, cell in zip(queries, cells, strict=True):
                    if cell[:1].isdigit():
                        times.setdefault(query, {})[series[key]] = float(cell.split(" ")[0])
        elif kind == "series":
            key, _, row = row.partition(" ")
            row = json.loads(row)
            configuration = tables["configuration", row["configuration"]]
            if (configuration["problem"] == "sssp" and row["measurement"] == "time"
                    and tables["device", row["device"]]["kind"] == "cuda"):
                series[key] = configuration["label"]
        else:
            row = json.loads(row)
            tables[kind, row.get("hash")] = row  # equal code has no hash, and is not read
            if kind == "workload":
                queries, times = row["queries"], {}
                graphs[row["hash"]] = (row["name"], row["family"], row["features"]), times
    return graphs


def times_in_database(path):
    """Like times_of(), of a database that is not compressed."""
    graphs = {}
    with sqlite3.connect(path) as connection:
        features = {}
        for workload, name, value in connection.execute("SELECT workload, name, value FROM workload_feature"):
            features.setdefault(workload, {})[name] = value
        query = ("SELECT w.id, w.hash, w.name, w.family, t.query, c.label, t.median_ms FROM latest t "
                 "JOIN workload w ON w.id = t.workload JOIN configuration c ON c.id = t.configuration "
                 "JOIN device d ON d.id = t.device WHERE c.problem = 'sssp' AND t.measurement = 'time' "
                 "AND t.outcome = 'ok' AND d.kind = 'cuda'")
        for workload, key, name, family, source, label, milliseconds in connection.execute(query):
            about = (name, family, features.get(workload, {}))
            graphs.setdefault(key, (about, {}))[1].setdefault(source, {})[label] = milliseconds
    return graphs


def mean_log(values):
    return sum(map(math.log, values)) / len(values)


def fold_of(family):
    return int(hashlib.sha256(family.encode()).hexdigest(), 16) % FOLDS


def print_regrets(name, regrets):
    """Prints how good choices are whose times are these logs above the best ones."""
    print(f"  {name}: {sum(r == 0 for r in regrets) / len(regrets):.1%} right, regret "
          f"{math.exp(sum(regrets) / len(regrets)):.3f}, worst {math.exp(max(regrets)):.2f}")
