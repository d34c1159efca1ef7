// Bodies and meshes to measure with: what their numbers are doesn't matter to the cost.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "measure/classical_scheme.hpp"
#include "quartic/batch.hpp"
#include "quartic/energy.hpp"
#include "quartic/matrix.hpp"
#include "quartic/procedural.hpp"

namespace quartic::measure {

/// The step that sample bodies are moved by [s].
inline constexpr double sample_dt = 0.01;

/// Uncoupled Duffing oscillators plus small coefficients everywhere.
inline QuarticEnergy sample_energy(int rank) {
  QuarticEnergy energy{.rank = rank, .coefficients = {}};
  std::uint32_t state = 1;
  for (int a = 0; a <= rank; ++a)
    for (int b = a; b <= rank; ++b)
      for (int c = b; c <= rank; ++c)
        for (int d = c; d <= rank; ++d) {
          state = state * 1664525U + 1013904223U;
          const bool stiffness = a == 0 && b == 0 && c == d && c > 0;
          const bool small = b > 0;
          energy.coefficients.push_back(stiffness ? 200.0 : small ? 1e-3 * (state >> 16) / 65536.0 : 0.0);
        }
  return energy;
}

/// Uncoupled oscillators with their strain form, for Evaluation::accurate: |L m|^2 / 2 with one entry per coordinate.
inline BodyGroup sample_strain_group(int rank, std::int64_t bodies) {
  StrainForm form{.rank = rank, .factor = {}};
  for (std::int64_t row = 0; row < strain_count(rank); ++row)
    for (std::int64_t column = row; column < strain_count(rank); ++column)
      form.factor.push_back(row == column && row < rank ? 1 : 0);
  QuarticEnergy energy{.rank = rank, .coefficients = {}};
  for (int a = 0; a <= rank; ++a)
    for (int b = a; b <= rank; ++b)
      for (int c = b; c <= rank; ++c)
        for (int d = c; d <= rank; ++d) energy.coefficients.push_back(a == 0 && b == 0 && c == d && c > 0 ? 2 : 0);
  return {std::move(energy), bodies, std::move(form)};
}

/// The inertia of a flying body whose coordinates don't feel its spin.
inline FrameMoments sample_frame(int rank) {
  FrameMoments moments{.mass = 1};
  moments.unit_acceleration = Matrix(rank, 3);
  moments.moment0 = Matrix(3, 3), moments.moment1 = Matrix(9, rank);
  moments.moment2 = Matrix(9, std::int64_t{rank} * (rank + 1) / 2);
  for (int c = 0; c < 3; ++c) moments.moment0(c, c) = c + 1;
  std::int64_t pair = 0;
  for (int i = 0; i < rank; pair += rank - i, ++i)
    for (int c = 0; c < 3; ++c) moments.moment2(4 * c, pair) = 1.0 / 3;  // the mass of q_i is 1
  return moments;
}

/// Bodies that have moved for `steps` steps under forces of different directions.
template <class T>
Batch<T> sample_batch(const QuarticEnergy& energy, const BatchOptions& options, int steps = 100) {
  Batch<T> batch(energy, options);
  for (int i = 0; i < energy.rank; ++i)
    for (std::int64_t b = 0; b < options.bodies; ++b)
      batch.force()(i, b) = static_cast<T>(std::sin(static_cast<double>(i + 7 * b)));
  batch.step(steps * sample_dt, steps);
  return batch;
}

/// The first body of such a batch, stepped by the classical scheme.
inline ClassicalScheme sample_classical_body(const QuarticEnergy& energy, int steps = 100) {
  ClassicalScheme scheme(energy);
  for (int i = 0; i < energy.rank; ++i) scheme.force[static_cast<std::size_t>(i)] = std::sin(static_cast<double>(i));
  for (int n = 0; n < steps; ++n) scheme.step(sample_dt);
  return scheme;
}

/// @throws std::runtime_error if the batch's first body isn't where the classical scheme has brought it
template <class T>
void require_same_state(const Batch<T>& batch, const ClassicalScheme& classical) {
  double error = 0, size = 0;
  for (std::int64_t i = 0; i < batch.rank(); ++i) {
    const double expected = classical.q[static_cast<std::size_t>(i)];
    error += std::pow(double{batch.q()(i, 0)} - expected, 2);
    size += expected * expected;
  }
  // Up to a hundred steps, each some roundings.
  if (!(std::sqrt(error) <= 1000 * double{std::numeric_limits<T>::epsilon()} * std::sqrt(size)))
    throw std::runtime_error("the classical scheme and ours should compute the same, but don't");
}

/// A box four times as long as wide, `cells` along it.
inline ProceduralMesh sample_box(int cells, ElementType type) {
  const int across = std::max(1, cells / 4);
  return make_box({.length = 1,
                   .width = 0.25,
                   .height = 0.25,
                   .cells_x = cells,
                   .cells_y = across,
                   .cells_z = across,
                   .type = type});
}

/// Any fields on a mesh.
inline Matrix sample_basis(const VolumeMesh& mesh, int rank) {
  Matrix basis(3 * mesh.vertex_count(), rank);
  for (std::size_t i = 0; i < basis.values.size(); ++i) basis.values[i] = std::sin(static_cast<double>(i));
  return basis;
}

/// A rough displacement of a mesh.
inline std::vector<double> sample_displacement(const VolumeMesh& mesh) {
  std::vector<double> u(mesh.vertices.size());
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = 0.01 * std::sin(static_cast<double>(i));
  return u;
}

/// Floating-point operations of one evaluation of H for a batch: 2 x rows x monomials, r(r+3)/2 and (r+1)(r+2)/2.
inline double evaluation_flops(int rank) {
  return rank * (rank + 3.0) / 2 * (rank + 1.0) * (rank + 2.0);
}

/// Those of reduce_energy on a mesh of hex8 with 27 points each: dsyrk's on 6 strains per point.
inline double reduction_flops(const VolumeMesh& mesh, int rank) {
  const auto pairs = static_cast<double>(strain_count(rank));
  return 6 * 27.0 * static_cast<double>(mesh.element_count()) * pairs * (pairs + 1);
}

}  // namespace quartic::measure
