# SPDX-License-Identifier: Apache-2.0
"""The exceptions of libmlmq. Every message is one readable line, except that of a CompileError."""

from __future__ import annotations


class Error(Exception):
    """Base of all exceptions of this package."""


class InputError(Error, ValueError):
    """The caller's input is invalid: an array, a file, a source, a configuration, the name of a device."""


class WorkError(Error, RuntimeError):
    """The input was valid, but the work failed: I/O, a device, a wrong answer."""


class UnsuitableError(WorkError):
    """No configuration for this search can run on the device."""


class CompileError(WorkError):
    """A kernel could not be compiled; the message is the compiler's log."""


class DeviceMemoryError(WorkError, MemoryError):
    """Not enough device memory. For host memory, MemoryError is raised."""


class DeviceError(WorkError):
    """A device failed during the work.

    Attributes
    ----------
    lost : bool
        Whether the device cannot be used in this process any more.
    """

    def __init__(self, message: str, lost: bool = False) -> None:
        super().__init__(message)
        self.lost = lost


class SearchError(WorkError):
    """A search was started but failed.

    Attributes
    ----------
    reason : str
        "time_limit": the time limit was exceeded; "queue_full": a queue was full at its maximum size; "failed": other.
    """

    def __init__(self, message: str, reason: str = "failed") -> None:
        super().__init__(message)
        self.reason = reason


class LibraryError(Error, ImportError):
    """libmlmq is missing or has another version."""


class GraphWarning(UserWarning):
    """An assumption about a graph that was read: its weights, the direction of its edges, parallel edges."""
