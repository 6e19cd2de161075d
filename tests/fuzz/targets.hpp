// SPDX-License-Identifier: Apache-2.0
// Fuzz targets: functions that read one generated input. An input may be refused; a broken rule ends the program.
#pragma once

#include <string_view>

namespace mlmq::fuzz {

void configuration(std::string_view text);
void csv(std::string_view content);
void dimacs(std::string_view content);
void edge_list(std::string_view content);
void experiment(std::string_view text);
void expression(std::string_view input);
void galois(std::string_view content);
void graph_name(std::string_view name);
void grid_map(std::string_view content);
void gzip(std::string_view bytes);
void kernel(std::string_view content);
void matrix_market(std::string_view content);
void metis(std::string_view content);
void model(std::string_view text);
void peers(std::string_view text);
void results(std::string_view content);
void scipy(std::string_view content);
void web_request(std::string_view received);
void worker_message(std::string_view text);

}  // namespace mlmq::fuzz
