# SPDX-License-Identifier: Apache-2.0
"""Loads libmlmq with ctypes, declares what mlmq/mlmq.h declares, and converts statuses to exceptions."""

from __future__ import annotations

import builtins
import ctypes
import os
import weakref
from collections.abc import Callable, Iterator, Sequence
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any

from . import errors
from ._calls import run_interruptibly

# Before version 1, minor versions may change the interface.
INTERFACE = "0.1"
SONAME = f"libmlmq.so.{INTERFACE}"

UINT32, FLOAT32, FLOAT64 = 0, 1, 2
NO_VERTEX = 0xFFFFFFFF
STOPPED = 12


class Structure(ctypes.Structure):
    """A structure that begins with its size. Its init function sets the defaults."""

    @classmethod
    def create(cls) -> Any:
        self = cls()
        initialize = getattr(library(), f"mlmq_{cls.NAME}_init")  # type: ignore[attr-defined]
        initialize(ctypes.byref(self), ctypes.sizeof(self))
        return self


def _structure(name: str, *fields: tuple[str, Any]) -> Any:
    return type(name, (Structure,), {"NAME": name, "_fields_": [("struct_size", c_size_t), *fields]})


_CONFIGURED = (("configurations", POINTER(c_char_p)), ("configuration_count", c_size_t), ("model", c_void_p))

device_facts = _structure("device_facts", ("selector", c_char_p), ("kind", c_char_p), ("name", c_char_p),
                          ("modelled", c_int), ("array_ms", c_double), ("byte_ms", c_double))
read_options = _structure("read_options", ("weight_seed", c_uint64), ("ignore_weights", c_int),
                          ("absolute_weights", c_int), ("weight_type", c_int), ("undirected", c_int))
device_rows = _structure("device_rows", ("vertices", c_uint64), ("edges", c_uint64), ("offsets", c_void_p),
                         ("offset_bits", c_uint), ("weight_type", c_int), ("targets", c_void_p), ("weights", c_void_p),
                         ("pairs", c_void_p), ("name", c_char_p), ("unchecked", c_int), ("stream", c_void_p),
                         ("owner", c_void_p), ("release", c_void_p))
solve_times = _structure("solve_times", ("features", c_double), ("choice", c_double), ("upload", c_double),
                         ("compile", c_double), ("prepare", c_double), ("solve", c_double), ("download", c_double),
                         ("mirror", c_double), ("compiled", c_int))
solve_options = _structure("solve_options", *_CONFIGURED, ("place", c_int), ("counters", c_int), ("timeline", c_int),
                           ("keep_on_device", c_int), ("time_limit_ms", c_double), ("stream", c_void_p),
                           ("partition", c_int))
device_array = _structure("device_array", ("data", c_void_p), ("count", c_size_t), ("type", c_int),
                          ("device", c_char_p))
batch_options = _structure("batch_options", *_CONFIGURED, ("tries", c_uint), ("check", c_int),
                           ("searches_per_try", c_size_t), ("targets", POINTER(c_uint32)), ("target_count", c_size_t),
                           ("cutoff", c_double), ("memory_bytes", c_uint64), ("time_limit_ms", c_double),
                           ("keep_on_device", c_int), ("stream", c_void_p))
distance_rows = _structure("distance_rows", ("first", c_size_t), ("rows", c_size_t), ("columns", c_size_t),
                           ("type", c_int), ("on_device", c_int), ("distances", c_void_p))
path_options = _structure("path_options", *_CONFIGURED, ("counters", c_int), ("paths", c_int),
                          ("time_limit_ms", c_double))
phold_model = _structure("phold_model", ("entities", c_uint64), ("events", c_uint64), ("rate", c_double),
                         ("lookahead", c_double), ("seed", c_uint64))
phold_options = _structure("phold_options", *_CONFIGURED, ("counters", c_int), ("time_limit_ms", c_double))

TakeDistances = ctypes.CFUNCTYPE(c_int, POINTER(distance_rows), c_void_p)


