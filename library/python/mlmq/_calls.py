# SPDX-License-Identifier: Apache-2.0
"""Long calls of libmlmq: Python handles signals while they run, and an exception in a signal handler ends them."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from ctypes import byref, c_void_p
from typing import Any, Optional

# A call that has not ended this many seconds after the stop request continues in its thread; its result is dropped.
GRACE = 0.7


class StopSource:
    """An mlmq_stop_source, freed with the last reference."""

    def __init__(self, library: Any) -> None:
        self._library = library
        self._pointer = c_void_p()
        library.mlmq_stop_source_create(byref(self._pointer))

    def attach(self) -> None:
        """Makes the calls of this thread stoppable."""
        self._library.mlmq_stop_source_attach(self._pointer)

    def request(self) -> None:
        """Ends the calls of the threads that have attached this source."""
        self._library.mlmq_stop_source_request(self._pointer)

    def __del__(self) -> None:
        if self._pointer:
            self._library.mlmq_stop_source_free(self._pointer)


class _CallThread:
    """A thread that makes calls for the main thread, which waits and handles signals meanwhile."""

    def __init__(self, library: Any) -> None:
        self._stop = StopSource(library)
        self._work: Optional[Callable[[], Any]] = None
        self._result: Any = None
        self._error: Optional[BaseException] = None
        self._is_done = False
        self._start, self._end = threading.Lock(), threading.Lock()
        self._start.acquire()  # pylint: disable=consider-using-with
        self._end.acquire()  # pylint: disable=consider-using-with
        threading.Thread(target=self._serve, name="mlmq-call", daemon=True).start()

    def _serve(self) -> None:
        self._stop.attach()
        while True:
            self._start.acquire()  # pylint: disable=consider-using-with
            work, self._work = self._work, None
            if work is None:
                return
            try:
                self._result = work()
            except BaseException as error:  # pylint: disable=broad-exception-caught
                self._error = error
            del work
            self._is_done = True
            self._end.release()

    def run(self, work: Callable[[], Any]) -> Any:
        """Returns the result of `work`. An exception in a signal handler requests a stop and is raised."""
        self._work, self._is_done = work, False
        try:
            self._start.release()
            self._end.acquire()  # pylint: disable=consider-using-with
        except BaseException:
            self._stop.request()
            if not self._is_done:
                self._end.acquire(timeout=GRACE)  # pylint: disable=consider-using-with
            if self._is_done:
                self._result = self._error = None
                self._start.release()  # without work, the thread ends
            raise
        result, error = self._result, self._error
        self._result = self._error = None
        _idle.append(self)
        if error is not None:
            raise error
        return result


_idle: list[_CallThread] = []


def run_interruptibly(library: Any, work: Callable[[], Any]) -> Any:
    """Returns the result of `work`, a function that calls libmlmq.

    Python runs signal handlers in the main thread only, and not while that thread executes a C function. Therefore
    another thread makes the calls of the main thread.
    """
    if threading.get_ident() != threading.main_thread().ident:
        return work()
    try:
        thread = _idle.pop() if _idle else _CallThread(library)
    except RuntimeError:  # the interpreter is shutting down and cannot start a thread
        return work()
    return thread.run(work)


class CallbackThread:
    """A thread with a stoppable call of libmlmq that calls back into Python.

    Such a call must end before the interpreter does, which ends threads that run Python, through the frames of libmlmq.
    """

    def __init__(self, library: Any, work: Callable[[], None]) -> None:
        self._stop, self._process = StopSource(library), os.getpid()
        self.is_ended = False  # callbacks return soon after this is set
        self._thread = threading.Thread(target=self._run, args=(work,), name="mlmq-blocks", daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        _running.add(self)
        try:
            self._thread.start()
        except BaseException:
            _running.discard(self)
            raise

    def _run(self, work: Callable[[], None]) -> None:
        try:
            self._stop.attach()
            work()
        finally:
            _running.discard(self)

    def is_here(self) -> bool:
        """Returns whether the thread exists in this process, which may be a fork."""
        return self._process == os.getpid()

    def end(self, timeout: Optional[float] = None) -> None:
        """Requests the end of the call and waits for it, unless this is a fork of the process."""
        self.is_ended = True
        if self.is_here():
            self._stop.request()
            self._thread.join(timeout)


_running: set[CallbackThread] = set()


@atexit.register
def _end_all() -> None:
    while _running:
        next(iter(_running.copy())).end()


def _forget_threads() -> None:
    """Forgets the threads of the parent, which do not exist in a forked process."""
    _idle.clear()
    _running.clear()


os.register_at_fork(after_in_child=_forget_threads)
