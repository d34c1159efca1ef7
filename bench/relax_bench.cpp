// What relaxed strains cost a reduction: the processor time of `reduce` with them over that without ("ratio"), in
// turns, since the machine may have other work.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <limits>

#include "quartic/model.hpp"
#include "quartic/procedural.hpp"

namespace {

using quartic::ProceduralMesh;

double processor_seconds(const ProceduralMesh& body, int rank, const quartic::RelaxOptions& relax) {
  const auto start = std::clock();
  benchmark::DoNotOptimize(
      quartic::reduce(body.mesh, body.fixed_vertices, {.modes = 20, .rank = rank, .relax = relax}));
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void relaxed_reduction(benchmark::State& state, const ProceduralMesh& body) {
  const int rank = static_cast<int>(state.range(0));
  double plain = std::numeric_limits<double>::infinity(), relaxed = plain;
  for (auto _ : state) {
    plain = std::min(plain, processor_seconds(body, rank, {}));
    relaxed = std::min(relaxed, processor_seconds(body, rank, {.share = 0.75}));
  }
  state.counters["plain_seconds"] = plain;
  state.counters["ratio"] = relaxed / plain;
}

void register_body(const char* name, const ProceduralMesh& body) {
  benchmark::RegisterBenchmark(name, [body](benchmark::State& state) { relaxed_reduction(state, body); })
      ->ArgName("r")
      ->Arg(12)
      ->Arg(20)
      ->Arg(30)
      ->Iterations(3)
      ->Unit(benchmark::kMillisecond);
}

}  // namespace

int main(int argument_count, char** arguments) {
  register_body("relaxed_reduction/spoon", quartic::make_spoon());
  register_body("relaxed_reduction/beam_tet4", quartic::make_beam(60, quartic::ElementType::tet4));
  benchmark::Initialize(&argument_count, arguments);
  if (benchmark::ReportUnrecognizedArguments(argument_count, arguments)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
