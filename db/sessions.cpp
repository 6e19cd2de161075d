// SPDX-License-Identifier: Apache-2.0
#include "db/sessions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "db/connection.hpp"
#include "db/rows.hpp"

namespace mlmq::db {

session_times& session_times::operator+=(const session_times& more) {
  wall += more.wall;
  measure += more.measure;
  compile += more.compile;
  prepare += more.prepare;
  record += more.record;
  load += more.load;
  upload += more.upload;
  check += more.check;
  idle += more.idle;
  return *this;
}

double session_times::other() const {
  return std::max(0.0, wall - (measure + compile + prepare + record + load + upload + check + idle));
}

std::string shares_text(const session_times& times, const std::string& runs) {
  const auto percent = [&](double part) { return 100 * part / times.wall; };
  return fmt::format(
      "{:.1f} % runs{}, {:.1f} % checking answers, {:.1f} % waiting for compilation, {:.1f} % preparing, {:.1f} % "
      "recording, {:.1f} % loading workloads, {:.1f} % uploading, {:.1f} % idle, {:.1f} % other",
      percent(times.measure), runs, percent(times.check), percent(times.compile), percent(times.prepare),
      percent(times.record), percent(times.load), percent(times.upload), percent(times.idle), percent(times.other()));
}

std::int64_t start_session(store& into, std::int64_t experiment, std::int64_t device, std::int64_t host,
                           const std::string& worker, const std::string& selector) {
  connection& opened = into.access();
  return opened.write([&] {
    // A worker may restart within one process.
    auto row = prepare(opened.database(),
                       fmt::format("INSERT INTO session (experiment, device, host, worker, selector, started_at, "
                                   "seen_at) VALUES (?1, ?2, ?3, ?4, ?5, {0}, {0}) ON CONFLICT (worker) DO UPDATE SET "
                                   "experiment = excluded.experiment, device = excluded.device, "
                                   "selector = excluded.selector RETURNING id",
                                   now),
                       experiment, device, host, worker, selector);
    row.executeStep();
    const std::int64_t id = row.getColumn(0).getInt64();
    row.executeStep();  // completes the statement; otherwise the transaction could not end
    return id;
  });
}

void update_session(store& into, std::int64_t session, const session_times& times, std::size_t trials) {
  connection& opened = into.access();
  opened.write([&] {
    prepare(opened.database(),
            fmt::format("UPDATE session SET seen_at = {}, trials = ?2, wall_ms = ?3, measure_ms = ?4, compile_ms = ?5, "
                        "load_ms = ?6, upload_ms = ?7, check_ms = ?8, idle_ms = ?9, prepare_ms = ?10, record_ms = ?11 "
                        "WHERE id = ?1",
                        now),
            session, static_cast<std::uint64_t>(trials), times.wall, times.measure, times.compile, times.load,
            times.upload, times.check, times.idle, times.prepare, times.record)
        .exec();
  });
}

std::vector<device_sessions> read_sessions(const store& source, std::int64_t experiment) {
  connection& opened = source.access();
  return opened.read([&] {
    auto row = prepare(opened.database(),
                       "SELECT d.name, h.name, s.selector, count(*), sum(s.trials), total(s.wall_ms), "
                       "total(s.measure_ms), total(s.compile_ms), total(s.load_ms), total(s.upload_ms), "
                       "total(s.check_ms), total(s.idle_ms), total(s.prepare_ms), total(s.record_ms) FROM session s "
                       "JOIN device d ON d.id = s.device "
                       "JOIN host h ON h.id = s.host WHERE s.experiment = ?1 GROUP BY s.device, s.host, s.selector "
                       "ORDER BY h.name, s.selector",
                       experiment);
    std::vector<device_sessions> result;
    while (row.executeStep()) {
      device_sessions& entry = result.emplace_back();
      session_times& times = entry.times;
      read_all(row, entry.device, entry.host, entry.selector, entry.sessions, entry.trials, times.wall, times.measure,
               times.compile, times.load, times.upload, times.check, times.idle, times.prepare, times.record);
    }
    return result;
  });
}

}  // namespace mlmq::db
