// Linear equations between displacements, solved for some of them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "quartic/supports.hpp"

namespace quartic {

/// A displacement's share of another one, both by their numbers 0 .. 3n - 1.
struct DofShare {
  std::int32_t dof = 0;
  double factor = 0;
};

/// Takes supports one after another, so that what follows others never follows something that follows itself.
class Elimination {
 public:
  /// @param points of each vertex, whether it belongs to no element and follows whatever it is joined to; may be empty
  explicit Elimination(std::int64_t dofs, std::vector<bool> points = {});

  /// @throws InputError for a vertex out of range
  void fix(std::int32_t vertex);
  /// All constraints on single vertices together, then the others in their order. @throws InputError
  void constrain(const std::vector<Constraint>& constraints);

  [[nodiscard]] bool is_free(std::int64_t dof) const { return state_[static_cast<std::size_t>(dof)] == State::free; }
  /// What a displacement that isn't free is made of: nothing if it is held.
  [[nodiscard]] const std::vector<DofShare>& shares(std::int64_t dof) const;
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  enum class State : std::uint8_t { free, held, follows };
  struct Direction {
    std::array<double, 3> factors;
    const Constraint* constraint;
  };
  using Row = std::map<std::int32_t, double>;  // factors of free displacements

  void require_sound(const Constraint& constraint) const;
  void hold_vertex(std::int32_t vertex, const std::vector<Direction>& directions);
  void join(const Constraint& constraint);
  [[nodiscard]] Row row_of(const Constraint& constraint) const;
  void follow(std::int32_t dof, std::vector<DofShare> shares);
  void replace(std::int32_t dof);

  [[nodiscard]] bool is_point(std::int32_t vertex) const {
    return !points_.empty() && points_[static_cast<std::size_t>(vertex)];
  }

  std::vector<bool> points_;
  std::vector<State> state_;
  std::unordered_map<std::int32_t, std::vector<DofShare>> shares_;      // of those that follow
  std::unordered_map<std::int32_t, std::vector<std::int32_t>> led_by_;  // those that follow each one, or did
  std::map<std::string, std::int64_t> held_otherwise_;                  // by origin
};

}  // namespace quartic
