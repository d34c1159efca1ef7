// Reading a mesh of a million tetrahedra from Gmsh's text formats, against the Python library meshio on the same file
// in the same run (python3 with meshio: `pip install meshio`). Counters: "ratio", meshio's time over ours; "MB/s" of
// the file; "copy", our time over that of reading the file's bytes alone.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "io/text/text.hpp"
#include "measure/timing.hpp"
#include "quartic/mesh.hpp"
#include "quartic/procedural.hpp"

namespace quartic::measure {
namespace {

constexpr int rounds = 5;

/// Text that grows.
class Text {
 public:
  template <class Value>
  Text& operator<<(Value value) {
    if constexpr (std::is_arithmetic_v<Value>) {
      std::array<char, 32> buffer{};
      const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
      text_.append(buffer.data(), end).push_back(' ');
    } else {
      text_ += value;
    }
    return *this;
  }
  [[nodiscard]] const std::string& string() const { return text_; }

 private:
  std::string text_;
};

// Numbers from 1 on, and rows of `width` values with or without a number in front.
template <class Value>
void write_rows(Text& text, const std::vector<Value>& values, std::size_t width, const char* behind_number, int first) {
  for (std::size_t row = 0; row < values.size() / width; ++row) {
    if (behind_number != nullptr) text << row + 1 << behind_number;
    for (std::size_t i = 0; i < width; ++i) text << values[row * width + i] + static_cast<Value>(first);
    text << "\n";
  }
}

std::string version_2(const VolumeMesh& mesh) {
  Text text;
  text << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" << mesh.vertex_count() << "\n";
  write_rows(text, mesh.vertices, 3, "", 0);
  text << "$EndNodes\n$Elements\n" << mesh.element_count() << "\n";
  write_rows(text, mesh.blocks[0].vertices, 4, "4 2 1 1 ", 1);
  return (text << "$EndElements\n").string();
}

std::string version_4(const VolumeMesh& mesh) {
  const std::int64_t n = mesh.vertex_count(), e = mesh.element_count();
  Text text;
  text << "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 " << n << "1 " << n << "\n3 1 0 " << n << "\n";
  for (std::int64_t v = 1; v <= n; ++v) text << v << "\n";
  write_rows(text, mesh.vertices, 3, nullptr, 0);
  text << "$EndNodes\n$Elements\n1 " << e << "1 " << e << "\n3 1 4 " << e << "\n";
  write_rows(text, mesh.blocks[0].vertices, 4, "", 1);
  return (text << "$EndElements\n").string();
}

/// The best of meshio's times, or nothing where there is no meshio.
std::optional<double> meshio_seconds(const std::filesystem::path& file) {
  const std::string command =
      "python3 -c \"import meshio, sys, time\nbest = 1e9\nfor i in range(3):\n  t = time.perf_counter()\n  "
      "meshio.read(sys.argv[1])\n  best = min(best, time.perf_counter() - t)\nprint('seconds', best)\" '" +
      file.string() + "' 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> output(popen(command.c_str(), "r"), pclose);
  if (!output) return std::nullopt;
  std::array<char, 256> line{};
  double seconds = 0;
  while (fgets(line.data(), line.size(), output.get()) != nullptr)
    if (std::sscanf(line.data(), "seconds %lf", &seconds) == 1) return seconds;
  return std::nullopt;
}

template <class Work>
double best_seconds(const Work& work) {
  double best = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const auto start = Clock::now();
    work();
    best = std::min(best, seconds_since(start));
  }
  return best;
}

void read_gmsh(benchmark::State& state) {
  constexpr int cells = 55;  // 998,250 tetrahedra
  const VolumeMesh mesh =
      make_box({.cells_x = cells, .cells_y = cells, .cells_z = cells, .type = ElementType::tet4}).mesh;
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("quartic-bench-" + std::to_string(getpid()) + ".msh");
  std::ofstream(file, std::ios::binary) << (state.range(0) == 2 ? version_2(mesh) : version_4(mesh));
  double ours = 0;
  for (auto _ : state) {
    ours = best_seconds([&] { benchmark::DoNotOptimize(read_mesh(file)); });
    state.SetIterationTime(ours);
  }
  const double copy = best_seconds([&] { benchmark::DoNotOptimize(io::read_file(file)); });
  const auto theirs = meshio_seconds(file);
  if (theirs)
    state.counters["ratio"] = *theirs / ours;
  else
    state.SetLabel("no ratio: python3 finds no meshio");
  state.counters["MB/s"] = static_cast<double>(std::filesystem::file_size(file)) / ours / 1e6;
  state.counters["copy"] = ours / copy;
  std::filesystem::remove(file);
}
BENCHMARK(read_gmsh)->ArgName("version")->Arg(2)->Arg(4)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quartic::measure

BENCHMARK_MAIN();
