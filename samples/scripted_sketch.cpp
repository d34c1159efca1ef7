// A basis from a sketch: somebody pulls at a spoon's tip, here by formula; the unreduced body is bent by the same
// forces, and what it looks like then becomes the basis. The recording stays in pulls.csv, for `quartic sketch`.
//
// build:    g++ -std=c++20 scripted_sketch.cpp -I/usr/include/eigen3 -lquartic -o scripted_sketch
// run:      ./scripted_sketch
// prints:
//   201 loads recorded, 99 selected
//   96 shapes, of which the first 12 hold 99.99 % or more: yes
//   tip under a pull that was sketched: unreduced -0.0336 m, reduced -0.0336 m
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <quartic/quartic.hpp>
#include <span>
#include <vector>

// Down, up, round, and round with a little twist: forces at the corners of the tip.
std::vector<quartic::RecordedLoad> pull_at(std::int32_t left, std::int32_t right) {
  constexpr int count = 201;
  constexpr double largest = 0.35;  // [N], twenty times what half the spoon weighs
  std::vector<quartic::RecordedLoad> loads;
  for (int n = 0; n < count; ++n) {
    const double t = n / (count - 1.0), growth = largest * std::sin(std::numbers::pi * t);
    const double angle = 8 * std::numbers::pi * t, twist = 0.2 * std::sin(2 * angle);
    const double y = 0.3 * growth * std::sin(angle), z = growth * std::cos(angle);
    loads.push_back({.time = 4 * t,
                     .forces = {{.body = 0, .vertex = left, .force = {0, y / 2, (0.5 + twist) * z}},
                                {.body = 0, .vertex = right, .force = {0, y / 2, (0.5 - twist) * z}}}});
  }
  return loads;
}

// The vertices of the tip's upper edge that are farthest to both sides.
std::pair<std::int32_t, std::int32_t> tip_corners(const quartic::VolumeMesh& mesh) {
  const auto at = [&](std::int32_t v) { return &mesh.vertices[3 * static_cast<std::size_t>(v)]; };
  std::int32_t left = 0, right = 0;
  for (std::int32_t v = 1; v < mesh.vertex_count(); ++v) {
    const auto further = [&](std::int32_t best, double side) {
      const double *x = at(v), *b = at(best);
      return x[0] > b[0] + 1e-9 || (x[0] > b[0] - 1e-9 && side * x[1] + 1e-3 * x[2] > side * b[1] + 1e-3 * b[2]);
    };
    if (further(left, 1)) left = v;
    if (further(right, -1)) right = v;
  }
  return {left, right};
}

int main() {
  const auto [mesh, fixed_vertices] = quartic::make_spoon(40);
  const quartic::SparseMatrix mass = quartic::mass_matrix(mesh);
  const auto [left, right] = tip_corners(mesh);

  // The recording, and those of its loads that keep a distance from one another.
  const std::vector<quartic::RecordedLoad> recorded = pull_at(left, right);
  quartic::write_recorded_loads(recorded, "pulls.csv");
  std::vector<quartic::RecordedLoad> loads;
  for (const std::int64_t i : quartic::select_loads(recorded, 0.1))
    loads.push_back(recorded[static_cast<std::size_t>(i)]);
  std::printf("%zu loads recorded, %zu selected\n", recorded.size(), loads.size());

  // The shapes that they hold the unreduced body in, and the basis of these.
  quartic::StaticSolver solver(mesh, fixed_vertices);
  quartic::Matrix shapes(3 * mesh.vertex_count(), 0);
  quartic::follow_loads(solver, loads, mesh.vertex_count(), [&](std::int64_t, const quartic::Equilibrium& end) {
    if (!end.converged) return;
    shapes.values.insert(shapes.values.end(), end.solution.begin(), end.solution.end());
    ++shapes.cols;
  });
  shapes = quartic::select_columns(shapes, quartic::select_separated(shapes.map(), mass, 0.02));
  const std::int64_t count = shapes.cols;
  const quartic::Basis basis = quartic::mass_pca(std::move(shapes), mass, 12);
  std::printf("%lld shapes, of which the first 12 hold 99.99 %% or more: %s\n", static_cast<long long>(count),
              quartic::captured_energy(basis.singular_values)[11] > 0.9999 ? "yes" : "no");

  // One of the loads again.
  const quartic::ReducedModel model = quartic::reduce_with_basis(mesh, fixed_vertices, basis.vectors.map());
  const std::vector<double> force = quartic::force_vector(recorded[75].forces, mesh.vertex_count());
  const quartic::Equilibrium unreduced = solver.solve(force);
  const Eigen::VectorXd reduced_force =
      model.basis.map().transpose() * Eigen::VectorXd::Map(force.data(), std::ssize(force));
  const quartic::Equilibrium reduced =
      quartic::reduced_equilibrium(model.energy, std::span(reduced_force.data(), std::size_t{12}));
  const std::size_t z = 3 * static_cast<std::size_t>(left) + 2;
  const double tip =
      model.basis.map().row(static_cast<Eigen::Index>(z)) * Eigen::VectorXd::Map(reduced.solution.data(), model.rank());
  std::printf("tip under a pull that was sketched: unreduced %.4f m, reduced %.4f m\n", unreduced.solution[z], tip);
}
