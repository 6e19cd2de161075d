// SPDX-License-Identifier: Apache-2.0
// The buckets of keys by bucket_mapping, after each of a sequence of changes, computed by one warp.

#include "mapping.cuh"

#include "queues/bucket_mapping.cuh"

SIMT_KERNEL(mapping, mlmq::tests::mapping_arguments) {
  using mlmq::bucket_mapping;
  bucket_mapping now = bucket_mapping::at_start(arguments.first);
  for (u32 change = 0; change <= arguments.changes; ++change) {
    if (change != 0) {
      const u32 first_bucket = simt::load(arguments.first_buckets + change - 1);
      now = now.changed_from(first_bucket, simt::load(arguments.exponents + change - 1), arguments.buckets_per_key);
      if (simt::lane() == 0)
        simt::store(arguments.begins + change - 1, now.key_of(first_bucket, arguments.buckets_per_key));
    }
    const u64 word = now.to_word();
    // Decodes the word, like a block that reads it.
    now = bucket_mapping::from_word(word);
    if (simt::lane() == 0) simt::store(arguments.words + change, word);
    for (u32 i = simt::lane(); i < arguments.key_count; i += simt::warp_size) {
      simt::store(arguments.buckets + change * arguments.key_count + i,
                  bucket_mapping::bucket_of(word, simt::load(arguments.keys + i), arguments.buckets_per_key));
    }
  }
}
