#include "core/quartic_tensor.hpp"

#include <algorithm>

#include "core/quartic_polynomial.hpp"

namespace quartic {

QuarticEnergy symmetrise(const MatrixRef& gram, int rank) {
  const auto r = static_cast<std::size_t>(rank);
  const auto product = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    if (b == 0 || d == 0) return 0.0;  // pair (0, 0), which has no row
    const auto first = static_cast<Eigen::Index>(pair_index(a, b, r + 1)) - 1;
    const auto second = static_cast<Eigen::Index>(pair_index(c, d, r + 1)) - 1;
    return gram(std::max(first, second), std::min(first, second));
  };
  QuarticEnergy energy{rank, {}};
  energy.coefficients.reserve(static_cast<std::size_t>(quartic_coefficient_count(rank)));
  for (std::size_t a = 0; a <= r; ++a)
    for (std::size_t b = a; b <= r; ++b)
      for (std::size_t c = b; c <= r; ++c)
        for (std::size_t d = c; d <= r; ++d)
          energy.coefficients.push_back(product(a, b, c, d) + product(a, c, b, d) + product(a, d, b, c));
  return energy;
}

}  // namespace quartic
