#include "core/chambers/face_triples.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "quartic/error.hpp"

namespace quartic {
namespace {

// A shape function of a face and its derivatives by both reference coordinates.
struct ShapeValue {
  double value, xi, eta;
};

// Corners (0, 0), (1, 0), (0, 1), then middles of edges.
std::vector<ShapeValue> triangle_shape(bool quadratic, double xi, double eta) {
  const std::array<ShapeValue, 3> l = {ShapeValue{1 - xi - eta, -1, -1}, {xi, 1, 0}, {eta, 0, 1}};
  if (!quadratic) return {l.begin(), l.end()};
  std::vector<ShapeValue> n;
  for (const ShapeValue& a : l)
    n.push_back({a.value * (2 * a.value - 1), (4 * a.value - 1) * a.xi, (4 * a.value - 1) * a.eta});
  for (std::size_t e = 0; e < 3; ++e) {
    const ShapeValue &a = l[e], &b = l[(e + 1) % 3];
    n.push_back(
        {4 * a.value * b.value, 4 * (a.xi * b.value + a.value * b.xi), 4 * (a.eta * b.value + a.value * b.eta)});
  }
  return n;
}

// Corners (-1, -1), (1, -1), (1, 1), (-1, 1), then middles of edges.
std::vector<ShapeValue> quadrilateral_shape(bool quadratic, double xi, double eta) {
  constexpr std::array<std::array<double, 2>, 4> corners = {{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
  std::vector<ShapeValue> n;
  for (const auto& [a, b] : corners) {
    const double u = 1 + a * xi, v = 1 + b * eta, w = a * xi + b * eta - 1;
    if (quadratic)
      n.push_back({u * v * w / 4, a * v * (w + u) / 4, b * u * (w + v) / 4});
    else
      n.push_back({u * v / 4, a * v / 4, b * u / 4});
  }
  if (!quadratic) return n;
  for (const double b : {-1.0, 1.0}) {
    const double u = 1 - xi * xi, v = 1 + b * eta;
    n.push_back({u * v / 2, -xi * v, b * u / 2});
  }
  for (const double a : {1.0, -1.0}) {
    const double u = 1 + a * xi, v = 1 - eta * eta;
    n.push_back({u * v / 2, a * v / 2, -eta * u});
  }
  std::swap(n[5], n[6]);  // edges 0-1, 1-2, 2-3, 3-0
  return n;
}

// Gauss's rule with three points per axis is exact to degree 5. That is what a quadratic quadrilateral needs in each
// coordinate; triangles of total degree 4 come as xi = s, eta = t (1 - s), with one degree more.
std::vector<PositionTriple> make_triples(std::size_t vertices) {
  const bool quadratic = vertices > 4, triangle = vertices % 3 == 0;
  const double outer = std::sqrt(0.6);
  const std::array<double, 3> points = {-outer, 0, outer}, weights = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  std::vector<double> integrals(vertices * vertices * vertices);  // of N_a N_b,xi N_c,eta
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const double s = (1 + points[i]) / 2, t = (1 + points[j]) / 2;
      const auto n =
          triangle ? triangle_shape(quadratic, s, t * (1 - s)) : quadrilateral_shape(quadratic, points[i], points[j]);
      const double weight = weights[i] * weights[j] * (triangle ? (1 - s) / 4 : 1);
      auto integral = integrals.begin();
      for (std::size_t a = 0; a < vertices; ++a)
        for (std::size_t b = 0; b < vertices; ++b)
          for (std::size_t c = 0; c < vertices; ++c) *integral++ += weight * n[a].value * n[b].xi * n[c].eta;
    }
  const auto at = [&](std::size_t a, std::size_t b, std::size_t c) {
    return integrals[(a * vertices + b) * vertices + c];
  };
  std::vector<PositionTriple> triples;
  for (std::size_t a = 0; a < vertices; ++a)
    for (std::size_t b = a + 1; b < vertices; ++b)
      for (std::size_t c = b + 1; c < vertices; ++c) {
        const double weight = (at(a, b, c) + at(b, c, a) + at(c, a, b) - at(a, c, b) - at(c, b, a) - at(b, a, c)) / 3;
        if (std::abs(weight) < 1e-14) continue;  // zero but for round-off
        triples.push_back(
            {{static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), static_cast<std::int32_t>(c)}, weight});
      }
  return triples;
}

}  // namespace

const std::vector<PositionTriple>& triples_of_face(std::size_t vertices) {
  static const std::array<std::vector<PositionTriple>, 4> triples = {make_triples(3), make_triples(4), make_triples(6),
                                                                     make_triples(8)};
  return triples[vertices == 3 ? 0 : vertices == 4 ? 1 : vertices == 6 ? 2 : 3];
}

std::vector<std::int32_t> face_vertices(const Chamber& chamber, std::int64_t f) {
  std::vector<std::int32_t> vertices;
  for (int i = 0; i < chamber_face_size; ++i) {
    const std::int32_t v = chamber.faces[static_cast<std::size_t>(f * chamber_face_size + i)];
    if (v >= 0) vertices.push_back(v);
  }
  return vertices;
}

ChamberTriples chamber_triples(const VolumeMesh& mesh, const Chamber& chamber) {
  check_chamber(mesh, chamber);
  ChamberTriples result;
  for (const std::int32_t v : chamber.faces)
    if (v >= 0) result.vertices.push_back(v);
  std::ranges::sort(result.vertices);
  const auto rest_of_equal = std::ranges::unique(result.vertices);
  result.vertices.erase(rest_of_equal.begin(), rest_of_equal.end());

  std::array<double, 3> middle = {};
  for (const std::int32_t v : result.vertices)
    for (std::size_t c = 0; c < 3; ++c)
      middle[c] += mesh.vertices[3 * static_cast<std::size_t>(v) + c] / static_cast<double>(result.vertices.size());
  for (const std::int32_t v : result.vertices)
    for (std::size_t c = 0; c < 3; ++c)
      result.rest.push_back(mesh.vertices[3 * static_cast<std::size_t>(v) + c] - middle[c]);

  for (std::int64_t f = 0; f < chamber.face_count(); ++f) {
    std::vector<std::int32_t> places = face_vertices(chamber, f);
    for (std::int32_t& v : places)
      v = static_cast<std::int32_t>(std::ranges::lower_bound(result.vertices, v) - result.vertices.begin());
    for (const PositionTriple& term : triples_of_face(places.size())) {
      const auto place = [&](std::size_t k) { return places[static_cast<std::size_t>(term.places[k])]; };
      result.triples.push_back({{place(0), place(1), place(2)}, term.weight});
    }
  }
  return result;
}

}  // namespace quartic
