// Points and point forces of bodies with poses: c + R (X + U q), and what a force there does.
#include <Eigen/Core>
#include <algorithm>
#include <string>
#include <vector>

#include "core/frame/pose.hpp"
#include "quartic/embedding.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using frame::Vector3;

template <class T>
void require_shapes(const MatrixRef& basis, std::span<const double> vertices, const FrameMoments& frame,
                    StateView<const T> q, StateView<const T> pose) {
  if (basis.rows() % 3 != 0 || std::ssize(vertices) != basis.rows())
    throw InputError("the basis has " + std::to_string(basis.rows()) + " rows, but there are " +
                     std::to_string(vertices.size()) + " coordinates of vertices; both are three per vertex");
  if (q.rank != basis.cols() || frame.rank() != basis.cols())
    throw InputError("the basis has " + std::to_string(basis.cols()) + " columns, but q has " + std::to_string(q.rank) +
                     " rows and the frame the rank " + std::to_string(frame.rank()));
  if (pose.rank != pose_size || pose.bodies != q.bodies)
    throw InputError("poses must have " + std::to_string(pose_size) + " rows and a column for each of the " +
                     std::to_string(q.bodies) + " bodies, not " + std::to_string(pose.rank) + " and " +
                     std::to_string(pose.bodies));
}

template <class T>
frame::Pose<double> pose_at(StateView<const T> pose, std::int64_t body) {
  const auto number = [&](std::int64_t row) { return double{pose(row, body)}; };
  return {{number(0), number(1), number(2)},
          normalised(frame::Quaternion<double>{{number(3), number(4), number(5)}, number(6)})};
}

Vector3<double> rest_of(std::span<const double> vertices, std::int64_t vertex, const FrameMoments& frame) {
  const double* x = vertices.data() + 3 * vertex;
  return {x[0] - frame.origin[0], x[1] - frame.origin[1], x[2] - frame.origin[2]};
}

template <class T>
Vector3<double> displaced(const MatrixRef& basis, const Vector3<double>& rest, StateView<const T> q,
                          const VertexForce& at) {
  Vector3<double> y = rest;
  const Eigen::Index row = 3 * static_cast<Eigen::Index>(at.vertex);
  for (std::int64_t i = 0; i < q.rank; ++i)
    y = y + double{q(i, at.body)} * Vector3<double>{basis(row, i), basis(row + 1, i), basis(row + 2, i)};
  return y;
}

// Moves displacements to where the points are.
template <class T>
void place(std::span<const double> vertices, const FrameMoments& frame, StateView<const T> pose,
           std::span<const std::int32_t> chosen, const VertexView<T>& points) {
  for (std::int64_t body = 0; body < points.bodies; ++body) {
    const frame::Pose<double> at = pose_at(pose, body);
    for (std::int64_t k = 0; k < points.vertices; ++k) {
      T &x = points(body, k, 0), &y = points(body, k, 1), &z = points(body, k, 2);
      const std::int64_t vertex = chosen.empty() ? k : chosen[static_cast<std::size_t>(k)];
      const Vector3<double> u = {double{x}, double{y}, double{z}};
      const Vector3<double> moved = apply(at, rest_of(vertices, vertex, frame) + u);
      x = static_cast<T>(moved.x), y = static_cast<T>(moved.y), z = static_cast<T>(moved.z);
    }
  }
}

}  // namespace

template <class T>
void add_vertex_forces(MatrixRef basis, std::span<const double> vertices, const FrameMoments& frame,
                       std::span<const VertexForce> forces, StateView<const T> q, StateView<const T> pose,
                       StateView<T> reduced_force, StateView<T> wrench) {
  require_shapes(basis, vertices, frame, q, pose);
  if (wrench.rank != twist_size || wrench.bodies != q.bodies || reduced_force.bodies != q.bodies)
    throw InputError("wrenches must have " + std::to_string(twist_size) +
                     " rows, and they and the reduced forces a column for each of the " + std::to_string(q.bodies) +
                     " bodies");
  std::vector<VertexForce> own(forces.begin(), forces.end());  // in the body's axes
  for (VertexForce& force : own) {
    if (force.body < 0 || force.body >= q.bodies) continue;  // refused below
    const Vector3<double> turned =
        rotate(conjugate(pose_at(pose, force.body).rotation), {force.force[0], force.force[1], force.force[2]});
    force.force = {turned.x, turned.y, turned.z};
  }
  add_vertex_forces(basis, std::span<const VertexForce>(own), reduced_force);
  for (std::size_t k = 0; k < own.size(); ++k) {
    const VertexForce& force = own[k];
    const Vector3<double> y = displaced(basis, rest_of(vertices, force.vertex, frame), q, force);
    const Vector3<double> torque =
        rotate(pose_at(pose, force.body).rotation, cross(y, {force.force[0], force.force[1], force.force[2]}));
    const double added[twist_size] = {forces[k].force[0], forces[k].force[1], forces[k].force[2],
                                      torque.x,           torque.y,           torque.z};
    for (std::int64_t row = 0; row < twist_size; ++row)
      wrench(row, force.body) = static_cast<T>(double{wrench(row, force.body)} + added[row]);
  }
}

template <class T>
void vertex_positions(MatrixRef basis, std::span<const double> vertices, const FrameMoments& frame,
                      StateView<const T> q, StateView<const T> pose, std::span<const std::int32_t> chosen,
                      std::span<T> positions) {
  require_shapes(basis, vertices, frame, q, pose);
  vertex_displacements(basis, q, chosen, positions);
  const std::int64_t count = chosen.empty() ? std::ssize(vertices) / 3 : std::ssize(chosen);
  place(vertices, frame, pose, chosen, VertexView<T>{positions.data(), q.bodies, count, 3 * count});
}

template <class T>
void vertex_positions(MatrixRef basis, std::span<const double> vertices, const FrameMoments& frame,
                      StateView<const T> q, StateView<const T> pose, std::span<const std::int32_t> chosen,
                      VertexView<T> positions) {
  require_shapes(basis, vertices, frame, q, pose);
  vertex_displacements(basis, q, chosen, positions);
  place(vertices, frame, pose, chosen, positions);
}

template QUARTIC_EXPORT void add_vertex_forces(MatrixRef, std::span<const double>, const FrameMoments&,
                                               std::span<const VertexForce>, StateView<const float>,
                                               StateView<const float>, StateView<float>, StateView<float>);
template QUARTIC_EXPORT void add_vertex_forces(MatrixRef, std::span<const double>, const FrameMoments&,
                                               std::span<const VertexForce>, StateView<const double>,
                                               StateView<const double>, StateView<double>, StateView<double>);
template QUARTIC_EXPORT void vertex_positions(MatrixRef, std::span<const double>, const FrameMoments&,
                                              StateView<const float>, StateView<const float>,
                                              std::span<const std::int32_t>, std::span<float>);
template QUARTIC_EXPORT void vertex_positions(MatrixRef, std::span<const double>, const FrameMoments&,
                                              StateView<const float>, StateView<const float>,
                                              std::span<const std::int32_t>, VertexView<float>);
template QUARTIC_EXPORT void vertex_positions(MatrixRef, std::span<const double>, const FrameMoments&,
                                              StateView<const double>, StateView<const double>,
                                              std::span<const std::int32_t>, std::span<double>);
template QUARTIC_EXPORT void vertex_positions(MatrixRef, std::span<const double>, const FrameMoments&,
                                              StateView<const double>, StateView<const double>,
                                              std::span<const std::int32_t>, VertexView<double>);

}  // namespace quartic
