// Cubatures as evaluators see them.
#pragma once

#include "core/laws/law_constants.hpp"
#include "quartic/cubature.hpp"

namespace quartic {

[[nodiscard]] inline LawConstants<double> law_constants(const PointMaterial& material) {
  return law_constants(material.law, material.lambda, material.mu, material.mooney_share);
}

/// A material that has these constants; its density is of no interest.
[[nodiscard]] Material material_of(const PointMaterial& point);

/// psi - psi_0 [J/m^3] at a point. @param a F - I
[[nodiscard]] double point_energy(ControlVariate base, const PointMaterial& material, const double* a);

/// P - P_0 [Pa], and C - C_0 (45 entries) where it isn't null; `projected` takes the negative eigenvalues out of C, not
/// of the difference.
void point_response(const Cubature& cubature, const PointMaterial& material, const double* a, double* p, double* c);

/// V_0 as a polynomial: zero, 1/2 q^T K(0) q or the StVK energy.
[[nodiscard]] QuarticEnergy base_polynomial(const Cubature& cubature);

/// The sum over points, without V_0: V, and R and K where they aren't null, which it is added to.
/// @param q shape (rank)
[[nodiscard]] double add_points(const Cubature& cubature, const double* q, double* force, Matrix* stiffness);

}  // namespace quartic
