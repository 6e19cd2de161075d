// SPDX-License-Identifier: Apache-2.0
// c = a + b. Each thread adds `items` elements that are one grid apart.
__global__ void vector_add(float* c, const float* a, const float* b, int n) {
  const int thread_count = gridDim.x * blockDim.x;
  for (int item = 0; item < items; ++item) {
    const int i = item * thread_count + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
  }
}

__global__ void vector_add_reference(float* c, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
