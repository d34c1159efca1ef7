// From products of strains to the strains that fields following at rest take away.
#pragma once

#include <optional>

#include "quartic/matrix.hpp"
#include "quartic/relaxation.hpp"

namespace quartic {

/// Coefficients C such that Y C is K-orthonormal, and K-orthogonal to U after U D is added.
struct FollowingCombination {
  Eigen::MatrixXd fields;  ///< C, shape (n, at most n)
  Eigen::MatrixXd basis;   ///< D, shape (h, the same)
};
/// @param basis_stiffness K_UU @param mixed K_UY @param stiffness K_YY
[[nodiscard]] FollowingCombination orthonormal_combination(const Eigen::MatrixXd& basis_stiffness,
                                                           const Eigen::MatrixXd& mixed,
                                                           const Eigen::MatrixXd& stiffness);
/// Of all products. @param kept h, the number of fields that the others are kept K-orthogonal to
[[nodiscard]] FollowingCombination orthonormal_combination(const StrainProducts& products, std::int64_t kept);

/// t = S^(-1/2) (G_Y - K_YU K_UU^-1 G_U), with S the Schur complement of K_YY: Y made K-orthogonal to U. Directions of
/// Y that are (nearly) in the space of U or of the others are left out: t has a row for each that remains.
/// @param kept as above
[[nodiscard]] Matrix following_products(const StrainProducts& products, std::int64_t kept);
/// The same of a combination. @param forces W^T g, as in StrainProducts
[[nodiscard]] Matrix following_products(const Matrix& forces, const FollowingCombination& combination);

/// The products, h + n there, of h fields as they are and of the combination instead of the n others.
[[nodiscard]] StrainProducts combine_fields(const StrainProducts& products, const FollowingCombination& combination);

}  // namespace quartic
