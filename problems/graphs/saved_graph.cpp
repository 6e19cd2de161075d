// SPDX-License-Identifier: Apache-2.0
#include "problems/graphs/saved_graph.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/descriptor.hpp"
#include "base/error.hpp"

namespace mlmq::problems {
namespace {

/// A file has this header, then the offsets, targets and weights of the graph, and at its end the record as JSON.
struct file_header {
  std::uint64_t vertices;
  std::uint64_t edges;
  std::uint64_t weight_type;
  std::uint64_t negated_weights;
  std::uint64_t first_id;  ///< the ids are consecutive
  std::uint64_t record_bytes;

  [[nodiscard]] std::uint64_t offset_bytes() const { return (vertices + 1) * sizeof(graph::edge_offset); }
  [[nodiscard]] std::uint64_t edge_bytes() const { return edges * sizeof(std::uint32_t); }
  [[nodiscard]] std::uint64_t bytes() const {
    return sizeof(file_header) + offset_bytes() + 2 * edge_bytes() + record_bytes;
  }
};

bool write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

std::string record_text(const graph_workload& saved) {
  const db::workload_record& record = saved.record;
  return nlohmann::json{{"hash", record.hash},
                        {"kind", record.kind},
                        {"name", record.name},
                        {"class", record.workload_class},
                        {"origin", std::vector<unsigned char>(record.origin.begin(), record.origin.end())},
                        {"bytes", record.bytes},
                        {"family", record.family},
                        {"description", record.description_json},
                        {"features", record.features},
                        {"notes", saved.notes}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void read_record(std::string_view text, graph_workload& restored) {
  const nlohmann::json document = nlohmann::json::parse(text);
  db::workload_record& record = restored.record;
  record.hash = document.at("hash");
  record.kind = document.at("kind");
  record.name = document.at("name");
  record.workload_class = document.at("class");
  const auto origin = document.at("origin").get<std::vector<unsigned char>>();
  record.origin.assign(origin.begin(), origin.end());
  record.bytes = document.at("bytes");
  record.family = document.at("family");
  record.description_json = document.at("description");
  record.features = document.at("features").get<std::vector<std::pair<std::string, double>>>();
  restored.notes = document.at("notes").get<std::vector<std::string>>();
}

/// The memory of a mapped file.
class mapping {
 public:
  explicit mapping(const std::filesystem::path& name) {
    const descriptor file(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (!file || ::fstat(file.get(), &status) != 0) fail(name);
    bytes_ = static_cast<std::size_t>(status.st_size);
    // All pages are read soon.
    address_ = ::mmap(nullptr, bytes_, PROT_READ, MAP_SHARED | MAP_POPULATE, file.get(), 0);
    if (address_ == MAP_FAILED) fail(name);
  }
  mapping(const mapping&) = delete;
  mapping& operator=(const mapping&) = delete;
  ~mapping() { ::munmap(address_, bytes_); }

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] const std::byte* data() const { return static_cast<const std::byte*>(address_); }

 private:
  [[noreturn]] static void fail(const std::filesystem::path& name) {
    throw work_error(fmt::format("{}: {}", name.string(), std::strerror(errno)));
  }

  void* address_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace

bool save_graph(const graph_workload& saved, int file) {
  const graph::csr_graph& graph = saved.graph;
  if (graph.weights() == graph::weight_type::float64 || graph.ids().have_gaps()) return false;
  const std::string record = record_text(saved);
  const file_header header{.vertices = graph.vertex_count(),
                           .edges = graph.edge_count(),
                           .weight_type = static_cast<std::uint64_t>(graph.weights()),
                           .negated_weights = graph.negated_weights(),
                           .first_id = graph.vertex_count() == 0 ? 0 : graph.ids().id_of(0),
                           .record_bytes = record.size()};
  return write_all(file, std::as_bytes(std::span(&header, 1))) && write_all(file, std::as_bytes(graph.offsets())) &&
         write_all(file, std::as_bytes(graph.targets())) && write_all(file, std::as_bytes(graph.weight_bits())) &&
         write_all(file, std::as_bytes(std::span(record)));
}

std::unique_ptr<graph_workload> restore_graph(const std::filesystem::path& file) {
  const auto memory = std::make_shared<const mapping>(file);
  file_header header{};
  if (memory->bytes() < sizeof header) throw work_error(file.string() + ": the file is too short");
  std::memcpy(&header, memory->data(), sizeof header);
  if (memory->bytes() != header.bytes()) throw work_error(file.string() + ": the file has another size than it says");
  const std::byte* const offsets = memory->data() + sizeof header;
  const std::byte* const targets = offsets + header.offset_bytes();
  const std::byte* const weights = targets + header.edge_bytes();
  auto restored = std::make_unique<graph_workload>();
  restored->graph =
      graph::csr_graph(std::span(reinterpret_cast<const graph::edge_offset*>(offsets), header.vertices + 1),
                       std::span(reinterpret_cast<const graph::vertex_id*>(targets), header.edges),
                       std::span(reinterpret_cast<const std::uint32_t*>(weights), header.edges),
                       static_cast<graph::weight_type>(header.weight_type), memory)
          .with_negated_weights(header.negated_weights)
          .with_ids(graph::file_ids::counted_from(header.first_id, static_cast<graph::vertex_id>(header.vertices)));
  read_record({reinterpret_cast<const char*>(weights + header.edge_bytes()), header.record_bytes}, *restored);
  return restored;
}

}  // namespace mlmq::problems
