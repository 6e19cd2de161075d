// SPDX-License-Identifier: Apache-2.0
// The key `kernel` of an experiment file: a kernel in plain CUDA C++ with its arguments, launches, reference and
// tolerance. docs/guide/tune-your-kernel.md describes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/experiment_file.hpp"
#include "tuner/source_place.hpp"

namespace mlmq::kernel {

inline constexpr std::uint64_t most_elements = std::uint64_t{1} << 40;  ///< of an array

/// A text of the file with its place. Numbers are expressions over parameters, sizes and other numbers.
struct placed_text {
  std::string text;
  tuner::source_place place;
};

/// How the host fills an array before the first run.
enum class fill_rule { zeros, ones, index, random, file };

/// Whether a kernel reads an array, writes it, or both.
enum class array_role { in, out, inout };

/// Tolerance for finite floating-point numbers, of which one suffices: |result - expected| <= absolute,
/// |result - expected| <= relative * |expected|, or at most `ulp` steps from one representable number to the next.
/// Other numbers must be equal.
struct tolerance {
  double absolute = 0;
  double relative = 0;
  std::uint64_t ulp = 0;
};

/// An array in device memory, or a __constant__ or __device__ variable.
struct array_definition {
  std::string name;
  placed_text type;   ///< "float", or a parameter or size whose value is the name of a type
  placed_text count;  ///< number of elements
  array_role role = array_role::in;
  fill_rule fill = fill_rule::zeros;
  std::string file;  ///< with fill_rule::file: a .npy file or raw numbers
  std::uint64_t seed = 1;
  double minimum = 0;                ///< with fill_rule::random: range [minimum, maximum)
  std::optional<double> maximum;     ///< default: 1 for real numbers, 100 for whole numbers
  std::optional<tolerance> allowed;  ///< absent: the tolerance of the kernel
  bool is_symbol = false;
  tuner::source_place place;
};

/// A member of a structure that is passed by value, at the next offset that its type is aligned to.
struct field_definition {
  placed_text type;
  placed_text value;
};

/// A number, or a structure, that is passed by value.
struct scalar_definition {
  std::string name;
  placed_text type;
  placed_text value;                     ///< of a number; of a structure only 0
  std::vector<field_definition> fields;  ///< of a structure, instead of `value`
  std::string file;                      ///< raw contents, instead of `value`
  tuner::source_place place;
};

/// One argument of a launch, by its name.
struct argument {
  std::string name;
  bool is_array = false;
  std::size_t position = 0;  ///< among the arrays or the scalars
};

/// One launch of a __global__ function. A kernel with several launches runs them in this order.
struct launch_definition {
  placed_text function;  ///< "sum<float, block_size>"
  std::vector<placed_text> block;
  std::vector<placed_text> grid;
  std::vector<placed_text> cluster;
  placed_text shared_bytes;
  bool is_cooperative = false;
  std::vector<argument> arguments;
};

/// Source of the expected results.
enum class reference_kind { none, launches, files, command };

struct reference_definition {
  reference_kind kind = reference_kind::none;
  std::filesystem::path source;              ///< file of the functions; empty: that of the kernel
  std::vector<launch_definition> launches;   ///< with `launches`
  std::map<std::string, std::string> files;  ///< with `files`: file of each array
  std::string command;                       ///< with `command`: for a shell
  std::map<std::string, placed_text> defines;
  /// With `launches` and `command`: names of the compared arrays; empty: all written arrays.
  std::vector<std::string> results;

  [[nodiscard]] bool compares(const array_definition& array) const;
};

/// The work of one run, for rates: 2 * n^3 floating-point operations.
struct work_definition {
  std::string name;  ///< "GFLOP"; tables show GFLOP/s
  placed_text amount;
};

struct definition {
  std::string name;  ///< name of the first function without template arguments
  std::filesystem::path source;
  std::filesystem::path folder;  ///< folder of the experiment file, for relative paths of other files
  std::vector<tuner::parameter_request> parameters;  ///< those that the file varies
  std::vector<placed_text> sizes;                    ///< names of the sizes, with the place of their first values
  std::vector<std::string> texts;                    ///< all texts that are values of parameters or of sizes
  std::vector<std::string> options;                  ///< of the compiler; folders and files are absolute
  std::map<std::string, placed_text> defines;
  std::vector<array_definition> arrays;
  std::vector<scalar_definition> scalars;
  std::vector<launch_definition> launches;
  reference_definition reference;
  tolerance allowed;
  std::optional<work_definition> work;
  bool flushes_cache = false;  ///< whether the L2 cache is flushed before each run
  std::string launch_text;     ///< canonical text of all that decides what runs, for hashes
  std::string check_text;      ///< canonical text of all that decides whether results are right, without its files
  std::string condition_text;  ///< restrictions, metrics and names of data files
  std::string data_text;       ///< canonical text of all that decides what arrays contain, without their files
  tuner::source_place place;
};

/// Returns the name of a function without its template arguments and namespaces.
[[nodiscard]] std::string name_of_function(const std::string& function);

/// Reads the key `kernel` of an experiment file. Does not open the source. @throws input_error "FILE:LINE: …"
[[nodiscard]] definition read_definition(const tuner::experiment_file& experiment);

/// Returns the sizes of which the file gives a value with a fraction or an exponent: all values of these are real.
[[nodiscard]] std::set<std::string> real_sizes_of(const tuner::experiment_file& experiment);

}  // namespace mlmq::kernel
