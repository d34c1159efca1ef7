// K(u) of a mesh on its free degrees of freedom, and factors of combinations with M, on one pattern.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/chambers/face_triples.hpp"
#include "core/fem/free_matrix.hpp"
#include "core/fem/prepared_mesh.hpp"
#include "quartic/factorization.hpp"
#include "quartic/fem.hpp"
#include "quartic/matrix.hpp"
#include "quartic/thermal.hpp"

namespace quartic::cpu {

class TangentSystem {
 public:
  /// @param mass shape (3n, 3n), or null where none is needed; must outlive this object
  /// @param chambers of the mesh, each under a pressure of 0
  TangentSystem(const PreparedMesh& mesh, const FreedomMap& map, const SparseMatrix* mass, FactorizationOptions options,
                const Heating& heating, std::span<const Chamber> chambers);

  [[nodiscard]] std::int64_t dof_count() const { return k_.rows; }
  [[nodiscard]] InternalForces& forces() { return forces_; }
  [[nodiscard]] const SparseMatrix& stiffness() const { return k_; }  ///< of the last `evaluate`
  [[nodiscard]] std::string_view factorization_name() const { return factor_ ? factor_->name() : ""; }

  /// Of each chamber [Pa].
  [[nodiscard]] std::vector<double>& pressures() { return pressures_; }
  [[nodiscard]] const ChamberVolume& chamber(std::size_t c) const { return chambers_[c]; }

  /// R(u), with the pressures' forces, and K(u) to be kept, likewise.
  void evaluate(std::span<const double> u, std::span<double> r);
  /// D(u) of damping by strain rates, to be kept.
  void evaluate_viscosity(std::span<const double> u);
  [[nodiscard]] const SparseMatrix& viscosity() const { return d_; }  ///< of the last `evaluate_viscosity`
  /// r += sign sum p dV/du.
  void add_pressures(double sign, std::span<const double> u, std::span<double> r) const;
  /// sum p V(u) [J].
  [[nodiscard]] double pressure_work(std::span<const double> u) const;

  /// Factorises A = mass_scale M + stiffness_scale K + viscosity_scale D + tau I on the free degrees of freedom: tau =
  /// 0, or the smallest of the shifts that regularise a Batch's system matrix.
  /// @return tau; nothing if none of them helps
  std::optional<double> factorize(double mass_scale, double stiffness_scale, double viscosity_scale = 0);
  /// Overwrites x, on the free degrees of freedom, by A^-1 x.
  void solve(Eigen::VectorXd& x) const { factor_->solve(x); }

  /// T^T f.
  [[nodiscard]] Eigen::VectorXd restrict_forces(std::span<const double> whole) const;
  /// x on the free degrees of freedom.
  [[nodiscard]] Eigen::VectorXd restrict_displacements(std::span<const double> whole) const;
  /// Makes displacements obey the supports: what isn't free is zero, or follows.
  void hold(std::span<double> whole) const;
  /// Moves the free degrees of freedom to x, and what follows them as far; what is held keeps its place.
  void move_to(const Eigen::VectorXd& x, std::span<double> whole) const;
  /// whole += scale T x.
  void add_to_whole(double scale, const Eigen::VectorXd& x, std::span<double> whole) const;

 private:
  void add_to_followers(double scale, const Eigen::VectorXd& x, std::span<double> whole) const;
  void combine(double mass_scale, double stiffness_scale, double viscosity_scale);
  bool try_factorization();
  template <class Change>
  void change_diagonal(const Change& change);

  void add_pressure_stiffness(std::span<const double> u);

  InternalForces forces_;
  std::vector<ChamberVolume> chambers_;
  std::vector<double> pressures_;
  SparseMatrix k_, d_;
  FreedomMap map_;
  FreeMatrix system_;                      // A
  SparseMatrix mass_;                      // empty if none is needed
  std::vector<std::int32_t> mass_places_;  // of the entries of M among those of A
  FactorizationOptions options_;
  std::optional<Factorization> factor_;
};

}  // namespace quartic::cpu
