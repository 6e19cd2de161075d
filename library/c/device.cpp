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
  init_struct(facts, struct_size, none);
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
    const mlmq::device_facts& info = required(device, "device")->value.facts();
    write_struct(facts,
                 {.struct_size = 0,
                  .selector = info.selector.c_str(),
                  .kind = info.kind.c_str(),
                  .name = info.name.c_str(),
                  .modelled = info.modelled ? 1 : 0,
                  .array_ms = info.array_ms,
                  .byte_ms = info.byte_ms},
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

mlmq_status mlmq_device_write(const mlmq_device* device, void* destination, const void* source, size_t bytes) {
  return guarded([&] {
    if (bytes > 0)
      required(device, "device")->value.write(required(destination, "destination"), required(source, "source"), bytes);
  });
}

mlmq_status mlmq_device_read(const mlmq_device* device, void* destination, const void* source, size_t bytes) {
  return guarded([&] {
    if (bytes > 0)
      required(device, "device")->value.read(required(destination, "destination"), required(source, "source"), bytes);
  });
}
