// SPDX-License-Identifier: Apache-2.0
#include "db/sessions.hpp"

#include <fmt/format.h>

#include "db/connection.hpp"

namespace mlmq::db {
namespace {

constexpr const char* now = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";

}  // namespace

session_times& session_times::operator+=(const session_times& other) {
  wall += other.wall;
  measure += other.measure;
  compile += other.compile;
  load += other.load;
  upload += other.upload;
  check += other.check;
  idle += other.idle;
  return *this;
}

std::int64_t start_session(store& into, std::int64_t experiment, std::int64_t device, std::int64_t host,
                           const std::string& worker, const std::string& selector) {
  connection& opened = into.access();
  return opened.write([&] {
    // In one process a worker may start again.
    auto row = prepare(opened.database(),
                       fmt::format("INSERT INTO session (experiment, device, host, worker, selector, started_at, "
                                   "seen_at) VALUES (?1, ?2, ?3, ?4, ?5, {0}, {0}) ON CONFLICT (worker) DO UPDATE SET "
                                   "experiment = excluded.experiment, device = excluded.device, "
                                   "selector = excluded.selector RETURNING id",
                                   now),
                       experiment, device, host, worker, selector);
    row.executeStep();
    const std::int64_t id = row.getColumn(0).getInt64();
    row.executeStep();  // ends the statement: until then the transaction cannot
    return id;
  });
}

void update_session(store& into, std::int64_t session, const session_times& times, std::size_t trials) {
  connection& opened = into.access();
  opened.write([&] {
    prepare(opened.database(),
            fmt::format("UPDATE session SET seen_at = {}, trials = ?2, wall_ms = ?3, measure_ms = ?4, compile_ms = ?5, "
                        "load_ms = ?6, upload_ms = ?7, check_ms = ?8, idle_ms = ?9 WHERE id = ?1",
                        now),
            session, static_cast<std::uint64_t>(trials), times.wall, times.measure, times.compile, times.load,
            times.upload, times.check, times.idle)
        .exec();
  });
}

std::vector<device_sessions> read_sessions(const store& from, std::int64_t experiment) {
  connection& opened = from.access();
  return opened.read([&] {
    auto row = prepare(opened.database(),
                       "SELECT d.name, h.name, s.selector, count(*), sum(s.trials), total(s.wall_ms), "
                       "total(s.measure_ms), total(s.compile_ms), total(s.load_ms), total(s.upload_ms), "
                       "total(s.check_ms), total(s.idle_ms) FROM session s JOIN device d ON d.id = s.device "
                       "JOIN host h ON h.id = s.host WHERE s.experiment = ?1 GROUP BY s.device, s.host, s.selector "
                       "ORDER BY h.name, s.selector",
                       experiment);
    std::vector<device_sessions> all;
    while (row.executeStep()) {
      device_sessions entry;
      entry.device = row.getColumn(0).getString();
      entry.host = row.getColumn(1).getString();
      entry.selector = row.getColumn(2).getString();
      entry.sessions = static_cast<std::size_t>(row.getColumn(3).getInt64());
      entry.trials = static_cast<std::size_t>(row.getColumn(4).getInt64());
      entry.times = {.wall = row.getColumn(5).getDouble(),
                     .measure = row.getColumn(6).getDouble(),
                     .compile = row.getColumn(7).getDouble(),
                     .load = row.getColumn(8).getDouble(),
                     .upload = row.getColumn(9).getDouble(),
                     .check = row.getColumn(10).getDouble(),
                     .idle = row.getColumn(11).getDouble()};
      all.push_back(std::move(entry));
    }
    return all;
  });
}

}  // namespace mlmq::db
