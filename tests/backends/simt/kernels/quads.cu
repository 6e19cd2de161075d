// SPDX-License-Identifier: Apache-2.0
// Accesses of sixteen bytes, plain and as four atomic words.
#include "simt/simt.cuh"

struct quads_arguments {
  simt::quad* input;
  simt::quad* output;
  u32* sums;
};

SIMT_KERNEL(quads, quads_arguments) {
  const u32 lane = simt::lane();
  simt::store(arguments.output + lane, simt::load(arguments.input + lane));
  simt::sync_warp();
  const simt::quad seen = simt::load_quad(arguments.output + (lane + 1) % simt::warp_size);
  simt::store(arguments.sums + lane, seen.x + seen.y + seen.z + seen.w);
}