class timeline_interval(ctypes.Structure):  # pylint: disable=invalid-name
    _fields_ = [("start_ms", c_double), ("vertices", c_double), ("active_warps", c_double)]


class path_answer(ctypes.Structure):  # pylint: disable=invalid-name
    _fields_ = [("length", c_double), ("straight", c_uint32), ("diagonal", c_uint32)]


class Status(c_int):
    """The result type of functions that can fail. A separate class, so that ctypes does not convert it to int."""


class LongStatus(Status):
    """The status of a function that may take longer than a second, or wait for a device."""


_TEXT, _HANDLE, _OUT = c_char_p, c_void_p, POINTER(c_void_p)
_NUMBERS, _VERTICES = c_void_p, c_void_p

# Result type and argument types of each function.
FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "last_error": (_TEXT,),
    "status_name": (_TEXT, c_int),
    "version": (_TEXT,),
    "stop_source_create": (Status, _OUT),
    "stop_source_free": (None, _HANDLE),
    "stop_source_attach": (None, _HANDLE),
    "stop_source_request": (None, _HANDLE),
    "free": (None, c_void_p),
    "device_facts_init": (None, POINTER(device_facts), c_size_t),
    "device_open": (LongStatus, _TEXT, _OUT),
    "device_free": (None, _HANDLE),
    "device_get_facts": (Status, _HANDLE, POINTER(device_facts)),
    "device_set_seed": (Status, _HANDLE, c_uint64),
    "device_allocate": (Status, _HANDLE, c_size_t, _OUT),
    "memory_data": (c_void_p, _HANDLE),
    "memory_free": (None, _HANDLE),
    "device_write": (LongStatus, _HANDLE, c_void_p, c_void_p, c_size_t),
    "device_read": (LongStatus, _HANDLE, c_void_p, c_void_p, c_size_t),
    "read_options_init": (None, POINTER(read_options), c_size_t),
    "digraph_open": (LongStatus, _TEXT, POINTER(read_options), _OUT),
    "digraph_from_rows": (LongStatus, c_uint64, c_uint64, c_void_p, c_void_p, c_int, c_void_p, _TEXT, _OUT),
    "device_rows_init": (None, POINTER(device_rows), c_size_t),
    "digraph_from_device": (LongStatus, _HANDLE, POINTER(device_rows), _OUT),
    "digraph_free": (None, _HANDLE),
    "digraph_name": (_TEXT, _HANDLE),
    "digraph_vertex_count": (c_uint32, _HANDLE),
    "digraph_edge_count": (c_uint64, _HANDLE),
    "digraph_weight_type": (c_int, _HANDLE),
    "digraph_on_host": (c_int, _HANDLE),
    "digraph_default_source": (c_uint32, _HANDLE),
    "digraph_note_count": (c_size_t, _HANDLE),
    "digraph_note": (_TEXT, _HANDLE, c_size_t),
    "digraph_id_of": (Status, _HANDLE, c_uint32, POINTER(c_uint64)),
    "digraph_vertex_of": (Status, _HANDLE, c_uint64, POINTER(c_uint32)),
    "model_read": (Status, _TEXT, _OUT),
    "model_shipped": (Status, _OUT),
    "model_free": (None, _HANDLE),
    "complete_configuration": (Status, _TEXT, _OUT),
    "choice_free": (None, _HANDLE),
    "choice_configuration": (_TEXT, _HANDLE),
    "choice_device": (_TEXT, _HANDLE),
    "choice_device_name": (_TEXT, _HANDLE),
    "choice_chooser": (c_int, _HANDLE),
    "choice_predicted": (c_double, _HANDLE),
    "choice_reason": (_TEXT, _HANDLE),
    "solve_times_init": (None, POINTER(solve_times), c_size_t),
    "summary_free": (None, _HANDLE),
    "summary_searches": (c_size_t, _HANDLE),
    "summary_choice": (_HANDLE, _HANDLE),
    "summary_times": (Status, _HANDLE, POINTER(solve_times)),
    "summary_exact": (LongStatus, _HANDLE, POINTER(c_int)),
    "summary_counter_count": (c_size_t, _HANDLE),
    "summary_counter": (Status, _HANDLE, c_size_t, POINTER(c_char_p), POINTER(c_double)),
    "summary_interval_count": (c_size_t, _HANDLE),
    "summary_interval": (Status, _HANDLE, c_size_t, POINTER(timeline_interval)),
    "summary_tried_count": (c_size_t, _HANDLE),
    "summary_tried": (Status, _HANDLE, c_size_t, POINTER(c_char_p), POINTER(c_size_t), POINTER(c_double)),
    "solve_options_init": (None, POINTER(solve_options), c_size_t),
    "solver_create": (Status, _HANDLE, _HANDLE, c_int, _OUT),
    "solver_free": (None, _HANDLE),
    "solver_upload": (LongStatus, _HANDLE, POINTER(c_double)),
    "solver_resident": (LongStatus, _HANDLE, POINTER(c_int)),
    "solver_choose": (LongStatus, _HANDLE, POINTER(solve_options), _OUT),
    "solver_try_out": (LongStatus, _HANDLE, _VERTICES, c_size_t, c_uint, POINTER(solve_options), _OUT),
    "solver_solve": (LongStatus, _HANDLE, c_uint32, POINTER(solve_options), _OUT),
    "solver_solve_into": (LongStatus, _HANDLE, c_uint32, POINTER(solve_options), c_int, _NUMBERS, c_size_t, _OUT),
    "solution_free": (None, _HANDLE),
    "solution_source": (c_uint32, _HANDLE),
    "solution_type": (c_int, _HANDLE),
    "solution_count": (c_size_t, _HANDLE),
    "solution_summary": (_HANDLE, _HANDLE),
    "solution_distance": (Status, _HANDLE, c_uint32, POINTER(c_double)),
    "solution_distances": (LongStatus, _HANDLE, _OUT),
    "solution_copy_distances": (Status, _HANDLE, c_int, _NUMBERS, c_size_t),
    "device_array_init": (None, POINTER(device_array), c_size_t),
    "solution_device_distances": (Status, _HANDLE, POINTER(device_array)),
    "solution_predecessors": (LongStatus, _HANDLE, c_uint, _VERTICES, c_size_t),
    "solution_path": (LongStatus, _HANDLE, c_uint32, _VERTICES, c_size_t, POINTER(c_size_t)),
    "solution_check": (LongStatus, _HANDLE, _OUT),
    "batch_options_init": (None, POINTER(batch_options), c_size_t),
    "solver_solve_many": (Status, _HANDLE, _VERTICES, c_size_t, POINTER(batch_options), TakeDistances, c_void_p, _OUT),
    "solver_solve_many_into": (LongStatus, _HANDLE, _VERTICES, c_size_t, POINTER(batch_options), c_int, _NUMBERS,
                               c_size_t, _OUT),
    "grid_open": (LongStatus, _TEXT, c_int, _OUT),
    "grid_from_cells": (LongStatus, c_uint32, c_uint32, c_void_p, c_int, _TEXT, _OUT),
    "grid_free": (None, _HANDLE),
    "grid_name": (_TEXT, _HANDLE),
    "grid_width": (c_uint32, _HANDLE),
    "grid_height": (c_uint32, _HANDLE),
    "grid_corners": (c_int, _HANDLE),
    "grid_is_free": (c_int, _HANDLE, c_uint32, c_uint32),
    "grid_random_pairs": (LongStatus, _HANDLE, c_size_t, c_uint64, c_void_p),
    "path_options_init": (None, POINTER(path_options), c_size_t),
    "path_finder_create": (Status, _HANDLE, _HANDLE, _OUT),
    "path_finder_free": (None, _HANDLE),
    "path_finder_choose": (LongStatus, _HANDLE, POINTER(path_options), _OUT),
    "path_finder_solve": (LongStatus, _HANDLE, c_void_p, c_size_t, POINTER(path_options), _OUT),
    "path_answers_free": (None, _HANDLE),
    "path_answers_count": (c_size_t, _HANDLE),
    "path_answers_get": (Status, _HANDLE, c_size_t, POINTER(path_answer)),
    "path_answers_copy": (Status, _HANDLE, c_void_p, c_size_t),
    "path_answers_path": (LongStatus, _HANDLE, c_size_t, c_void_p, c_size_t, POINTER(c_size_t)),
    "path_answers_shortest": (c_int, _HANDLE),
    "path_answers_summary": (_HANDLE, _HANDLE),
    "path_answers_check": (LongStatus, _HANDLE, c_uint, _OUT),
    "phold_model_init": (None, POINTER(phold_model), c_size_t),
    "phold_options_init": (None, POINTER(phold_options), c_size_t),
    "phold_simulator_create": (LongStatus, _HANDLE, POINTER(phold_model), _OUT),
    "phold_simulator_free": (None, _HANDLE),
    "phold_simulator_name": (_TEXT, _HANDLE),
    "phold_simulator_choose": (LongStatus, _HANDLE, POINTER(phold_options), _OUT),
    "phold_simulator_run_until": (LongStatus, _HANDLE, c_double, POINTER(phold_options), _OUT),
    "phold_simulator_run_events": (LongStatus, _HANDLE, c_double, POINTER(phold_options), _OUT),
    "phold_run_free": (None, _HANDLE),
    "phold_run_events": (c_uint64, _HANDLE),
    "phold_run_hash": (c_uint64, _HANDLE),
    "phold_run_end": (c_double, _HANDLE),
    "phold_run_summary": (_HANDLE, _HANDLE),
    "phold_run_check": (LongStatus, _HANDLE, _OUT),
}

