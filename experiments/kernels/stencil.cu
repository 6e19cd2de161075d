// SPDX-License-Identifier: Apache-2.0
// One step of heat conduction in three dimensions: a point becomes the weighted mean of itself and its six neighbours.
// A block covers a tile of x and y, and each thread walks along z. Points of the surface stay.
constexpr float own_weight = 0.4f;
constexpr float neighbour_weight = 0.1f;

__global__ void stencil(float* result, const float* grid, int nx, int ny, int nz) {
  const int x = blockIdx.x * block_x + threadIdx.x;
  const int y = blockIdx.y * block_y + threadIdx.y;
  const int first_z = blockIdx.z * depth;
  const bool is_inside = x < nx && y < ny;
  const bool is_surface = x == 0 || y == 0 || x == nx - 1 || y == ny - 1;
  const int plane = nx * ny;
  const int column = y * nx + x;
#if use_shared
  __shared__ float tile[block_y + 2][block_x + 2];
#endif
  float below = is_inside && first_z > 0 ? grid[(first_z - 1) * plane + column] : 0;
  float centre = is_inside ? grid[first_z * plane + column] : 0;
#pragma unroll unrolled
  for (int z = first_z; z < first_z + depth && z < nz; ++z) {
    const float above = is_inside && z + 1 < nz ? grid[(z + 1) * plane + column] : 0;
#if use_shared
    const int i = threadIdx.x + 1;
    const int j = threadIdx.y + 1;
    __syncthreads();
    tile[j][i] = centre;
    const float* const point = grid + z * plane + column;
    if (is_inside && threadIdx.x == 0 && x > 0) tile[j][0] = point[-1];
    if (is_inside && threadIdx.x == block_x - 1 && x < nx - 1) tile[j][block_x + 1] = point[1];
    if (is_inside && threadIdx.y == 0 && y > 0) tile[0][i] = point[-nx];
    if (is_inside && threadIdx.y == block_y - 1 && y < ny - 1) tile[block_y + 1][i] = point[nx];
    __syncthreads();
#endif
    if (is_inside) {
      float updated = centre;
      if (!is_surface && z > 0 && z < nz - 1) {
#if use_shared
        const float sides = tile[j][i - 1] + tile[j][i + 1] + tile[j - 1][i] + tile[j + 1][i];
#else
        const float* const point = grid + z * plane + column;
        const float sides = point[-1] + point[1] + point[-nx] + point[nx];
#endif
        updated = own_weight * centre + neighbour_weight * (sides + below + above);
      }
      result[z * plane + column] = updated;
    }
    below = centre;
    centre = above;
  }
}

__global__ void stencil_reference(float* result, const float* grid, int nx, int ny, int nz) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nx * ny * nz) return;
  const int x = i % nx;
  const int y = i / nx % ny;
  const int z = i / nx / ny;
  float updated = grid[i];
  if (x > 0 && y > 0 && z > 0 && x < nx - 1 && y < ny - 1 && z < nz - 1) {
    const float neighbours =
        grid[i - 1] + grid[i + 1] + grid[i - nx] + grid[i + nx] + grid[i - nx * ny] + grid[i + nx * ny];
    updated = own_weight * updated + neighbour_weight * neighbours;
  }
  result[i] = updated;
}
