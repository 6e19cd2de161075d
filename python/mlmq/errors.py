# SPDX-License-Identifier: Apache-2.0
"""The exceptions of libmlmq. Every message is one line for a person, except that of a CompileError."""

from __future__ import annotations

import builtins


class Error(Exception):
    """What all exceptions of this package derive from."""


class InputError(Error, ValueError):
    """The caller's input cannot be used: an array, a file, a source, a configuration, the name of a device."""


class WorkError(Error, RuntimeError):
    """The input was fine, but the work failed: I/O, a device, a wrong answer."""


class UnsuitableError(WorkError):
    """No such search can run on this device."""


class CompileError(WorkError):
    """A kernel could not be compiled; the message is the compiler's log."""


class MemoryError(WorkError, builtins.MemoryError):  # pylint: disable=redefined-builtin
    """A device has not enough memory. When this machine has not, it is Python's own MemoryError."""


class DeviceError(WorkError):
    """A device failed while it worked.

    Attributes
    ----------
    lost : bool
        Nothing runs on the device in this process any more.
    """

    def __init__(self, message: str, lost: bool = False) -> None:
        super().__init__(message)
        self.lost = lost


class SearchError(WorkError):
    """A search that was started has no answer.

    Attributes
    ----------
    reason : str
        "time_limit": not finished in time; "queue_full": a queue was full at its largest size; "failed": anything else.
    """

    def __init__(self, message: str, reason: str = "failed") -> None:
        super().__init__(message)
        self.reason = reason


class LibraryError(Error, ImportError):
    """libmlmq is not there, or is another version."""
