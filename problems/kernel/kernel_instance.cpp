// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/kernel_instance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/hash.hpp"
#include "problems/kernel/array_file.hpp"
#include "problems/kernel/bindings.hpp"
#include "problems/kernel/device_arrays.hpp"
#include "problems/kernel/device_comparison.hpp"
#include "problems/kernel/host_array.hpp"
#include "problems/kernel/reference_command.hpp"
#include "problems/kernel/shared_results.hpp"
#include "problems/kernel/source_text.hpp"
#include "problems/kernel/variant_source.hpp"
#include "problems/time_limit.hpp"
#include "tuner/parameter_values.hpp"

namespace mlmq::kernel {
namespace {

constexpr double reference_limit_ms = 60e3;
/// Exceeds the L2 cache of every GPU.
constexpr std::size_t flush_bytes = std::size_t{256} << 20;

class instance final : public tuner::problem_instance {
 public:
  instance(backends::backend& device, std::shared_ptr<const definition> kernel,
           const std::vector<tuner::parameter_declaration>& declarations,
           std::vector<std::pair<std::string, tuner::value>> sizes,
           std::function<std::string(const backends::kernel_source&)> code_hash)
      : device_(device),
        kernel_(std::move(kernel)),
        declarations_(declarations),
        sizes_(std::move(sizes)),
        code_hash_(std::move(code_hash)),
        arrays_(device, *kernel_),
        comparison_(device) {
    if (kernel_->flushes_cache && !device.info().modelled) {
      flushed_ = device.allocate(flush_bytes, "memory that displaces the cache");
    }
  }
  instance(const instance&) = delete;
  instance& operator=(const instance&) = delete;
  ~instance() override { device_.set_watchdog({}); }

  [[nodiscard]] backends::kernel_source variant(const tuner::configuration& chosen,
                                                tuner::instrumentation mode) const override {
    if (!device_.info().grid) throw backends::launch_error("a CUDA kernel does not run on " + device_.info().name);
    if (mode == tuner::instrumentation::timeline) throw backends::launch_error("a CUDA kernel records no timeline");
    const tuner::parameter_values parameters(declarations_, chosen);
    return planned(source_of(*kernel_, kernel_->source, values_of(chosen), kernel_->launches, kernel_->defines,
                             parameters.macros(kernel_->name)));
  }

  void load_data(const tuner::configuration& chosen) override { load_data(values_of(chosen)); }

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation /*mode*/) override {
    launches_.reset();
    compiled_ = std::move(compiled);
    const bindings values = values_of(chosen);
    load_data(values);
    launches_.emplace(kernel_->launches, *kernel_, values, functions_of(kernel_->launches, values), *compiled_,
                      device_.info(), arrays_);
    work_ = kernel_->work ? std::optional(values.number(kernel_->work->amount).real()) : std::nullopt;
  }

  [[nodiscard]] std::string compile_hint(const tuner::configuration& /*chosen*/) const override {
    std::vector<std::string> macros;
    for (const tuner::parameter_declaration& declared : declarations_) {
      if (!declared.macro.name.empty()) macros.push_back(declared.macro.name);
    }
    const std::string name = declared_macro(read_file(kernel_->source), macros);
    if (name.empty()) return "";
    return fmt::format(
        "{} declares '{}', which is also a parameter: its macro replaces the name in the source, so rename "
        "one of them",
        kernel_->source.filename().string(), name);
  }

  [[nodiscard]] std::vector<db::function_record> functions() const override { return launches_->functions(); }

  [[nodiscard]] std::string machine_identity() const override {
    return fmt::format("{} {} {}", compiled_->properties().binary_hash, launches_->identity(), work_.value_or(0));
  }

