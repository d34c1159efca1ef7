// Filling a closed surface of about 10^5 triangles with voxels, in readings of the same surface from an OBJ file in the
// same run ("per_reading").
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "measure/timing.hpp"
#include "quartic/surface.hpp"

namespace quartic::measure {
namespace {

/// A torus with bumps of a millimetre, with so many quadrilaterals round it and across, each of two triangles.
TriangleMesh torus(int around, int across) {
  TriangleMesh surface;
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      const double phi = 2 * std::numbers::pi * i / around, theta = 2 * std::numbers::pi * j / across;
      const double radius = 0.03 + 0.001 * std::sin(20 * phi) * std::sin(9 * theta);
      const double distance = 0.08 + radius * std::cos(theta);
      surface.vertices.insert(surface.vertices.end(),
                              {distance * std::cos(phi), distance * std::sin(phi), radius * std::sin(theta)});
      const auto v = [&](int a, int b) { return a % around * across + b % across; };
      surface.triangles.insert(surface.triangles.end(),
                               {v(i, j), v(i + 1, j), v(i + 1, j + 1), v(i, j), v(i + 1, j + 1), v(i, j + 1)});
    }
  return surface;
}

std::filesystem::path write_obj(const TriangleMesh& surface) {
  std::filesystem::path path = std::filesystem::temp_directory_path() / "quartic_voxelize_bench.obj";
  std::ofstream file(path);
  file.precision(9);
  for (std::size_t v = 0; v < surface.vertices.size(); v += 3)
    file << "v " << surface.vertices[v] << ' ' << surface.vertices[v + 1] << ' ' << surface.vertices[v + 2] << '\n';
  for (std::size_t t = 0; t < surface.triangles.size(); t += 3)
    file << "f " << surface.triangles[t] + 1 << ' ' << surface.triangles[t + 1] + 1 << ' '
         << surface.triangles[t + 2] + 1 << '\n';
  return path;
}

void fill(benchmark::State& state) {
  const TriangleMesh surface = torus(400, 125);  // 100,000 triangles
  const auto path = write_obj(surface);
  VoxelOptions options;
  options.resolution = static_cast<int>(state.range(0));
  const auto [reading, filling] = compare(
      {.rounds = 5, .seconds = 0.2}, [&] { benchmark::DoNotOptimize(read_triangle_mesh(path)); },
      [&] { benchmark::DoNotOptimize(voxelize(surface, options)); });
  for (auto _ : state) benchmark::DoNotOptimize(voxelize(surface, options));
  state.counters["per_reading"] = filling / reading;
  state.counters["voxels"] = static_cast<double>(voxelize(surface, options).mesh.element_count());
  std::filesystem::remove(path);
}
BENCHMARK(fill)->ArgName("resolution")->Arg(64)->Arg(128)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quartic::measure

BENCHMARK_MAIN();
