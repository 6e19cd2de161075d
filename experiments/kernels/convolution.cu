// SPDX-License-Identifier: Apache-2.0
// A 2D convolution of a padded image with a filter in constant memory. A thread computes tile_x * tile_y pixels that
// are one block apart; with use_shared, the block first copies its part of the image to shared memory.
constexpr int border = filter_size / 2;
__constant__ float d_filter[filter_size * filter_size];

#define input_width (width + 2 * border)

__global__ void convolution(float* output, const float* input, int width, int height) {
  const int first_x = blockIdx.x * block_x * tile_x;
  const int first_y = blockIdx.y * block_y * tile_y;
#if use_shared
  constexpr int part_width = block_x * tile_x + 2 * border;
  constexpr int part_height = block_y * tile_y + 2 * border;
  __shared__ float part[part_height][part_width];
  for (int y = threadIdx.y; y < part_height; y += block_y) {
    for (int x = threadIdx.x; x < part_width; x += block_x) {
      const bool is_inside = first_x + x < input_width && first_y + y < height + 2 * border;
      part[y][x] = is_inside ? input[(first_y + y) * input_width + first_x + x] : 0;
    }
  }
  __syncthreads();
#endif
  for (int j = 0; j < tile_y; ++j) {
    for (int i = 0; i < tile_x; ++i) {
      const int x = threadIdx.x + i * block_x;
      const int y = threadIdx.y + j * block_y;
      if (first_x + x >= width || first_y + y >= height) continue;
      float sum = 0;
      for (int v = 0; v < filter_size; ++v) {
        for (int u = 0; u < filter_size; ++u) {
#if use_shared
          sum += part[y + v][x + u] * d_filter[v * filter_size + u];
#else
          sum += input[(first_y + y + v) * input_width + first_x + x + u] * d_filter[v * filter_size + u];
#endif
        }
      }
      output[(first_y + y) * width + first_x + x] = sum;
    }
  }
}
