#include "core/elements/bernstein.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <queue>
#include <utility>

namespace quartic {
namespace {

double factorial(std::size_t n) {
  double product = 1;
  for (std::size_t i = 2; i <= n; ++i) product *= static_cast<double>(i);
  return product;
}

// Calls `visit(simplex, first place in Barycentric)` for each simplex.
template <class Visit>
void for_each_simplex(const std::vector<std::size_t>& simplices, const Visit& visit) {
  std::size_t first = 0;
  for (std::size_t s = 0; s < simplices.size(); ++s) {
    visit(s, first);
    first += simplices[s];
  }
}

// Products of p! / (a_0! ... a_n!).
double multinomial(const BernsteinBasis& basis, std::size_t function) {
  double value = 1;
  for (const std::size_t degree : basis.degrees()) value *= factorial(degree);
  for (const std::uint8_t exponent : basis.exponents(function)) value /= factorial(exponent);
  return value;
}

}  // namespace

// ---- the basis -----------------------------------------------------------------------------------------------------

BernsteinBasis::BernsteinBasis(std::vector<std::size_t> simplices, std::vector<std::size_t> degrees)
    : simplices_(std::move(simplices)), degrees_(std::move(degrees)) {
  list_exponents();
  list_directions();
  list_corners();
}

void BernsteinBasis::list_exponents() {
  exponents_ = {Exponents{}};
  for_each_simplex(simplices_, [&](std::size_t s, std::size_t first) {
    for (std::size_t unit = 0; unit < degrees_[s]; ++unit) {  // one more to any vertex from the last one on
      std::vector<Exponents> longer;
      for (const Exponents& shorter : exponents_) {
        std::size_t last = 0;
        for (std::size_t i = 0; i < simplices_[s]; ++i)
          if (shorter[first + i] > 0) last = i;
        for (std::size_t i = last; i < simplices_[s]; ++i) {
          longer.push_back(shorter);
          ++longer.back()[first + i];
        }
      }
      exponents_ = std::move(longer);
    }
  });
  std::sort(exponents_.begin(), exponents_.end());
}

void BernsteinBasis::list_directions() {
  for_each_simplex(simplices_, [&](std::size_t s, std::size_t first) {
    for (std::size_t i = first; i < first + simplices_[s]; ++i)
      for (std::size_t j = i + 1; j < first + simplices_[s]; ++j) {
        std::map<Exponents, std::vector<std::size_t>> rows;  // by the exponents with both units at `i`
        for (std::size_t f = size(); f-- > 0;) {             // the exponent of `j` rises where that of `i` falls
          Exponents key = exponents_[f];
          key[i] = static_cast<std::uint8_t>(key[i] + key[j]);
          key[j] = 0;
          rows[key].push_back(f);
        }
        Direction& direction = directions_.emplace_back(Direction{i, j, {}});
        for (auto& [key, row] : rows)
          if (row.size() > 1) direction.rows.push_back(std::move(row));
      }
  });
}

void BernsteinBasis::list_corners() {
  corners_ = {Corner{}};
  for_each_simplex(simplices_, [&](std::size_t s, std::size_t first) {
    std::vector<Corner> more;
    for (const Corner& corner : corners_)
      for (std::size_t i = first; i < first + simplices_[s]; ++i) {
        more.push_back(corner);
        more.back().vertices.push_back(i);
      }
    corners_ = std::move(more);
  });
  for (Corner& corner : corners_) {
    Exponents exponents{};
    for (std::size_t s = 0; s < degrees_.size(); ++s)
      exponents[corner.vertices[s]] = static_cast<std::uint8_t>(degrees_[s]);
    corner.function = index(exponents);
  }
}

std::size_t BernsteinBasis::index(const Exponents& exponents) const {
  return static_cast<std::size_t>(std::lower_bound(exponents_.begin(), exponents_.end(), exponents) -
                                  exponents_.begin());
}

Barycentric BernsteinBasis::domain_point(std::size_t function) const {
  Barycentric point{};
  for_each_simplex(simplices_, [&](std::size_t s, std::size_t first) {
    for (std::size_t i = first; i < first + simplices_[s]; ++i)
      point[i] = degrees_[s] == 0 ? 1.0 / static_cast<double>(simplices_[s])
                                  : exponents_[function][i] / static_cast<double>(degrees_[s]);
  });
  return point;
}

// ---- products and interpolation ------------------------------------------------------------------------------------

BernsteinBasis product_basis(const BernsteinBasis& a, const BernsteinBasis& b) {
  std::vector<std::size_t> degrees = a.degrees();
  for (std::size_t s = 0; s < degrees.size(); ++s) degrees[s] += b.degrees()[s];
  return {a.simplices(), std::move(degrees)};
}

std::vector<ProductTerm> product_terms(const BernsteinBasis& a, const BernsteinBasis& b,
                                       const BernsteinBasis& product) {
  std::vector<ProductTerm> terms;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) {
      BernsteinBasis::Exponents sum{};
      for (std::size_t c = 0; c < sum.size(); ++c)
        sum[c] = static_cast<std::uint8_t>(a.exponents(i)[c] + b.exponents(j)[c]);
      const std::size_t result = product.index(sum);
      terms.push_back({static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(j), static_cast<std::uint16_t>(result),
                       multinomial(a, i) * multinomial(b, j) / multinomial(product, result)});
    }
  return terms;
}

