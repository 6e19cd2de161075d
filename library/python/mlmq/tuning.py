# SPDX-License-Identifier: Apache-2.0
"""Sweeps, selectors and reports from Python: runs the program `mlmq` and reads what it writes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np

from .errors import InputError, WorkError
from .results import read_rows

# Seconds in which a sweep must end after Ctrl-C. It waits for the trial that is being measured.
GRACE = 10.0
# Exit status of the program for invalid input.
_INPUT_STATUS = 2

_PathLike = Union[str, "os.PathLike[str]"]
_QUERY = """SELECT r.workload, r.device, r.outcome, r.message, r.median_ms, r.spread, r.registers, r.local_bytes,
r.shared_bytes, r.occupancy, r.parameters, r.metrics FROM result r
JOIN experiment_trial x ON x.trial = r.trial
WHERE r.measurement = 'time' AND x.experiment = (SELECT id FROM experiment ORDER BY used DESC, id DESC LIMIT 1)
ORDER BY r.workload, r.device, r.median_ms IS NULL, r.median_ms"""
_OBJECTIVE = """SELECT json_extract(settings, '$.objectives[0].name') AS name,
json_extract(settings, '$.objectives[0].direction') = 'maximize' AS is_maximized
FROM experiment ORDER BY used DESC, id DESC LIMIT 1"""


def program() -> str:
    """The path of the program: $MLMQ_PROGRAM, that of the wheel or of the tree around it, or the one in PATH."""
    configured = os.environ.get("MLMQ_PROGRAM")
    if configured:
        return configured
    package = Path(__file__).resolve().parent
    parents = package.parents
    trees = [parents[3] / "bin" / "mlmq"] if len(parents) > 3 else []  # PREFIX/lib/python3/dist-packages/mlmq
    for path in (package / "_tree" / "bin" / "mlmq", *trees, parents[1] / "build" / "cli" / "mlmq"):
        if os.access(path, os.X_OK):
            return str(path)
    in_path = shutil.which("mlmq")
    if in_path is None:
        raise InputError("the program mlmq is not in PATH; name it in the environment variable MLMQ_PROGRAM")
    return in_path


def _run(arguments: Sequence[str]) -> str:
    """Runs the program and returns its output. After an exception, such as KeyboardInterrupt, the program has ended."""
    # In a session of its own it does not get Ctrl-C of the terminal, of which a second one would end it at once.
    with subprocess.Popen([program(), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            output, errors = process.communicate()
        except BaseException:
            process.send_signal(signal.SIGINT)
            try:
                process.communicate(timeout=GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
            raise
    if process.returncode == 0:
        return output
    message = errors.strip().split("\n")[-1].removeprefix("mlmq: ") if errors.strip() else f"mlmq {arguments[0]} failed"
    if process.returncode == _INPUT_STATUS:
        raise InputError(message)
    # Failed trials are data; the sweep itself succeeded if they were recorded.
    if process.returncode == 1 and "finished trials of the experiment failed" in message:
        return output
    raise WorkError(message)


def _column_names(names: Iterable[str], prefix: str, taken: set[str]) -> dict[str, str]:
    """Returns the columns of parameters or metrics, with a prefix where the bare name is taken, and takes them."""
    columns = {}
    for name in sorted(names):
        column = name
        while column in taken:
            column = prefix + column
        columns[name] = column
        taken.add(column)
    return columns


def _rows(database: str) -> Any:
    read = read_rows(database, _QUERY)
    objects = {key: [json.loads(row.pop(key) or "{}") for row in read] for key in ("parameters", "metrics")}
    taken = set(read[0]) if read else set()
    parameters = _column_names(set().union(*objects["parameters"]), "parameter_", taken)
    metrics = _column_names(set().union(*objects["metrics"]), "metric_", taken)
    rows = []
    for row, chosen, values in zip(read, objects["parameters"], objects["metrics"]):
        rows.append({"workload": row.pop("workload"), **{parameters[name]: value for name, value in chosen.items()},
                     **row, **{metrics[name]: value for name, value in values.items()}})
    objective = next(iter(read_rows(database, _OBJECTIVE)))
    if objective["name"] not in (None, "time"):
        column = metrics.get(objective["name"], objective["name"])

        def order(row: Mapping[str, Any]) -> tuple[str, str, bool, float]:
            value = row.get(column)
            sign = -1 if objective["is_maximized"] else 1
            return row["workload"], row["device"], value is None, sign * (value or 0)

        rows.sort(key=order)
    try:
        import pandas  # pylint: disable=import-outside-toplevel
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


def _sizes_text(sizes: Mapping[str, Any]) -> str:
    return ",".join(f"{name}={value}" for name, value in sizes.items())


def sweep(file: _PathLike, *, device: str = "auto", database: Optional[_PathLike] = None,
          sizes: Union[Mapping[str, Any], Sequence[Mapping[str, Any]], None] = None,
          options: Sequence[str] = ()) -> Any:
    """Measures the configurations of an experiment file, as ``mlmq sweep`` does.

    Parameters
    ----------
    file : str or path
        An experiment file.
    device : str
        Such as "cuda:0"; "simt" is the simulator.
    database : str or path, optional
        Keeps the results, so that another call measures only what is missing. Default: a temporary file.
    sizes : dict or list of dicts, optional
        For ``problem: kernel``: sizes of workloads to measure instead of those of the file.
    options : list of str
        Further options of ``mlmq sweep``.

    Returns
    -------
    pandas.DataFrame
        Or a list of dicts if pandas is not installed. One row for each timed trial of the experiment, the best of a
        workload first, by the objective of the file: the workload, parameters, outcome, times in milliseconds,
        resources of the kernel, metrics. A parameter with the name of such a column is ``parameter_NAME``, a metric
        ``metric_NAME``.

    Raises
    ------
    InputError, WorkError
        As the program reports them. Failed trials are rows, not exceptions.

    Examples
    --------
    >>> import mlmq, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> experiment = folder / "small.yaml"
    >>> characters = experiment.write_text('''
    ... name: small
    ... problem: sssp
    ... parameters: {delta: [2, 8, 32]}
    ... workloads: [{generate: [road8, rmat8]}]
    ... measurement: {warmup: 0, repeats: 1, counters: false}
    ... ''')
    >>> trials = mlmq.sweep(experiment, device="simt", database=folder / "small.sqlite")
    >>> len(trials)
    6
    >>> best = mlmq.query(folder / "small.sqlite", "SELECT workload, min(value) FROM relative GROUP BY workload")
    >>> list(best["workload"])
    ['rmat8', 'road8']
    >>> mlmq.report(folder / "small.sqlite", output=folder / "small.html").name
    'small.html'
    """
    with tempfile.TemporaryDirectory(prefix="mlmq-") as folder:
        path = os.path.join(folder, "results.sqlite") if database is None else os.fsdecode(database)
        arguments = ["sweep", os.fsdecode(file), "--db", path, "--device", device, "--quiet", *options]
        if sizes is not None:
            several = [sizes] if isinstance(sizes, Mapping) else list(sizes)
            arguments += ["--workloads", *map(_sizes_text, several)]
        _run(arguments)
        return _rows(path)


def _host_array(values: Any) -> np.ndarray:
    """Copies an array to the host: NumPy, CuPy, or anything that NumPy can read."""
    if hasattr(values, "__cuda_array_interface__") and hasattr(values, "get"):
        values = values.get()
    return np.ascontiguousarray(values)


def tune(file: _PathLike, arrays: Optional[Mapping[str, Any]] = None, reference: Optional[Callable[..., Any]] = None,
         **settings: Any) -> Any:
    """Tunes the kernel of an experiment file on arrays of the caller.

    Parameters
    ----------
    file : str or path
        An experiment file with ``problem: kernel``.
    arrays : dict
        Contents of arguments and symbols by name, instead of those that the file describes: arrays of NumPy or CuPy
        with the type that the file gives them, and as many elements as it computes from the sizes.
    reference : callable, optional
        Computes the expected results instead of the file's reference: it is called once with `arrays` by keyword and
        returns an array, or a dict of arrays by name if the kernel writes several.
    **settings
        Those of `sweep`. `sizes` should name the one workload that fits the arrays.

    Returns
    -------
    pandas.DataFrame
        The result of `sweep`.
    """
    given = dict(arrays or {})
    source = Path(os.fsdecode(file))
    try:
        text = source.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{source}: {error.strerror}") from None
    with tempfile.TemporaryDirectory(prefix="mlmq-") as folder:
        def stored(name: str, values: Any) -> str:
            path = os.path.join(folder, f"{name}.npy")
            np.save(path, _host_array(values))
            return path

        data: dict[str, Any] = {"folder": str(source.resolve().parent)}
        if given:
            data["arrays"] = {name: stored(f"given{i}", values) for i, (name, values) in enumerate(given.items())}
        if reference is not None:
            results = reference(**given)
            if isinstance(results, Mapping):
                data["expected"] = {name: stored(f"expected{i}", values)
                                    for i, (name, values) in enumerate(results.items())}
            else:
                data["expected"] = stored("expected", results)
        copy = os.path.join(folder, source.name)
        with open(copy, "w", encoding="utf-8") as written:
            written.write(f"{text}\ndata: {json.dumps(data)}\n")  # JSON is YAML
        try:
            return sweep(copy, **settings)
        except (InputError, WorkError) as error:
            raise type(error)(str(error).replace(copy, str(source))) from None


def tune_selector(workloads: Sequence[_PathLike] = (), *, device: str = "auto", budget: str = "10min",
                  folder: _PathLike = "out/tune", space: Optional[_PathLike] = None,
                  options: Sequence[str] = ()) -> dict[str, Any]:
    """Makes a selector for a device and workloads, and installs it where it is better, as ``mlmq tune`` does.

    Parameters
    ----------
    workloads : list of str or path
        Graph files, folders, or names of graphs to generate. Default: those of the experiment file.
    device : str
        Such as "cuda:0"; "simt" is the simulator.
    budget : str
        Time to measure, such as "90s" or "30min". The same call resumes.
    folder : str or path
        For the database, the selector and its summary.
    space : str or path, optional
        An experiment file with the configurations to try.
    options : list of str
        Further options of ``mlmq tune``, such as ``["--output", "selector.json"]``, which installs nothing.

    Returns
    -------
    dict
        The document `mlmq/tune` of docs/reference/json.md.

    Raises
    ------
    InputError, WorkError
        What the program reports.

    Examples
    --------
    >>> import mlmq, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tuned = mlmq.tune_selector(["road6", "rmat6", "del6", "grid6"], device="cpu:1", budget="20s", folder=folder,
    ...                            options=["--output", f"{folder}/mine.json", "--record", "none", "--sample", "0"])
    >>> tuned["graphs"]["learned_from"], tuned["selector"]["outcome"]
    (4, 'written')
    """
    arguments = ["tune", *map(os.fsdecode, workloads), "--device", device, "--budget", budget, "--folder",
                 os.fsdecode(folder), "--format", "json", *options]
    if space is not None:
        arguments += ["--space", os.fsdecode(space)]
    return json.loads(_run(arguments))


def report(*databases: _PathLike, output: _PathLike = "report.html", options: Sequence[str] = ()) -> Path:
    """Writes the report page of databases, as ``mlmq report`` does. `sweep` has an example.

    Parameters
    ----------
    *databases : str or path
        Databases of `sweep` or ``mlmq sweep``.
    output : str or path
        The HTML file.
    options : list of str
        Further options of ``mlmq report``.

    Returns
    -------
    pathlib.Path
        The page.

    Raises
    ------
    InputError, WorkError
        What the program reports.
    """
    _run(["report", *map(os.fsdecode, databases), "--output", os.fsdecode(output), *options])
    return Path(os.fsdecode(output))
