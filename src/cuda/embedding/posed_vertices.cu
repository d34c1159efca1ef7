// Placing reads and writes each vertex once more than `reconstruct`. Of forces, a thread sums one coordinate of a body,
// or its wrench, over the body's list in order: bits depend on nothing else.
#include "core/frame/rotation.hpp"
#include "cuda/embedding/posed_vertices.hpp"

namespace quartic::cuda {
namespace {

constexpr int threads = 256;

unsigned blocks(std::int64_t work) {
  return static_cast<unsigned>((work + threads - 1) / threads);
}

template <class T>
__device__ frame::Vector3<T> three_rows(const BodyRowsView<const T>& view, int row, std::int64_t body) {
  const T* at = view.data + row * view.stride_row + body * view.stride_body;
  return {at[0], at[view.stride_row], at[2 * view.stride_row]};
}
template <class T>
__device__ frame::Quaternion<T> rotation_of(const BodyRowsView<const T>& pose, std::int64_t body) {
  return unit_rotation(
      frame::Quaternion<T>{three_rows(pose, 3, body), pose.data[6 * pose.stride_row + body * pose.stride_body]});
}
template <class T>
__device__ frame::Vector3<T> three(const float* at) {
  return {static_cast<T>(at[0]), static_cast<T>(at[1]), static_cast<T>(at[2])};
}
template <class T, class U>
__device__ frame::Vector3<T> rounded(const frame::Vector3<U>& v) {
  return {static_cast<T>(v.x), static_cast<T>(v.y), static_cast<T>(v.z)};
}

template <class T>
__global__ void __launch_bounds__(threads)
    place(const BodyRowsView<const T> pose, const std::int32_t* bodies, const frame::Vector3<float> origin,
          std::int64_t vertices, const RowTarget target) {
  const std::int64_t vertex = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (vertex >= vertices) return;
  for (std::int64_t n = blockIdx.y; n < target.bodies; n += gridDim.y) {
    const std::int64_t body = bodies == nullptr ? n : bodies[n];
    float* x = target.data + n * target.stride_body + vertex * target.stride_vertex;
    const frame::Vector3<T> own = rounded<T>(three<float>(x) - origin);
    const frame::Vector3<T> placed = three_rows(pose, 0, body) + rotate(rotation_of(pose, body), own);
    x[0] = static_cast<float>(placed.x), x[1] = static_cast<float>(placed.y), x[2] = static_cast<float>(placed.z);
  }
}

template <class Number, class T>
__device__ frame::Vector3<T> field(const BasisView<Number>& basis, std::int64_t mode, std::int32_t vertex) {
  const Number* u = basis.values + mode * basis.padded_rows + 3 * std::int64_t{vertex};
  const float scale = basis.scales[mode];
  return {static_cast<T>(scale * static_cast<float>(u[0])), static_cast<T>(scale * static_cast<float>(u[1])),
          static_cast<T>(scale * static_cast<float>(u[2]))};
}

template <class Number, class T>
__global__ void __launch_bounds__(threads)
    gather_reduced(const BasisView<Number> basis, const WorldForces forces, const PosedBodies<T> to) {
  const std::int64_t n = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (n >= to.bodies * basis.rank) return;
  const std::int64_t mode = n / to.bodies, body = n % to.bodies;
  const frame::Quaternion<T> back = conjugate(rotation_of(to.pose, body));
  T& result = to.force.data[mode * to.force.stride_row + body * to.force.stride_body];
  T sum = result;
  for (std::int64_t entry = forces.starts[body]; entry < forces.starts[body + 1]; ++entry)
    sum +=
        dot(field<Number, T>(basis, mode, forces.vertices[entry]), rotate(back, three<T>(forces.forces + 3 * entry)));
  result = sum;
}

template <class Number, class T>
__global__ void __launch_bounds__(threads)
    gather_wrenches(const BasisView<Number> basis, const float* rest, const frame::Vector3<float> origin,
                    const WorldForces forces, const PosedBodies<T> to) {
  const std::int64_t body = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (body >= to.bodies) return;
  const frame::Quaternion<T> rotation = rotation_of(to.pose, body);
  frame::Vector3<T> force, torque;
  for (std::int64_t entry = forces.starts[body]; entry < forces.starts[body + 1]; ++entry) {
    const std::int32_t vertex = forces.vertices[entry];
    frame::Vector3<T> y = rounded<T>(three<float>(rest + 3 * std::int64_t{vertex}) - origin);
    for (std::int64_t mode = 0; mode < basis.rank; ++mode)
      y = y + to.q.data[mode * to.q.stride_row + body * to.q.stride_body] * field<Number, T>(basis, mode, vertex);
    const frame::Vector3<T> f = three<T>(forces.forces + 3 * entry);
    force = force + f;
    torque = torque + cross(rotate(rotation, y), f);
  }
  const T sums[] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
#pragma unroll
  for (int row = 0; row < 6; ++row)
    to.wrench.data[row * to.wrench.stride_row + body * to.wrench.stride_body] += sums[row];
}

}  // namespace

template <class T>
void place_vertices(const BodyRowsView<const T>& pose, const std::int32_t* bodies, const frame::Vector3<float>& origin,
                    std::int64_t vertices, const RowTarget& target, cudaStream_t stream) {
  const auto rows = static_cast<unsigned>(target.bodies < 65535 ? target.bodies : 65535);
  launch(place<T>, {dim3(blocks(vertices), rows), dim3(threads)}, stream, pose, bodies, origin, vertices, target);
}

template <class Number, class T>
void gather_world_forces(const BasisView<Number>& basis, const float* rest, const frame::Vector3<float>& origin,
                         const WorldForces& forces, const PosedBodies<T>& to, cudaStream_t stream) {
  launch(gather_reduced<Number, T>, {dim3(blocks(to.bodies * basis.rank)), dim3(threads)}, stream, basis, forces, to);
  launch(gather_wrenches<Number, T>, {dim3(blocks(to.bodies)), dim3(threads)}, stream, basis, rest, origin, forces, to);
}

template void place_vertices(const BodyRowsView<const float>&, const std::int32_t*, const frame::Vector3<float>&,
                             std::int64_t, const RowTarget&, cudaStream_t);
template void place_vertices(const BodyRowsView<const double>&, const std::int32_t*, const frame::Vector3<float>&,
                             std::int64_t, const RowTarget&, cudaStream_t);
template void gather_world_forces(const BasisView<float>&, const float*, const frame::Vector3<float>&,
                                  const WorldForces&, const PosedBodies<float>&, cudaStream_t);
template void gather_world_forces(const BasisView<float>&, const float*, const frame::Vector3<float>&,
                                  const WorldForces&, const PosedBodies<double>&, cudaStream_t);
template void gather_world_forces(const BasisView<__half>&, const float*, const frame::Vector3<float>&,
                                  const WorldForces&, const PosedBodies<float>&, cudaStream_t);
template void gather_world_forces(const BasisView<__half>&, const float*, const frame::Vector3<float>&,
                                  const WorldForces&, const PosedBodies<double>&, cudaStream_t);

}  // namespace quartic::cuda
