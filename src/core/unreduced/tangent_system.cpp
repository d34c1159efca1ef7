#include "core/unreduced/tangent_system.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/batch/shift_rule.hpp"
#include "core/factorization/factorization_impl.hpp"
#include "core/fem/internal_forces.hpp"
#include "quartic/error.hpp"

namespace quartic::cpu {
namespace {

// Where the entries of `part` stand in `whole`, whose pattern contains that of `part`.
std::vector<std::int32_t> places_in(const SparseMatrix& part, const SparseMatrix& whole) {
  std::vector<std::int32_t> places;
  places.reserve(part.columns.size());
  for (std::size_t row = 0; row + 1 < part.row_offsets.size(); ++row) {
    auto at = whole.columns.begin() + whole.row_offsets[row];
    for (auto entry = part.row_offsets[row]; entry < part.row_offsets[row + 1]; ++entry) {
      at = std::find(at, whole.columns.end(), part.columns[static_cast<std::size_t>(entry)]);
      places.push_back(static_cast<std::int32_t>(at - whole.columns.begin()));
    }
  }
  return places;
}

// The place of K's entry (3 a + i, 3 b), or the end of its row.
std::int32_t place_of(const SparseMatrix& k, std::size_t row, std::int32_t b) {
  const auto begin = k.columns.begin() + k.row_offsets[row], end = k.columns.begin() + k.row_offsets[row + 1];
  const auto found = std::lower_bound(begin, end, 3 * b);
  return static_cast<std::int32_t>((found != end && *found == 3 * b ? found : end) - k.columns.begin());
}

// Vertices of a face are vertices of an element, so that K has entries for them.
void require_entries(const SparseMatrix& k, const ChamberVolume& volume, const std::string& name) {
  volume.for_each_hessian_block({}, [&](std::int32_t a, std::int32_t b, const std::array<double, 9>&) {
    const std::size_t row = 3 * static_cast<std::size_t>(a);
    if (place_of(k, row, b) == k.row_offsets[row + 1])
      throw InputError("chamber '" + name + "' has a face with vertices " + std::to_string(a) + " and " +
                       std::to_string(b) + ", which no element has both");
  });
}

}  // namespace

TangentSystem::TangentSystem(const PreparedMesh& mesh, const FreedomMap& map, const SparseMatrix* mass,
                             FactorizationOptions options, const Heating& heating, std::span<const Chamber> chambers)
    : forces_(make_internal_forces(mesh, heating)),
      k_(forces_.zero_stiffness()),
      map_(map),
      system_(k_, map),
      options_(options) {
  options_.updatable = true;
  for (const Chamber& chamber : chambers) {
    chambers_.emplace_back(mesh.mesh(), chamber);
    require_entries(k_, chambers_.back(), chamber.name);
  }
  pressures_.assign(chambers.size(), 0.0);
  if (mass == nullptr) return;
  mass_ = FreeMatrix(*mass, map).matrix;
  mass_places_ = places_in(mass_, system_.matrix);
}

void TangentSystem::evaluate(std::span<const double> u, std::span<double> r) {
  forces_.evaluate(u, r, k_);
  add_pressures(-1, u, r);
  add_pressure_stiffness(u);
}

void TangentSystem::add_pressures(double sign, std::span<const double> u, std::span<double> r) const {
  for (std::size_t c = 0; c < chambers_.size(); ++c)
    if (pressures_[c] != 0) chambers_[c].add_gradient(sign * pressures_[c], u, r);
}

double TangentSystem::pressure_work(std::span<const double> u) const {
  double work = 0;
  for (std::size_t c = 0; c < chambers_.size(); ++c)
    if (pressures_[c] != 0) work += pressures_[c] * chambers_[c].volume(u);
  return work;
}

void TangentSystem::add_pressure_stiffness(std::span<const double> u) {
  for (std::size_t c = 0; c < chambers_.size(); ++c) {
    if (pressures_[c] == 0) continue;
    chambers_[c].for_each_hessian_block(u, [&](std::int32_t a, std::int32_t b, const std::array<double, 9>& block) {
      for (std::size_t i = 0; i < 3; ++i) {
        const auto first = static_cast<std::size_t>(place_of(k_, 3 * static_cast<std::size_t>(a) + i, b));
        for (std::size_t j = 0; j < 3; ++j) k_.values[first + j] -= pressures_[c] * block[3 * i + j];
      }
    });
  }
}

void TangentSystem::evaluate_viscosity(std::span<const double> u) {
  if (d_.rows == 0) d_ = forces_.zero_stiffness();
  forces_.viscous_stiffness(u, d_);
}

void TangentSystem::combine(double mass_scale, double stiffness_scale, double viscosity_scale) {
  if (viscosity_scale == 0) {
    system_.assign(stiffness_scale, k_.values);
  } else {
    for (std::size_t i = 0; i < d_.values.size(); ++i)
      d_.values[i] = stiffness_scale * k_.values[i] + viscosity_scale * d_.values[i];
    system_.assign(1, d_.values);
  }
  if (mass_scale == 0) return;
  for (std::size_t i = 0; i < mass_places_.size(); ++i)
    system_.matrix.values[static_cast<std::size_t>(mass_places_[i])] += mass_scale * mass_.values[i];
}

bool TangentSystem::try_factorization() {
  try {
    if (factor_) {
      factor_->update(system_.matrix);
    } else {
      factor_.emplace(system_.matrix, options_);
    }
    return true;
  } catch (const NotPositiveDefinite&) {
    return false;
  }
}

template <class Change>
void TangentSystem::change_diagonal(const Change& change) {
  const SparseMatrix& a = system_.matrix;
  for (std::int32_t row = 0; row < a.rows; ++row) {
    const auto begin = a.columns.begin() + a.row_offsets[static_cast<std::size_t>(row)];
    const auto end = a.columns.begin() + a.row_offsets[static_cast<std::size_t>(row) + 1];
    change(system_.matrix.values[static_cast<std::size_t>(std::lower_bound(begin, end, row) - a.columns.begin())]);
  }
}

std::optional<double> TangentSystem::factorize(double mass_scale, double stiffness_scale, double viscosity_scale) {
  combine(mass_scale, stiffness_scale, viscosity_scale);
  const auto first = [&] {
    double sum = 0;
    change_diagonal([&](const double& entry) { sum += std::abs(entry); });
    return first_shift(sum) / static_cast<double>(system_.matrix.rows);
  };
  double added = 0;
  const ShiftResult<double> result = factorize_by_shifts<double>(first, [&](double shift) {
    if (shift != 0) change_diagonal([&](double& entry) { entry += shift - added; });
    added = shift;
    return try_factorization();
  });
  return result.solvable ? std::optional(result.shift) : std::nullopt;
}

Eigen::VectorXd TangentSystem::restrict_displacements(std::span<const double> whole) const {
  Eigen::VectorXd part(map_.free_count());
  for (Eigen::Index i = 0; i < part.size(); ++i)
    part[i] = whole[static_cast<std::size_t>(map_.free_dofs()[static_cast<std::size_t>(i)])];
  return part;
}

Eigen::VectorXd TangentSystem::restrict_forces(std::span<const double> whole) const {
  Eigen::VectorXd part = restrict_displacements(whole);
  for (const std::int32_t dof : map_.followers())
    for (const FreeShare& share : map_.row(dof))
      part[share.free] += share.factor * whole[static_cast<std::size_t>(dof)];
  return part;
}

void TangentSystem::hold(std::span<double> whole) const {
  const Eigen::VectorXd x = restrict_displacements(whole);
  for (std::size_t dof = 0; dof < whole.size(); ++dof)
    if (!map_.is_free(static_cast<std::int64_t>(dof))) whole[dof] = 0;
  add_to_followers(1, x, whole);
}

void TangentSystem::move_to(const Eigen::VectorXd& x, std::span<double> whole) const {
  const Eigen::VectorXd way = x - restrict_displacements(whole);
  for (Eigen::Index i = 0; i < x.size(); ++i)
    whole[static_cast<std::size_t>(map_.free_dofs()[static_cast<std::size_t>(i)])] = x[i];
  add_to_followers(1, way, whole);
}

void TangentSystem::add_to_whole(double scale, const Eigen::VectorXd& x, std::span<double> whole) const {
  for (Eigen::Index i = 0; i < x.size(); ++i)
    whole[static_cast<std::size_t>(map_.free_dofs()[static_cast<std::size_t>(i)])] += scale * x[i];
  add_to_followers(scale, x, whole);
}

void TangentSystem::add_to_followers(double scale, const Eigen::VectorXd& x, std::span<double> whole) const {
  for (const std::int32_t dof : map_.followers())
    for (const FreeShare& share : map_.row(dof))
      whole[static_cast<std::size_t>(dof)] += scale * share.factor * x[share.free];
}

}  // namespace quartic::cpu
