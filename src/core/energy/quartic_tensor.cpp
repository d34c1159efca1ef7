#include "core/energy/quartic_tensor.hpp"

#include "core/energy/symmetric_tensor.hpp"

namespace quartic {

QuarticEnergy symmetrise(const MatrixRef& gram, int rank) {
  const auto r = static_cast<std::size_t>(rank);
  const auto entry = [&](std::size_t row, std::size_t column) {
    return gram(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column));
  };
  QuarticEnergy energy{rank, {}};
  energy.coefficients.reserve(static_cast<std::size_t>(quartic_coefficient_count(rank)));
  for (std::size_t a = 0; a <= r; ++a)
    for (std::size_t b = a; b <= r; ++b)
      for (std::size_t c = b; c <= r; ++c)
        for (std::size_t d = c; d <= r; ++d) energy.coefficients.push_back(symmetric_entry(entry, a, b, c, d, r));
  return energy;
}

}  // namespace quartic
