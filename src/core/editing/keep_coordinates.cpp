// Fewer coordinates: terms of the energy and columns of the basis are dropped.
#include <algorithm>
#include <string>
#include <vector>

#include "core/energy/quartic_polynomial.hpp"
#include "quartic/editing.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

void require_kept(std::span<const int> kept, int rank) {
  if (kept.empty()) throw InputError("no coordinate is kept: name at least one");
  std::vector<bool> seen(static_cast<std::size_t>(rank));
  for (const int i : kept) {
    if (i < 0 || i >= rank)
      throw InputError("coordinate " + std::to_string(i) + " is to be kept, but there are only 0 .. " +
                       std::to_string(rank - 1));
    if (seen[static_cast<std::size_t>(i)]) throw InputError("coordinate " + std::to_string(i) + " is to be kept twice");
    seen[static_cast<std::size_t>(i)] = true;
  }
}

Matrix keep_columns(const Matrix& matrix, std::span<const int> kept) {
  Matrix result(matrix.rows, std::ssize(kept));
  for (std::size_t i = 0; i < kept.size(); ++i)
    std::ranges::copy(matrix.col(kept[i]), result.col(static_cast<std::int64_t>(i)).begin());
  return result;
}

Matrix keep_rows(const Matrix& matrix, std::span<const int> kept) {
  Matrix result(std::ssize(kept), matrix.cols);
  for (std::int64_t j = 0; j < matrix.cols; ++j)
    for (std::size_t i = 0; i < kept.size(); ++i) result(static_cast<std::int64_t>(i), j) = matrix(kept[i], j);
  return result;
}

// The moments of some of the fields: a transform of zeros and ones leaves each number as it is.
FrameMoments keep_fields(const FrameMoments& moments, std::span<const int> kept) {
  FrameChange change{.translation = Matrix(moments.rank(), 3), .transform = Matrix(moments.rank(), std::ssize(kept))};
  for (std::size_t i = 0; i < kept.size(); ++i) change.transform(kept[i], static_cast<std::int64_t>(i)) = 1;
  FrameMoments result = change_frame(moments, change);
  result.unit_acceleration = keep_rows(moments.unit_acceleration, kept);
  return result;
}

}  // namespace

QuarticEnergy keep_coordinates(const QuarticEnergy& energy, std::span<const int> kept) {
  check(energy);
  require_kept(kept, energy.rank);
  std::vector<std::size_t> old = {0};  // old index of each new one, the constant included
  for (const int i : kept) old.push_back(static_cast<std::size_t>(i) + 1);
  QuarticEnergy result{static_cast<int>(kept.size()), {}};
  const auto n = old.size();
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a; b < n; ++b)
      for (std::size_t c = b; c < n; ++c)
        for (std::size_t d = c; d < n; ++d)
          result.coefficients.push_back(coefficient(energy, old[a], old[b], old[c], old[d]));
  return result;
}

ReducedModel keep_basis_vectors(const ReducedModel& model, std::span<const int> kept) {
  if (model.rank() < 1) throw InputError("the model has no basis to keep vectors of");
  if (model.cubature)
    throw InputError(
        "the weights of a cubature belong to the whole basis; reduce the mesh with fewer basis vectors instead");
  ReducedModel result = model;
  result.energy = keep_coordinates(model.energy, kept);
  if (model.relaxation) result.relaxation = keep_coordinates(*model.relaxation, kept);
  for (ModelChamber& chamber : result.chambers) chamber.volume = keep_coordinates(chamber.volume, kept);
  result.basis = keep_columns(model.basis, kept);
  result.unit_acceleration = keep_rows(model.unit_acceleration, kept);
  for (RegionEnergy& part : result.region_energy)
    part = {keep_coordinates(part.lambda_part, kept), keep_coordinates(part.mu_part, kept)};
  for (Matrix& part : result.region_mass) part = keep_rows(keep_columns(part, kept), kept);
  for (Matrix& part : result.region_unit_acceleration) part = keep_rows(part, kept);
  if (result.frame_moments) result.frame_moments = keep_fields(*result.frame_moments, kept);
  for (FrameMoments& part : result.region_moments) part = keep_fields(part, kept);
  if (result.bound_tree) result.bound_tree = refitted(*result.bound_tree, result);
  return result;
}

}  // namespace quartic
