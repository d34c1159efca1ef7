// The class Embedding of quartic/cuda.hpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/embedding/mode_scales.hpp"
#include "cuda/base/device_pointer.hpp"
#include "cuda/base/devices.hpp"
#include "cuda/embedding/embedding.hpp"
#include "cuda/embedding/posed_vertices.hpp"
#include "quartic/cuda.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

void check_shapes(const MatrixRef& basis, std::span<const double> rest_positions, const EmbeddingOptions& options) {
  if (basis.rows() % 3 != 0 || basis.rows() == 0 || basis.cols() == 0)
    throw InputError("a basis has three rows per vertex and at least one column; this one has " +
                     std::to_string(basis.rows()) + " rows and " + std::to_string(basis.cols()) + " columns");
  if (std::ssize(rest_positions) != basis.rows())
    throw InputError("rest positions must have " + std::to_string(basis.rows()) +
                     " numbers as the basis has rows, not " + std::to_string(rest_positions.size()));
  if (basis.rows() > std::int64_t{1} << 31)
    throw InputError("an embedding has at most 2^31 rows, not " + std::to_string(basis.rows()));
  // Sums with anything that isn't finite aren't.
  const auto in_range = [](double x) { return std::abs(x) <= double{std::numeric_limits<float>::max()}; };
  if (!in_range(basis.cwiseAbs().sum()))
    throw InputError("the basis has an entry that isn't finite, or too large for float");
  if (!std::all_of(rest_positions.begin(), rest_positions.end(), in_range))
    throw InputError("a rest position isn't finite, or too large for float");
  if (options.precision != BasisPrecision::single && options.precision != BasisPrecision::half)
    throw InputError("EmbeddingOptions::precision must be one of BasisPrecision");
  const std::int64_t all = basis.rows() / 3;
  for (std::size_t n = 0; n < options.vertices.size(); ++n)
    if (options.vertices[n] < 0 || options.vertices[n] >= all)
      throw InputError("entry " + std::to_string(n) + " of the embedding's vertices is " +
                       std::to_string(options.vertices[n]) + ", but the basis has vertices 0 .. " +
                       std::to_string(all - 1));
  const std::int64_t chosen = options.vertices.empty() ? all : std::ssize(options.vertices);
  if (options.triangles.size() % 3 != 0) throw InputError("triangles must have three vertices each");
  for (std::size_t n = 0; n < options.triangles.size(); ++n)
    if (options.triangles[n] < 0 || options.triangles[n] >= chosen)
      throw InputError("triangle " + std::to_string(n / 3) + " of the embedding has vertex " +
                       std::to_string(options.triangles[n]) + ", but there are vertices 0 .. " +
                       std::to_string(chosen - 1));
}

std::size_t chosen_vertex(const EmbeddingOptions& options, std::size_t v) {
  return options.vertices.empty() ? v : static_cast<std::size_t>(options.vertices[v]);
}

template <class Number>
std::vector<Number> packed_basis(const MatrixRef& basis, const std::vector<float>& scales,
                                 const EmbeddingOptions& options, std::size_t vertices, std::size_t padded_rows) {
  std::vector<Number> packed(padded_rows * scales.size(), Number(0.0F));
  for (std::size_t i = 0; i < scales.size(); ++i)
    for (std::size_t v = 0; v < vertices; ++v)
      for (std::size_t c = 0; c < 3; ++c) {
        const auto row = static_cast<Eigen::Index>(3 * chosen_vertex(options, v) + c);
        packed[i * padded_rows + 3 * v + c] =
            Number(static_cast<float>(basis(row, static_cast<Eigen::Index>(i)) / double{scales[i]}));
      }
  return packed;
}

// The triangles around each vertex, in the order in which they are listed.
void list_triangles(std::span<const std::int32_t> corners, std::size_t vertices, std::vector<std::int32_t>& starts,
                    std::vector<std::int32_t>& triangles) {
  starts.assign(vertices + 1, 0);
  for (const std::int32_t v : corners) ++starts[static_cast<std::size_t>(v) + 1];
  for (std::size_t v = 0; v < vertices; ++v) starts[v + 1] += starts[v];
  triangles.resize(corners.size());
  std::vector<std::int32_t> next(starts.begin(), starts.end() - 1);
  for (std::size_t n = 0; n < corners.size(); ++n)
    triangles[static_cast<std::size_t>(next[static_cast<std::size_t>(corners[n])]++)] =
        static_cast<std::int32_t>(n / 3);
}

}  // namespace

