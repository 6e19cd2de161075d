// SPDX-License-Identifier: Apache-2.0
// Cholesky factors of many small symmetric matrices, A = L L^T, in place. A matrix is read from its lower triangle, and
// n is added to its diagonal, so that random matrices are positive definite. Several threads share a matrix:
// each has some of its rows.
template <typename T, int n, int threads_per_matrix, int matrices_per_block>
__global__ void cholesky(T* matrices, int count) {
  constexpr int pitch = n + padding;
  __shared__ T stored[matrices_per_block * n * pitch];
  const int lane = threadIdx.x % threads_per_matrix;
  const int slot = threadIdx.x / threads_per_matrix;
  const int matrix = blockIdx.x * matrices_per_block + slot;
  T* const a = stored + slot * n * pitch;
  const int first = blockIdx.x * matrices_per_block * n * n;
  const int total = count * n * n;
  // Consecutive threads copy consecutive elements of the block's matrices.
  for (int i = threadIdx.x; i < matrices_per_block * n * n && first + i < total;
       i += threads_per_matrix * matrices_per_block) {
    stored[i / n * pitch + i % n] = matrices[first + i];
  }
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    if (matrix < count && lane == k % threads_per_matrix) {
      T diagonal = a[k * pitch + k] + n;
      for (int j = 0; j < k; ++j) diagonal -= a[k * pitch + j] * a[k * pitch + j];
      a[k * pitch + k] = sqrt(diagonal);
    }
    __syncthreads();
    for (int i = lane; i < n && matrix < count; i += threads_per_matrix) {
      if (i <= k) continue;
      T sum = a[i * pitch + k];
      for (int j = 0; j < k; ++j) sum -= a[i * pitch + j] * a[k * pitch + j];
      a[i * pitch + k] = sum / a[k * pitch + k];
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < matrices_per_block * n * n && first + i < total;
       i += threads_per_matrix * matrices_per_block) {
    matrices[first + i] = stored[i / n * pitch + i % n];
  }
}

template <typename T, int n>
__global__ void cholesky_reference(T* matrices, int count) {
  const int matrix = blockIdx.x * blockDim.x + threadIdx.x;
  if (matrix >= count) return;
  T* const a = matrices + matrix * n * n;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k <= i; ++k) {
      T sum = a[i * n + k] + (i == k ? n : 0);
      for (int j = 0; j < k; ++j) sum -= a[i * n + j] * a[k * n + j];
      a[i * n + k] = i == k ? sqrt(sum) : sum / a[k * n + k];
    }
  }
}
