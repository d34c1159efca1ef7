// `quartic bench`: how fast this machine and the library on it are.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/reports/progress_display.hpp"
#include "cli/reports/report.hpp"
#include "cli/runs/memory.hpp"
#include "cli/values/numbers.hpp"
#include "measure/machine_rates.hpp"
#include "measure/measurements.hpp"
#include "measure/trajectory_hash.hpp"
#include "quartic/backend.hpp"
#include "quartic/version.hpp"

namespace quartic::cli {
namespace {

using measure::Measurement;
using measure::Plan;

struct BenchArguments {
  std::vector<int> ranks = {12, 20, 30};
  std::int64_t bodies = 1024;
  int threads = 0;
  bool quick = false;
  bool hash = false;
  bool json = false;
};

Plan plan_for(const BenchArguments& arguments) {
  Plan plan{
      .ranks = arguments.ranks,
      .bodies = arguments.bodies,
      .threads = arguments.threads > 0 ? std::min(arguments.threads, default_thread_count()) : default_thread_count(),
      .steps = 1'000'000,
      .box_cells = 33,
      .reduced_resolution = 90,
      .effort = {}};
  if (!arguments.quick) return plan;
  plan.steps = 1000;
  plan.box_cells = 8;
  plan.reduced_resolution = 32;
  plan.effort = {.rounds = 2, .seconds = 0.001};
  return plan;
}

std::vector<Measurement> measure_precomputation(const Plan& plan) {
  std::vector<Measurement> results = measure::measure_reduction(plan);
  results.push_back({.name = "peak memory of all measurements",
                     .value = static_cast<double>(peak_memory_bytes()) * 1e-9,
                     .unit = "GB"});
  return results;
}

struct Group {
  const char* title;
  std::vector<Measurement> (*measure)(const Plan& plan);
};

constexpr Group groups[] = {{"this machine", measure::measure_machine},
                            {"one body", measure::measure_one_body},
                            {"many bodies", measure::measure_batch},
                            {"coefficients of the energy", measure::measure_energy_reduction},
                            {"unreduced forces", measure::measure_unreduced_forces},
                            {"precomputation", measure_precomputation}};

#if defined(__clang__)
constexpr const char* compiler = __VERSION__;  // which says that it is Clang
#else
constexpr const char* compiler = "GCC " __VERSION__;
#endif

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &utc);
  return text;
}

void print_measurement(const Measurement& m) {
  std::string line = "  " + m.name;
  line.resize(std::max<std::size_t>(line.size() + 1, 44), ' ');
  line += significant(m.value, 3) + ' ' + m.unit;
  if (!m.baseline.empty()) {
    line.resize(std::max<std::size_t>(line.size() + 1, 62), ' ');
    line += significant(m.ratio, 3) + "  of " + m.baseline + ", " + significant(m.baseline_value, 3);
  }
  if (m.target)
    line += std::string("; aim ") + significant(*m.target, 3) + (m.ratio >= *m.target ? ", reached" : ", not reached");
  std::cout << line << std::endl;  // before the next, which may take long
}

nlohmann::json to_json(const Measurement& m) {
  nlohmann::json json = {{"name", m.name}, {"value", m.value}, {"unit", m.unit}};
  if (!m.baseline.empty()) {
    json["baseline"] = m.baseline;
    json["baseline_value"] = m.baseline_value;
    json["ratio"] = m.ratio;
  }
  if (m.target) json["target"] = *m.target;
  return json;
}

void run_bench(const BenchArguments& arguments) {
  const Plan plan = plan_for(arguments);
  nlohmann::json report = {{"processor", measure::processor_name()},
                           {"instruction_set", measure::instruction_set_name()},
                           {"threads", plan.threads},
                           {"compiler", compiler},
                           {"quartic_version", version},
                           {"date", today()},
                           {"quick", arguments.quick},
                           {"measurements", nlohmann::json::object()}};
  if (!arguments.json) {
    print_line("processor", measure::processor_name() + ", " + measure::instruction_set_name() + ", " +
                                counted(plan.threads, "thread", "threads"));
    print_line("quartic", std::string(version) + ", " + compiler + ", " + today());
  }
  ProgressDisplay display;
  for (const Group& group : groups) {
    display.report(group.title, 0);
    const std::vector<Measurement> results = group.measure(plan);
    display.finish();
    if (!arguments.json) std::cout << group.title << '\n';
    for (const Measurement& m : results) {
      if (arguments.json) report["measurements"][group.title].push_back(to_json(m));
      if (!arguments.json) print_measurement(m);
    }
  }
  if (arguments.json) print_json(report);
}

void print_hashes(const BenchArguments& arguments) {
  nlohmann::json report = {{"instruction_set", measure::instruction_set_name()},
                           {"compiler", compiler},
                           {"quartic_version", version},
                           {"trajectory_hashes", nlohmann::json::object()}};
  if (!arguments.json)
    print_line("trajectories", std::string(measure::instruction_set_name()) + ", " + compiler + ", quartic " + version);
  for (const measure::HashedMotion& motion : measure::hashed_motions()) {
    const std::string hash = measure::hash_text(measure::trajectory_hash(motion, arguments.threads));
    if (arguments.json) report["trajectory_hashes"][measure::name(motion)] = hash;
    if (!arguments.json) std::cout << hash << "  " << measure::name(motion) << std::endl;
  }
  if (arguments.json) print_json(report);
}

}  // namespace

void add_bench(CLI::App& app) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App* command = app.add_subcommand("bench", "Measure this machine and the library on it");
  command->add_option("--ranks", arguments->ranks, "Ranks R of the models (1 to 80)")
      ->delimiter(',')
      ->check(CLI::Range(1, 80))
      ->capture_default_str();
  command->add_option("--bodies", arguments->bodies, "Bodies B of a batch (1 to 1000000)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
      ->capture_default_str();
  command->add_option("--threads", arguments->threads, "Most threads for machine rates and batches (0: all)")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command->add_flag("--quick", arguments->quick, "A second or two instead of minutes; the numbers are rough");
  command
      ->add_flag("--hash", arguments->hash,
                 "Measure nothing: print hashes of trajectories, which show whether two builds or two machines "
                 "compute the same bits")
      ->excludes("--ranks")
      ->excludes("--bodies")
      ->excludes("--quick");
  command->add_flag("--json", arguments->json, "Print one machine-readable report");
  command->footer(
      "Example:\n  quartic bench --ranks 20,30 --json > bench.json\n"
      "Ratios are to baselines that were measured in the same run; docs/performance.md says what they are.");
  command->callback([arguments] { arguments->hash ? print_hashes(*arguments) : run_bench(*arguments); });
}

}  // namespace quartic::cli
