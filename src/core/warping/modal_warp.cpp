// Modal warping: derivatives and forces. cpu/warping has the displacements.
#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/thread_pool.hpp"
#include "core/warping/rotation_map.hpp"
#include "core/warping/warp_checks.hpp"
#include "quartic/error.hpp"
#include "quartic/warping.hpp"

namespace quartic {
namespace {

using warping::RotationMap;
using Vector = frame::Vector3<double>;

Vector row_times(const Matrix& fields, std::int64_t vertex, std::span<const double> q) {
  double sum[3] = {};
  for (std::size_t i = 0; i < q.size(); ++i) {
    const double* at = fields.values.data() + static_cast<std::int64_t>(i) * fields.rows + 3 * vertex;
    for (std::size_t c = 0; c < 3; ++c) sum[c] += at[c] * q[i];
  }
  return {sum[0], sum[1], sum[2]};
}

Vector field_at(const Matrix& fields, std::int64_t vertex, std::int64_t mode) {
  const double* at = fields.values.data() + mode * fields.rows + 3 * vertex;
  return {at[0], at[1], at[2]};
}

/// A vertex of one body as it is shown.
class WarpedVertex {
 public:
  WarpedVertex(const ModalWarp& warp, std::int64_t vertex, std::span<const double> q)
      : warp_(warp),
        vertex_(vertex),
        p_(row_times(warp.modes(), vertex, q)),
        w_(row_times(warp.rotations(), vertex, q)),
        map_(warp.options().map == WarpMap::integrated ? warping::integrated_map(w_) : warping::exponential_map(w_)) {}

  /// Column of J.
  [[nodiscard]] Vector derivative(std::int64_t mode) const {
    return map_.apply(field_at(warp_.modes(), vertex_, mode)) +
           map_.derivative(p_, field_at(warp_.rotations(), vertex_, mode));
  }
  /// Adds the force on the modes.
  void add_force(const Vector& f, std::span<double> modal_force) const {
    if (warp_.options().force_map == ForceMap::exact)
      add(map_.apply_transposed(f), map_.derivative_transposed(p_, f), modal_force);
    else
      add(warping::exponential_map(w_).apply_transposed(f), {}, modal_force);
  }

 private:
  void add(const Vector& of_modes, const Vector& of_rotations, std::span<double> modal_force) const {
    for (std::size_t i = 0; i < modal_force.size(); ++i) {
      const auto mode = static_cast<std::int64_t>(i);
      modal_force[i] += dot(field_at(warp_.modes(), vertex_, mode), of_modes) +
                        dot(field_at(warp_.rotations(), vertex_, mode), of_rotations);
    }
  }

