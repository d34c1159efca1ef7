#include "core/mesh/coincident_vertices.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "core/elements/element_geometry.hpp"

namespace quartic {
namespace {

using Position = std::array<double, 3>;

bool is_finite(const Position& x) {
  return std::isfinite(x[0]) && std::isfinite(x[1]) && std::isfinite(x[2]);
}

/// Places in a hashed grid. Cells are two tolerances wide, so that all places within reach of a point are in its cell
/// or in neighbours that it is near to, eight in all.
class PlaceGrid {
 public:
  PlaceGrid(std::size_t most, double tolerance, double farthest)
      : tolerance_(tolerance),
        // A tiny tolerance must leave cell numbers finite. They are kept as floating-point numbers, for they may exceed
        // all integers.
        cell_(std::max({2 * tolerance, 1e-300 * farthest, std::numeric_limits<double>::min()})),
        first_(std::bit_ceil(most + 2), -1),
        shift_(65 - static_cast<int>(std::bit_width(first_.size()))) {
    places_.reserve(most);
  }

  /// The nearest place within the tolerance, the older one of two at the same distance; -1 if there is none.
  [[nodiscard]] std::int32_t nearest(const Position& x) const {
    std::array<Position, 3> cells;  // of the lower end of what is in reach, of x, and of the upper end
    for (std::size_t c = 0; c < 3; ++c) {
      const double reach = tolerance_ * (1 + 1e-14);  // beyond the round-off of distances
      cells[0][c] = cell_number(x[c] - reach);
      cells[1][c] = cell_number(x[c]);
      cells[2][c] = cell_number(x[c] + reach);
    }
    std::int32_t best = -1;
    double best_distance = tolerance_;
    const auto differs = [&](std::size_t i, std::size_t c) { return i == 1 || cells[i][c] != cells[1][c]; };
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t k = 0; k < 3; ++k)
          if (differs(i, 0) && differs(j, 1) && differs(k, 2))
            search(first_[bucket({cells[i][0], cells[j][1], cells[k][2]})], x, best, best_distance);
    return best;
  }

  /// Adds a place and returns its number.
  std::int32_t add(const Position& x) {
    const auto number = static_cast<std::int32_t>(places_.size());
    std::int32_t& first = first_[bucket({cell_number(x[0]), cell_number(x[1]), cell_number(x[2])})];
    places_.push_back({x, first});
    first = number;
    return number;
  }

 private:
  struct Place {
    Position position;
    std::int32_t next;  // in the same bucket
  };

  [[nodiscard]] double cell_number(double x) const { return std::floor(x / cell_) + 0.0; }  // no negative zero

  // The highest bits of a product depend on all bits of its factors; the lowest of a whole number's are mostly zero.
  [[nodiscard]] std::size_t bucket(const Position& cell) const {
    constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;
    std::uint64_t hash = 0;
    for (const double number : cell) {
      hash = (hash ^ std::bit_cast<std::uint64_t>(number)) * golden;
      hash ^= hash >> 32;
    }
    return static_cast<std::size_t>((hash * golden) >> shift_);
  }

  // Cells may share a bucket: distances alone decide.
  void search(std::int32_t number, const Position& x, std::int32_t& best, double& best_distance) const {
    for (; number >= 0; number = places_[static_cast<std::size_t>(number)].next) {
      const Position& place = places_[static_cast<std::size_t>(number)].position;
      const Position d{std::abs(x[0] - place[0]), std::abs(x[1] - place[1]), std::abs(x[2] - place[2])};
      if (d[0] > best_distance || d[1] > best_distance || d[2] > best_distance) continue;  // as quick as most deserve
      const double distance = std::hypot(d[0], d[1], d[2]);
      if (distance < best_distance || (distance == best_distance && (best < 0 || number < best))) {
        best = number;
        best_distance = distance;
      }
    }
  }

  double tolerance_, cell_;
  std::vector<std::int32_t> first_;  // by bucket, -1: none
  int shift_;                        // what is left of 64 bits is a bucket's number
  std::vector<Place> places_;
};

}  // namespace

std::vector<std::int32_t> place_founders(std::span<const double> positions, double tolerance) {
  struct Vertex {
    Position position;
    std::int32_t number;
  };
  const auto n = positions.size() / 3;
  std::vector<std::int32_t> founder(n);
  std::vector<Vertex> vertices;
  vertices.reserve(n);
  double farthest = 0;
  for (std::size_t v = 0; v < n; ++v) {
    founder[v] = static_cast<std::int32_t>(v);
    const Position x{positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]};
    if (!is_finite(x)) continue;
    vertices.push_back({x, founder[v]});
    for (const double coordinate : x) farthest = std::max(farthest, std::abs(coordinate));
  }
  std::sort(vertices.begin(), vertices.end(), [](const Vertex& a, const Vertex& b) {
    return a.position != b.position ? a.position < b.position : a.number < b.number;
  });
  PlaceGrid grid(vertices.size(), tolerance, farthest);
  std::vector<std::int32_t> founder_of_place;
  for (const Vertex& vertex : vertices) {
    if (const std::int32_t place = grid.nearest(vertex.position); place >= 0) {
      founder[static_cast<std::size_t>(vertex.number)] = founder_of_place[static_cast<std::size_t>(place)];
    } else {
      grid.add(vertex.position);
      founder_of_place.push_back(vertex.number);
    }
  }
  return founder;
}

double weld_tolerance(const VolumeMesh& mesh) {
  constexpr double relative = 1e-9;  // far above round-off, far below the edges of any mesh that fits into memory
  constexpr double units_of_roundoff = 8;
  const std::array<double, 6> box = element_box(mesh);
  // Scaled before they are subtracted, so that even extents beyond the largest number give a finite tolerance.
  const double diagonal = std::hypot(relative * box[3] - relative * box[0], relative * box[4] - relative * box[1],
                                     relative * box[5] - relative * box[2]);
  return std::max(diagonal, units_of_roundoff * coordinate_error(mesh));
}

CoincidentVertices coincident_vertices(const VolumeMesh& mesh, std::span<const std::vector<std::int32_t>> components,
                                       double tolerance) {
  std::vector<double> positions;  // of the vertices that elements use, component by component
  std::vector<std::int32_t> component;
  for (std::size_t c = 0; c < components.size(); ++c)
    for (const std::int32_t v : components[c]) {
      const double* x = mesh.vertices.data() + 3 * static_cast<std::size_t>(v);
      positions.insert(positions.end(), x, x + 3);
      component.push_back(static_cast<std::int32_t>(c));
    }
  const std::vector<std::int32_t> founder = place_founders(positions, tolerance);
  CoincidentVertices result;
  std::vector<std::pair<std::int32_t, std::int32_t>> joined;  // founder of a place, component that meets it there
  for (std::size_t v = 0; v < founder.size(); ++v) {
    if (founder[v] == static_cast<std::int32_t>(v)) continue;
    ++result.count;
    const std::int32_t own = component[static_cast<std::size_t>(founder[v])];
    if (component[v] != own) joined.emplace_back(founder[v], component[v]);
  }
  std::sort(joined.begin(), joined.end());
  result.between_components = std::unique(joined.begin(), joined.end()) - joined.begin();
  return result;
}

}  // namespace quartic
