# SPDX-License-Identifier: Apache-2.0
"""The Python package on a GPU: searches, arrays that stay on the GPU, and other array libraries if installed.

Without a usable GPU, or NumPy, no test runs and the exit status is 77. $MLMQ_TEST_DEVICE names the device [cuda:0].
"""

import ctypes
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
# The package's folder in an install tree, where this file is in share/mlmq/tests, and in the source tree.
sys.path[:0] = [os.path.join(HERE, "../../../lib/python3/dist-packages"), os.path.join(HERE, "../../library/python")]

DEVICE = os.environ.get("MLMQ_TEST_DEVICE", "cuda:0")
ON_GPU = DEVICE.startswith("cuda")

try:
    import numpy as np

    import mlmq
except ImportError as error:
    print(f"skipped: {error}")
    mlmq = None


class Driver:
    """The CUDA driver, loaded independently of libmlmq."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        context, device = ctypes.c_void_p(), ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(device), int(DEVICE.partition(":")[2] or 0))
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status != 0:
            raise RuntimeError(f"{name}: {status}")

    def array(self, values):
        """Returns a copy on the GPU, as an object with __cuda_array_interface__."""
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(values.nbytes, 1)))
        self.call("cuMemcpyHtoD_v2", address, ctypes.c_void_p(values.ctypes.data), ctypes.c_size_t(values.nbytes))
        driver = self

        class Array:
            def __init__(self):
                self.__cuda_array_interface__ = {"version": 3, "data": (address.value, False), "shape": values.shape,
                                                 "typestr": values.dtype.str, "strides": None, "stream": None}

            def __del__(self):
                driver.call("cuMemFree_v2", address)

        return Array()

    def read(self, interface):
        """Returns a host copy of an object with __cuda_array_interface__."""
        values = np.empty(interface["shape"], np.dtype(interface["typestr"]))
        self.call("cuMemcpyDtoH_v2", ctypes.c_void_p(values.ctypes.data), ctypes.c_uint64(interface["data"][0]),
                  ctypes.c_size_t(values.nbytes))
        return values


class GpuTest(unittest.TestCase):
    """Base of the tests; contains no test."""

    def setUp(self):
        if mlmq is None:
            self.skipTest("no NumPy, or no package")
        rng = np.random.default_rng(5)
        vertices, edges = (20_000, 120_000) if ON_GPU else (60, 300)
        starts = np.sort(rng.integers(0, vertices, edges))
        self.indptr = np.searchsorted(starts, np.arange(vertices + 1)).astype(np.int32)
        self.indices = rng.integers(0, vertices, edges).astype(np.int32)
        self.weights = rng.integers(1, 100, edges).astype(np.float32)
        self.right = mlmq.Solver(mlmq.Graph.from_arrays(self.indptr, self.indices, self.weights), device="cpu").solve(0)

    def arrays(self):
        return self.indptr, self.indices, self.weights


class Python(GpuTest):
    """Searches and arrays on the GPU."""

    def test_searches(self):
        graph = mlmq.Graph.from_arrays(*self.arrays())
        solver = mlmq.Solver(graph, device=DEVICE)
        answer = solver.solve(0, place="device")
        self.assertEqual(answer.choice.device, DEVICE)
        self.assertEqual(answer.check(), "")
        np.testing.assert_array_equal(answer.distances, self.right.distances)
        many = solver.solve_many(np.arange(100 if ON_GPU else 4), check=True)
        np.testing.assert_array_equal(many[0], self.right.distances)
        self.assertEqual(many.choice.device, DEVICE)
        rows = np.concatenate([block.distances for block in solver.blocks(many.sources, memory_bytes=1 << 20)])
        np.testing.assert_array_equal(rows, many.distances)

    def test_arrays_of_this_package(self):
        device = mlmq.Device.of(DEVICE)
        arrays = [device.to_device(array) for array in self.arrays()]
        np.testing.assert_array_equal(arrays[1].to_host(), self.indices)
        answer = mlmq.Solver(mlmq.Graph.from_arrays(*arrays), device=DEVICE).solve(0, keep_on_device=True)
        self.assertEqual(answer.times.download, 0)
        np.testing.assert_array_equal(answer.device_distances.to_host(), self.right.distances)
        np.testing.assert_array_equal(answer.distances, self.right.distances)
        self.assertEqual(answer.distance(answer.path(7)[-1]) if answer.reached[7] else 0, answer.distance(7))

    def test_broken_rows_are_found_on_the_device(self):
        device = mlmq.Device.of(DEVICE)
        wrong = self.indices.copy()
        wrong[17] = len(self.indptr)
        with self.assertRaisesRegex(mlmq.InputError, "17"):
            mlmq.Graph.from_arrays(device.to_device(self.indptr), device.to_device(wrong),
                                   device.to_device(self.weights))

    def test_arrays_of_the_driver(self):
        if not ON_GPU:
            self.skipTest("not on a GPU")
        driver = Driver()
        graph = mlmq.Graph.from_arrays(*map(driver.array, self.arrays()), device=DEVICE)
        self.assertFalse(graph.on_host)
        answer = mlmq.Solver(graph, device=DEVICE).solve(0, keep_on_device=True)
        np.testing.assert_array_equal(driver.read(answer.__cuda_array_interface__), self.right.distances)
        blocks = mlmq.Solver(graph, device=DEVICE).blocks(range(64), memory_bytes=8 * len(self.indptr) * 4,
                                                          keep_on_device=True)
        first = [driver.read(block.distances.__cuda_array_interface__)[0] for block in blocks]
        np.testing.assert_array_equal(first[0], self.right.distances)
        self.assertGreater(len(first), 1)

    def test_arrays_in_host_memory_are_refused_as_device_arrays(self):
        if not ON_GPU:
            self.skipTest("not on a GPU")

        class Pretended:
            def __init__(self, values):
                self.values = values
                self.__cuda_array_interface__ = {**values.__array_interface__, "version": 3, "stream": None}

        with self.assertRaises(mlmq.InputError):
            mlmq.Graph.from_arrays(*map(Pretended, self.arrays()), device=DEVICE)

    def library(self, name):
        if not ON_GPU:
            self.skipTest("not on a GPU")
        try:
            return __import__(name)
        except Exception as error:  # a library that cannot find CUDA raises its own exception
            self.skipTest(f"no {name}: {error}")

    def test_cupy(self):
        cupy = self.library("cupy")
        arrays = [cupy.asarray(array) for array in self.arrays()]
        graph = mlmq.Graph.from_arrays(*arrays)
        stream = cupy.cuda.Stream()
        answer = mlmq.Solver(graph, device=DEVICE).solve(0, keep_on_device=True, stream=stream.ptr)
        found = cupy.asarray(answer)
        self.assertEqual(found.data.ptr, answer.device_distances.address)
        np.testing.assert_array_equal(found.get(), self.right.distances)
        taken = cupy.from_dlpack(answer)
        del answer, graph
        np.testing.assert_array_equal(taken.get(), self.right.distances)

    def test_torch(self):
        torch = self.library("torch")
        arrays = [torch.from_numpy(array).cuda() for array in self.arrays()]
        graph = mlmq.Graph.from_arrays(*arrays)
        answer = mlmq.Solver(graph, device=DEVICE).solve(0, keep_on_device=True)
        found = torch.from_dlpack(answer)
        self.assertEqual(found.data_ptr(), answer.device_distances.address)
        np.testing.assert_array_equal(found.cpu().numpy(), self.right.distances)

        class OnlyDlpack:
            def __init__(self, tensor):
                self.__dlpack__, self.__dlpack_device__ = tensor.__dlpack__, tensor.__dlpack_device__

        again = mlmq.Solver(mlmq.Graph.from_arrays(*map(OnlyDlpack, arrays)), device=DEVICE).solve(0)
        np.testing.assert_array_equal(again.distances, self.right.distances)
        with self.assertRaisesRegex(mlmq.InputError, "int64"):
            mlmq.Graph.from_arrays(arrays[0], arrays[1].long(), arrays[2])
        with self.assertRaisesRegex(mlmq.InputError, "contiguous"):
            mlmq.Graph.from_arrays(arrays[0], arrays[1], arrays[2].repeat_interleave(2)[::2])


def main():
    if mlmq is not None and ON_GPU:
        try:
            mlmq.Device.of(DEVICE)
        except (mlmq.InputError, mlmq.LibraryError) as error:
            print(f"skipped: {error}")
            return 77
    if mlmq is None:
        return 77
    return 0 if unittest.main(exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
