// Results as they come: what Google Benchmark prints on the console, and a line of JSON each in a file, so that a run
// that is ended early has lost none.
#pragma once

#include <benchmark/benchmark.h>

#include <exception>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace quartic::measure {

/// Appends {"name", "date", "device", "seconds", "label", counters ...}, or {"name", ..., "error"}, to the file that
/// the environment variable QUARTIC_BENCH_LINES names, if it is set.
class LineReporter : public benchmark::ConsoleReporter {
 public:
  explicit LineReporter(std::string device);
  void ReportRuns(const std::vector<Run>& runs) override;

 private:
  std::string device_;
  std::ofstream file_;
};

/// An entry that throws, for example since it doesn't fit into memory, is reported as failed, and others go on.
template <class Entry>
[[nodiscard]] auto guarded(Entry entry) {
  return [entry](benchmark::State& state, auto&&... arguments) {
    try {
      entry(state, std::forward<decltype(arguments)>(arguments)...);
    } catch (const std::exception& error) {
      state.SkipWithError(error.what());
    }
  };
}

/// For what runs on a machine that is there for its GPU: ends the program, with status 3, where there is none and the
/// environment variable QUARTIC_REQUIRE_CUDA is set; else says that nothing was measured.
/// @return whether there is a device
[[nodiscard]] bool device_is_there(const char* program);

}  // namespace quartic::measure