  [[nodiscard]] tuner::run_report run(const tuner::query& /*query*/, double time_limit_ms) override {
    arrays_.restore_written();
    arrays_.upload_symbols(*compiled_, missing_symbol::is_error);  // a kernel may write its variables
    if (flushed_.address() != nullptr) device_.fill(flushed_, 0, flushed_.bytes(), 0);
    may_be_overwritten_ = true;  // until check() has seen right results
    device_.set_watchdog(problems::watchdog_for(time_limit_ms, [] {}));
    tuner::run_report report;
    report.milliseconds = device_.measure([&] { launches_->launch(device_, *compiled_); });
    if (report.milliseconds > time_limit_ms) problems::report_timeout(report, time_limit_ms);
    if (work_) report.counters.emplace_back(kernel_->work->name, *work_);
    return report;
  }

  [[nodiscard]] std::string check() override {
    if (reference_error_) std::rethrow_exception(reference_error_);
    if (const std::string name = changed_input(*launches_, arrays_); !name.empty()) {
      return fmt::format("the kernel writes '{}', which has 'role: in'; an array that is written has 'role: inout'",
                         name);
    }
    for (auto& [position, expected] : expected_) {
      const array_definition& array = kernel_->arrays[position];
      const tolerance& allowed = array.allowed ? *array.allowed : kernel_->allowed;
      if (comparison_.all_right(position, arrays_.type(position), arrays_.memory(position), expected, allowed)) {
        continue;
      }
      if (expected.empty()) expected = comparison_.download(position);
      const std::string error =
          compare(array.name, arrays_.type(position), arrays_.download(position), expected, allowed);
      if (!error.empty()) return error;
    }
    may_be_overwritten_ = false;
    return "";
  }

 private:
  /// Returns the variant of the code that the results belong to.
  [[nodiscard]] backends::kernel_source planned(backends::kernel_source variant) const {
    variant.code_hash = code_hash_(variant);
    return variant;
  }

  [[nodiscard]] bindings values_of(const tuner::configuration& chosen) const {
    std::vector<std::pair<std::string, tuner::value>> values = sizes_;
    const tuner::parameter_values parameters(declarations_, chosen);
    for (const tuner::parameter_declaration& declared : declarations_) {
      values.emplace_back(declared.name, parameters.at(declared.name));
    }
    return bindings(std::move(values), kernel_->texts);
  }

  /// Brings arrays and expected results to the device. Compiles the reference while the arrays are filled.
  void load_data(const bindings& values) {
    std::future<std::shared_ptr<const backends::kernel>> reference;
    std::future<void> comparison;
    if (!has_expected_) {
      if (kernel_->reference.kind == reference_kind::launches) {
        reference = std::async(std::launch::async, [this] { return device_.compile(reference_source()); });
      }
      comparison = std::async(std::launch::async, [this, &values] { compile_comparison(values); });
    }
    arrays_.fit(values);
    if (std::exchange(may_be_overwritten_, false)) arrays_.upload_all();
    if (has_expected_) return;
    try {
      load_expected(reference);
      require_numbers();
    } catch (const input_error&) {
      reference_error_ = std::current_exception();  // for check(): the variant may have an error of its own
    }
    comparison.get();
    has_expected_ = true;
  }

  void compile_comparison(const bindings& values) {
    const reference_definition& reference = kernel_->reference;
    for (const array_definition& array : kernel_->arrays) {
      const bool is_compared =
          reference.kind == reference_kind::files ? reference.files.contains(array.name) : reference.compares(array);
      if (is_compared && reference.kind != reference_kind::none) {
        comparison_.compile(values.type(array.type), values.whole_number(array.count, 1, most_elements));
      }
    }
  }

  /// Returns the name of an array with 'role: in' that the launches have changed, or "".
  [[nodiscard]] std::string changed_input(const bound_launches& launches, device_arrays& arrays) const {
    for (const std::size_t position : launches.mutable_inputs()) {
      if (arrays.download(position) != arrays_.contents(position)) return kernel_->arrays[position].name;
    }
    return "";
  }

