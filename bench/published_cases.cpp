#include "published_cases.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

#include "quartic/procedural.hpp"

namespace quartic::bench {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double pi = std::numbers::pi;
constexpr const char* sze = "Sze, Liu and Lo, Finite Elements in Analysis and Design 40 (2004) 1551-1569, section ";

/// A unit cube of cells along s and t, one across v, quadratic, and where a map has brought its vertices. Vertices are
/// found by where they were in the cube.
class Sheet {
 public:
  Sheet(int cells_s, int cells_t, const Material& material, const std::function<Vector3d(const Vector3d&)>& place)
      : cells_t_(cells_t) {
    mesh = make_quadratic(make_box({.length = 1,
                                    .width = 1,
                                    .height = 1,
                                    .cells_x = cells_s,
                                    .cells_y = cells_t,
                                    .cells_z = 1,
                                    .material = material})
                              .mesh);
    cube_ = mesh.vertices;
    for (std::int32_t v = 0; v < mesh.vertex_count(); ++v)
      Vector3d::Map(&mesh.vertices[3 * static_cast<std::size_t>(v)]) = place(at(v));
  }

  VolumeMesh mesh;

  [[nodiscard]] Vector3d at(std::int32_t v) const { return Vector3d::Map(&cube_[3 * static_cast<std::size_t>(v)]); }

  template <class Condition>
  [[nodiscard]] std::vector<std::int32_t> vertices(const Condition& condition) const {
    std::vector<std::int32_t> found;
    for (std::int32_t v = 0; v < mesh.vertex_count(); ++v)
      if (condition(at(v))) found.push_back(v);
    return found;
  }

  /// Weights, of sum 1, of a uniform load on the edge s = 1 at this v: Simpson's rule in each element.
  [[nodiscard]] VectorXd edge_weights(double v) const {
    VectorXd weights = VectorXd::Zero(mesh.vertex_count());
    for (const std::int32_t i : vertices([&](const Vector3d& x) { return is(x[0], 1) && is(x[2], v); })) {
      const auto place = std::lround(2 * cells_t_ * at(i)[1]);
      const bool middle = place % 2 == 1, end = place == 0 || place == 2 * cells_t_;
      weights[i] = (middle ? 4 : end ? 1 : 2) / 6.0 / cells_t_;
    }
    return weights;
  }

  /// The same across the thickness at a corner.
  [[nodiscard]] VectorXd corner_weights(double s, double t) const {
    VectorXd weights = VectorXd::Zero(mesh.vertex_count());
    for (const std::int32_t i : corner(s, t)) weights[i] = is(at(i)[2], 0.5) ? 4 / 6.0 : 1 / 6.0;
    return weights;
  }

  [[nodiscard]] std::vector<std::int32_t> corner(double s, double t) const {
    return vertices([&](const Vector3d& x) { return is(x[0], s) && is(x[1], t); });
  }
  [[nodiscard]] std::vector<std::int32_t> end() const {
    return vertices([](const Vector3d& x) { return is(x[0], 1); });
  }
  [[nodiscard]] std::vector<std::int32_t> clamped() const {
    return vertices([](const Vector3d& x) { return is(x[0], 0); });
  }

  static bool is(double a, double b) { return std::abs(a - b) < 1e-9; }

