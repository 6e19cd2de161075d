// SPDX-License-Identifier: Apache-2.0
// TODO: your kernel. This one computes y = factor * x + y; a thread takes `items` numbers.
__global__ void skeleton(float* y, const float* x, float factor, int n) {
  for (int item = 0; item < items; ++item) {
    const int i = (item * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) y[i] = factor * x[i] + y[i];
  }
}

// What every variant is compared with: as simple as possible.
__global__ void skeleton_reference(float* y, const float* x, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i] + y[i];
}
