// SPDX-License-Identifier: Apache-2.0
// y = A x with a sparse matrix in three formats. Coordinates: one thread per entry, which adds to y atomically.
// Compressed rows: several threads per row. Ellpack: rows padded to the longest one and stored by columns, one thread
// per row; padding has the column -1.
enum storage { coordinates, rows_compressed, ellpack };

template <int stored, int row_threads>
__global__ void spmv(float* y, const float* x, const int* row_of, const int* column, const float* number,
                     const int* row_start, const int* ell_column, const float* ell_number, int rows, int entries,
                     int longest) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (stored == coordinates) {
    if (thread < entries) atomicAdd(y + row_of[thread], number[thread] * x[column[thread]]);
  } else if (stored == rows_compressed) {
    const int row = thread / row_threads;
    const int lane = thread % row_threads;
    float sum = 0;
    if (row < rows) {
      for (int i = row_start[row] + lane; i < row_start[row + 1]; i += row_threads) sum += number[i] * x[column[i]];
    }
    for (int apart = row_threads / 2; apart > 0; apart /= 2) {
      sum += __shfl_down_sync(0xffffffff, sum, apart, row_threads);
    }
    if (row < rows && lane == 0) y[row] = sum;
  } else if (thread < rows) {
    float sum = 0;
    for (int i = thread; i < rows * longest; i += rows) {
      if (ell_column[i] >= 0) sum += ell_number[i] * x[ell_column[i]];
    }
    y[thread] = sum;
  }
}

__global__ void spmv_reference(float* y, const float* x, const int* column, const float* number, const int* row_start,
                               int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = row_start[row]; i < row_start[row + 1]; ++i) sum += number[i] * x[column[i]];
  y[row] = sum;
}
