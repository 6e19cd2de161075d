# SPDX-License-Identifier: Apache-2.0
"""Devices: GPUs, the processors of this machine, the simulator."""

from __future__ import annotations

import ctypes
import os
import weakref
from typing import Any

import numpy as np

from ._arrays import DeviceArray, pointer_to, whole_number
from ._c_interface import device_facts
from ._library import Closable, Handle, call, decoded, encoded, initialized, library
from .errors import InputError

# Open devices by requested selector, so that objects with the same selector share one.
_opened: weakref.WeakValueDictionary[str, Device] = weakref.WeakValueDictionary()
# A forked process cannot use the devices that its parent opened.
os.register_at_fork(after_in_child=_opened.clear)


class Device(Closable):
    """An open device.

    Parameters
    ----------
    selector : str
        "cuda:0", "cuda:1", … a GPU; "cpu" all processors, "cpu:N" with N threads; "simt" the simulator; "auto" the
        first GPU, or else the processors. "cuda:all" all GPUs, or a list such as "cuda:0,cuda:1": several devices, for
        a `Solver` only.

    Attributes
    ----------
    selector : str
        The selector of the opened device, for example "cuda:0" for "auto". Selectors of several devices are joined by
        commas, as are kinds and names.
    kind : str
        "cuda", "cpu" or "simt".
    name : str
        For example "NVIDIA H200".
    modelled : bool
        Whether times are computed instead of measured.

    Raises
    ------
    InputError
        For an unknown or absent device, listing the available ones.

    Examples
    --------
    >>> import mlmq
    >>> with mlmq.Device("cpu:2") as device:
    ...     device.kind
    'cpu'
    >>> device.closed
    True
    """

    _instead = "open it by its selector in each process"

    def __init__(self, selector: str = "auto") -> None:
        self._handle = Handle.create("device", "device_open", encoded(selector))
        facts = initialized(device_facts)
        library().mlmq_device_get_facts(self._handle, ctypes.byref(facts))
        self.selector, self.kind, self.name = decoded(facts.selector), decoded(facts.kind), decoded(facts.name)
        self.modelled = bool(facts.modelled)

    @classmethod
    def of(cls, device: Device | str) -> Device:
        """Returns the device itself, or the shared device with this selector, which stays open while it is used."""
        if isinstance(device, Device):
            return device
        if not isinstance(device, str):
            raise InputError(f"device: {device!r}, expected a Device or a string such as 'cuda:0'")
        opened = _opened.get(device)
        if opened is None or opened.closed:
            opened = _opened[device] = cls(device)
            _opened[opened.selector] = opened
        return opened

    def __repr__(self) -> str:
        return f"Device({self.selector!r}, name={self.name!r})"

    def set_seed(self, seed: int) -> None:
        """Sets the seed of the simulator's schedule; no effect on other devices."""
        library().mlmq_device_set_seed(self._handle, whole_number(seed, "seed", 0, (1 << 64) - 1))

    def to_device(self, array: Any) -> DeviceArray:
        """Copies an array of numbers to the memory of this device.

        For programs without an array library for the device. Processors are not supported.
        """
        source = np.ascontiguousarray(array)
        if source.dtype.kind not in "iuf":  # objects would be copied as addresses
            raise InputError(f"array: numbers of type {source.dtype}, expected whole or decimal numbers")
        source = source.astype(source.dtype.newbyteorder("="), copy=False)
        memory = Handle.create("memory", "device_allocate", self._handle, max(source.nbytes, 1))
        address = library().mlmq_memory_data(memory.pointer)
        call("device_write", self._handle, address, pointer_to(source), source.nbytes)
        return DeviceArray(memory, address, source.shape, source.dtype, self)

    def _read(self, to: Any, address: int, size: int) -> None:
        call("device_read", self._handle, to, address, size)