_ERRORS: dict[int, Callable[[str], Exception]] = {
    1: errors.InputError,
    2: errors.WorkError,
    3: errors.UnsuitableError,
    4: errors.CompileError,
    5: errors.MemoryError,
    6: errors.DeviceError,
    7: lambda message: errors.DeviceError(message, lost=True),
    8: lambda message: errors.SearchError(message, "time_limit"),
    9: lambda message: errors.SearchError(message, "queue_full"),
    10: errors.SearchError,
    11: builtins.MemoryError,
}


class Stopped(Exception):
    """A callback of this package requested the stop."""


def _raise_failure(status: Status, _function: Any, _arguments: Any) -> None:
    if status.value == 0:
        return
    message = decoded(library().mlmq_last_error())
    raise Stopped if status.value == STOPPED else _ERRORS.get(status.value, errors.WorkError)(message)


def candidates() -> Iterator[str]:
    """Yields the paths where libmlmq may be; the first existing one is used."""
    package = Path(__file__).resolve().parent
    yield from map(str, (
        package / "_tree" / "lib" / SONAME,  # of a wheel
        package.parents[2] / SONAME,  # of an install tree: PREFIX/lib/python3/dist-packages/mlmq
        package.parents[1] / "build" / "library" / SONAME,  # of the source tree, built
    ))


