# SPDX-License-Identifier: Apache-2.0
"""Loads libmlmq with ctypes, and converts statuses to exceptions. `_c_interface` has the declarations."""

from __future__ import annotations

import ctypes
import os
import weakref
from collections.abc import Callable, Iterator, Sequence
from ctypes import c_char_p, c_void_p
from pathlib import Path
from typing import Any, TypeVar

from . import _c_interface, errors
from ._c_interface import FUNCTIONS, LongStatus, Status
from ._calls import run_interruptibly

# Before version 1, minor versions may change the interface.
INTERFACE = "0.1"
SONAME = f"libmlmq.so.{INTERFACE}"

_ERRORS: dict[int, Callable[[str], Exception]] = {
    _c_interface.INPUT_ERROR: errors.InputError,
    _c_interface.WORK_ERROR: errors.WorkError,
    _c_interface.UNSUITABLE_ERROR: errors.UnsuitableError,
    _c_interface.COMPILE_ERROR: errors.CompileError,
    _c_interface.MEMORY_ERROR: errors.DeviceMemoryError,
    _c_interface.DEVICE_ERROR: errors.DeviceError,
    _c_interface.DEVICE_LOST: lambda message: errors.DeviceError(message, lost=True),
    _c_interface.TIME_LIMIT: lambda message: errors.SearchError(message, "time_limit"),
    _c_interface.QUEUE_FULL: lambda message: errors.SearchError(message, "queue_full"),
    _c_interface.SEARCH_ERROR: errors.SearchError,
    _c_interface.OUT_OF_MEMORY: MemoryError,
}


class Stopped(Exception):
    """A callback of this package requested the stop."""


def _raise_failure(status: Status, _function: Any, _arguments: Any) -> None:
    if status.value == _c_interface.OK:
        return
    message = decoded(library().mlmq_last_error())
    if status.value == _c_interface.STOPPED:
        raise Stopped
    raise _ERRORS.get(status.value, errors.WorkError)(message)


def candidates() -> Iterator[str]:
    """Yields the possible paths of libmlmq; the first existing one is used."""
    package = Path(__file__).resolve().parent
    yield from map(str, (
        package / "_tree" / "lib" / SONAME,  # in a wheel
        package.parents[2] / SONAME,  # in an install tree: PREFIX/lib/python3/dist-packages/mlmq
        package.parents[2] / "build" / "library" / SONAME,  # in the source tree after a build
    ))


def _load() -> ctypes.CDLL:
    configured = os.environ.get("MLMQ_LIBRARY")
    path = configured or next((path for path in candidates() if os.path.exists(path)), SONAME)
    try:
        loaded = ctypes.CDLL(path)
    except OSError as error:
        places = ("the path in MLMQ_LIBRARY" if configured else
                  "next to the package and in the system's library path (MLMQ_LIBRARY is not set)")
        raise errors.LibraryError(f"libmlmq cannot be loaded; searched: {places}: {error}") from None
    try:
        loaded.mlmq_version.restype = c_char_p
        version = decoded(loaded.mlmq_version())
    except AttributeError:
        raise errors.LibraryError(f"{path} has no function mlmq_version: it is not libmlmq") from None
    if not version.startswith(f"{INTERFACE}."):
        raise errors.LibraryError(f"{path} is libmlmq {version}, but this package needs {INTERFACE}.x")
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


def initialized(structure: Any) -> Any:
    """Returns a structure of this class with the defaults, which its init function sets."""
    value = structure()
    getattr(library(), f"mlmq_{structure.__name__}_init")(ctypes.byref(value), ctypes.sizeof(value))
    return value


def encoded(text: str | os.PathLike[str]) -> bytes:
    """Encodes text for a function of libmlmq."""
    data = os.fsencode(text)
    if b"\0" in data:
        raise errors.InputError(f"{text!r}: contains a null character, which names cannot have")
    return data


def decoded(text: bytes) -> str:
    """Decodes text from a function of libmlmq."""
    return os.fsdecode(text)


class NotCopyable:
    """Base of classes whose objects are handles of libmlmq or contain one."""

    _instead = "make another one in that process"

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"{type(self).__name__}: a libmlmq handle can be neither copied nor pickled: {self._instead}")


Self = TypeVar("Self", bound="Closable")


class Closable(NotCopyable):
    """Base of handles that can be freed early: by `close`, or at the end of a ``with`` block.

    Without that, an object is freed with its last reference.
    """

    _open_handle: Handle | None

    @property
    def _handle(self) -> Handle:
        if self._open_handle is None:
            raise errors.InputError(f"the {type(self).__name__} is closed")
        return self._open_handle

    @_handle.setter
    def _handle(self, handle: Handle) -> None:
        self._open_handle = handle

    def close(self) -> None:
        """Frees the object, unless an answer or a running call still needs it. May be called twice."""
        # A call that was interrupted continues in another thread, and keeps its own reference to the handle.
        self._open_handle = None

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._open_handle is None

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _free(function: Any, pointer: int, process: int) -> None:
    # In a forked process, the threads and devices of the original process do not exist.
    if os.getpid() == process:
        function(pointer)


class Handle(NotCopyable):
    """An object of libmlmq, freed with the last reference. When passed to a C function, it converts to its pointer."""

    def __init__(self, kind: str, pointer: int) -> None:
        self.kind, self.pointer = kind, pointer
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
            raise errors.InputError(f"configurations: {text!r}, expected strings such as 'solver=near_far,threads=256'")
    if texts:
        options.configurations = (c_char_p * len(texts))(*map(encoded, texts))
        options.configuration_count = len(texts)
    if model is not None:
        handle = getattr(model, "_handle", None)
        if not isinstance(handle, Handle) or handle.kind != "model":
            raise errors.InputError(f"model: {type(model).__name__}, expected a Model")
        options.model = handle.pointer
        options.kept = model
