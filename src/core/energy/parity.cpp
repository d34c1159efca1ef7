// Over the field of two elements: an entry that isn't zero says that the parities of its indices add up to zero. What
// solves all of these equations are parities.
#include "core/energy/parity.hpp"

#include <array>
#include <bitset>
#include <cstddef>
#include <numeric>
#include <optional>

#include "core/energy/quartic_polynomial.hpp"

namespace quartic {
namespace {

/// Coordinates q_1, ... that an equation adds up.
using Equation = std::bitset<rank_limit + 1>;

/// Equations in reduced echelon form: each has a coordinate that no other one has.
class Equations {
 public:
  explicit Equations(std::size_t coordinates) : coordinates_(coordinates), pivoted_(coordinates + 1) {}

  [[nodiscard]] bool leave_nothing() const { return count_ == coordinates_; }

  // That these indices' parities add up to an even number. An equation has no other one's pivot, so that each index is
  // looked at once.
  template <std::size_t order>
  void add(const std::array<std::size_t, order>& indices) {
    Equation equation;
    for (const std::size_t i : indices)
      if (i > 0) equation.flip(i);
    for (const std::size_t i : indices)
      if (i > 0 && equation[i] && pivoted_[i]) equation ^= *pivoted_[i];
    if (equation.none()) return;
    std::size_t pivot = 1;
    while (!equation[pivot]) ++pivot;
    for (std::optional<Equation>& other : pivoted_)
      if (other && (*other)[pivot]) *other ^= equation;
    pivoted_[pivot] = equation;
    ++count_;
  }

  /// Of each coordinate that isn't determined by others, the first ones: 1 for it and 0 for other such ones.
  [[nodiscard]] Parities solutions() const {
    Parities parities{.of = std::vector<std::uint8_t>(coordinates_ + 1)};
    for (std::size_t open = 1; open <= coordinates_ && parities.count < most_parities; ++open) {
      if (pivoted_[open]) continue;
      const auto bit = static_cast<std::uint8_t>(1 << parities.count++);
      for (std::size_t i = 1; i <= coordinates_; ++i)
        if (i == open || (pivoted_[i] && (*pivoted_[i])[open])) parities.of[i] |= bit;
    }
    return parities;
  }

 private:
  std::size_t coordinates_, count_ = 0;
  std::vector<std::optional<Equation>> pivoted_;
};

// Over the entries of a symmetric tensor, in their order.
void add_quartic(const QuarticEnergy& energy, Equations& equations) {
  const auto n = static_cast<std::size_t>(energy.rank) + 1;
  const double* value = energy.coefficients.data();
  for (std::size_t a = 0; a < n && !equations.leave_nothing(); ++a)
    for (std::size_t b = a; b < n; ++b)
      for (std::size_t c = b; c < n; ++c)
        for (std::size_t d = c; d < n; ++d)
          if (*value++ != 0) equations.add(std::array{a, b, c, d});
}
void add_cubic(const EnclosedVolume& volume, Equations& equations) {
  const auto n = static_cast<std::size_t>(volume.rank) + 1;
  const double* value = volume.coefficients.data();
  for (std::size_t a = 0; a < n && !equations.leave_nothing(); ++a)
    for (std::size_t b = a; b < n; ++b)
      for (std::size_t c = b; c < n; ++c)
        if (*value++ != 0) equations.add(std::array{a, b, c});
}

}  // namespace

Parities parities(const QuarticEnergy& energy, std::span<const EnclosedVolume> volumes) {
  check(energy);
  Equations equations(static_cast<std::size_t>(energy.rank));
  for (const EnclosedVolume& volume : volumes) add_cubic(volume, equations);
  add_quartic(energy, equations);
  return equations.solutions();
}

double work_share(const Parities& parities) {
  std::array<double, 1 << most_parities> pairs = {};
  for (std::size_t a = 0; a < parities.of.size(); ++a)
    for (std::size_t b = a; b < parities.of.size(); ++b) ++pairs[static_cast<std::size_t>(parities.of_pair(a, b))];
  const double all = std::accumulate(pairs.begin(), pairs.end(), 0.0);
  return std::inner_product(pairs.begin(), pairs.end(), pairs.begin(), 0.0) / (all * all);
}

}  // namespace quartic
