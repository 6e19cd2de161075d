// SPDX-License-Identifier: Apache-2.0
#include "backends/hardware_profiler.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "backends/cuda/gpu_index.hpp"
#include "base/error.hpp"

namespace mlmq::backends {
namespace {

constexpr std::array<hardware_counter, 14> counters{{
    {"dram", "dram_read_bytes", "bytes read from device memory", "dram__bytes_read.sum"},
    {"dram", "dram_written_bytes", "bytes written to device memory", "dram__bytes_write.sum"},
    {"l1", "l1_load_sectors", "sectors of 32 bytes that loads from global memory asked the L1 caches for",
     "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    {"l1", "l1_load_hits", "of these, sectors that were there",
     "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"},
    {"l2", "l2_sectors", "sectors of 32 bytes that the L2 cache was asked for", "lts__t_sectors.sum"},
    {"l2", "l2_sectors_read", "of these, sectors to read", "lts__t_sectors_op_read.sum"},
    {"l2", "l2_sectors_written", "of these, sectors to write", "lts__t_sectors_op_write.sum"},
    {"instructions", "warp_instructions", "instructions that warps executed", "smsp__inst_executed.sum"},
    {"threads", "thread_instructions", "instructions that threads executed", "smsp__thread_inst_executed.sum"},
    {"threads", "active_cycles", "cycles in which a multiprocessor has a warp, of all multiprocessors",
     "sm__cycles_active.sum"},
    {"occupancy", "achieved_occupancy", "resident warps of a multiprocessor with any, as a share of the most",
     "sm__warps_active.avg.pct_of_peak_sustained_active", 0.01},
    {"occupancy", "busy_multiprocessors", "share of the time in which a multiprocessor has a warp",
     "sm__cycles_active.avg.pct_of_peak_sustained_elapsed", 0.01},
    {"atomics", "l2_sectors_atomic", "sectors of the L2 cache with atomic operations that return a value",
     "lts__t_sectors_op_atom.sum"},
    {"atomics", "l2_sectors_reduced", "sectors of the L2 cache with atomic operations that return nothing",
     "lts__t_sectors_op_red.sum"},
}};

// Declarations of the functions of CUPTI that are used here, with the fields in their documented order, so that
// building does not require its headers. The first field of parameters is their size up to the last field that the
// caller knows, by which a newer library recognises them.
using cupti_result = int;
constexpr cupti_result success = 0;
constexpr cupti_result not_initialized = 15;
constexpr cupti_result no_privileges = 35;
constexpr int range_profiling = 0;
constexpr int user_range = 2;
constexpr int user_replay = 3;

struct no_params {
  std::size_t size;
  void* reserved;
};
struct chip_name_params {
  std::size_t size;
  void* reserved;
  std::size_t device;
  const char* name;
};
struct availability_params {
  std::size_t size;
  void* reserved;
  void* context;
  std::size_t image_bytes;
  std::uint8_t* image;
};
struct host_params {
  std::size_t size;
  void* reserved;
  int type;
  const char* chip;
  const std::uint8_t* availability;
  void* host;
};
struct host_end_params {
  std::size_t size;
  void* reserved;
  void* host;
};
struct add_metrics_params {
  std::size_t size;
  void* reserved;
  void* host;
  const char** metrics;
  std::size_t count;
};
struct config_size_params {
  std::size_t size;
  void* reserved;
  void* host;
  std::size_t bytes;
};
struct config_params {
  std::size_t size;
  void* reserved;
  void* host;
  std::size_t bytes;
  std::uint8_t* image;
};
struct evaluate_params {
  std::size_t size;
  void* reserved;
  void* host;
  const std::uint8_t* data;
  std::size_t data_bytes;
  std::size_t range;
  const char** metrics;
  std::size_t count;
  double* values;
};
struct enable_params {
  std::size_t size;
  void* reserved;
  void* context;
  void* profiler;
};
struct profiler_params {
  std::size_t size;
  void* reserved;
  void* profiler;
};
struct data_size_params {
  std::size_t size;
  void* reserved;
  void* profiler;
  const char** metrics;
  std::size_t count;
  std::size_t most_ranges;
  std::uint32_t most_nodes;
  std::size_t bytes;
};
struct data_params {
  std::size_t size;
  void* reserved;
  void* profiler;
  std::size_t bytes;
  std::uint8_t* data;
};
struct set_config_params {
  std::size_t size;
  void* reserved;
  void* profiler;
  std::size_t config_bytes;
  const std::uint8_t* config;
  std::size_t data_bytes;
  std::uint8_t* data;
  int range;
  int replay;
  std::size_t most_ranges;
  std::uint16_t levels;
  std::uint16_t first_level;
  std::size_t pass;
  std::uint16_t target_level;
};
struct push_params {
  std::size_t size;
  void* reserved;
  void* profiler;
  const char* name;
};
struct stop_params {
  std::size_t size;
  void* reserved;
  void* profiler;
  std::size_t pass;
  std::size_t level;
  std::uint8_t is_last;
};
struct decode_params {
  std::size_t size;
  void* reserved;
  void* profiler;
  std::size_t dropped;
};

constexpr std::string_view message_prefix = "hardware counters: ";
constexpr const char* forbidden_message =
    "the driver lets only administrators read them; run as root, or put 'options nvidia "
    "NVreg_RestrictProfilingToAdminUsers=0' into a file of /etc/modprobe.d and restart";

template <class Params>
using cupti_function = cupti_result (*)(Params*);

/// Returns parameters of a call, all zero but for the size.
template <class Params, class Last>
Params sized(Last Params::*last) {
  Params params{};
  const auto* const begin = reinterpret_cast<const std::byte*>(&params);
  const auto* const end = reinterpret_cast<const std::byte*>(&(params.*last)) + sizeof(Last);
  params.size = static_cast<std::size_t>(end - begin);
  return params;
}

std::vector<std::string> library_names() {
  if (const char* const named = std::getenv("MLMQ_CUPTI"); named != nullptr) return {named};
  std::vector<std::string> names;
  const auto add_home = [&names](const std::string& home) {
    for (const char* const folder : {"/extras/CUPTI/lib64", "/lib64"}) names.push_back(home + folder + "/libcupti.so");
  };
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* const home = std::getenv(variable); home != nullptr) add_home(home);
  }
  add_home("/usr/local/cuda");
  for (const char* const name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}) names.emplace_back(name);
  return names;
}

