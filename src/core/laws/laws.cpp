#include "quartic/laws.hpp"

#include <algorithm>
#include <cmath>

#include "core/laws/point_law.hpp"
#include "core/laws/projected_tangent.hpp"
#include "quartic/error.hpp"

namespace quartic {

LawResponse evaluate_law(const Material& material, std::span<const double, 9> deformation_gradient,
                         LawTangent tangent) {
  check_material(material, "the material");
  if (!std::ranges::all_of(deformation_gradient, [](double x) { return std::isfinite(x); }))
    throw InputError("the deformation gradient has an entry that isn't a finite number");
  std::array<double, 9> a;
  for (std::size_t n = 0; n < 9; ++n) a[n] = deformation_gradient[n] - (n % 4 == 0 ? 1 : 0);
  const auto k = law_constants(material.law, lame_lambda(material), lame_mu(material), material.mooney_share);
  LawResponse response;
  response.energy = law_energy(material.law, k, a.data());
  law_stress(material.law, k, a.data(), response.stress.data());
  std::array<double, 45> c;
  if (tangent == LawTangent::exact)
    law_tangent(material.law, k, a.data(), c.data());
  else
    projected_tangent(material, a.data(), c.data());
  for (int row = 0; row < 9; ++row)
    for (int column = 0; column < 9; ++column)
      response.tangent[static_cast<std::size_t>(9 * row + column)] =
          c[static_cast<std::size_t>(packed(std::min(row, column), std::max(row, column)))];
  return response;
}

}  // namespace quartic
