# SPDX-License-Identifier: Apache-2.0
"""Converts arrays of other libraries for libmlmq, and memory of libmlmq to arrays."""

from __future__ import annotations

import operator
from ctypes import c_void_p
from typing import Any

import numpy as np

from . import _dlpack
from ._c_interface import FLOAT32, FLOAT64, UINT32
from ._library import NotCopyable
from .errors import InputError

DTYPES = {UINT32: np.dtype(np.uint32), FLOAT32: np.dtype(np.float32), FLOAT64: np.dtype(np.float64)}
TYPES = {dtype: number for number, dtype in DTYPES.items()}
MAX_WEIGHT = 0xFFFFFFFD


class _Memory:
    """Describes memory to NumPy through the array interface. The array keeps this object alive."""

    def __init__(self, owner: Any, address: int, shape: tuple[int, ...], dtype: np.dtype) -> None:
        self.owner = owner
        self.__array_interface__ = {"version": 3, "data": (address, True), "shape": shape, "typestr": dtype.str}


def view(owner: Any, address: int, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Returns a read-only array, without a copy, of memory that lives as long as `owner`."""
    if 0 in shape:
        return np.empty(shape, dtype)
    return np.asarray(_Memory(owner, address, shape, dtype))


def pointer_to(array: np.ndarray) -> Any:
    """Returns a c_void_p to the array's data, which keeps the array alive."""
    return array.ctypes.data_as(c_void_p)


def _one_dimension(array: Any, name: str) -> None:
    if len(array.shape) != 1:
        raise InputError(f"{name}: {len(array.shape)} dimensions, expected 1")


def aligned(array: np.ndarray, dtype: Any) -> np.ndarray:
    """Returns a contiguous array of a type, at an address that suits the type. Copies only if necessary."""
    return np.require(array, dtype, ["C", "A"])


def host_array(values: Any, name: str) -> np.ndarray:
    """Converts values to a one-dimensional array of numbers in host memory."""
    if np.ma.is_masked(values):
        raise InputError(f"{name}: a masked array, expected an array without a mask")
    if not isinstance(values, np.ndarray) and not hasattr(values, "__array__") and hasattr(values, "__dlpack__"):
        values = np.from_dlpack(values)
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: cannot be read as an array of numbers: {error}") from None
    if array.size == 0 and not isinstance(values, np.ndarray):
        array = array.astype(np.uint32)  # an empty list has no number type
    if array.dtype.kind not in "iuf":
        raise InputError(f"{name}: numbers of type {array.dtype}, expected whole or decimal numbers")
    _one_dimension(array, name)
    return array


def whole_numbers(values: Any, name: str, dtype: type, largest: int) -> np.ndarray:
    """Converts values to a contiguous array of integers from 0 to `largest`. Copies only if the type differs."""
    array = host_array(values, name)
    if array.dtype.kind == "f":
        raise InputError(f"{name}: numbers of type {array.dtype}, expected whole numbers")
    if array.size:
        for found, place in ((array.min(), array.argmin), (array.max(), array.argmax)):
            if not 0 <= int(found) <= largest:
                raise InputError(f"{name}: {int(found)} at position {int(place())}, expected 0 to {largest}")
    return aligned(array, dtype)


def vertices(values: Any, name: str, count: int) -> np.ndarray:
    """Converts vertices of a graph with `count` vertices to an array. A single number becomes an array of one."""
    if np.ndim(values) == 0:
        values = [values]
    return whole_numbers(values, name, np.uint32, count - 1)


def vertex(value: Any, name: str, count: int) -> int:
    """Checks a vertex of a graph with `count` vertices."""
    try:
        number = value.__index__()
    except AttributeError:
        raise InputError(f"{name}: {value!r}, expected a whole number") from None
    if not 0 <= number < count:
        raise InputError(f"{name} {number}: the graph has vertices 0 to {count - 1}")
    return number


def whole_number(value: Any, name: str, least: int, most: int) -> int:
    """Checks a whole number, of which ctypes would drop the bits that do not fit."""
    try:
        number = operator.index(value)
    except TypeError:
        raise InputError(f"{name}: {value!r}, expected a whole number") from None
    if not least <= number <= most:
        raise InputError(f"{name}: {number}, expected {least} to {most}")
    return number


def stream_address(stream: Any) -> int | None:
    """Checks a CUstream."""
    return None if stream is None else whole_number(stream, "stream", 0, (1 << 64) - 1)


def real_number(value: Any, name: str) -> float:
    """Checks a number, which may be infinite."""
    try:
        if np.ndim(value) == 0 and getattr(value, "dtype", np.dtype(float)).kind in "biuf":
            return value.__float__()
    except (AttributeError, OverflowError):
        pass
    raise InputError(f"{name}: {value!r}, expected a number")


def number_type(dtype: Any) -> np.dtype:
    """Returns a supported type of weights."""
    try:
        found = np.dtype(dtype)
    except TypeError:
        found = None
    if found not in TYPES:
        raise InputError(f"weight_type: {dtype!r}, expected uint32, float32 or float64")
    return found


def weights(values: Any, dtype: np.dtype | None = None) -> np.ndarray:
    """Converts weights to a contiguous array of type `dtype`, rounding floats.

    Without `dtype`, integers become uint32, and decimal numbers float32 if it represents them exactly, else float64.
    """
    array = host_array(values, "weights")
    if array.dtype.kind in "iu" and (dtype is None or dtype == np.uint32):
        return whole_numbers(array, "weights", np.uint32, MAX_WEIGHT)
    bad = np.flatnonzero(~(array >= 0) | np.isinf(array))
    if bad.size:
        raise InputError(f"weights: {array[bad[0]]} at position {bad[0]}, expected finite numbers of at least 0")
    if dtype is not None and dtype == np.uint32:
        bad = np.flatnonzero((array != np.floor(array)) | (array > MAX_WEIGHT))
        if bad.size:
            raise InputError(f"weights: {array[bad[0]]} at position {bad[0]}, "
                             f"expected whole numbers up to {MAX_WEIGHT}")
    with np.errstate(over="ignore"):  # overflow is detected below
        converted = aligned(array, np.float32 if dtype is None else dtype)
        if dtype is None and (converted != array).any():
            converted = aligned(array, np.float64)
    bad = np.flatnonzero(~np.isfinite(converted))
    if bad.size:
        raise InputError(f"weights: {array[bad[0]]} at position {bad[0]} is too large for {converted.dtype}")
    return converted


def are_doubles(values: Any) -> bool:
    """Returns whether an array in host memory has floats other than float32: decimal numbers may be meant."""
    array = host_array(values, "weights")
    return array.dtype.kind == "f" and array.dtype != np.float32


class DeviceArray(NotCopyable):
    """An array in device memory, which lives as long as this object.

    Other libraries use it without a copy: CuPy, PyTorch, JAX and Numba through ``__cuda_array_interface__`` or
    ``__dlpack__`` if the device is a GPU; NumPy through ``__dlpack__`` if it is the simulator, which uses host memory.

    Attributes
    ----------
    shape : tuple of int
    dtype : numpy.dtype
    device : Device
    address : int
        Address of the first number in device memory.
    """

    _instead = "copy or pickle what to_host() returns"

    def __init__(self, owner: Any, address: int, shape: tuple[int, ...], dtype: np.dtype, device: Any) -> None:
        self._owner = owner
        self.address, self.shape, self.dtype, self.device = address, shape, np.dtype(dtype), device

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def nbytes(self) -> int:
        """The size in bytes."""
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype}, device={self.device.selector!r})"

    def to_host(self) -> np.ndarray:
        """Returns a copy in host memory."""
        copy = np.empty(self.shape, self.dtype)
        self.device._read(pointer_to(copy), self.address, self.nbytes)  # pylint: disable=protected-access
        return copy

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("an array in device memory cannot be read on the host without a copy")
        found = self.to_host()
        return found if dtype is None else found.astype(dtype, copy=False)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self.device.kind != "cuda":
            raise AttributeError(f"__cuda_array_interface__: {self.device.selector} is not a GPU")
        # The data is complete, so no stream has to wait.
        return {"version": 3, "data": (self.address if self.size else 0, False), "shape": self.shape,
                "typestr": self.dtype.str, "strides": None, "stream": None}

    def __dlpack_device__(self) -> tuple[int, int]:
        if self.device.kind == "cuda":
            return _dlpack.CUDA, int(self.device.selector.partition(":")[2])
        return _dlpack.CPU, 0

    def __dlpack__(self, *, stream: Any = None, **_ignored: Any) -> Any:
        # The data is complete, so the consumer's stream need not wait.
        return _dlpack.capsule_of(self, self.address, self.shape, self.dtype, self.__dlpack_device__())