/// CUPTI's functions. It is never closed, since it stays hooked into the driver.
class cupti {
 public:
  /// @throws work_error
  cupti() {
    for (const std::string& name : library_names()) {
      library_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
      if (library_ == nullptr) continue;
      name_ = name;
      break;
    }
    if (library_ == nullptr) {
      fail(
          "CUPTI cannot be opened; install CUDA's package of it (12.6 or newer), or set MLMQ_CUPTI "
          "to the file libcupti.so");
    }
    bind(result_text_, "cuptiGetResultString");
    bind(initialize, "cuptiProfilerInitialize");
    bind(chip_name, "cuptiDeviceGetChipName");
    bind(availability, "cuptiProfilerGetCounterAvailability");
    bind(open_host, "cuptiProfilerHostInitialize");
    bind(close_host, "cuptiProfilerHostDeinitialize");
    bind(add_metrics, "cuptiProfilerHostConfigAddMetrics");
    bind(config_size, "cuptiProfilerHostGetConfigImageSize");
    bind(config, "cuptiProfilerHostGetConfigImage");
    bind(evaluate, "cuptiProfilerHostEvaluateToGpuValues");
    bind(enable, "cuptiRangeProfilerEnable");
    bind(disable, "cuptiRangeProfilerDisable");
    bind(data_size, "cuptiRangeProfilerGetCounterDataSize");
    bind(initialize_data, "cuptiRangeProfilerCounterDataImageInitialize");
    bind(set_config, "cuptiRangeProfilerSetConfig");
    bind(start, "cuptiRangeProfilerStart");
    bind(push, "cuptiRangeProfilerPushRange");
    bind(pop, "cuptiRangeProfilerPopRange");
    bind(stop, "cuptiRangeProfilerStop");
    bind(decode, "cuptiRangeProfilerDecodeData");
  }

  /// @throws work_error
  void check(cupti_result code, const std::string& doing) const {
    if (code == success) return;
    if (code == no_privileges) fail(forbidden_message);
    const char* text = nullptr;
    if (result_text_(code, &text) != success || text == nullptr) text = "unknown error";
    fail(fmt::format("{}: {} ({}{})", doing, text, code,
                     code == not_initialized ? "; CUPTI needs libnvperf_host.so in its folder" : ""));
  }

