// Modes of a body with ties and frames beside those of the same body without, from the same run ("ratio"): a box that
// slides along its root, as it stands; turned, so that each root vertex is held along slanted directions; cut into
// halves that are tied. Processor time on one thread, the best of some, in turns.
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <ctime>
#include <vector>

#include "quartic/modes.hpp"
#include "quartic/procedural.hpp"

namespace {

using namespace quartic;
using Eigen::Matrix3d;
using Eigen::Vector3d;

struct Body {
  VolumeMesh mesh;
  Supports supports;
};

VolumeMesh part(double length, int cells) {
  return make_quadratic(make_box({.length = length, .cells_x = cells, .cells_y = 8, .cells_z = 8}).mesh);
}

std::vector<std::int32_t> at(const VolumeMesh& mesh, double x) {
  std::vector<std::int32_t> vertices;
  for (std::int32_t v = 0; v < mesh.vertex_count(); ++v)
    if (std::abs(mesh.vertices[3 * static_cast<std::size_t>(v)] - x) < 1e-9) vertices.push_back(v);
  return vertices;
}

// Held along two directions of three.
Body held(VolumeMesh mesh, const Matrix3d& turn) {
  const std::vector<std::int32_t> root = at(mesh, 0);
  Supports supports;
  for (const Vector3d direction : {turn.col(0), turn.col(1)})
    for (Constraint& constraint : hold_along(root, {direction[0], direction[1], direction[2]}))
      supports.constraints.push_back(std::move(constraint));
  for (std::int64_t v = 0; v < mesh.vertex_count(); ++v) {
    auto x = Vector3d::Map(mesh.vertices.data() + 3 * v);
    x = (turn * x).eval();
  }
  return {std::move(mesh), std::move(supports)};
}

VolumeMesh tied_halves() {
  VolumeMesh mesh = part(0.5, 16);
  const VolumeMesh other = part(0.5, 16);
  const auto first = static_cast<std::int32_t>(mesh.vertex_count());
  const std::vector<std::int32_t> leaders = at(mesh, 0.5);
  std::vector<std::int32_t> followers;
  for (const std::int32_t v : at(other, 0)) followers.push_back(first + v);
  for (std::size_t n = 0; n < other.vertices.size(); ++n)
    mesh.vertices.push_back(other.vertices[n] + (n % 3 == 0 ? 0.5 : 0));
  for (const std::int32_t v : other.blocks.front().vertices) mesh.blocks.front().vertices.push_back(first + v);
  mesh.element_region.insert(mesh.element_region.end(), other.element_region.begin(), other.element_region.end());
  mesh.joints = tie_vertices(mesh, followers, leaders, 1e-9);
  return mesh;
}

double seconds(const Body& body) {
  const auto start = std::clock();
  benchmark::DoNotOptimize(linear_modes(ElasticSystem(body.mesh, body.supports), {.count = 20}));
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void modes(benchmark::State& state, const Body& body) {
  const Body plain = held(part(1, 32), Matrix3d::Identity());
  double own = 1e9, other = 1e9;
  for (auto _ : state)
    for (int run = 0; run < 3; ++run) {
      other = std::min(other, seconds(plain));
      own = std::min(own, seconds(body));
    }
  state.counters["ratio"] = own / other;
}

const Matrix3d slanted = Eigen::AngleAxisd(0.7, Vector3d(1, -2, 0.5).normalized()).toRotationMatrix();

BENCHMARK_CAPTURE(modes, frames, held(part(1, 32), slanted))->Iterations(1);
BENCHMARK_CAPTURE(modes, ties, held(tied_halves(), Matrix3d::Identity()))->Iterations(1);

}  // namespace

int main(int argc, char** argv) {
  openblas_set_num_threads(1);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
