// u = T x: all displacements of a body from those that its supports and joints leave free.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "quartic/matrix.hpp"
#include "quartic/mesh.hpp"
#include "quartic/supports.hpp"

namespace quartic {

/// A displacement's share of a free one.
struct FreeShare {
  std::int32_t free = 0;  ///< index among the free ones
  double factor = 0;
};

/// The free coordinates x are displacements themselves, so that restricting a displacement is a selection. The rows of
/// T that aren't free are zero where a displacement is held, or have a few shares where it follows others. At each
/// vertex, and then for each equation between vertices, the displacement with the largest factor follows: shares are
/// bounded by 1 within a vertex.
class FreedomMap {
 public:
  FreedomMap() = default;
  /// @param dofs 3n
  /// @throws InputError for vertices out of range, factors that are zero or not finite, directions that almost
  /// coincide,
  ///         or if nothing is free
  FreedomMap(std::int64_t dofs, const Supports& supports);
  /// Of a body with its joints, whose points that belong to no element follow.
  FreedomMap(const VolumeMesh& mesh, const Supports& supports);
  /// A selection. @param free_dofs ascending
  FreedomMap(std::int64_t dofs, std::vector<std::int32_t> free_dofs);

  [[nodiscard]] std::int64_t dof_count() const { return dofs_; }
  [[nodiscard]] std::int64_t free_count() const { return static_cast<std::int64_t>(free_dofs_.size()); }
  [[nodiscard]] const std::vector<std::int32_t>& free_dofs() const { return free_dofs_; }  ///< ascending
  /// Nothing follows others: T has a 1 in each column and nothing else.
  [[nodiscard]] bool is_selection() const { return followers_.empty(); }
  /// A selection of whole vertices.
  [[nodiscard]] bool holds_whole_vertices() const;

  [[nodiscard]] bool is_free(std::int64_t dof) const { return number_[static_cast<std::size_t>(dof)] >= 0; }

  /// The row of T: none for a held displacement, 1 for a free one.
  [[nodiscard]] std::span<const FreeShare> row(std::int64_t dof) const {
    return {shares_.data() + offsets_[static_cast<std::size_t>(dof)],
            shares_.data() + offsets_[static_cast<std::size_t>(dof) + 1]};
  }

  /// x of displacements that obey the supports, (3n, m) to (free, m).
  [[nodiscard]] Eigen::MatrixXd restrict_displacements(MatrixRef whole) const;
  /// T^T f.
  [[nodiscard]] Eigen::MatrixXd restrict_forces(MatrixRef whole) const;
  /// T x.
  void expand(MatrixRef free, Eigen::Ref<Eigen::MatrixXd> whole) const;
  /// T itself.
  [[nodiscard]] SparseMatrix matrix() const;

  /// The displacements that follow others, ascending.
  [[nodiscard]] std::span<const std::int32_t> followers() const { return followers_; }
  /// A sentence for each origin of constraints whose first vertex is held otherwise.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  FreedomMap(std::int64_t dofs, const Supports& supports, const std::vector<bool>& points);

  std::int64_t dofs_ = 0;
  std::vector<std::int32_t> free_dofs_, followers_;
  std::vector<std::int32_t> number_;   // of each displacement among the free ones; -1: not free
  std::vector<std::int64_t> offsets_;  // of each row of T
  std::vector<FreeShare> shares_;
  std::vector<std::string> warnings_;
};

}  // namespace quartic
