#include "core/unreduced/tangent_system.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/thread_pool.hpp"
#include "core/batch/shift_rule.hpp"
#include "core/factorization/factorization_impl.hpp"
#include "core/fem/internal_forces.hpp"
#include "quartic/error.hpp"

namespace quartic::cpu {
namespace {

constexpr std::int64_t entries_per_task = 1 << 15;

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

}  // namespace

TangentSystem::TangentSystem(const PreparedMesh& mesh, std::span<const std::int32_t> fixed_vertices,
                             const SparseMatrix* mass, FactorizationOptions options)
    : forces_(make_internal_forces(mesh)),
      k_(forces_.zero_stiffness()),
      free_dofs_(find_free_dofs(k_.rows, fixed_vertices)),
      system_(k_, free_dofs_),
      options_(options) {
  options_.updatable = true;
  if (mass == nullptr) return;
  mass_ = FreeMatrix(*mass, free_dofs_).matrix;
  mass_places_ = places_in(mass_, system_.matrix);
}

void TangentSystem::combine(double mass_scale, double stiffness_scale) {
  std::vector<double>& a = system_.matrix.values;
  parallel_ranges(std::ssize(a), entries_per_task, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      a[i] = stiffness_scale * k_.values[static_cast<std::size_t>(system_.source[i])];
  });
  if (mass_scale == 0) return;
  for (std::size_t i = 0; i < mass_places_.size(); ++i)
    a[static_cast<std::size_t>(mass_places_[i])] += mass_scale * mass_.values[i];
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

std::optional<double> TangentSystem::factorize(double mass_scale, double stiffness_scale) {
  combine(mass_scale, stiffness_scale);
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

Eigen::VectorXd TangentSystem::restrict_to_free(std::span<const double> whole) const {
  Eigen::VectorXd part(std::ssize(free_dofs_));
  for (Eigen::Index i = 0; i < part.size(); ++i)
    part[i] = whole[static_cast<std::size_t>(free_dofs_[static_cast<std::size_t>(i)])];
  return part;
}

void TangentSystem::hold_fixed(std::span<double> whole) const {
  auto next = free_dofs_.begin();
  for (std::size_t dof = 0; dof < whole.size(); ++dof) {
    if (next != free_dofs_.end() && static_cast<std::size_t>(*next) == dof) {
      ++next;
    } else {
      whole[dof] = 0;
    }
  }
}

void TangentSystem::copy_to_whole(const Eigen::VectorXd& x, std::span<double> whole) const {
  for (Eigen::Index i = 0; i < x.size(); ++i)
    whole[static_cast<std::size_t>(free_dofs_[static_cast<std::size_t>(i)])] = x[i];
}

void TangentSystem::add_to_whole(double scale, const Eigen::VectorXd& x, std::span<double> whole) const {
  for (Eigen::Index i = 0; i < x.size(); ++i)
    whole[static_cast<std::size_t>(free_dofs_[static_cast<std::size_t>(i)])] += scale * x[i];
}

}  // namespace quartic::cpu
