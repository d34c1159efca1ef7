#include "core/elements/element_rules.hpp"

#include <algorithm>
#include <cmath>

namespace quartic {
namespace {

/// Points of [-1, 1] with their weights.
struct LineRule {
  std::vector<double> points, weights;
};

LineRule gauss_2() {
  const double a = std::sqrt(1.0 / 3);
  return {{-a, a}, {1, 1}};
}

LineRule gauss_3() {
  const double a = std::sqrt(0.6);
  return {{-a, 0, a}, {5.0 / 9, 8.0 / 9, 5.0 / 9}};
}

QuadratureRule hexahedron_rule(const LineRule& line) {
  const std::size_t n = line.points.size();
  QuadratureRule rule;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i) {
        rule.points.push_back({line.points[i], line.points[j], line.points[k]});
        rule.weights.push_back(line.weights[i] * line.weights[j] * line.weights[k]);
      }
  return rule;
}

/// Points that a tetrahedron's symmetries map to each other: those whose barycentric coordinates are a permutation of
/// four numbers. The weight is that of each, as a share of the volume.
struct TetrahedronOrbit {
  double weight;
  std::array<double, 4> barycentric;
};

QuadratureRule tetrahedron_rule(const std::vector<TetrahedronOrbit>& orbits) {
  QuadratureRule rule;
  for (const TetrahedronOrbit& orbit : orbits) {
    std::array<double, 4> b = orbit.barycentric;
    std::sort(b.begin(), b.end());
    do {
      rule.points.push_back({b[1], b[2], b[3]});
      rule.weights.push_back(orbit.weight / 6);
    } while (std::next_permutation(b.begin(), b.end()));
  }
  return rule;
}

}  // namespace

QuadratureRule tetrahedron_degree_1() {
  return {{{0.25, 0.25, 0.25}}, {1.0 / 6}};
}

QuadratureRule tetrahedron_degree_2() {
  const double a = (5 - std::sqrt(5.0)) / 20;
  const double b = (5 + 3 * std::sqrt(5.0)) / 20;
  return {{{a, a, a}, {b, a, a}, {a, b, a}, {a, a, b}}, {1.0 / 24, 1.0 / 24, 1.0 / 24, 1.0 / 24}};
}

QuadratureRule tetrahedron_degree_5() {
  constexpr double a = 0.3108859192633006098, b = 0.092735250310891226402, c = 0.045503704125649649492;
  return tetrahedron_rule({{0.1126879257180158508, {a, a, a, 1 - 3 * a}},
                           {0.073493043116361949544, {b, b, b, 1 - 3 * b}},
                           {0.042546020777081466438, {c, c, 0.5 - c, 0.5 - c}}});
}

QuadratureRule tetrahedron_degree_7() {
  constexpr double a = 0.31570114977820279942, b = 0.050489822598396368763;
  constexpr double c = 0.18883383102600104774, d = 0.57517163758700002348;
  constexpr double e = 0.021265472541483245989, f = 0.81083024109854856112;
  return tetrahedron_rule({{0.095485289464130848861, {0.25, 0.25, 0.25, 0.25}},
                           {0.042329581209967029076, {a, a, a, 1 - 3 * a}},
                           {0.031896927832857579934, {b, b, 0.5 - b, 0.5 - b}},
                           {0.03720713072833462137, {c, c, d, 1 - 2 * c - d}},
                           {0.0081107708299033415661, {e, e, f, 1 - 2 * e - f}}});
}

QuadratureRule hexahedron_gauss_8() {
  return hexahedron_rule(gauss_2());
}

QuadratureRule hexahedron_gauss_27() {
  return hexahedron_rule(gauss_3());
}

QuadratureRule triangle_degree_4() {
  const double root = std::sqrt(38 - 44 * std::sqrt(0.4)), share = std::sqrt(213125 - 53320 * std::sqrt(10.0));
  QuadratureRule rule;
  for (const double sign : {1.0, -1.0}) {  // three points (a, a, 1 - 2a) each, in barycentric coordinates
    const double a = (8 - std::sqrt(10.0) + sign * root) / 18;
    rule.points.insert(rule.points.end(), {{a, a, 0}, {a, 1 - 2 * a, 0}, {1 - 2 * a, a, 0}});
    rule.weights.insert(rule.weights.end(), 3, 0.5 * (620 + sign * share) / 3720);  // the area is one half
  }
  return rule;
}

QuadratureRule square_gauss_9() {
  const LineRule line = gauss_3();
  QuadratureRule rule;
  for (std::size_t j = 0; j < line.points.size(); ++j)
    for (std::size_t i = 0; i < line.points.size(); ++i) {
      rule.points.push_back({line.points[i], line.points[j], -1});
      rule.weights.push_back(line.weights[i] * line.weights[j]);
    }
  return rule;
}

QuadratureRule wedge_degree_4() {
  const LineRule line = gauss_3();
  const QuadratureRule triangle = triangle_degree_4();
  QuadratureRule rule;
  for (std::size_t k = 0; k < line.points.size(); ++k)
    for (std::size_t p = 0; p < triangle.points.size(); ++p) {
      rule.points.push_back({triangle.points[p][0], triangle.points[p][1], line.points[k]});
      rule.weights.push_back(triangle.weights[p] * line.weights[k]);
    }
  return rule;
}

}  // namespace quartic