  /// Returns the path or name by which the library was found.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  cupti_function<no_params> initialize = nullptr;
  cupti_function<chip_name_params> chip_name = nullptr;
  cupti_function<availability_params> availability = nullptr;
  cupti_function<host_params> open_host = nullptr;
  cupti_function<host_end_params> close_host = nullptr;
  cupti_function<add_metrics_params> add_metrics = nullptr;
  cupti_function<config_size_params> config_size = nullptr;
  cupti_function<config_params> config = nullptr;
  cupti_function<evaluate_params> evaluate = nullptr;
  cupti_function<enable_params> enable = nullptr;
  cupti_function<profiler_params> disable = nullptr;
  cupti_function<data_size_params> data_size = nullptr;
  cupti_function<data_params> initialize_data = nullptr;
  cupti_function<set_config_params> set_config = nullptr;
  cupti_function<profiler_params> start = nullptr;
  cupti_function<push_params> push = nullptr;
  cupti_function<profiler_params> pop = nullptr;
  cupti_function<stop_params> stop = nullptr;
  cupti_function<decode_params> decode = nullptr;

 private:
  template <class Function>
  void bind(Function& function, const char* name) {
    function = reinterpret_cast<Function>(::dlsym(library_, name));
    if (function == nullptr) {
      fail(fmt::format("CUPTI has no function {}; CUPTI of CUDA 12.6 or newer is needed", name));
    }
  }

  [[noreturn]] static void fail(const std::string& message) { throw work_error(std::string(message_prefix) + message); }

  void* library_ = nullptr;
  std::string name_;
  cupti_result (*result_text_)(cupti_result, const char**) = nullptr;
};

/// Returns the calling thread's context; null if no driver is loaded.
void* current_context() {
  void* context = nullptr;
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return nullptr;
  using get_current = int (*)(void**);
  if (const auto get = reinterpret_cast<get_current>(::dlsym(driver, "cuCtxGetCurrent")); get != nullptr) get(&context);
  ::dlclose(driver);
  return context;
}

class cupti_profiler final : public hardware_profiler {
 public:
  cupti_profiler(const device_info& device, std::span<const std::string> groups) {
    for (const hardware_counter& counter : counters) {
      if (std::find(groups.begin(), groups.end(), counter.group) == groups.end()) continue;
      chosen_.push_back(&counter);
      metrics_.push_back(counter.metric.data());  // a literal, which ends in 0
    }
    auto none = sized(&no_params::reserved);
    cupti_.check(cupti_.initialize(&none), "starting CUPTI");
    auto chip = sized(&chip_name_params::name);
    chip.device = driver_index(device.selector);
    cupti_.check(cupti_.chip_name(&chip), "asking for the chip of " + device.name);

    auto available = sized(&availability_params::image);
    available.context = current_context();
    cupti_.check(cupti_.availability(&available), "asking which counters there are");
    std::vector<std::uint8_t> image(available.image_bytes);
    available.image = image.data();
    cupti_.check(cupti_.availability(&available), "asking which counters there are");

    auto host = sized(&host_params::host);
    host.type = range_profiling;
    host.chip = chip.name;
    host.availability = image.data();
    cupti_.check(cupti_.open_host(&host), std::string("reading the counters of ") + chip.name);
    host_ = host.host;
    try {
      configure();
    } catch (...) {
      close();
      throw;
    }
  }
  cupti_profiler(const cupti_profiler&) = delete;
  cupti_profiler& operator=(const cupti_profiler&) = delete;
  ~cupti_profiler() override { close(); }

  [[nodiscard]] std::optional<std::vector<std::pair<std::string, double>>> count(
      const std::function<bool()>& run) override {
    const enabled_profiler enabled(cupti_);
    std::vector<std::uint8_t> data = empty_data(enabled.handle());
    auto setting = sized(&set_config_params::target_level);
    setting.profiler = enabled.handle();
    setting.config_bytes = config_.size();
    setting.config = config_.data();
    setting.data_bytes = data.size();
    setting.data = data.data();
    setting.range = user_range;
    setting.replay = user_replay;
    setting.most_ranges = setting.levels = setting.first_level = setting.target_level = 1;
    cupti_.check(cupti_.set_config(&setting), "choosing the counters");
    for (bool is_last = false; !is_last;) {
      auto start = sized(&profiler_params::profiler);
      auto push = sized(&push_params::name);
      auto stop = sized(&stop_params::is_last);
      start.profiler = push.profiler = stop.profiler = enabled.handle();
      push.name = "run";
      cupti_.check(cupti_.start(&start), "starting to count");
      cupti_.check(cupti_.push(&push), "starting to count");
      const bool succeeded = run();
      cupti_.check(cupti_.pop(&start), "ending to count");
      cupti_.check(cupti_.stop(&stop), "ending to count");
      if (!succeeded) return std::nullopt;
      is_last = stop.is_last != 0;
    }
    auto decode = sized(&decode_params::dropped);
    decode.profiler = enabled.handle();
    cupti_.check(cupti_.decode(&decode), "reading the counters");
    return evaluate(data);
  }

