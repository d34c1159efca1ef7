// Two models in one batch under loads that change, stopped half-way and taken up again to the bit.
//
// build:    g++ -std=c++20 checkpoint.cpp -I/usr/include/eigen3 -lquartic -o checkpoint
// run:      ./checkpoint
// prints:
//   0.5 s: written half_way.qstate
//   1.0 s: tips at -0.352 m (rubber), -0.067 m (wood), without a stop
//   1.0 s: tips at -0.352 m (rubber), -0.067 m (wood), from half_way.qstate
//   the two differ in 0 numbers
#include <cstdio>
#include <quartic/quartic.hpp>
#include <vector>

namespace {

quartic::ReducedModel make_model(const quartic::Material& material, int rank) {
  const auto [mesh, fixed_vertices] = quartic::make_box({.height = 0.08, .material = material});
  return quartic::reduce(mesh, fixed_vertices, {.modes = 5, .rank = rank});
}

}  // namespace

int main() {
  const quartic::ReducedModel rubber = make_model({.youngs_modulus = 5e6, .poissons_ratio = 0.45, .density = 1100}, 12);
  const quartic::ReducedModel wood = make_model({.youngs_modulus = 2e7, .poissons_ratio = 0.3, .density = 700}, 8);

  // Group 0: 30 rubber beams, group 1: 10 wooden ones. Ranks may differ.
  const auto make_batch = [&] { return quartic::Batch<double>({{rubber.energy, 30}, {wood.energy, 10}}); };

  quartic::Batch<double> batch = make_batch();
  for (int g = 0; g < batch.group_count(); ++g) {
    const quartic::ReducedModel& model = g == 0 ? rubber : wood;
    const quartic::StateView<double> force = batch.force().part(batch.group(g));
    for (std::int64_t body = 0; body < force.bodies; ++body)
      for (std::int64_t mode = 0; mode < force.rank; ++mode)
        force(mode, body) = -9.81 * model.unit_acceleration(mode, 2);
  }
  // Each body has its own damping; gravity is switched on slowly.
  std::vector<double> rayleigh_mass(40), rayleigh_stiffness(40, 1e-3);
  for (std::size_t body = 0; body < 40; ++body) rayleigh_mass[body] = 0.1 * static_cast<double>(body);
  batch.set_rayleigh_damping(rayleigh_mass, rayleigh_stiffness);
  const std::vector<quartic::LoadCurve> curves = {{.times = {0, 0.8}, .scales = {0, 1}}};
  batch.set_load_curves(curves, std::vector<std::int32_t>(40, 0));

  batch.step(0.5, 100);
  quartic::save_checkpoint(batch, "half_way.qstate");
  std::printf("%.1f s: written half_way.qstate\n", batch.time());

  quartic::Batch<double> resumed = make_batch();  // in another process, perhaps
  quartic::load_checkpoint(resumed, "half_way.qstate");
  batch.step(0.5, 100);
  resumed.step(0.5, 100);

  const std::vector<std::int32_t> tip = {static_cast<std::int32_t>(rubber.mesh.vertex_count() - 1)};
  for (const quartic::Batch<double>* b : {&batch, &resumed}) {
    std::vector<double> u(3 * 30), v(3 * 10);  // body, vertex, coordinate
    quartic::vertex_displacements<double>(rubber.basis.map(), b->q().part(b->group(0)), tip, u);
    quartic::vertex_displacements<double>(wood.basis.map(), b->q().part(b->group(1)), tip, v);
    std::printf("%.1f s: tips at %.3f m (rubber), %.3f m (wood), %s\n", b->time(), u[2], v[2],
                b == &batch ? "without a stop" : "from half_way.qstate");
  }
  int different = 0;
  for (int body = 0; body < 40; ++body)
    for (int mode = 0; mode < batch.rank(); ++mode) different += batch.q()(mode, body) != resumed.q()(mode, body);
  std::printf("the two differ in %d numbers\n", different);
}
