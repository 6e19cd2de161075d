# SPDX-License-Identifier: Apache-2.0
"""Devices: GPUs, the processors of this machine, the simulator."""

from __future__ import annotations

import ctypes
import os
import weakref
from typing import Any

import numpy as np

from ._arrays import DeviceArray, pointer_to
from ._library import Handle, NotCopyable, call, decoded, device_facts, encoded, library
from .errors import InputError

# Those that are open, by what was asked for, so that objects with the same selector share one.
_opened: weakref.WeakValueDictionary[str, Device] = weakref.WeakValueDictionary()
# A device is open in the process that opened it, not in one that is forked from it.
os.register_at_fork(after_in_child=_opened.clear)


class Device(NotCopyable):
    """A device that is open.

    Parameters
    ----------
    selector : str
        "cuda:0", "cuda:1", … a GPU; "cpu" all processors, "cpu:N" with N threads; "simt" the simulator; "auto" the first
        GPU, or else the processors.

    Attributes
    ----------
    selector : str
        What "auto" stands for, and so on: "cuda:0".
    kind : str
        "cuda", "cpu" or "simt".
    name : str
        "NVIDIA H200".
    modelled : bool
        Times are computed, not measured.

    Raises
    ------
    InputError
        For a device that is unknown or absent, saying what there is.
    """

    _instead = "open it by its selector in each process"

    def __init__(self, selector: str = "auto") -> None:
        self._handle = Handle.made("device", "device_open", encoded(selector))
        facts = device_facts.made()
        library().mlmq_device_get_facts(self._handle, ctypes.byref(facts))
        self.selector, self.kind, self.name = decoded(facts.selector), decoded(facts.kind), decoded(facts.name)
        self.modelled = bool(facts.modelled)

    @classmethod
    def of(cls, device: Device | str) -> Device:
        """The device itself, or the one with this selector, opened once as long as somebody uses it."""
        if isinstance(device, Device):
            return device
        if not isinstance(device, str):
            raise InputError(f"device: {device!r}, expected a Device, or a text such as 'cuda:0'")
        found = _opened.get(device)
        if found is None:
            found = _opened[device] = cls(device)
            _opened[found.selector] = found
        return found

    def __repr__(self) -> str:
        return f"Device({self.selector!r}, name={self.name!r})"

    def set_seed(self, seed: int) -> None:
        """Sets the schedule of the simulator; of no effect on other devices."""
        library().mlmq_device_set_seed(self._handle, seed)

    def to_device(self, array: Any) -> DeviceArray:
        """A copy of an array in the memory of this device.

        For programs that have no array library for it. Not for processors.
        """
        source = np.ascontiguousarray(array)
        memory = Handle.made("memory", "device_allocate", self._handle, max(source.nbytes, 1))
        address = library().mlmq_memory_data(memory.pointer)
        call("device_write", self._handle, address, pointer_to(source), source.nbytes)
        return DeviceArray(memory, address, source.shape, source.dtype, self)

    def _read(self, to: Any, address: int, size: int) -> None:
        call("device_read", self._handle, to, address, size)
