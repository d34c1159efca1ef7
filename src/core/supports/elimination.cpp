#include "core/supports/elimination.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "core/base/number_text.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using Eigen::Vector3d;

// Sines of angles between directions at one vertex. Those that differ by less are one, but for digits of files; nobody
// means two supports where they differ by less than ten degrees, and the second would hold the body as firmly.
constexpr double same_direction = 1e-3, least_sine = 0.17;
// What is left of an equation's factors, relative to the largest one, when it says nothing new; between these it might.
constexpr double nothing_new = 1e-9, something_new = 1e-5;
// A first vertex follows if its factor is at least this share of the largest.
constexpr double first_share = 0.1;
constexpr double rounding = 1e-14;

double length(const std::array<double, 3>& a) {
  return std::hypot(a[0], a[1], a[2]);
}

// Where the largest magnitude is; the first of equal ones.
std::size_t largest_place(const Vector3d& a) {
  Eigen::Index place = 0;
  for (Eigen::Index c = 1; c < 3; ++c)
    if (std::abs(a[c]) > std::abs(a[place])) place = c;
  return static_cast<std::size_t>(place);
}

std::int32_t dof_of(std::int32_t vertex, std::size_t axis) {
  return 3 * vertex + static_cast<std::int32_t>(axis);
}

}  // namespace

Elimination::Elimination(std::int64_t dofs, std::vector<bool> points)
    : points_(std::move(points)), state_(static_cast<std::size_t>(dofs)) {}

void Elimination::fix(std::int32_t vertex) {
  const auto vertices = std::ssize(state_) / 3;
  if (vertex < 0 || vertex >= vertices)
    throw InputError("fixed vertex " + std::to_string(vertex) + " is outside 0 .. " + std::to_string(vertices - 1));
  for (std::size_t c = 0; c < 3; ++c) state_[static_cast<std::size_t>(dof_of(vertex, c))] = State::held;
}

void Elimination::require_sound(const Constraint& constraint) const {
  const auto vertices = std::ssize(state_) / 3;
  double largest = 0;
  std::map<std::int32_t, std::array<double, 3>> sums;  // by vertex, which may stand in several terms
  for (const DisplacementTerm& term : constraint.terms) {
    if (term.vertex < 0 || term.vertex >= vertices)
      throw InputError(constraint.origin + ": vertex " + std::to_string(term.vertex) + " is outside 0 .. " +
                       std::to_string(vertices - 1));
    largest = std::max(largest, length(term.factors));
    if (!std::isfinite(length(term.factors)))
      throw InputError(constraint.origin + ": a factor of vertex " + std::to_string(term.vertex) + " isn't finite");
    for (std::size_t c = 0; c < 3; ++c) sums[term.vertex][c] += term.factors[c];
  }
  if (std::ranges::all_of(sums, [&](const auto& sum) { return length(sum.second) <= rounding * largest; }))
    throw InputError(constraint.origin + ": all factors of a constraint are zero, or they cancel");
}

void Elimination::constrain(const std::vector<Constraint>& constraints) {
  std::map<std::int32_t, std::vector<Direction>> directions;
  std::vector<const Constraint*> others;
  for (const Constraint& constraint : constraints) {
    require_sound(constraint);
    const std::int32_t vertex = constraint.terms.front().vertex;
    Direction direction{{}, &constraint};
    bool is_one_vertex = true;
    for (const DisplacementTerm& term : constraint.terms) {
      is_one_vertex = is_one_vertex && term.vertex == vertex;
      for (std::size_t c = 0; c < 3; ++c) direction.factors[c] += term.factors[c];
    }
    if (is_one_vertex)
      directions[vertex].push_back(direction);
    else
      others.push_back(&constraint);
  }
  for (const auto& [vertex, list] : directions)
    if (is_free(3 * std::int64_t{vertex})) hold_vertex(vertex, list);
  for (const Constraint* constraint : others) join(*constraint);
}

// The directions made orthonormal, then solved: of one, for the largest component; of two, for the components beside
// the largest one of the way that is left.
void Elimination::hold_vertex(std::int32_t vertex, const std::vector<Direction>& directions) {
  std::vector<Vector3d> held;
  std::vector<const Direction*> named;
  for (const Direction& direction : directions) {
    Vector3d rest = Vector3d::Map(direction.factors.data()).stableNormalized();
    for (int pass = 0; pass < 2; ++pass)
      for (const Vector3d& other : held) rest -= other * other.dot(rest);
    const double sine = rest.norm();
    if (sine < same_direction) continue;
    if (sine < least_sine)
      throw InputError("vertex " + std::to_string(vertex) + " is held in directions that almost coincide, " +
                       number_text(std::asin(sine) * 180 / std::numbers::pi, 2) + " degrees apart (" +
                       named.back()->constraint->origin + ", " + direction.constraint->origin +
                       "): leave one of them out there, or fix the vertex in all directions");
    held.emplace_back(rest / sine);
    named.push_back(&direction);
  }
  if (held.size() == 3) return fix(vertex);
  if (held.empty()) return;
  const bool is_line = held.size() == 2;
  const Vector3d way = is_line ? held[0].cross(held[1]) : held[0];
  const std::size_t largest = largest_place(way);
  std::vector<DofShare> shares;
  for (std::size_t c = 0; c < 3; ++c) {
    if (c == largest) continue;
    const double factor = way[static_cast<Eigen::Index>(c)] / way[static_cast<Eigen::Index>(largest)];
    if (is_line)
      follow(dof_of(vertex, c), {{dof_of(vertex, largest), factor}});
    else
      shares.push_back({dof_of(vertex, c), -factor});
  }
  if (!is_line) follow(dof_of(vertex, largest), std::move(shares));
}