 private:
  /// The profiler that is enabled on a context.
  class enabled_profiler {
   public:
    explicit enabled_profiler(const cupti& library) : cupti_(library) {
      auto params = sized(&enable_params::profiler);
      params.context = current_context();
      cupti_.check(cupti_.enable(&params), "enabling the counters");
      handle_ = params.profiler;
    }
    enabled_profiler(const enabled_profiler&) = delete;
    enabled_profiler& operator=(const enabled_profiler&) = delete;
    ~enabled_profiler() {
      auto params = sized(&profiler_params::profiler);
      params.profiler = handle_;
      cupti_.disable(&params);
    }
    [[nodiscard]] void* handle() const { return handle_; }

   private:
    const cupti& cupti_;
    void* handle_ = nullptr;
  };

  /// Chooses the counters, one by one, so that the message can name one that the chip does not have.
  void configure() {
    for (const char*& metric : metrics_) {
      auto add = sized(&add_metrics_params::count);
      add.host = host_;
      add.metrics = &metric;
      add.count = 1;
      cupti_.check(cupti_.add_metrics(&add), std::string("choosing ") + metric);
    }
    auto size = sized(&config_size_params::bytes);
    size.host = host_;
    cupti_.check(cupti_.config_size(&size), "choosing the counters");
    config_.resize(size.bytes);
    auto image = sized(&config_params::image);
    image.host = host_;
    image.bytes = config_.size();
    image.image = config_.data();
    cupti_.check(cupti_.config(&image), "choosing the counters");
  }

  std::vector<std::uint8_t> empty_data(void* profiler) {
    auto size = sized(&data_size_params::bytes);
    size.profiler = profiler;
    size.metrics = metrics_.data();
    size.count = metrics_.size();
    size.most_ranges = 1;
    size.most_nodes = 1;
    cupti_.check(cupti_.data_size(&size), "making room for the counters");
    std::vector<std::uint8_t> data(size.bytes);
    auto fresh = sized(&data_params::data);
    fresh.profiler = profiler;
    fresh.bytes = data.size();
    fresh.data = data.data();
    cupti_.check(cupti_.initialize_data(&fresh), "making room for the counters");
    return data;
  }

  std::vector<std::pair<std::string, double>> evaluate(const std::vector<std::uint8_t>& data) {
    std::vector<double> values(metrics_.size());
    auto params = sized(&evaluate_params::values);
    params.host = host_;
    params.data = data.data();
    params.data_bytes = data.size();
    params.metrics = metrics_.data();
    params.count = metrics_.size();
    params.values = values.data();
    cupti_.check(cupti_.evaluate(&params), "reading the counters");
    std::vector<std::pair<std::string, double>> named;
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      named.emplace_back(chosen_[i]->name, values[i] * chosen_[i]->scale);
    }
    return named;
  }

  void close() noexcept {
    auto params = sized(&host_end_params::host);
    params.host = host_;
    cupti_.close_host(&params);
  }

  cupti cupti_;
  std::vector<const hardware_counter*> chosen_;
  std::vector<const char*> metrics_;
  void* host_ = nullptr;
  std::vector<std::uint8_t> config_;
};

std::string text_of(const char* file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

std::span<const hardware_counter> all_hardware_counters() { return counters; }

std::unique_ptr<hardware_profiler> open_profiler(const device_info& device, std::span<const std::string> groups) {
  return std::make_unique<cupti_profiler>(device, groups);
}

bool may_count(std::string_view driver_parameters, std::string_view process_status) {
  if (driver_parameters.find("RmProfilingAdminOnly: 1") == std::string_view::npos) return true;
  constexpr std::string_view key = "CapEff:\t";
  const std::size_t begin = process_status.find(key);
  if (begin == std::string_view::npos) return false;
  std::uint64_t capabilities = 0;
  const std::string_view digits = process_status.substr(begin + key.size());
  std::from_chars(digits.data(), digits.data() + digits.size(), capabilities, 16);
  constexpr std::uint64_t administrator = std::uint64_t{1} << 21;  // CAP_SYS_ADMIN, which the driver asks for
  return (capabilities & administrator) != 0;
}

profiler_state find_profiler() {
  profiler_state state;
  try {
    state.library = cupti().name();
  } catch (const work_error& error) {
    state.problem = std::string_view(error.what()).substr(message_prefix.size());
    return state;
  }
  const std::string parameters = text_of("/proc/driver/nvidia/params");
  if (parameters.empty()) {
    state.problem = "no NVIDIA driver is loaded";
  } else if (!may_count(parameters, text_of("/proc/self/status"))) {
    state.problem = forbidden_message;
  }
  return state;
}

}  // namespace mlmq::backends
