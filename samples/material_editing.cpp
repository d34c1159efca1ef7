// A swinging beam of two regions: one is softened while it moves, then made heavier; half of the basis is dropped.
//
// build:    g++ -std=c++20 material_editing.cpp -I/usr/include/eigen3 -lquartic -o material_editing
// run:      ./material_editing
// prints:
//   as it was:     1.325 Hz, tip from 0.000 to -0.247 m
//   root softened: 0.785 Hz, tip from -0.247 to -0.404 m
//   tip heavier:   0.563 Hz, tip from -0.404 to -0.655 m
//   6 coordinates: 0.565 Hz
#include <Eigen/Eigenvalues>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <quartic/quartic.hpp>
#include <vector>

namespace {

// First frequency of the reduced body [Hz], from the smallest eigenvalue of its stiffness at rest.
double frequency(const quartic::QuarticEnergy& energy) {
  const std::vector<double> rest(static_cast<std::size_t>(energy.rank));
  const quartic::Matrix stiffness = quartic::evaluate(energy, rest).stiffness;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(stiffness.map(), Eigen::EigenvaluesOnly);
  return std::sqrt(solver.eigenvalues()[0]) / (2 * std::numbers::pi);
}

void set_gravity(quartic::Batch<double>& batch, const quartic::Matrix& unit_acceleration) {
  for (int mode = 0; mode < batch.rank(); ++mode) batch.force()(mode, 0) = -9.81 * unit_acceleration(mode, 2);
}

}  // namespace

int main() {
  // The half of the beam at its support is a region of its own.
  auto [mesh, fixed_vertices] = quartic::make_beam();
  mesh.regions.push_back({.name = "root", .material = mesh.regions[0].material});
  for (std::int64_t e = 0; e < mesh.element_count(); ++e) {
    const std::int32_t corner = mesh.blocks[0].element(e)[0];
    if (mesh.vertices[3 * static_cast<std::size_t>(corner)] < 0.5) mesh.element_region[static_cast<std::size_t>(e)] = 1;
  }
  const quartic::ReducedModel model =
      quartic::reduce(mesh, fixed_vertices, {.modes = 6, .rank = 12, .region_parts = true});

  const quartic::Material as_it_was = *model.mesh.regions[0].material;
  quartic::Material soft = as_it_was, heavy = as_it_was;
  soft.youngs_modulus /= 3;
  heavy.density *= 2;
  const std::vector<quartic::Material> root_softened = {as_it_was, soft}, tip_heavier = {heavy, soft};

  // Nothing of the mesh's size happens from here on. The basis stays what it is, so that bodies go on where they are.
  quartic::Batch<double> batch(model.energy, {.rayleigh_mass = 2});
  set_gravity(batch, model.unit_acceleration);
  const std::vector<std::int32_t> tip = {static_cast<std::int32_t>(model.mesh.vertex_count() - 1)};
  quartic::Matrix basis = model.basis;
  const auto swing = [&](const char* what) {
    double before[3], after[3];
    quartic::vertex_displacements<double>(basis.map(), batch.q(), tip, before);
    batch.step(1, 200);
    quartic::vertex_displacements<double>(basis.map(), batch.q(), tip, after);
    std::printf("%-14s %.3f Hz, tip from %.3f to %.3f m\n", what, frequency(batch.energy()), before[2], after[2]);
  };
  swing("as it was:");

  const quartic::MaterialEdit softened = quartic::edit_materials(model, root_softened);
  quartic::apply_edit(batch, softened);
  swing("root softened:");

  // Other densities need other coordinates; the batch's state goes along. Gravity is set anew.
  const quartic::MaterialEdit heavier = quartic::edit_materials(model, tip_heavier);
  quartic::apply_edit(batch, heavier, &softened);
  set_gravity(batch, heavier.unit_acceleration);
  basis = quartic::to_matrix(model.basis.map() * heavier.transform.map());
  swing("tip heavier:");

  const std::vector<int> first_six = {0, 1, 2, 3, 4, 5};
  const quartic::ReducedModel small =
      quartic::keep_basis_vectors(quartic::with_materials(model, tip_heavier), first_six);
  std::printf("%d coordinates: %.3f Hz\n", small.rank(), frequency(small.energy));
}