// On a line of degree 2, the value in the middle is (c0 + 2 c1 + c2) / 4, at the ends c0 and c2; likewise on the edges
// of other simplices. Simplex after simplex.
void interpolate(const BernsteinBasis& basis, std::span<double> values) {
  for_each_simplex(basis.simplices(), [&](std::size_t s, std::size_t first) {
    if (basis.degrees()[s] != 2) return;
    const std::vector<double> old(values.begin(), values.end());
    for (std::size_t f = 0; f < basis.size(); ++f) {
      BernsteinBasis::Exponents exponents = basis.exponents(f);
      double ends = 0;
      for (std::size_t i = first; i < first + basis.simplices()[s]; ++i) {
        if (exponents[i] != 1) continue;
        BernsteinBasis::Exponents end = exponents;
        std::fill_n(end.begin() + static_cast<std::ptrdiff_t>(first), basis.simplices()[s], std::uint8_t{0});
        end[i] = 2;
        ends += old[basis.index(end)];
      }
      const bool middle = std::count(exponents.begin() + static_cast<std::ptrdiff_t>(first),
                                     exponents.begin() + static_cast<std::ptrdiff_t>(first + basis.simplices()[s]),
                                     std::uint8_t{1}) == 2;
      if (middle) values[f] = 2 * old[f] - 0.5 * ends;
    }
  });
}

// ---- the minimum ---------------------------------------------------------------------------------------------------

namespace {

using Direction = BernsteinBasis::Direction;

// A part of the element: coefficients there, and its vertices in barycentric coordinates of the element.
struct Cell {
  double lower = 0;
  std::vector<double> coefficients;
  std::array<Barycentric, 6> vertices{};
};

struct LowerFirst {
  bool operator()(const Cell& a, const Cell& b) const { return a.lower > b.lower; }
};

// How far a row bends, which bounds its distance from the polynomial.
double bend(const Direction& direction, const std::vector<double>& c) {
  double largest = 0;
  for (const auto& row : direction.rows)
    for (std::size_t i = 2; i < row.size(); ++i)
      largest = std::max(largest, std::abs(c[row[i - 2]] - 2 * c[row[i - 1]] + c[row[i]]));
  return largest;
}

const Direction& steepest(const BernsteinBasis& basis, const std::vector<double>& c) {
  return *std::max_element(basis.directions().begin(), basis.directions().end(),
                           [&](const Direction& a, const Direction& b) { return bend(a, c) < bend(b, c); });
}

// Two halves of a cell, cut in the middle of a direction: `near` is that of its vertex `from`, the other stays behind
// in `cell`.
Cell cut(Cell& cell, const Direction& direction) {
  Cell near = cell;
  std::array<double, 16> row_values{};
  for (const auto& row : direction.rows) {
    const std::size_t count = row.size();
    for (std::size_t i = 0; i < count; ++i) row_values[i] = cell.coefficients[row[i]];
    for (std::size_t level = 0; level < count; ++level) {  // the ends of each level of de Casteljau's triangle
      near.coefficients[row[level]] = row_values[0];
      cell.coefficients[row[count - 1 - level]] = row_values[count - 1 - level];
      for (std::size_t i = 0; i + 1 + level < count; ++i) row_values[i] = 0.5 * (row_values[i] + row_values[i + 1]);
    }
  }
  Barycentric middle{};
  for (std::size_t c = 0; c < middle.size(); ++c)
    middle[c] = 0.5 * (cell.vertices[direction.from][c] + cell.vertices[direction.to][c]);
  near.vertices[direction.to] = middle;
  cell.vertices[direction.from] = middle;
  return near;
}

class Search {
 public:
  Search(const BernsteinBasis& basis, std::span<const double> coefficients, const MinimumSearch& options)
      : basis_(basis), options_(options) {
    best_.upper = std::numeric_limits<double>::infinity();
    Cell whole;
    whole.coefficients.assign(coefficients.begin(), coefficients.end());
    for (std::size_t i = 0; i < whole.vertices.size(); ++i) whole.vertices[i][i] = 1;
    add(std::move(whole));
  }

  BernsteinMinimum run() {
    constexpr int most_halvings = 20'000;
    for (int count = 0; count < most_halvings && !ended(); ++count) {
      Cell cell = cells_.top();
      cells_.pop();
      Cell near = cut(cell, steepest(basis_, cell.coefficients));
      add(std::move(near));
      add(std::move(cell));
    }
    best_.lower = std::min(cells_.top().lower, best_.upper);
    return best_;
  }

 private:
  [[nodiscard]] bool ended() const {
    const double lower = cells_.top().lower;
    return lower >= options_.enough || (options_.compare_only && best_.upper < options_.enough) ||
           !(best_.upper - lower > options_.gap);
  }

  void add(Cell cell) {
    cell.lower = *std::min_element(cell.coefficients.begin(), cell.coefficients.end());
    for (const BernsteinBasis::Corner& corner : basis_.corners()) {
      if (!(cell.coefficients[corner.function] < best_.upper)) continue;
      best_.upper = cell.coefficients[corner.function];
      best_.at = {};
      for (const std::size_t vertex : corner.vertices)  // each simplex has coordinates of its own
        for (std::size_t c = 0; c < best_.at.size(); ++c) best_.at[c] += cell.vertices[vertex][c];
    }
    cells_.push(std::move(cell));
  }

  const BernsteinBasis& basis_;
  const MinimumSearch& options_;
  std::priority_queue<Cell, std::vector<Cell>, LowerFirst> cells_;
  BernsteinMinimum best_;
};

}  // namespace

BernsteinMinimum find_minimum(const BernsteinBasis& basis, std::span<const double> coefficients,
                              const MinimumSearch& search) {
  return Search(basis, coefficients, search).run();
}

}  // namespace quartic
