// What the eigensolvers ask of a machine, on the device: see src/cpu/modes/block_space.hpp. Blocks stay there; small
// matrices are the host's, and functions that return or take them synchronise.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <random>
#include <vector>

#include "cuda/base/device_matrix.hpp"
#include "cuda/modes/elastic_system.hpp"
#include "quartic/modes.hpp"

namespace quartic::cuda {

class CudaBlockSpace {
 public:
  using Block = DeviceMatrix;

  explicit CudaBlockSpace(CudaElasticSystem& system, std::uint64_t seed = 0) : system_(system), engine_(seed) {}

  [[nodiscard]] std::int64_t rows() const { return system_.host().free_count(); }
  [[nodiscard]] double stiffness_norm() const { return system_.host().stiffness_norm; }
  [[nodiscard]] double mass_norm() const { return system_.host().mass_norm; }
  [[nodiscard]] bool has_rigid_motions() const { return system_.rigid().cols() > 0; }
  [[nodiscard]] int solves() const { return solves_; }
  /// Where columns pass through the factor together, LOBPCG's few wide blocks cost less than the narrow ones of
  /// Lanczos; where they go one by one, Lanczos needs fewer.
  [[nodiscard]] ModesMethod faster_method() const;

  [[nodiscard]] Block stiffness_times(const Block& x) const { return times(system_.stiffness(), x); }
  [[nodiscard]] Block mass_times(const Block& x) const { return times(system_.mass(), x); }
  [[nodiscard]] Block solve(Block b);
  void project(Block& x) const;
  void project_forces(Block& f) const;

  /// The CPU's numbers: the same start gives the same path, but for round-off.
  [[nodiscard]] Block random(Eigen::Index cols);
  [[nodiscard]] Block zeros(Eigen::Index cols) const;
  [[nodiscard]] Block copy(const Block& x) const;
  [[nodiscard]] Block select(const Block& x, const std::vector<Eigen::Index>& columns) const;
  [[nodiscard]] Block from_host(const Eigen::MatrixXd& x) const;
  [[nodiscard]] Matrix to_host(const Block& x, Eigen::Index columns) const;
  void append(Block& x, const Block& more) const;
  [[nodiscard]] Eigen::MatrixXd inner(const Block& x, const Block& y) const;
  void add_product(Block& y, const Block& x, const Eigen::MatrixXd& c) const;
  void subtract_scaled(Block& y, const Block& x, const Eigen::VectorXd& c) const { add_scaled(y, x, -c); }
  void add_scaled(Block& y, const Block& x, const Eigen::VectorXd& c) const;
  void scale_and_add(Block& y, const Eigen::VectorXd& c, const Block& x) const;
  [[nodiscard]] Eigen::VectorXd column_norms(const Block& x) const { return column_products(x, x).cwiseSqrt(); }
  [[nodiscard]] Eigen::VectorXd column_products(const Block& x, const Block& y) const;

 private:
  [[nodiscard]] cudaStream_t stream() const { return system_.stream(); }
  [[nodiscard]] Block times(const SparseView& a, const Block& x) const;
  void copy_columns(const double* from, Block& to, std::int64_t first, std::int64_t count) const;
  /// X -= Q P^T X.
  void remove(const DeviceMatrix& q, const DeviceMatrix& p, Block& x) const;

  CudaElasticSystem& system_;
  std::mt19937_64 engine_;
  int solves_ = 0;
};

}  // namespace quartic::cuda
