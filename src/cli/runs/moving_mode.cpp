#include "cli/runs/moving_mode.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "quartic/error.hpp"

namespace quartic::cli {

MovingMode moving_mode(const ReducedModel& model, std::int64_t number, double amplitude, double period) {
  const auto count = std::ssize(model.eigenvalues);
  if (count == 0) throw InputError("--mode: the model has no linear modes; `quartic modes` makes them of its mesh");
  if (number < 1 || number > count)
    throw InputError("--mode: there is no mode " + std::to_string(number) + "; the model has modes 1 to " +
                     std::to_string(count));
  MovingMode moving;
  moving.frequency =
      std::sqrt(std::max(0.0, model.eigenvalues[static_cast<std::size_t>(number - 1)])) / (2 * std::numbers::pi);
  const auto field = model.linear_modes.col(number - 1);
  double largest = 0;
  for (std::size_t n = 0; n < field.size(); n += 3)
    largest = std::max(largest, std::hypot(field[n], field[n + 1], field[n + 2]));
  moving.model.mesh = model.mesh;
  moving.model.fixed_vertices = model.fixed_vertices;
  moving.model.constraints = model.constraints;
  moving.model.surface = model.surface;
  moving.model.basis = Matrix(std::ssize(field), 1);
  std::ranges::transform(field, moving.model.basis.values.begin(), [&](double u) { return u / largest; });
  constexpr int frames = 32;  // per period: a smooth swing
  Trajectory& trajectory = moving.trajectory;
  trajectory.bodies = trajectory.rank = 1;
  trajectory.status = {BodyStatus::ok};
  for (int frame = 0; frame <= frames; ++frame) {
    trajectory.time.push_back(period * frame / frames);
    trajectory.q.push_back(frame % frames == 0 ? 0 : amplitude * std::sin(2 * std::numbers::pi * frame / frames));
  }
  return moving;
}

double default_amplitude(const VolumeMesh& mesh) {
  std::array<double, 3> extent{};
  for (std::size_t c = 0; c < 3; ++c) {
    double low = mesh.vertices[c], high = low;
    for (std::size_t n = c; n < mesh.vertices.size(); n += 3) {
      low = std::min(low, mesh.vertices[n]);
      high = std::max(high, mesh.vertices[n]);
    }
    extent[c] = high - low;
  }
  return std::hypot(extent[0], extent[1], extent[2]) / 10;
}

}  // namespace quartic::cli
