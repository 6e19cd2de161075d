// SPDX-License-Identifier: Apache-2.0
// Commands that train a model, export it as a header, and show its inputs.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/file_roles.hpp"
#include "cli/output_file.hpp"
#include "cli/print_text.hpp"
#include "cli/selector_commands.hpp"
#include "cli/selector_options.hpp"
#include "selector/candidates.hpp"
#include "selector/completion.hpp"
#include "selector/export_header.hpp"
#include "selector/importance.hpp"
#include "selector/model_file.hpp"
#include "selector/time_model.hpp"
#include "selector/train.hpp"

namespace mlmq::cli {
namespace {

struct training_options {
  source_options source;
  candidate_options candidates;
  learning_options learning;
  std::string output = "model.json";
};

void train(const training_options& options) {
  (void)kind_of_output("--output", options.output, {output_kind::json});
  if (!is_standard_output(options.output)) check_replaceable_output(options.output);
  const selector::learning learned = options.learning.only_learning();
  const selector::training_data data = options.source.load();
  const selector::training_set set = selector::complete_missing_times(selector::mean_over_queries(data.set));
  const auto kept_candidates =
      selector::covering_candidates(set, options.candidates.tolerance, options.candidates.most);
  const selector::training_set reduced = selector::keep_candidates(set, kept_candidates);
  selector::model model = selector::train_model(reduced, learned, data.source);
  // Modelled times do not predict those of a real machine.
  if (data.source.times == "measured") {
    const selector::training_set searches =
        selector::keep_candidates(selector::in_canonical_order(data.set), kept_candidates);
    model.times = selector::fit_times(searches, model.inputs.features, data.source.problem);
  }
  if (is_standard_output(options.output)) {
    print_data(selector::model_to_text(model));
    return;
  }
  selector::save_model(model, options.output);
  print_text("{}: {} of {} configurations as candidates, trained on {} times of {} workloads ({} times of {})\n",
             options.output, kept_candidates.size(), set.candidates.size(), model.provenance.observations,
             set.workloads.size(), data.source.times, data.source.device_name);
}

void show_importance(const std::string& file) {
  for (const selector::input_importance& input : selector::importance_of(selector::load_model(file))) {
    print_text("{:>5.1f} %  {}\n", 100 * input.share, input.name);
  }
}

}  // namespace

void add_selector_train_command(CLI::App& group) {
  CLI::App* const train_command = group.add_subcommand("train", "Train a selector on recorded trials");
  const auto trained = std::make_shared<training_options>();
  trained->source.add_to(*train_command);
  trained->source.add_features_to(*train_command);
  trained->candidates.add_to(*train_command);
  trained->learning.add_to(*train_command, std::string(selector::to_string(selector::standard_method)));
  train_command->add_option("--output", trained->output, "model to write; -: standard output, without the summary")
      ->capture_default_str();
  writes_files(*train_command, {"--output"});
  train_command->callback([trained] { train(*trained); });
}

void add_selector_export_command(CLI::App& group) {
  struct exporting {
    std::string model = "model.json";
    std::string output = "model.hpp";
    std::string name_space = "mlmq_selector";
  };
  CLI::App* const export_command = group.add_subcommand("export", "Write a model as a C++ header without dependencies");
  const auto exported = std::make_shared<exporting>();
  export_command->add_option("model", exported->model, "model file of 'mlmq selector train'")->capture_default_str();
  export_command->add_option("--output", exported->output, "header to write; -: standard output")
      ->capture_default_str();
  export_command->add_option("--namespace", exported->name_space, "namespace of the functions")->capture_default_str();
  reads_files(*export_command, {"model"});
  writes_files(*export_command, {"--output"});
  takes_no_files(*export_command, {"--namespace"});
  export_command->callback([exported] {
    if (is_standard_output(exported->output)) {
      print_data(selector::header_text(selector::load_model(exported->model), exported->name_space));
      return;
    }
    check_replaceable_output(exported->output);
    selector::export_header(selector::load_model(exported->model), exported->output, exported->name_space);
    print_text("{}\n", exported->output);
  });
}

void add_selector_importance_command(CLI::App& group) {
  CLI::App* const importance_command =
      group.add_subcommand("importance", "Show the importance of each input of a model");
  const auto weighed = std::make_shared<std::string>("model.json");
  importance_command->add_option("model", *weighed, "model file of 'mlmq selector train'")->capture_default_str();
  reads_files(*importance_command, {"model"});
  importance_command->callback([weighed] { show_importance(*weighed); });
}

}  // namespace mlmq::cli