def _load() -> ctypes.CDLL:
    configured = os.environ.get("MLMQ_LIBRARY")
    path = configured or next((path for path in candidates() if os.path.exists(path)), SONAME)
    try:
        loaded = ctypes.CDLL(path)
    except OSError as error:
        places = ("as MLMQ_LIBRARY says" if configured else
                  "by MLMQ_LIBRARY, next to the package, and by the loader of this system")
        raise errors.LibraryError(f"libmlmq was looked for {places}, and cannot be loaded: {error}") from None
    try:
        loaded.mlmq_version.restype = c_char_p
        version = decoded(loaded.mlmq_version())
    except AttributeError:
        raise errors.LibraryError(f"{path} has no function mlmq_version: it is another library") from None
    if not version.startswith(f"{INTERFACE}."):
        raise errors.LibraryError(f"{path} is libmlmq {version}, and this package is for {INTERFACE}.x")
    for name, (result, *arguments) in FUNCTIONS.items():
        function = getattr(loaded, f"mlmq_{name}", None)
        if function is None:
            raise errors.LibraryError(f"{path} has no function mlmq_{name}: it is older than this package")
        function.restype, function.argtypes = result, arguments
        if result is not None and issubclass(result, Status):
            function.errcheck = _raise_failure
    return loaded


