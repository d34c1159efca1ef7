#include "core/elastic_energy.hpp"

#include <cstddef>

namespace quartic {

double elastic_energy(const QuarticEnergy& energy, std::span<const double> x) {
  const double* coefficient = energy.coefficients.data();
  const std::size_t n = x.size();
  double sum_a = 0;
  for (std::size_t a = 0; a < n; ++a) {
    double sum_b = 0;
    for (std::size_t b = a; b < n; ++b) {
      double sum_c = 0;
      for (std::size_t c = b; c < n; ++c) {
        // How often c stands among (a, b, c): d = c makes it one more.
        const int equal = 1 + (b == c ? 1 : 0) + (a == c ? 1 : 0);
        double sum_d = *coefficient++ * x[c] / (equal + 1);
        for (std::size_t d = c + 1; d < n; ++d) sum_d += *coefficient++ * x[d];
        sum_c += sum_d * x[c] / equal;
      }
      sum_b += sum_c * x[b] / (a == b ? 2 : 1);
    }
    sum_a += sum_b * x[a];
  }
  return sum_a;
}

}  // namespace quartic