class _OnDevice:
    """An array of another library in device memory."""

    def __init__(self, values: Any, name: str) -> None:
        self.owner, self.stream, self.number = values, None, None
        if isinstance(values, DeviceArray):
            self.address, shape, self.dtype, contiguous = values.address, values.shape, values.dtype, True
        elif hasattr(values, "__cuda_array_interface__"):
            facts = values.__cuda_array_interface__
            if facts.get("mask") is not None:
                raise InputError(f"{name}: a masked array, expected an array without a mask")
            self.address, shape, self.dtype = facts["data"][0], tuple(facts["shape"]), np.dtype(facts["typestr"])
            strides = facts.get("strides")
            contiguous = strides is None or len(shape) != 1 or shape[0] <= 1 or strides[0] == self.dtype.itemsize
            self.stream = facts.get("stream")
            if hasattr(values, "__dlpack_device__"):
                self.number = values.__dlpack_device__()[1]
        else:
            self.owner = taken = _dlpack.Taken(values)
            self.address, shape, self.dtype, contiguous = taken.address, taken.shape, taken.dtype, taken.is_contiguous
            self.number = taken.device[1]
        self.shape = shape
        _one_dimension(self, name)
        if not contiguous:
            raise InputError(f"{name}: not contiguous in device memory: pass a contiguous copy")


def on_device(values: Any, name: str) -> _OnDevice | None:
    """Returns the array if it is in device memory, or None if it is in host memory."""
    if isinstance(values, DeviceArray) or hasattr(values, "__cuda_array_interface__"):
        return _OnDevice(values, name)
    if isinstance(values, np.ndarray) or not hasattr(values, "__dlpack_device__"):
        return None
    kind = int(values.__dlpack_device__()[0])
    if kind in (_dlpack.CPU, _dlpack.CUDA_HOST):
        return None
    if kind in (_dlpack.CUDA, _dlpack.CUDA_MANAGED):
        return _OnDevice(values, name)
    raise InputError(f"{name}: in the memory of a device with the DLPack type {kind}, "
                     "expected host memory or a CUDA device")
