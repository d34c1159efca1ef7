#include "core/supports/freedom_map.hpp"

#include <limits>
#include <string>
#include <utility>

#include "core/mesh/attachments.hpp"
#include "core/supports/elimination.hpp"
#include "quartic/error.hpp"

namespace quartic {

namespace {

Supports with_joints(const VolumeMesh& mesh, Supports supports) {
  supports.constraints.insert(supports.constraints.end(), mesh.joints.begin(), mesh.joints.end());
  return supports;
}

}  // namespace

FreedomMap::FreedomMap(std::int64_t dofs, const Supports& supports) : FreedomMap(dofs, supports, {}) {}

FreedomMap::FreedomMap(const VolumeMesh& mesh, const Supports& supports)
    : FreedomMap(3 * mesh.vertex_count(), with_joints(mesh, supports), following_points(mesh)) {}

FreedomMap::FreedomMap(std::int64_t dofs, const Supports& supports, const std::vector<bool>& points)
    : dofs_(dofs), number_(static_cast<std::size_t>(dofs), -1) {
  Elimination elimination(dofs, points);
  for (const std::int32_t v : supports.fixed_vertices) elimination.fix(v);
  elimination.constrain(supports.constraints);
  warnings_ = elimination.warnings();
  for (std::size_t v = 0; v < points.size(); ++v)
    for (std::size_t c = 0; c < 3 && points[v]; ++c)
      if (elimination.is_free(static_cast<std::int64_t>(3 * v + c)))
        throw InputError("vertex " + std::to_string(v) +
                         " belongs to no element, and the joints that it follows leave it free along " + "xyz"[c]);
  for (std::int64_t dof = 0; dof < dofs; ++dof) {
    if (!elimination.is_free(dof)) continue;
    number_[static_cast<std::size_t>(dof)] = static_cast<std::int32_t>(free_dofs_.size());
    free_dofs_.push_back(static_cast<std::int32_t>(dof));
  }
  if (free_dofs_.empty())
    throw InputError(supports.constraints.empty() ? "every vertex is fixed: nothing can move"
                                                  : "the supports hold everything: nothing can move");
  offsets_.reserve(static_cast<std::size_t>(dofs) + 1);
  offsets_.push_back(0);
  for (std::int64_t dof = 0; dof < dofs; ++dof) {
    if (elimination.is_free(dof)) {
      shares_.push_back({number_[static_cast<std::size_t>(dof)], 1});
    } else if (const auto& shares = elimination.shares(dof); !shares.empty()) {
      followers_.push_back(static_cast<std::int32_t>(dof));
      for (const DofShare& share : shares)
        shares_.push_back({number_[static_cast<std::size_t>(share.dof)], share.factor});
    }
    offsets_.push_back(std::ssize(shares_));
  }
}

FreedomMap::FreedomMap(std::int64_t dofs, std::vector<std::int32_t> free_dofs)
    : dofs_(dofs), free_dofs_(std::move(free_dofs)), number_(static_cast<std::size_t>(dofs), -1) {
  auto next = free_dofs_.begin();
  offsets_.push_back(0);
  for (std::int64_t dof = 0; dof < dofs; ++dof) {
    if (next != free_dofs_.end() && *next == dof) {
      const auto number = static_cast<std::int32_t>(next++ - free_dofs_.begin());
      number_[static_cast<std::size_t>(dof)] = number;
      shares_.push_back({number, 1});
    }
    offsets_.push_back(std::ssize(shares_));
  }
}

bool FreedomMap::holds_whole_vertices() const {
  if (!is_selection() || free_dofs_.size() % 3 != 0) return false;
  for (std::size_t i = 0; i < free_dofs_.size(); i += 3)
    if (free_dofs_[i] % 3 != 0 || free_dofs_[i + 2] != free_dofs_[i] + 2) return false;
  return true;
}

Eigen::MatrixXd FreedomMap::restrict_displacements(MatrixRef whole) const {
  Eigen::MatrixXd free(free_count(), whole.cols());
  for (Eigen::Index j = 0; j < whole.cols(); ++j)
    for (Eigen::Index i = 0; i < free.rows(); ++i) free(i, j) = whole(free_dofs_[static_cast<std::size_t>(i)], j);
  return free;
}

Eigen::MatrixXd FreedomMap::restrict_forces(MatrixRef whole) const {
  Eigen::MatrixXd free = restrict_displacements(whole);
  for (Eigen::Index j = 0; j < whole.cols(); ++j)
    for (const std::int32_t dof : followers_)
      for (const FreeShare& share : row(dof)) free(share.free, j) += share.factor * whole(dof, j);
  return free;
}

void FreedomMap::expand(MatrixRef free, Eigen::Ref<Eigen::MatrixXd> whole) const {
  whole.setZero();
  for (Eigen::Index j = 0; j < whole.cols(); ++j) {
    for (Eigen::Index i = 0; i < free.rows(); ++i) whole(free_dofs_[static_cast<std::size_t>(i)], j) = free(i, j);
    for (const std::int32_t dof : followers_)
      for (const FreeShare& share : row(dof)) whole(dof, j) += share.factor * free(share.free, j);
  }
}

SparseMatrix FreedomMap::matrix() const {
  if (std::ssize(shares_) > std::numeric_limits<std::int32_t>::max())
    throw InputError("the supports couple so many displacements that 32-bit indices can't count them");
  SparseMatrix t;
  t.rows = dofs_;
  t.cols = free_count();
  for (const std::int64_t offset : offsets_) t.row_offsets.push_back(static_cast<std::int32_t>(offset));
  for (const FreeShare& share : shares_) {
    t.columns.push_back(share.free);
    t.values.push_back(share.factor);
  }
  return t;
}

SparseMatrix freedom_map(const VolumeMesh& mesh, const Supports& supports) {
  return FreedomMap(mesh, supports).matrix();
}

}  // namespace quartic
