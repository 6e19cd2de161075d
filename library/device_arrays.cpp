// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "library/impl.hpp"

namespace mlmq {

digraph digraph::from_device(const device& where, const device_rows&, const device_rows_options& options) {
  throw unsuitable_error(options.name + ": rows in the memory of " + where.facts().selector + " are not taken yet");
}

bool digraph::on_host() const noexcept { return true; }

std::shared_ptr<void> device::allocate(std::size_t) const {
  throw unsuitable_error(facts().selector + ": memory is not given yet");
}

void device::write(void*, const void*, std::size_t) const {
  throw unsuitable_error(facts().selector + ": memory is not written yet");
}

void device::read(void*, const void*, std::size_t) const {
  throw unsuitable_error(facts().selector + ": memory is not read yet");
}

device_array solution::device_distances() const { throw input_error("the distances are not on the device"); }

search_summary solver::solve_into(vertex, std::span<std::uint32_t>, const solve_options&) {
  throw unsuitable_error("distances are not written to arrays yet");
}

search_summary solver::solve_into(vertex, std::span<float>, const solve_options&) {
  throw unsuitable_error("distances are not written to arrays yet");
}

}  // namespace mlmq
