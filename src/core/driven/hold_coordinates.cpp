// S and the volumes are symmetric forms in q^ = (1, q). A coordinate that is held is a multiple of q^_0: a term with it
// goes to the one that has q^_0 in its place, with as many permutations as both have.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include "core/energy/enclosed_volume.hpp"
#include "core/energy/quartic_polynomial.hpp"
#include "core/energy/symmetric_tensor.hpp"
#include "quartic/driven.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

void require_values(std::span<const double> values, int rank) {
  if (std::ssize(values) >= rank)
    throw InputError("of " + std::to_string(rank) + " coordinates " + std::to_string(values.size()) +
                     " can't be held: at least one must stay");
  if (!std::ranges::all_of(values, [](double x) { return std::isfinite(x); }))
    throw InputError("coordinates are held at finite numbers");
}

// Of sorted indices.
template <std::size_t size>
double permutations(const std::array<std::size_t, size>& indices) {
  double count = 1, run = 1;
  for (std::size_t i = 1; i < size; ++i) {
    run = indices[i] == indices[i - 1] ? run + 1 : 1;
    count *= static_cast<double>(i + 1) / run;
  }
  return count;
}

/// A term of the full form in the form of the first `rank` coordinates.
template <std::size_t size>
struct HeldTerm {
  std::array<std::size_t, size> indices;  // sorted
  double factor;

  HeldTerm(const std::array<std::size_t, size>& full, std::size_t rank, std::span<const double> values)
      : indices(full), factor(permutations(full)) {
    for (std::size_t& i : indices)
      if (i > rank) {
        factor *= values[i - rank - 1];
        i = 0;
      }
    std::ranges::sort(indices);
    factor /= permutations(indices);
  }
};

}  // namespace

QuarticEnergy hold_coordinates(const QuarticEnergy& energy, std::span<const double> values) {
  check(energy);
  require_values(values, energy.rank);
  QuarticEnergy held{energy.rank - static_cast<int>(values.size()), {}};
  held.coefficients.resize(static_cast<std::size_t>(quartic_coefficient_count(held.rank)));
  const auto n = static_cast<std::size_t>(energy.rank) + 1, rank = static_cast<std::size_t>(held.rank);
  std::size_t next = 0;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a; b < n; ++b)
      for (std::size_t c = b; c < n; ++c)
        for (std::size_t d = c; d < n; ++d) {
          const HeldTerm<4> term({a, b, c, d}, rank, values);
          const auto& [i, j, k, l] = term.indices;
          held.coefficients[sorted_index(i, j, k, l, rank)] += term.factor * energy.coefficients[next++];
        }
  return held;
}

EnclosedVolume hold_coordinates(const EnclosedVolume& volume, std::span<const double> values) {
  check(volume);
  require_values(values, volume.rank);
  EnclosedVolume held{volume.rank - static_cast<int>(values.size()), {}};
  held.coefficients.resize(static_cast<std::size_t>(cubic_coefficient_count(held.rank)));
  const auto n = static_cast<std::size_t>(volume.rank) + 1, rank = static_cast<std::size_t>(held.rank);
  std::size_t next = 0;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a; b < n; ++b)
      for (std::size_t c = b; c < n; ++c) {
        const HeldTerm<3> term({a, b, c}, rank, values);
        const auto& [i, j, k] = term.indices;
        held.coefficients[triple_index(i, j, k, rank + 1)] += term.factor * volume.coefficients[next++];
      }
  return held;
}

}  // namespace quartic
