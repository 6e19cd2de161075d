// SPDX-License-Identifier: Apache-2.0
#include <exception>

#include "library/c/handles.hpp"

using namespace mlmq::c;

const char* mlmq_version(void) {
  static const std::string version = mlmq::library_version();
  return version.c_str();
}

void mlmq_device_facts_init(mlmq_device_facts* facts, size_t struct_size) {
  mlmq_device_facts none{};
  none.selector = none.kind = none.name = "";
  init(facts, struct_size, none);
}

mlmq_status mlmq_device_open(const char* selector, mlmq_device** device) {
  return guarded([&] {
    required(device, "device");
    *device = new mlmq_device{mlmq::device(required(selector, "selector"))};
  });
}

void mlmq_device_free(mlmq_device* device) { delete device; }

mlmq_status mlmq_device_get_facts(const mlmq_device* device, mlmq_device_facts* facts) {
  return guarded([&] {
    const mlmq::device_facts& known = required(device, "device")->value.facts();
    give(facts,
         {.struct_size = 0,
          .selector = known.selector.c_str(),
          .kind = known.kind.c_str(),
          .name = known.name.c_str(),
          .modelled = known.modelled ? 1 : 0,
          .array_ms = known.array_ms,
          .byte_ms = known.byte_ms},
         sizeof *facts, "mlmq_device_facts");
  });
}

mlmq_status mlmq_device_set_seed(mlmq_device* device, uint64_t seed) {
  return guarded([&] { required(device, "device")->value.set_seed(seed); });
}

mlmq_status mlmq_device_allocate(const mlmq_device* device, size_t bytes, mlmq_memory** memory) {
  return guarded([&] {
    required(memory, "memory");
    *memory = new mlmq_memory{required(device, "device")->value.allocate(bytes)};
  });
}

void* mlmq_memory_data(const mlmq_memory* memory) { return memory->value.get(); }
void mlmq_memory_free(mlmq_memory* memory) { delete memory; }

mlmq_status mlmq_device_write(const mlmq_device* device, void* to, const void* from, size_t bytes) {
  return guarded([&] {
    if (bytes > 0) required(device, "device")->value.write(required(to, "to"), required(from, "from"), bytes);
  });
}

mlmq_status mlmq_device_read(const mlmq_device* device, void* to, const void* from, size_t bytes) {
  return guarded([&] {
    if (bytes > 0) required(device, "device")->value.read(required(to, "to"), required(from, "from"), bytes);
  });
}
