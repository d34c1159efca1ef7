// Damping by strain rates as a polynomial: D_ij = sum over a, b = 0..r of (w_ia . w_jb) q^_a q^_b with q^ = (1, q) and
// the derivatives dy/dq_i = sum_a w_ia q^_a of the strains y.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "quartic/quartic_energy.hpp"
#include "quartic/storage.hpp"

namespace quartic {

/// The polynomial's coefficients.
struct StrainDampingForm {
  int rank = 0;
  /// Column by column the entries i <= j of D in pair order, times the monomials q^_a q^_b, a <= b, in pair order: as
  /// the columns of K in coefficient_matrix. Shape ((r+1)(r+2)/2, r(r+1)/2).
  Matrix coefficients = {};
};

using SharedStrainDamping = std::shared_ptr<const StrainDampingForm>;

/// Of a form that was checked. Cost p^3 / 6 and p^2 doubles, p = strain_count(r).
[[nodiscard]] StrainDampingForm strain_damping_form(const StrainForm& form);

}  // namespace quartic