_loaded: ctypes.CDLL | None = None


def library() -> Any:
    """Returns libmlmq, which the first call loads."""
    global _loaded  # pylint: disable=global-statement
    if _loaded is None:
        _loaded = _load()
    return _loaded


def encoded(text: str | os.PathLike[str]) -> bytes:
    """Encodes text for a function of libmlmq."""
    data = os.fsencode(text)
    if b"\0" in data:
        raise errors.InputError(f"{text!r}: has a character that no name has")
    return data


def decoded(text: bytes) -> str:
    """Decodes text from a function of libmlmq."""
    return os.fsdecode(text)


class NotCopyable:
    """Base of classes whose objects are handles of libmlmq or contain one."""

    _instead = "make another one in that process"

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"{type(self).__name__}: a handle of libmlmq is neither copied nor pickled: {self._instead}")


def _free(function: Any, pointer: int, process: int) -> None:
    # In a forked process, the threads and devices of the original process do not exist.
    if os.getpid() == process:
        function(pointer)


class Handle(NotCopyable):
    """An object of libmlmq, freed with the last reference. Passed to a function, it becomes its pointer."""

    def __init__(self, kind: str, pointer: int) -> None:
        self.pointer = pointer
        self._as_parameter_ = c_void_p(pointer)
        # When the process exits, its memory is freed anyway.
        weakref.finalize(self, _free, getattr(library(), f"mlmq_{kind}_free"), pointer, os.getpid()).atexit = False

    @classmethod
    def create(cls, kind: str, function: str, *arguments: Any) -> Handle:
        """Creates an object with a function whose last argument receives it."""
        def make() -> Handle:
            pointer = c_void_p()
            getattr(library(), f"mlmq_{function}")(*arguments, ctypes.byref(pointer))
            return cls(kind, pointer.value or 0)
        return _run(function, make)


def _run(function: str, work: Callable[[], Any]) -> Any:
    is_long = issubclass(FUNCTIONS[function][0], LongStatus)
    return run_interruptibly(library(), work) if is_long else work()


def call(function: str, *arguments: Any) -> None:
    """Calls a function that returns a status.

    The arguments are kept alive until the function returns, even if this call ends earlier.
    """
    _run(function, lambda: getattr(library(), f"mlmq_{function}")(*arguments))


def value_of(kind: Any, function: str, *arguments: Any) -> Any:
    """Calls a function whose last argument receives a number, and returns the number."""
    value = kind()
    call(function, *arguments, ctypes.byref(value))
    return value.value


def text_of(function: str, *arguments: Any) -> str:
    """Calls a function whose last argument receives a text, frees the text and returns it; "" for NULL."""
    def get() -> str:
        pointer = c_void_p()
        getattr(library(), f"mlmq_{function}")(*arguments, ctypes.byref(pointer))
        try:
            return decoded(ctypes.cast(pointer, c_char_p).value or b"")
        finally:
            library().mlmq_free(pointer)
    return _run(function, get)


def set_configurations(options: Any, configurations: str | Sequence[str] | None, model: Any) -> None:
    """Sets the configurations and the model of options. The options keep alive what they point to."""
    texts = [configurations] if isinstance(configurations, str) else list(configurations or ())
    for text in texts:
        if not isinstance(text, str):
            raise errors.InputError(f"configurations: {text!r}, expected texts such as 'solver=near_far,threads=256'")
    if texts:
        options.configurations = (c_char_p * len(texts))(*map(encoded, texts))
        options.configuration_count = len(texts)
    if model is not None:
        options.model = model._handle.pointer  # pylint: disable=protected-access
        options.kept = model
