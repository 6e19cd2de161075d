# SPDX-License-Identifier: Apache-2.0
"""DLPack, the exchange protocol of array libraries: reads capsules of other libraries and makes capsules."""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p, py_object
from typing import Any

import numpy as np

from .errors import InputError

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13
_INT, _UINT, _FLOAT = 0, 1, 2
_KINDS = {"i": _INT, "u": _UINT, "f": _FLOAT}
_LETTERS = {code: letter for letter, code in _KINDS.items()}


class _Tensor(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32),
                ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16), ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


class _ManagedTensor(ctypes.Structure):
    pass


_Deleter = CFUNCTYPE(None, POINTER(_ManagedTensor))
_ManagedTensor._fields_ = [("tensor", _Tensor), ("context", c_void_p), ("deleter", _Deleter)]

_CapsuleDestructor = CFUNCTYPE(None, c_void_p)
_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = py_object, [c_void_p, c_char_p, _CapsuleDestructor]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [c_void_p, c_char_p]
_get = ctypes.pythonapi.PyCapsule_GetPointer
_get.restype, _get.argtypes = c_void_p, [c_void_p, c_char_p]
_set_name = ctypes.pythonapi.PyCapsule_SetName
_set_name.restype, _set_name.argtypes = ctypes.c_int, [c_void_p, c_char_p]

_FRESH, _USED = b"dltensor", b"used_dltensor"  # names of capsules, which keep pointers to them

# Objects that capsules own, keyed by the address of the tensor, until the consumer releases it.
_given: dict[int, tuple[Any, ...]] = {}


@_Deleter
def _forget(managed: Any) -> None:
    _given.pop(ctypes.addressof(managed.contents), None)


@_CapsuleDestructor
def _drop(capsule: int) -> None:
    # A consumed capsule has another name; its consumer calls the deleter.
    if _is_valid(capsule, _FRESH):
        _given.pop(_get(capsule, _FRESH), None)


def capsule_of(owner: Any, address: int, shape: tuple[int, ...], dtype: np.dtype, device: tuple[int, int]) -> Any:
    """Returns a capsule with row-major memory at an address. It keeps `owner` alive."""
    managed = _ManagedTensor()
    sides = (c_int64 * len(shape))(*shape)
    managed.tensor = _Tensor(data=address, device_type=device[0], device_id=device[1], ndim=len(shape),
                             code=_KINDS[dtype.kind], bits=8 * dtype.itemsize, lanes=1, shape=sides)
    managed.deleter = _forget
    at = ctypes.addressof(managed)
    _given[at] = (managed, sides, owner)
    return _new(at, _FRESH, _drop)


class Taken:
    """The array of a consumed capsule. The memory is released with the last reference.

    Attributes
    ----------
    address, shape, dtype, device : the array; device is (kind, number) as in `__dlpack_device__`
    is_contiguous : bool
        Whether the array is row-major without gaps.
    """

    def __init__(self, source: Any) -> None:
        capsule = source.__dlpack__()
        if not _is_valid(id(capsule), _FRESH):
            raise InputError(f"{type(source).__name__}.__dlpack__() did not return an unused DLPack capsule")
        self._managed = ctypes.cast(_get(id(capsule), _FRESH), POINTER(_ManagedTensor))
        tensor = self._managed.contents.tensor
        _set_name(id(capsule), _USED)  # takes ownership
        self.shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
        self.device = (tensor.device_type, tensor.device_id)
        self.address = (tensor.data or 0) + tensor.byte_offset
        if tensor.lanes != 1 or tensor.code not in _LETTERS:
            raise InputError("an array of DLPack has numbers of an unknown type, expected whole or decimal numbers")
        self.dtype = np.dtype(f"{_LETTERS[tensor.code]}{tensor.bits // 8}")
        self.is_contiguous = True
        if tensor.strides:
            step = 1
            for i in reversed(range(tensor.ndim)):
                self.is_contiguous = self.is_contiguous and (self.shape[i] <= 1 or tensor.strides[i] == step)
                step *= self.shape[i]

    def __del__(self) -> None:
        managed = getattr(self, "_managed", None)
        if managed and managed.contents.deleter:
            managed.contents.deleter(managed)
