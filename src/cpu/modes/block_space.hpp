// What the eigensolvers ask of a machine: products with K and M, the preconditioner, and block-vector algebra.
//
// The eigensolvers (lobpcg.hpp, block_lanczos.hpp) are templates on a class with these members; this one works on the
// CPU. A block is a tall matrix of m columns that stays on the machine; small matrices are Eigen's, on the host.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <random>
#include <vector>

#include "core/algebra/blas.hpp"
#include "core/algebra/sparse_product.hpp"
#include "core/modes/elastic_system.hpp"

namespace quartic {

class CpuBlockSpace {
 public:
  using Block = Eigen::MatrixXd;

  explicit CpuBlockSpace(const ElasticSystem::Impl& system, std::uint64_t seed = 0) : system_(system), engine_(seed) {}

  [[nodiscard]] std::int64_t rows() const { return system_.free_count(); }
  [[nodiscard]] double stiffness_norm() const { return system_.stiffness_norm; }
  [[nodiscard]] double mass_norm() const { return system_.mass_norm; }
  [[nodiscard]] bool has_rigid_motions() const { return system_.rigid.cols() > 0; }
  [[nodiscard]] int solves() const { return solves_; }
  /// docs/math.md says why.
  [[nodiscard]] ModesMethod faster_method() const { return ModesMethod::lanczos; }

  [[nodiscard]] Block stiffness_times(const Block& x) const { return sparse_times(system_.stiffness_free(), x); }
  [[nodiscard]] Block mass_times(const Block& x) const { return sparse_times(system_.mass_free(), x); }
  /// (K + shift M)^-1 b.
  [[nodiscard]] Block solve(Block b) {
    solves_ += static_cast<int>(b.cols());
    system_.factor->solve(b);
    return b;
  }
  /// Takes the rigid motions out of displacements, and out of forces what would move the body rigidly.
  void project(Block& x) const { system_.project_displacements(x); }
  void project_forces(Block& f) const { system_.project_forces(f); }

  [[nodiscard]] Block random(Eigen::Index cols) {
    Block x(rows(), cols);
    for (Eigen::Index i = 0; i < x.size(); ++i) x.data()[i] = static_cast<double>(engine_() >> 11) * 0x1p-52 - 1;
    return x;
  }
  [[nodiscard]] Block zeros(Eigen::Index cols) const { return Block::Zero(rows(), cols); }
  [[nodiscard]] Block copy(const Block& x) const { return x; }
  [[nodiscard]] Block select(const Block& x, const std::vector<Eigen::Index>& columns) const {
    return x(Eigen::all, columns);
  }
  [[nodiscard]] Block from_host(const Eigen::MatrixXd& x) const { return x; }
  /// The first columns.
  [[nodiscard]] Matrix to_host(const Block& x, Eigen::Index columns) const { return to_matrix(x.leftCols(columns)); }
  void append(Block& x, const Block& more) const {
    const Eigen::Index old = x.cols();
    x.conservativeResize(rows(), old + more.cols());
    x.rightCols(more.cols()) = more;
  }
  /// X^T Y.
  [[nodiscard]] Eigen::MatrixXd inner(const Block& x, const Block& y) const { return blas::multiply_transposed(x, y); }
  /// Y += X C.
  void add_product(Block& y, const Block& x, const Eigen::MatrixXd& c) const { blas::multiply(1, x, c, 1, y); }
  /// Y -= X diag(c), Y += X diag(c), Y = Y diag(c) + X.
  void subtract_scaled(Block& y, const Block& x, const Eigen::VectorXd& c) const { y.noalias() -= x * c.asDiagonal(); }
  void add_scaled(Block& y, const Block& x, const Eigen::VectorXd& c) const { y.noalias() += x * c.asDiagonal(); }
  void scale_and_add(Block& y, const Eigen::VectorXd& c, const Block& x) const { y = x + y * c.asDiagonal(); }
  [[nodiscard]] Eigen::VectorXd column_norms(const Block& x) const { return x.colwise().norm(); }
  /// Diagonal of X^T Y.
  [[nodiscard]] Eigen::VectorXd column_products(const Block& x, const Block& y) const {
    return x.cwiseProduct(y).colwise().sum();
  }

 private:
  const ElasticSystem::Impl& system_;
  std::mt19937_64 engine_;
  int solves_ = 0;
};

}  // namespace quartic