 private:
  std::vector<double> cube_;
  int cells_t_;
};

VectorXd along(const VectorXd& weights, const Vector3d& force) {
  VectorXd result(3 * weights.size());
  for (Eigen::Index v = 0; v < weights.size(); ++v) result.segment<3>(3 * v) = weights[v] * force;
  return result;
}

std::function<VectorXd(const VectorXd&)> constant(VectorXd load) {
  return [load = std::move(load)](const VectorXd&) { return load; };
}

VectorXd end_load(const Sheet& sheet, const Vector3d& force) {
  return along(0.5 * (sheet.edge_weights(0) + sheet.edge_weights(1)), force);
}

Material material(double youngs_modulus, double poissons_ratio) {
  return {.youngs_modulus = youngs_modulus, .poissons_ratio = poissons_ratio, .density = 1};
}

PublishedCase cantilever() {
  constexpr double length = 10, width = 1, height = 0.1;
  const Sheet sheet(20, 1, material(1.2e6, 0),
                    [](const Vector3d& x) { return Vector3d(length * x[0], width * x[1], height * x[2]); });
  return {.name = "cantilever",
          .title = "Cantilever 10 x 1 x 0.1, E = 1.2e6, nu = 0, under a shear force of 4 at its end",
          .source = std::string(sze) + "3.1",
          .mesh = sheet.mesh,
          .supports = sheet.clamped(),
          .load = constant(end_load(sheet, {0, 0, 4})),
          .gauges = {{"-u", sheet.end(), {-1, 0, 0}}, {"w", sheet.end(), {0, 0, 1}}},
          .rows = {{0.05, {0.026, 0.663}}, {0.1, {0.103, 1.309}}, {0.25, {0.563, 3.015}}, {1, {3.286, 6.698}}}};
}

// The couple at the end turns with its section.
PublishedCase roll_up() {
  static constexpr double length = 12, width = 1, height = 0.1, whole_moment = 50 * pi / 3;  // closes the ring
  const Sheet sheet(48, 1, material(1.2e6, 0),
                    [](const Vector3d& x) { return Vector3d(length * x[0], width * x[1], height * x[2]); });
  const VectorXd top = sheet.edge_weights(1), bottom = sheet.edge_weights(0);
  const auto load = [top, bottom](const VectorXd& u) {
    Vector3d across(0, 0, height);
    for (Eigen::Index v = 0; v < top.size(); ++v) across += (top[v] - bottom[v]) * u.segment<3>(3 * v);
    const Vector3d normal = Vector3d(0, 1, 0).cross(across).normalized();
    return VectorXd(along(bottom - top, whole_moment / across.norm() * normal));
  };
  PublishedCase made{
      .name = "roll-up",
      .title = "Cantilever 12 x 1 x 0.1, E = 1.2e6, nu = 0, under a moment at its end; at 1 it is a ring",
      .source = "closed form: u = L (sin t / t - 1), w = L (1 - cos t) / t with t = M L / E I",
      .mesh = sheet.mesh,
      .supports = sheet.clamped(),
      .load = load,
      .load_turns = true,
      .gauges = {{"-u", sheet.end(), {-1, 0, 0}}, {"w", sheet.end(), {0, 0, 1}}},
      .rows = {}};
  for (const double share : {0.05, 0.1, 0.25, 0.5, 1.0}) {
    const double t = 2 * pi * share;
    made.rows.push_back({share, {length * (1 - std::sin(t) / t), length * (1 - std::cos(t)) / t}});
  }
  return made;
}

PublishedCase slit_plate() {
  constexpr double inner = 6, outer = 10, thickness = 0.03, force_per_length = 0.8;
  const Sheet sheet(40, 6, material(21e6, 0), [](const Vector3d& x) {
    const double angle = 2 * pi * (1 - x[0]), radius = inner + (outer - inner) * x[1];
    return Vector3d(radius * std::cos(angle), radius * std::sin(angle), thickness * (x[2] - 0.5));
  });
  return {.name = "slit-plate",
          .title =
              "Annular plate, slit along a radius: 6 to 10, thickness 0.03, E = 21e6, nu = 0; one side of the slit "
              "is held, the other lifted by 0.8 per length",
          .source = std::string(sze) + "3.3",
          .mesh = sheet.mesh,
          .supports = sheet.clamped(),
          .load = constant(end_load(sheet, {0, 0, force_per_length * (outer - inner)})),
          .gauges = {{"w_A", sheet.corner(1, 0), {0, 0, 1}}, {"w_B", sheet.corner(1, 1), {0, 0, 1}}},
          .rows = {{0.025, {1.305, 1.789}},
                   {0.05, {2.455, 3.370}},
                   {0.1, {4.277, 5.876}},
                   {0.5, {10.468, 13.768}},
                   {1, {13.891, 17.528}}}};
}

// A quarter, cut along two planes of symmetry.
PublishedCase hemisphere() {
  constexpr double radius = 10, thickness = 0.04, hole = 18 * pi / 180, force = 400;
  const Sheet sheet(20, 20, material(6.825e7, 0.3), [](const Vector3d& x) {
    const double azimuth = pi / 2 * x[0], height = (pi / 2 - hole) * x[1], r = radius + thickness * (x[2] - 0.5);
    return Vector3d(r * std::cos(height) * std::cos(azimuth), r * std::cos(height) * std::sin(azimuth),
                    r * std::sin(height));
  });
  std::vector<Constraint> held = hold_along(sheet.clamped(), {0, 1, 0});
  for (Constraint& constraint : hold_along(sheet.end(), {1, 0, 0})) held.push_back(std::move(constraint));
  held.push_back(hold_along(sheet.corner(0, 0), {0, 0, 1}).front());
  return {.name = "hemisphere",
          .title =
              "Hemisphere with a hole of 18 degrees: radius 10, thickness 0.04, E = 6.825e7, nu = 0.3, under two "
              "pairs of forces of 400, outwards at A and inwards at B; a quarter of it",
          .source = std::string(sze) + "3.4",
          .mesh = sheet.mesh,
          .supports = Supports({}, held),
          .load = constant(along(sheet.corner_weights(1, 0), {0, force / 2, 0}) -
                           along(sheet.corner_weights(0, 0), {force / 2, 0, 0})),
          .gauges = {{"v_A", sheet.corner(1, 0), {0, 1, 0}}, {"-u_B", sheet.corner(0, 0), {-1, 0, 0}}},
          .rows = {{0.05, {0.855, 0.955}},
                   {0.1, {1.499, 1.840}},
                   {0.2, {2.321, 3.261}},
                   {0.5, {3.406, 5.902}},
                   {1, {4.067, 8.178}}}};
}

// An eighth, cut along three planes of symmetry.
PublishedCase pinched_cylinder() {
  constexpr double radius = 100, half_length = 100, thickness = 1, force = 12000;
  const Sheet sheet(24, 24, material(30e3, 0.3), [](const Vector3d& x) {
    const double angle = pi / 2 * x[0], r = radius + thickness * (x[2] - 0.5);
    return Vector3d(r * std::sin(angle), half_length * x[1], r * std::cos(angle));
  });
  const auto on = [&](int axis, double place) {
    return [axis, place](const Vector3d& x) { return Sheet::is(x[axis], place); };
  };
  const auto top = on(0, 0), side = on(0, 1), middle = on(1, 0), diaphragm = on(1, 1);
  std::vector<Constraint> held =
      hold_along(sheet.vertices([&](const Vector3d& x) { return top(x) || diaphragm(x); }), {1, 0, 0});
  for (Constraint& constraint : hold_along(sheet.vertices(middle), {0, 1, 0})) held.push_back(std::move(constraint));
  for (Constraint& constraint :
       hold_along(sheet.vertices([&](const Vector3d& x) { return side(x) || diaphragm(x); }), {0, 0, 1}))
    held.push_back(std::move(constraint));
  return {.name = "pinched-cylinder",
          .title =
              "Cylinder between rigid diaphragms: radius 100, length 200, thickness 1, E = 3e4, nu = 0.3, pinched "
              "by two forces of 12000; an eighth of it",
          .source = std::string(sze) + "3.6",
          .mesh = sheet.mesh,
          .supports = Supports({}, held),
          .load = constant(along(sheet.corner_weights(0, 0), {0, 0, -force / 4})),
          .gauges = {{"-w_A", sheet.corner(0, 0), {0, 0, -1}}, {"u_B", sheet.corner(1, 0), {1, 0, 0}}},
          .rows = {{0.05, {9.561, -0.233}}, {0.1, {23.164, -2.391}}}};
}

PublishedCase curved_cantilever() {
  constexpr double radius = 100, side = 1, force = 3000;
  const Sheet sheet(24, 1, material(1e7, 0), [](const Vector3d& x) {
    const double angle = pi / 4 * x[0], r = radius + side * (x[1] - 0.5);
    return Vector3d(radius - r * std::cos(angle), r * std::sin(angle), side * (x[2] - 0.5));
  });
  return {
      .name = "curved-cantilever",
      .title =
          "NAFEMS 3DNLG-5, a cantilever bent to 45 degrees: radius 100, section 1 x 1, E = 1e7, nu = 0, under a "
          "force of 3000 at its end, across its plane",
      .source = "NAFEMS R0024, as Abaqus' benchmarks print it for B32",
      .mesh = sheet.mesh,
      .supports = sheet.clamped(),
      .load = constant(end_load(sheet, {0, 0, force})),
      .gauges = {{"-u_x", sheet.end(), {-1, 0, 0}}, {"-u_y", sheet.end(), {0, -1, 0}}, {"u_z", sheet.end(), {0, 0, 1}}},
      .rows = {{0.1, {7.173, 12.17, 40.47}},
               {0.15, {10.92, 18.74, 48.70}},
               {0.2, {13.73, 23.81, 53.60}},
               {1, {25.06, 47.70, 68.46}}}};
}

}  // namespace

std::vector<PublishedCase> published_cases() {
  std::vector<PublishedCase> cases;
  cases.push_back(cantilever());
  cases.push_back(roll_up());
  cases.push_back(slit_plate());
  cases.push_back(hemisphere());
  cases.push_back(pinched_cylinder());
  cases.push_back(curved_cantilever());
  return cases;
}

}  // namespace quartic::bench
