#include "line_reporter.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

#include "quartic/backend.hpp"

namespace quartic::measure {
namespace {

std::string date_and_time() {
  const std::time_t now = std::time(nullptr);
  char text[32] = {};
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

// Google Benchmark 1.8 has other names for a run that failed.
template <class Run>
bool has_failed(const Run& run) {
  if constexpr (requires { run.error_occurred; })
    return run.error_occurred;
  else
    return run.skipped != 0;
}
template <class Run>
std::string why_failed(const Run& run) {
  if constexpr (requires { run.error_message; })
    return run.error_message;
  else
    return run.skip_message;
}

}  // namespace

LineReporter::LineReporter(std::string device) : device_(std::move(device)) {
  if (const char* name = std::getenv("QUARTIC_BENCH_LINES")) file_.open(name, std::ios::app);
}

void LineReporter::ReportRuns(const std::vector<Run>& runs) {
  ConsoleReporter::ReportRuns(runs);
  if (!file_.is_open()) return;
  for (const Run& run : runs) {
    nlohmann::json line = {{"name", run.benchmark_name()}, {"date", date_and_time()}, {"device", device_}};
    if (has_failed(run)) {
      line["error"] = why_failed(run);
    } else {
      line["seconds"] = run.real_accumulated_time / static_cast<double>(run.iterations);
      if (!run.report_label.empty()) line["label"] = run.report_label;
      for (const auto& [name, counter] : run.counters) line[name] = counter.value;
    }
    file_ << line.dump() << std::endl;  // at once
  }
}

bool device_is_there(const char* program) {
  if (backend_available(Backend::cuda)) return true;
  const bool required = std::getenv("QUARTIC_REQUIRE_CUDA") != nullptr;
  std::fprintf(required ? stderr : stdout, "%s: no CUDA device here, nothing measured\n", program);
  if (required) std::exit(3);
  return false;
}

}  // namespace quartic::measure