struct Embedding::Impl {
  int device = 0;
  std::unique_ptr<DeviceGuard> guard;  // while the members are made and destroyed
  Stream stream;
  int rank = 0;
  std::int64_t vertices = 0, padded_rows = 0;
  frame::Vector3<float> origin;
  DeviceArray<float> basis, scales, rest;
  DeviceArray<__half> half_basis;
  DeviceArray<std::int32_t> starts, triangles, corners;

  explicit Impl(int number) : device(number), guard(std::make_unique<DeviceGuard>(number)) {}
  ~Impl() {
    try {
      if (guard == nullptr) guard = std::make_unique<DeviceGuard>(device);
    } catch (const Error&) {  // the device has failed, or the program is at its end: nothing left to save
    }
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void check_target(const VertexView& view, const char* what) const {
    if (view.vertices != vertices)
      throw InputError(std::string(what) + " have " + std::to_string(view.vertices) +
                       " vertices per body, but the embedding has " + std::to_string(vertices));
    if (view.bodies < 0) throw InputError(std::string(what) + " have a negative number of bodies");
    if (view.bodies > 0) require_device_pointer(view.data, device, what);
  }

  template <class T>
  void reconstruct(bool with_rest, const StateView<const T>& q, const VertexView& out, cudaStream_t s,
                   const std::int32_t* bodies) const {
    const char* what = with_rest ? "positions" : "displacements";
    require_rank(q.rank);
    check_target(out, what);
    if (bodies == nullptr && out.bodies > q.bodies)
      throw InputError(std::string(what) + " are asked for " + std::to_string(out.bodies) + " bodies, but there are " +
                       std::to_string(q.bodies));
    if (out.bodies == 0) return;
    require_device_pointer(q.data, device, "q");
    if (bodies != nullptr) require_device_pointer(bodies, device, "the list of bodies");
    const DeviceGuard current(device);
    const StateSource<T> source{q.data, q.stride_mode, q.stride_body, bodies};
    const RowTarget target{out.data, out.bodies, out.stride_body, out.stride_vertex};
    const float* x = with_rest ? rest.data() : nullptr;
    with_basis([&](const auto& u) { cuda::reconstruct(u, x, source, target, s); });
  }

  template <class T>
  void place(const StateView<const T>& q, const StateView<const T>& pose, const VertexView& out, cudaStream_t s,
             const std::int32_t* bodies) const {
    require_rows(pose, pose_size, q.bodies, "pose");
    if (out.bodies > 0) require_device_pointer(pose.data, device, "pose");
    reconstruct(true, q, out, s, bodies);
    if (out.bodies == 0) return;
    const DeviceGuard current(device);
    place_vertices<T>({pose.data, pose.stride_mode, pose.stride_body}, bodies, origin, vertices,
                      {out.data, out.bodies, out.stride_body, out.stride_vertex}, s);
  }

  template <class T>
  static void require_rows(const StateView<T>& view, std::int64_t rows, std::int64_t bodies, const char* what) {
    if (view.rank != rows || view.bodies != bodies)
      throw InputError(std::string(what) + " must have " + std::to_string(rows) + " rows and " +
                       std::to_string(bodies) + " bodies, not " + std::to_string(view.rank) + " and " +
                       std::to_string(view.bodies));
  }

  void check_forces(const DeviceVertexForces& forces) const {
    require_device_pointer(forces.starts, device, "starts");
    // Null where there is no force at all.
    if (forces.vertices != nullptr) require_device_pointer(forces.vertices, device, "vertices");
    if (forces.forces != nullptr) require_device_pointer(forces.forces, device, "forces");
  }

  // Calls `work` with U in its precision.
  template <class Work>
  void with_basis(const Work& work) const {
    if (half_basis.size() > 0)
      work(BasisView<__half>{half_basis.data(), scales.data(), 3 * vertices, padded_rows, rank});
    else
      work(BasisView<float>{basis.data(), scales.data(), 3 * vertices, padded_rows, rank});
  }

  void require_rank(std::int64_t other) const {
    if (other != rank)
      throw InputError("the reduced coordinates have rank " + std::to_string(other) + ", but the embedding has " +
                       std::to_string(rank));
  }
};

Embedding::Embedding(MatrixRef basis, std::span<const double> rest_positions, const EmbeddingOptions& options) {
  check_shapes(basis, rest_positions, options);
  impl_ = std::make_unique<Impl>(checked_device(options.device));
  Impl& m = *impl_;
  m.rank = static_cast<int>(basis.cols());
  m.vertices = options.vertices.empty() ? basis.rows() / 3 : std::ssize(options.vertices);
  m.padded_rows = (3 * m.vertices + 3) / 4 * 4;
  const auto vertices = static_cast<std::size_t>(m.vertices), rows = static_cast<std::size_t>(m.padded_rows);
  const cudaStream_t s = m.stream.get();
  const std::size_t needed =
      rows * (static_cast<std::size_t>(m.rank) * sizeof(float) + 4) + 8 * options.triangles.size() + 4 * vertices;
  if (const std::size_t available = device_memory().available; needed > available)
    throw InputError("an embedding of " + std::to_string(m.vertices) + " vertices and rank " + std::to_string(m.rank) +
                     " needs " + std::to_string(needed / 1'000'000) + " MB of device memory, but " +
                     std::to_string(available / 1'000'000) + " are free; choose fewer vertices");

  const std::vector<float> scales = mode_scales(basis);
  m.scales = DeviceArray<float>(std::span<const float>(scales), s);
  if (options.precision == BasisPrecision::half)
    m.half_basis =
        DeviceArray<__half>(std::span<const __half>(packed_basis<__half>(basis, scales, options, vertices, rows)), s);
  else
    m.basis =
        DeviceArray<float>(std::span<const float>(packed_basis<float>(basis, scales, options, vertices, rows)), s);
  std::vector<float> rest(rows, 0.0F);
  for (std::size_t v = 0; v < vertices; ++v)
    for (std::size_t c = 0; c < 3; ++c)
      rest[3 * v + c] = static_cast<float>(rest_positions[3 * chosen_vertex(options, v) + c]);
  m.rest = DeviceArray<float>(std::span<const float>(rest), s);
  m.origin = {static_cast<float>(options.origin[0]), static_cast<float>(options.origin[1]),
              static_cast<float>(options.origin[2])};
  if (!options.triangles.empty()) {
    std::vector<std::int32_t> starts, triangles;
    list_triangles(options.triangles, vertices, starts, triangles);
    m.starts = DeviceArray<std::int32_t>(std::span<const std::int32_t>(starts), s);
    m.triangles = DeviceArray<std::int32_t>(std::span<const std::int32_t>(triangles), s);
    m.corners = DeviceArray<std::int32_t>(options.triangles, s);
  }
  m.guard.reset();
}
Embedding::Embedding(Embedding&&) noexcept = default;
Embedding& Embedding::operator=(Embedding&&) noexcept = default;
Embedding::~Embedding() = default;

int Embedding::rank() const {
  return impl_->rank;
}
std::int64_t Embedding::vertices() const {
  return impl_->vertices;
}
int Embedding::device() const {
  return impl_->device;
}

void Embedding::positions(StateView<const float> q, VertexView positions, cudaStream_t stream,
                          const std::int32_t* bodies) const {
  impl_->reconstruct(true, q, positions, stream, bodies);
}
void Embedding::positions(StateView<const double> q, VertexView positions, cudaStream_t stream,
                          const std::int32_t* bodies) const {
  impl_->reconstruct(true, q, positions, stream, bodies);
}
void Embedding::displacements(StateView<const float> q, VertexView displacements, cudaStream_t stream,
                              const std::int32_t* bodies) const {
  impl_->reconstruct(false, q, displacements, stream, bodies);
}
void Embedding::displacements(StateView<const double> q, VertexView displacements, cudaStream_t stream,
                              const std::int32_t* bodies) const {
  impl_->reconstruct(false, q, displacements, stream, bodies);
}

void Embedding::positions(StateView<const float> q, StateView<const float> pose, VertexView positions,
                          cudaStream_t stream, const std::int32_t* bodies) const {
  impl_->place(q, pose, positions, stream, bodies);
}
void Embedding::positions(StateView<const double> q, StateView<const double> pose, VertexView positions,
                          cudaStream_t stream, const std::int32_t* bodies) const {
  impl_->place(q, pose, positions, stream, bodies);
}

void Embedding::normals(VertexView positions, VertexView normals, cudaStream_t stream) const {
  if (impl_->corners.size() == 0)
    throw InputError("this embedding has no triangles to make normals from; give EmbeddingOptions::triangles");
  impl_->check_target(positions, "positions");
  impl_->check_target(normals, "normals");
  if (positions.bodies != normals.bodies)
    throw InputError("there are positions of " + std::to_string(positions.bodies) + " bodies, but normals of " +
                     std::to_string(normals.bodies));
  if (positions.bodies == 0) return;
  const DeviceGuard current(impl_->device);
  make_normals({impl_->starts.data(), impl_->triangles.data(), impl_->corners.data()}, impl_->vertices,
               {positions.data, positions.bodies, positions.stride_body, positions.stride_vertex},
               {normals.data, normals.bodies, normals.stride_body, normals.stride_vertex}, stream);
}

template <class T>
void Embedding::add_vertex_forces(const DeviceVertexForces& forces, StateView<T> reduced_force,
                                  cudaStream_t stream) const {
  const Impl& m = *impl_;
  m.require_rank(reduced_force.rank);
  if (reduced_force.bodies < 0) throw InputError("the reduced force has a negative number of bodies");
  if (reduced_force.bodies == 0) return;
  m.check_forces(forces);
  require_device_pointer(reduced_force.data, m.device, "the reduced force");
  const DeviceGuard current(m.device);
  m.with_basis([&](const auto& u) {
    gather_forces(u, forces.starts, forces.vertices, forces.forces, reduced_force.data, reduced_force.stride_mode,
                  reduced_force.stride_body, reduced_force.bodies, stream);
  });
}

template <class T>
void Embedding::add_vertex_forces(const DeviceVertexForces& forces, StateView<const T> q, StateView<const T> pose,
                                  StateView<T> reduced_force, StateView<T> wrench, cudaStream_t stream) const {
  const Impl& m = *impl_;
  m.require_rank(reduced_force.rank);
  const std::int64_t bodies = reduced_force.bodies;
  if (bodies < 0) throw InputError("the reduced force has a negative number of bodies");
  Impl::require_rows(q, m.rank, bodies, "q");
  Impl::require_rows(pose, pose_size, bodies, "pose");
  Impl::require_rows(wrench, twist_size, bodies, "wrench");
  if (bodies == 0) return;
  m.check_forces(forces);
  const std::pair<const void*, const char*> pointers[] = {
      {q.data, "q"}, {pose.data, "pose"}, {reduced_force.data, "the reduced force"}, {wrench.data, "wrench"}};
  for (const auto& [pointer, what] : pointers) require_device_pointer(pointer, m.device, what);
  const auto rows = [](const auto& view) { return BodyRowsView{view.data, view.stride_mode, view.stride_body}; };
  const DeviceGuard current(m.device);
  m.with_basis([&](const auto& u) {
    gather_world_forces<std::remove_const_t<std::remove_pointer_t<decltype(u.values)>>, T>(
        u, m.rest.data(), m.origin, {forces.starts, forces.vertices, forces.forces},
        {bodies, rows(q), rows(pose), rows(reduced_force), rows(wrench)}, stream);
  });
}

template QUARTIC_EXPORT void Embedding::add_vertex_forces(const DeviceVertexForces&, StateView<const float>,
                                                          StateView<const float>, StateView<float>, StateView<float>,
                                                          cudaStream_t) const;
template QUARTIC_EXPORT void Embedding::add_vertex_forces(const DeviceVertexForces&, StateView<const double>,
                                                          StateView<const double>, StateView<double>, StateView<double>,
                                                          cudaStream_t) const;
template QUARTIC_EXPORT void Embedding::add_vertex_forces(const DeviceVertexForces&, StateView<float>,
                                                          cudaStream_t) const;
template QUARTIC_EXPORT void Embedding::add_vertex_forces(const DeviceVertexForces&, StateView<double>,
                                                          cudaStream_t) const;

}  // namespace quartic::cuda