  /// Requires that the reference has written all numbers of the compared arrays with 'role: out': numbers that still
  /// have the pattern of unwritten memory must not follow a change of that pattern.
  template <class Launch>
  void require_written(device_arrays& arrays, const Launch& launch) {
    constexpr std::uint8_t other_pattern = 0x5A;
    const auto is_unwritten = [](const element_type& type, const std::byte* number, std::uint8_t pattern) {
      return std::all_of(number, number + type.bytes, [&](std::byte byte) { return byte == std::byte{pattern}; });
    };
    std::map<std::size_t, std::vector<std::size_t>> suspects;  // offsets, by array
    for (std::size_t i = 0; i < kernel_->arrays.size(); ++i) {
      if (kernel_->arrays[i].role != array_role::out || !kernel_->reference.compares(kernel_->arrays[i])) continue;
      const std::vector<std::byte> results = arrays.download(i);
      for (std::size_t offset = 0; offset < results.size(); offset += arrays.type(i).bytes) {
        if (is_unwritten(arrays.type(i), results.data() + offset, unwritten)) suspects[i].push_back(offset);
      }
    }
    if (suspects.empty()) return;
    arrays.restore_written(other_pattern);
    (void)device_.measure(launch);
    for (const auto& [i, offsets] : suspects) {
      const std::vector<std::byte> results = arrays.download(i);
      for (const std::size_t offset : offsets) {
        if (!is_unwritten(arrays.type(i), results.data() + offset, other_pattern)) continue;
        throw input_error(fmt::format("{}the reference does not write {}[{}]", kernel_->place.prefix(),
                                      kernel_->arrays[i].name, offset / arrays.type(i).element_bytes()));
      }
    }
  }

  /// Requires that the expected results are numbers, since nothing can be compared with a NaN.
  void require_numbers() {
    for (auto& [i, expected] : expected_) {
      const element_type& type = arrays_.type(i);
      if (!type.is_real()) continue;
      const std::vector<std::byte> numbers = expected.empty() ? comparison_.download(i) : expected;
      for (std::size_t k = 0; k < numbers.size() / type.bytes; ++k) {
        if (!std::isnan(read_number(type, numbers.data(), k))) continue;
        throw input_error(fmt::format("{}the expected {}[{}] is not a number", kernel_->place.prefix(),
                                      kernel_->arrays[i].name, k / type.numbers));
      }
    }
  }

  /// Computes or reads the expected results.
  /// @param reference_variant  the reference kernel, if there is one
  void load_expected(std::future<std::shared_ptr<const backends::kernel>>& reference_variant) {
    const reference_definition& reference = kernel_->reference;
    switch (reference.kind) {
      case reference_kind::none:
        return;
      case reference_kind::files:
        for (std::size_t i = 0; i < kernel_->arrays.size(); ++i) {
          const auto file = reference.files.find(kernel_->arrays[i].name);
          if (file == reference.files.end()) continue;
          expected_[i] =
              read_array(kernel_->folder / file->second, kernel_->arrays[i].name, arrays_.type(i), arrays_.count(i));
        }
        return;
      case reference_kind::command:
        expected_ = compute_once(key_of_inputs(), [this] { return run_command(*kernel_, sizes_, arrays_); });
        return;
      case reference_kind::launches:
        if (device_.info().modelled) {
          // Simulated runs share the processors, and other models may round differently.
          expected_ = compute_once(key_of_inputs() + device_.info().name, [&] {
            run_reference(reference_variant);
            return expected_;
          });
        } else {
          run_reference(reference_variant);
        }
    }
  }

  /// Returns a text that differs for workloads and arrays whose expected results may differ.
  [[nodiscard]] std::string key_of_inputs() const {
    content_hash hash;
    for (const auto& [name, value] : sizes_) hash.add(name).add(tuner::to_json(value));
    for (std::size_t i = 0; i < kernel_->arrays.size(); ++i) {
      hash.add(arrays_.type(i).name).add(std::to_string(arrays_.count(i))).add(std::span(arrays_.contents(i)));
    }
    return hash.hex();
  }

  /// Returns the values of parameters and sizes for the reference kernel: parameters have their defaults in it.
  [[nodiscard]] bindings reference_values() const { return values_of({}); }