  const ModalWarp& warp_;
  std::int64_t vertex_;
  Vector p_, w_;
  RotationMap<double> map_;
};

template <class T>
std::vector<double> coordinates_of(StateView<const T> q, std::int64_t body) {
  std::vector<double> result(static_cast<std::size_t>(q.rank));
  for (std::int64_t i = 0; i < q.rank; ++i) result[static_cast<std::size_t>(i)] = double{q(i, body)};
  return result;
}

template <class T>
void add_to(StateView<T> modal_force, std::int64_t body, std::span<const double> sum) {
  for (std::int64_t i = 0; i < modal_force.rank; ++i) {
    T& total = modal_force(i, body);
    total = static_cast<T>(double{total} + sum[static_cast<std::size_t>(i)]);
  }
}

}  // namespace

ModalWarp::ModalWarp(const VolumeMesh& mesh, MatrixRef modes, const ModalWarpOptions& options)
    : ModalWarp(to_matrix(modes), modal_rotation(mesh, modes), options) {}

ModalWarp::ModalWarp(const VolumeMesh& mesh, MatrixRef modes, const SurfaceEmbedding& surface,
                     const ModalWarpOptions& options)
    : ModalWarp(surface_basis(surface, modes), surface_basis(surface, modal_rotation(mesh, modes).map()), options) {}

ModalWarp::ModalWarp(Matrix modes, Matrix rotations, const ModalWarpOptions& options)
    : modes_(std::move(modes)), rotations_(std::move(rotations)), options_(options) {
  if (modes_.rows % 3 != 0)
    throw InputError("modes have three rows per vertex, but these have " + std::to_string(modes_.rows));
  if (rotations_.rows != modes_.rows || rotations_.cols != modes_.cols)
    throw InputError("rotations must have the shape of the modes, " + std::to_string(modes_.rows) + " x " +
                     std::to_string(modes_.cols) + ", not " + std::to_string(rotations_.rows) + " x " +
                     std::to_string(rotations_.cols) + "; modal_rotation makes them");
}

Matrix ModalWarp::jacobian(std::span<const double> q, std::span<const std::int32_t> vertices) const {
  warping::require_rank(*this, std::ssize(q));
  warping::require_vertices(*this, vertices);
  const std::int64_t count = warping::chosen_count(*this, vertices);
  Matrix result(3 * count, rank());
  for (std::int64_t k = 0; k < count; ++k) {
    const WarpedVertex vertex(*this, warping::chosen(vertices, k), q);
    for (std::int64_t i = 0; i < rank(); ++i) {
      const Vector column = vertex.derivative(i);
      double* at = result.values.data() + i * result.rows + 3 * k;
      at[0] = column.x;
      at[1] = column.y;
      at[2] = column.z;
    }
  }
  return result;
}

template <class T>
void ModalWarp::add_forces(std::span<const VertexForce> forces, StateView<const T> q, StateView<T> modal_force) const {
  warping::require_states(*this, q, modal_force);
  for (std::size_t k = 0; k < forces.size(); ++k) {
    warping::require_vertex(*this, forces[k].vertex, "force " + std::to_string(k));
    if (forces[k].body < 0 || forces[k].body >= q.bodies)
      throw InputError("force " + std::to_string(k) + " is on body " + std::to_string(forces[k].body) +
                       ", but there are bodies 0 .. " + std::to_string(q.bodies - 1));
  }
  std::vector<double> sum(static_cast<std::size_t>(rank()));
  for (const VertexForce& at : forces) {
    std::fill(sum.begin(), sum.end(), 0.0);
    const std::vector<double> state = coordinates_of(q, at.body);
    WarpedVertex(*this, at.vertex, state).add_force({at.force[0], at.force[1], at.force[2]}, sum);
    add_to(modal_force, at.body, sum);
  }
}

template <class T>
void ModalWarp::add_forces(std::span<const std::int32_t> vertices, VertexView<const T> forces, StateView<const T> q,
                           StateView<T> modal_force) const {
  warping::require_states(*this, q, modal_force);
  warping::require_vertices(*this, vertices);
  warping::require_shape(*this, vertices, q.bodies, forces, "forces have");
  parallel_for(q.bodies, [&](std::int64_t body) {
    const std::vector<double> state = coordinates_of(q, body);
    std::vector<double> sum(state.size());
    for (std::int64_t k = 0; k < forces.vertices; ++k) {
      const Vector f = {double{forces(body, k, 0)}, double{forces(body, k, 1)}, double{forces(body, k, 2)}};
      if (f.x == 0 && f.y == 0 && f.z == 0) continue;
      WarpedVertex(*this, warping::chosen(vertices, k), state).add_force(f, sum);
    }
    add_to(modal_force, body, sum);
  });
}

template <class T>
std::vector<double> ModalWarp::largest_rotations(StateView<const T> q) const {
  warping::require_rank(*this, q.rank);
  std::vector<double> largest(static_cast<std::size_t>(q.bodies));
  parallel_for(q.bodies, [&](std::int64_t body) {
    const std::vector<double> state = coordinates_of(q, body);
    const Eigen::VectorXd w = rotations_.map() * Eigen::VectorXd::Map(state.data(), std::ssize(state));
    double square = 0;
    for (std::int64_t v = 0; v < vertex_count(); ++v) {
      const double here = w.segment<3>(3 * v).squaredNorm();
      if (!(here <= square)) square = here;  // NaN, too
    }
    largest[static_cast<std::size_t>(body)] = std::sqrt(square);
  });
  return largest;
}

template QUARTIC_EXPORT void ModalWarp::add_forces(std::span<const VertexForce>, StateView<const float>,
                                                   StateView<float>) const;
template QUARTIC_EXPORT void ModalWarp::add_forces(std::span<const VertexForce>, StateView<const double>,
                                                   StateView<double>) const;
template QUARTIC_EXPORT void ModalWarp::add_forces(std::span<const std::int32_t>, VertexView<const float>,
                                                   StateView<const float>, StateView<float>) const;
template QUARTIC_EXPORT void ModalWarp::add_forces(std::span<const std::int32_t>, VertexView<const double>,
                                                   StateView<const double>, StateView<double>) const;
template QUARTIC_EXPORT std::vector<double> ModalWarp::largest_rotations(StateView<const float>) const;
template QUARTIC_EXPORT std::vector<double> ModalWarp::largest_rotations(StateView<const double>) const;

}  // namespace quartic
