// What single precision costs, on bodies of several shapes that bend far: prints the table of docs/performance.md as
// markdown. For each, a load that bends it by 0.3 of its length is held; errors are of the displacement, relative to
// its largest value, against `double`.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <span>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"

namespace quartic::measure {
namespace {

struct Shape {
  const char* name;
  std::function<ProceduralMesh()> make;
};

const Shape shapes[] = {
    {"slender beam, 50 : 1",
     [] { return make_box({.length = 1, .width = 0.02, .height = 0.02, .cells_x = 50, .cells_y = 1, .cells_z = 1}); }},
    {"beam, 10 : 1", [] { return make_beam(); }},
    {"plate, 1 : 1 : 0.03",
     [] { return make_box({.length = 1, .width = 1, .height = 0.03, .cells_x = 16, .cells_y = 16, .cells_z = 1}); }},
    {"spoon", [] { return make_spoon(60); }},
    {"block, 2 : 1 : 1",
     [] { return make_box({.length = 2, .width = 1, .height = 1, .cells_x = 8, .cells_y = 4, .cells_z = 4}); }}};

struct Body {
  ReducedModel model;
  BodyGroup group;
  double length = 0;  // the longest extent [m]
};

Body reduced(const ProceduralMesh& shape) {
  Body body{.model = reduce(shape.mesh, shape.fixed_vertices), .group = {}};
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

std::vector<double> displacement(const Body& body, const std::vector<double>& q) {
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

// Displacement under an acceleration of the whole body along z after `steps` of dt.
template <class T>
std::vector<double> moved(const Body& body, double acceleration, double dt, int steps, BatchOptions options) {
  Batch<T> batch({body.group}, options);
  std::vector<double> q;
  for (std::int64_t i = 0; i < batch.rank(); ++i)
    batch.force()(i, 0) = static_cast<T>(acceleration * body.model.unit_acceleration(i, 2));
  batch.step(dt * steps, steps);
  for (std::int64_t i = 0; i < batch.rank(); ++i) q.push_back(double{batch.q()(i, 0)});
  return displacement(body, q);
}

// Where it comes to rest: long steps of backward Euler, which damps everything.
template <class T>
std::vector<double> at_rest(const Body& body, double acceleration, Evaluation evaluation) {
  const double period = 2 * M_PI / std::sqrt(body.model.eigenvalues.front());
  return moved<T>(body, acceleration, 10 * period, 200,
                  {.integrator = Integrator::backward_euler, .newton_iterations = 3, .evaluation = evaluation});
}

// In motion: from the straight shape over half a period of the first mode.
template <class T>
std::vector<double> in_motion(const Body& body, double acceleration, Evaluation evaluation) {
  const double period = 2 * M_PI / std::sqrt(body.model.eigenvalues.front());
  return moved<T>(body, acceleration, period / 200, 100, {.newton_iterations = 2, .evaluation = evaluation});
}

// The acceleration that bends the body by 0.3 of its length.
double bending_acceleration(const Body& body) {
  const auto bend = [&](double a) { return largest(at_rest<double>(body, a, Evaluation::strict)) / body.length; };
  double low = 0, high = 1e-3;
  while (bend(high) < 0.3) high *= 2;
  for (int i = 0; i < 12; ++i) {
    const double middle = (low + high) / 2;
    (bend(middle) < 0.3 ? low : high) = middle;
  }
  return high;
}

double error(const std::vector<double>& u, const std::vector<double>& expected) {
  double most = 0;
  for (std::size_t n = 0; n < u.size(); ++n) most = std::max(most, std::abs(u[n] - expected[n]));
  return most / largest(expected);
}

void print_row(const Shape& shape) {
  const Body body = reduced(shape.make());
  const double a = bending_acceleration(body);
  std::printf("| %s |", shape.name);
  const std::vector<double> rest = at_rest<double>(body, a, Evaluation::strict);
  const std::vector<double> motion = in_motion<double>(body, a, Evaluation::strict);
  for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency, Evaluation::accurate})
    std::printf(" %.0e |", error(at_rest<float>(body, a, evaluation), rest));
  for (const Evaluation evaluation : {Evaluation::strict, Evaluation::accurate})
    std::printf(" %.0e |", error(in_motion<float>(body, a, evaluation), motion));
  std::puts("");
}

}  // namespace
}  // namespace quartic::measure

int main() {
  std::puts("| body | at rest: `strict` | `latency` | `accurate` | in motion: `strict` | `accurate` |");
  std::puts("|---|---|---|---|---|---|");
  for (const auto& shape : quartic::measure::shapes) quartic::measure::print_row(shape);
}
