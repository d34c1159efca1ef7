#include "python/embeddings/device_embedding.hpp"

#include <utility>

#include "quartic/error.hpp"

namespace quartic::python {
namespace {

cuda::VertexView vertex_view(const Array& out) {
  if (out.shape[1] > 0 && out.strides[2] != 1)
    throw InputError("out must have x, y, z of a vertex side by side in memory; pass an array in C order");
  for (const std::int64_t stride : out.strides)
    if (stride < 0) throw InputError("out has a negative stride; pass an array in C order");
  return {data_of<float>(out), out.shape[0], out.shape[1], out.strides[0], out.strides[1]};
}

template <class T>
void write_vertices(const cuda::Embedding& embedding, const Array& q, bool from_rest, const std::optional<Array>& pose,
                    const cuda::VertexView& to) {
  const DeviceEmbeddingOperations<T>& operations = device_operations().embedding<T>();
  const auto coordinates = state_view<const T>(q);
  if (pose)
    operations.posed_positions(embedding, coordinates, state_view<const T>(*pose), to, q.place.stream);
  else
    (from_rest ? operations.positions : operations.displacements)(embedding, coordinates, to, q.place.stream);
}

}  // namespace

DeviceEmbedding::DeviceEmbedding(const Matrix& basis, const std::vector<double>& rest,
                                 const std::array<double, 3>& mass_centre, int device)
    : device_(device < 0 ? streams().current_device() : device),
      calls_(device_),
      points_(basis.rows / 3),
      embedding_(device_operations().make_embedding(basis.map(), rest, {.device = device_, .origin = mass_centre})) {}

void DeviceEmbedding::vertices(const Array& q, bool from_rest, const std::optional<Array>& pose,
                               const Array& out) const {
  const cuda::VertexView to = vertex_view(out);
  if (q.dtype == DType::float32)
    write_vertices<float>(*embedding_, q, from_rest, pose, to);
  else
    write_vertices<double>(*embedding_, q, from_rest, pose, to);
  calls_.follow(q.place);
}

const DeviceEmbedding::ForceList& DeviceEmbedding::force_list(std::int64_t bodies) const {
  const std::lock_guard lock(mutex_);
  const auto known = lists_.find(bodies);
  if (known != lists_.end()) return known->second;
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> vertices;
  for (std::int64_t body = 0; body <= bodies; ++body) starts.push_back(body * points_);
  for (std::int64_t n = 0; n < bodies * points_; ++n) vertices.push_back(static_cast<std::int32_t>(n % points_));
  ForceList list{device_copy_of(owning_array(std::move(starts), {bodies + 1}), calls_.place()),
                 device_copy_of(owning_array(std::move(vertices), {bodies * points_}), calls_.place())};
  return lists_.emplace(bodies, std::move(list)).first->second;
}

void DeviceEmbedding::add_vertex_forces(const Array& forces, const Array& reduced) const {
  if (!forces.is_contiguous()) throw InputError("forces aren't in C order; pass a copy of them");
  const ForceList& list = force_list(reduced.shape[0]);
  const cuda::DeviceVertexForces given{data_of<const std::int64_t>(list.starts),
                                       data_of<const std::int32_t>(list.vertices), data_of<const float>(forces)};
  if (reduced.dtype == DType::float32)
    device_operations().embedding<float>().add_vertex_forces(*embedding_, given, state_view<float>(reduced),
                                                             reduced.place.stream);
  else
    device_operations().embedding<double>().add_vertex_forces(*embedding_, given, state_view<double>(reduced),
                                                              reduced.place.stream);
  calls_.follow(reduced.place);
}

}  // namespace quartic::python
