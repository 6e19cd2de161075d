// Uses what the simulator does not support.
__global__ void read_lane(unsigned* result) {
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  result[threadIdx.x] = lane;
}