Elimination::Row Elimination::row_of(const Constraint& constraint) const {
  Row row;
  for (const DisplacementTerm& term : constraint.terms)
    for (std::size_t c = 0; c < 3; ++c) {
      const std::int32_t dof = dof_of(term.vertex, c);
      if (term.factors[c] == 0) continue;
      if (is_free(dof)) {
        row[dof] += term.factors[c];
      } else {
        for (const DofShare& share : shares(dof)) row[share.dof] += term.factors[c] * share.factor;
      }
    }
  return row;
}

void Elimination::join(const Constraint& constraint) {
  double scale = 0, largest = 0;
  for (const DisplacementTerm& term : constraint.terms)
    for (const double factor : term.factors) scale = std::max(scale, std::abs(factor));
  const Row row = row_of(constraint);
  for (const auto& [dof, factor] : row) largest = std::max(largest, std::abs(factor));
  if (largest <= nothing_new * scale) return;
  if (largest < something_new * scale)
    throw InputError(constraint.origin + ": what it asks of vertex " + std::to_string(constraint.terms.front().vertex) +
                     " almost follows from the other supports and joints, but not quite; leave it out, or give its "
                     "numbers with more digits");
  const auto first = constraint.terms.front().vertex;
  std::int32_t pivot = -1;
  double pivot_factor = 0;
  const auto choose = [&](auto&& is_candidate) {
    for (const auto& [dof, factor] : row)
      if (is_candidate(dof) && std::abs(factor) > std::abs(pivot_factor)) {
        pivot = dof;
        pivot_factor = factor;
      }
  };
  choose([&](std::int32_t dof) { return dof / 3 == first; });
  // A point far outside of what it follows has large shares, but no stiffness that they could bring in.
  if (std::abs(pivot_factor) < (is_point(first) ? nothing_new : first_share) * largest) {
    if (pivot < 0) ++held_otherwise_[constraint.origin];
    choose([](std::int32_t) { return true; });
  }
  std::vector<DofShare> shares;
  for (const auto& [dof, factor] : row)
    if (dof != pivot) shares.push_back({dof, -factor / pivot_factor});
  follow(pivot, std::move(shares));
}

void Elimination::follow(std::int32_t dof, std::vector<DofShare> shares) {
  std::erase_if(shares, [](const DofShare& share) { return std::abs(share.factor) < rounding; });
  for (const DofShare& share : shares) led_by_[share.dof].push_back(dof);
  state_[static_cast<std::size_t>(dof)] = shares.empty() ? State::held : State::follows;
  shares_[dof] = std::move(shares);
  replace(dof);
}

// In all that followed it until now.
void Elimination::replace(std::int32_t dof) {
  const auto found = led_by_.find(dof);
  if (found == led_by_.end()) return;
  std::vector<std::int32_t> led = std::move(found->second);
  led_by_.erase(found);
  std::sort(led.begin(), led.end());
  led.erase(std::unique(led.begin(), led.end()), led.end());
  for (const std::int32_t follower : led) {
    Row row;
    for (const DofShare& share : shares_[follower]) {
      if (share.dof != dof) {
        row[share.dof] += share.factor;
        continue;
      }
      for (const DofShare& deeper : shares_[dof]) row[deeper.dof] += share.factor * deeper.factor;
    }
    std::vector<DofShare> shares;
    for (const auto& [leader, factor] : row) {
      if (std::abs(factor) < rounding) continue;
      shares.push_back({leader, factor});
      if (!std::ranges::binary_search(shares_[follower], leader, {}, &DofShare::dof))
        led_by_[leader].push_back(follower);
    }
    state_[static_cast<std::size_t>(follower)] = shares.empty() ? State::held : State::follows;
    shares_[follower] = std::move(shares);
  }
}

const std::vector<DofShare>& Elimination::shares(std::int64_t dof) const {
  static const std::vector<DofShare> none;
  const auto found = shares_.find(static_cast<std::int32_t>(dof));
  return found == shares_.end() ? none : found->second;
}

std::vector<std::string> Elimination::warnings() const {
  std::vector<std::string> sentences;
  for (const auto& [origin, count] : held_otherwise_)
    sentences.push_back(origin + ": " + std::to_string(count) +
                        " equations act on vertices that are held already, and hold what these were to follow");
  return sentences;
}

}  // namespace quartic
