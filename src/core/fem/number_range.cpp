#include "core/fem/number_range.hpp"

#include <array>
#include <cmath>
#include <string>

#include "core/base/number_text.hpp"
#include "core/elements/element_geometry.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

// The square of 1e100 leaves a third of the range to sums and to the condition of matrices.
constexpr double largest_exponent = 100;

// In the logarithm nothing overflows.
double log_size(const VolumeMesh& mesh) {
  const std::array<double, 6> box = element_box(mesh);
  double largest = 0;
  for (std::size_t c = 0; c < 3; ++c) largest = std::max(largest, box[c + 3] / 2 - box[c] / 2);
  return std::log10(largest) + std::log10(2.0);
}

std::string power(double exponent) {
  return "1e" + number_text(std::round(exponent), 4);
}

}  // namespace

void require_number_range(const VolumeMesh& mesh, const ElementMaterials& materials) {
  const double size = log_size(mesh);
  if (std::isinf(size) && size < 0) return;  // a body without extent has no volume, which is told elsewhere
  for (std::size_t region = 0; region < materials.density.size(); ++region) {
    const double lambda = materials.lambda[region], mu = materials.mu[region];
    const double stiffness = std::log10(std::max(std::abs(lambda), mu)),
                 density = std::log10(materials.density[region]);
    const struct {
      const char* what;
      double exponent;
    } numbers[] = {{"entries of the stiffness matrix", stiffness + size},
                   {"entries of the mass matrix", density + 3 * size},
                   {"eigenvalues", stiffness - density - 2 * size},
                   {"modal derivatives", -density - 5 * size},
                   {"coefficients of the energy", stiffness - 2 * density - 7 * size}};
    for (const auto& [what, exponent] : numbers)
      if (!(std::abs(exponent) <= largest_exponent))
        throw InputError("the body's numbers are out of range: with a size of " + power(size) + " m, a stiffness of " +
                         power(stiffness) + " Pa and a density of " + power(density) + " kg/m^3 (region '" +
                         mesh.regions[region].name + "'), " + what + " are about " + power(exponent) +
                         ", but must lie between 1e-100 and 1e100; are the units right?");
  }
}

}  // namespace quartic
