#include "bent_bodies.hpp"

#include <algorithm>
#include <cmath>

namespace quartic::measure {
namespace {

// Coordinates under an acceleration of the whole body along z after `steps` of dt.
template <class T>
std::vector<double> moved(const BentBody& body, double acceleration, double dt, int steps, BatchOptions options) {
  Batch<T> batch({body.group}, options);
  std::vector<double> q;
  for (std::int64_t i = 0; i < batch.rank(); ++i)
    batch.force()(i, 0) = static_cast<T>(acceleration * body.model.unit_acceleration(i, 2));
  batch.step(dt * steps, steps);
  for (std::int64_t i = 0; i < batch.rank(); ++i) q.push_back(double{batch.q()(i, 0)});
  return q;
}

}  // namespace

std::vector<Shape> shapes_that_bend() {
  return {
      {"slender beam, 50 : 1",
       [] {
         return make_box({.length = 1, .width = 0.02, .height = 0.02, .cells_x = 50, .cells_y = 1, .cells_z = 1});
       }},
      {"beam, 10 : 1", [] { return make_beam(); }},
      {"plate, 1 : 1 : 0.03",
       [] { return make_box({.length = 1, .width = 1, .height = 0.03, .cells_x = 16, .cells_y = 16, .cells_z = 1}); }},
      {"spoon", [] { return make_spoon(60); }},
      {"block, 2 : 1 : 1",
       [] { return make_box({.length = 2, .width = 1, .height = 1, .cells_x = 8, .cells_y = 4, .cells_z = 4}); }}};
}

BentBody reduced(const ProceduralMesh& shape) {
  BentBody body{.model = reduce(shape.mesh, shape.fixed_vertices), .group = {}};
  body.group = {body.model.energy, 1, reduce_strains(body.model.mesh, body.model.basis.map())};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double low = INFINITY, high = -INFINITY;
    for (std::size_t n = axis; n < shape.mesh.vertices.size(); n += 3) {
      low = std::min(low, shape.mesh.vertices[n]);
      high = std::max(high, shape.mesh.vertices[n]);
    }
    body.length = std::max(body.length, high - low);
  }
  return body;
}

std::vector<double> displacement(const BentBody& body, const std::vector<double>& q) {
  std::vector<double> u(body.model.mesh.vertices.size());
  for (std::size_t i = 0; i < q.size(); ++i)
    for (std::size_t n = 0; n < u.size(); ++n)
      u[n] += body.model.basis(static_cast<std::int64_t>(n), static_cast<std::int64_t>(i)) * q[i];
  return u;
}

double largest(std::span<const double> values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

template <class T>
std::vector<double> at_rest(const BentBody& body, double acceleration, Evaluation evaluation) {
  const double period = 2 * M_PI / std::sqrt(body.model.eigenvalues.front());
  return moved<T>(body, acceleration, 10 * period, 200,
                  {.integrator = Integrator::backward_euler, .newton_iterations = 3, .evaluation = evaluation});
}

template <class T>
std::vector<double> in_motion(const BentBody& body, double acceleration, Evaluation evaluation) {
  const double period = 2 * M_PI / std::sqrt(body.model.eigenvalues.front());
  return moved<T>(body, acceleration, period / 200, 100, {.newton_iterations = 2, .evaluation = evaluation});
}

double bending_acceleration(const BentBody& body) {
  const auto bend = [&](double a) {
    return largest(displacement(body, at_rest<double>(body, a, Evaluation::strict))) / body.length;
  };
  double low = 0, high = 1e-3;
  while (bend(high) < 0.3) high *= 2;
  for (int i = 0; i < 12; ++i) {
    const double middle = (low + high) / 2;
    (bend(middle) < 0.3 ? low : high) = middle;
  }
  return high;
}

template std::vector<double> at_rest<float>(const BentBody&, double, Evaluation);
template std::vector<double> at_rest<double>(const BentBody&, double, Evaluation);
template std::vector<double> in_motion<float>(const BentBody&, double, Evaluation);
template std::vector<double> in_motion<double>(const BentBody&, double, Evaluation);

}  // namespace quartic::measure