  [[nodiscard]] backends::kernel_source reference_source() const {
    const reference_definition& reference = kernel_->reference;
    return planned(source_of(*kernel_, reference.source.empty() ? kernel_->source : reference.source,
                             reference_values(), reference.launches, reference.defines,
                             tuner::parameter_values(declarations_, {}).macros(kernel_->name)));
  }

  /// Runs the reference kernel on arrays of its own.
  void run_reference(std::future<std::shared_ptr<const backends::kernel>>& variant) {
    const reference_definition& reference = kernel_->reference;
    const bindings values = reference_values();
    try {
      const std::shared_ptr<const backends::kernel> compiled = variant.get();
      device_arrays arrays(device_, *kernel_);
      arrays.fit(values, &arrays_);
      // Another file need not have the variables of the kernel.
      arrays.upload_symbols(*compiled,
                            reference.source.empty() ? missing_symbol::is_error : missing_symbol::is_ignored);
      const bound_launches launches(reference.launches, *kernel_, values, functions_of(reference.launches, values),
                                    *compiled, device_.info(), arrays);
      arrays.restore_written();
      device_.set_watchdog(problems::watchdog_for(reference_limit_ms, [] {}));
      (void)device_.measure([&] { launches.launch(device_, *compiled); });
      if (const std::string name = changed_input(launches, arrays); !name.empty()) {
        throw input_error(
            fmt::format("{}the reference writes '{}', which has 'role: in'", kernel_->place.prefix(), name));
      }
      require_written(arrays, [&] { launches.launch(device_, *compiled); });
      for (std::size_t i = 0; i < kernel_->arrays.size(); ++i) {
        if (!reference.compares(kernel_->arrays[i])) continue;
        std::vector<std::byte>& expected = expected_[i];
        // The results of a simulated device are shared.
        if (!device_.info().modelled && comparison_.is_able_to_compare(arrays.type(i), arrays.count(i))) {
          comparison_.keep(i, arrays.take(i));
        } else {
          expected = arrays.download(i);
        }
      }
    } catch (const backends::compile_error& error) {
      throw input_error(fmt::format("{}the reference does not compile: {}", kernel_->place.prefix(), error.what()));
    } catch (const backends::launch_error& error) {
      throw input_error(fmt::format("{}the reference cannot run: {}", kernel_->place.prefix(), error.what()));
    } catch (const backends::kernel_fault& fault) {
      // Not for check(), since the device may be lost.
      throw work_error(fmt::format("{}the reference {}: {}", kernel_->place.prefix(),
                                   fault.hung ? "does not end" : "crashed", fault.what()));
    }
  }

  backends::backend& device_;
  std::shared_ptr<const definition> kernel_;
  const std::vector<tuner::parameter_declaration>& declarations_;
  std::vector<std::pair<std::string, tuner::value>> sizes_;
  std::function<std::string(const backends::kernel_source&)> code_hash_;
  device_arrays arrays_;
  device_comparison comparison_;
  backends::device_memory flushed_;
  std::shared_ptr<const backends::kernel> compiled_;
  std::optional<bound_launches> launches_;
  std::optional<double> work_;
  /// By position of the array; empty while only the comparison has the numbers.
  std::map<std::size_t, std::vector<std::byte>> expected_;
  bool has_expected_ = false;
  std::exception_ptr reference_error_;
  bool may_be_overwritten_ = false;
};

}  // namespace

std::unique_ptr<tuner::problem_instance> make_instance(
    backends::backend& device, std::shared_ptr<const definition> kernel,
    const std::vector<tuner::parameter_declaration>& declarations, const size_workload& workload,
    std::function<std::string(const backends::kernel_source&)> code_hash) {
  // Names of files may contain sizes.
  auto with_files = std::make_shared<definition>(*kernel);
  const bindings sizes(workload.sizes);
  for (array_definition& array : with_files->arrays) array.file = sizes.substituted(array.file);
  for (auto& [name, file] : with_files->reference.files) file = sizes.substituted(file);
  return std::make_unique<instance>(device, std::move(with_files), declarations, workload.sizes, std::move(code_hash));
}

}  // namespace mlmq::kernel
