// (H : x_i) x_j for many pairs. At a quadrature point, with A the fields' gradients, L = sym A and
// S(E) = lambda tr(E) I + 2 mu E, the second derivative of the first Piola stress in directions i and j is
//   D = A_i S(L_j) + A_j S(L_i) + S(sym(A_i^T A_j)),
// and vertex a gets w D g_a.
//
// A task takes a tile of pairs (few different fields) through all elements, `lanes` elements at a time, one element
// per SIMD lane, and adds to columns that no other task writes: a column is summed in the order of the elements.
#include <algorithm>
#include <map>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "cpu/fem/cpu_fem.hpp"
#include "cpu/fem/element_lanes.hpp"

namespace quartic::cpu {
namespace {

constexpr int tile_width = 4;  // fields on each side of a tile of pairs

// The fields that a tile's pairs need, and the pairs by place among them.
struct Tile {
  std::vector<int> fields;
  std::vector<std::array<std::size_t, 2>> pairs;
  std::vector<std::int64_t> columns;  // of the result, one per pair
};

std::size_t place_of(std::vector<int>& fields, int field) {
  const auto found = std::find(fields.begin(), fields.end(), field);
  const auto place = static_cast<std::size_t>(found - fields.begin());
  if (found == fields.end()) fields.push_back(field);
  return place;
}

std::vector<Tile> make_tiles(std::span<const std::array<int, 2>> pairs) {
  std::map<std::array<int, 2>, Tile> tiles;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const auto [i, j] = pairs[p];
    Tile& tile = tiles[{i / tile_width, j / tile_width}];
    const std::size_t place_i = place_of(tile.fields, i);
    tile.pairs.push_back({place_i, place_of(tile.fields, j)});
    tile.columns.push_back(static_cast<std::int64_t>(p));
  }
  std::vector<Tile> list;
  list.reserve(tiles.size());
  for (auto& [key, tile] : tiles) list.push_back(std::move(tile));
  return list;
}

// w D of a pair.
void weighted_second_derivative(const LanePoint& point, const LaneMatrix& ai, const LaneMatrix& aj,
                                const LaneMatrix& si, const LaneMatrix& sj, LaneMatrix& d) {
  LaneMatrix product;
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t l = 0; l < lanes; ++l)
        product[3 * r + c][l] = ai[r][l] * aj[c][l] + ai[3 + r][l] * aj[3 + c][l] + ai[6 + r][l] * aj[6 + c][l];
  weighted_stress(point, product, d);
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t l = 0; l < lanes; ++l)
          d[3 * r + c][l] += ai[3 * r + k][l] * sj[3 * k + c][l] + aj[3 * r + k][l] * si[3 * k + c][l];
}

void add_tile(const BlockLoop& loop, const Tile& tile, const MatrixRef& fields, Matrix& result) {
  const auto corners = static_cast<std::size_t>(loop.rule.vertex_count);
  const std::int64_t elements = loop.block.count();
  std::vector<std::int32_t> vertices;
  LanePoint point;
  std::vector<LaneMatrix> gradients(tile.fields.size()), stresses(tile.fields.size());
  std::vector<Lane> forces(tile.pairs.size() * 3 * corners);
  for (std::int64_t begin = 0; begin < elements; begin += lanes) {
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(lanes, elements - begin));
    loop.gather_vertices(begin, count, vertices);
    std::fill(forces.begin(), forces.end(), Lane{});
    for (std::size_t p = 0; p < loop.rule.weights.size(); ++p) {
      loop.gather_point(begin, count, p, point);
      for (std::size_t f = 0; f < tile.fields.size(); ++f) {
        field_gradient(fields.col(tile.fields[f]).data(), vertices, corners, point, gradients[f]);
        weighted_stress(point, gradients[f], stresses[f]);
      }
      for (std::size_t m = 0; m < tile.pairs.size(); ++m) {
        const auto [i, j] = tile.pairs[m];
        LaneMatrix d;
        weighted_second_derivative(point, gradients[i], gradients[j], stresses[i], stresses[j], d);
        add_forces(point, d, corners, &forces[m * 3 * corners]);
      }
    }
    for (std::size_t m = 0; m < tile.pairs.size(); ++m)
      scatter_forces(vertices, corners, count, &forces[m * 3 * corners], result.col(tile.columns[m]).data());
  }
}

}  // namespace

Matrix force_hessian(const PreparedMesh& prepared, const MatrixRef& fields, std::span<const std::array<int, 2>> pairs) {
  const VolumeMesh& mesh = prepared.mesh();
  const std::vector<Tile> tiles = make_tiles(pairs);
  Matrix result(fields.rows(), std::ssize(pairs));
  std::int64_t first = 0;
  for (const ElementBlock& block : mesh.blocks) {
    const TabulatedRule rule(element_table(block.type), stiffness_rule(block));
    const BlockLoop loop{mesh, block, prepared.materials(), rule, first};
    parallel_for(std::ssize(tiles),
                 [&](std::int64_t t) { add_tile(loop, tiles[static_cast<std::size_t>(t)], fields, result); });
    first += block.count();
  }
  return result;
}

}  // namespace quartic::cpu
