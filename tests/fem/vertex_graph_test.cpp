// Incidences and the graph of vertices made by sorting on a device, against those that the host makes by walking.
#include "cuda/fem/vertex_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cuda/fem/device_incidence.hpp"
#include "quartic/backend.hpp"
#include "quartic/procedural.hpp"

namespace quartic {
namespace {

VolumeMesh box(ElementType type, int cells) {
  return make_box({.length = 2,
                   .width = 1,
                   .height = 1,
                   .cells_x = 2 * cells,
                   .cells_y = cells,
                   .cells_z = cells,
                   .type = type})
      .mesh;
}

// Elements of two types that share vertices, and a vertex of none.
VolumeMesh mixed_mesh() {
  VolumeMesh mesh = box(ElementType::hex8, 2);
  const VolumeMesh tetrahedra = box(ElementType::tet4, 2);
  const auto half = static_cast<std::ptrdiff_t>(mesh.blocks[0].vertices.size() / 2);
  mesh.blocks[0].vertices.resize(static_cast<std::size_t>(half));
  mesh.blocks.push_back(tetrahedra.blocks[0]);
  mesh.blocks[1].vertices.erase(mesh.blocks[1].vertices.begin(), mesh.blocks[1].vertices.begin() + half);
  mesh.blocks[1].vertices.resize(mesh.blocks[1].vertices.size() / 4 * 4);
  mesh.element_region.assign(static_cast<std::size_t>(mesh.element_count()), 0);
  mesh.vertices.insert(mesh.vertices.end(), {3, 3, 3});
  return mesh;
}

template <class T>
std::vector<T> to_host(const T* values, std::size_t count) {
  std::vector<T> host(count);
  cuda::check(cudaMemcpy(host.data(), values, count * sizeof(T), cudaMemcpyDeviceToHost), "copy to the host");
  return host;
}

class VertexGraphTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!backend_available(Backend::cuda)) GTEST_SKIP() << "no CUDA device";
  }
};

TEST_F(VertexGraphTest, IncidencesAreTheHosts) {
  const VolumeMesh mesh = mixed_mesh();
  const PreparedMesh prepared(mesh);
  const cuda::Stream stream;
  for (std::size_t b = 0; b < 2; ++b) {
    const Incidence& expected = prepared.incidences()[b];
    const cuda::DeviceArray<std::int32_t> vertices(std::span<const std::int32_t>(mesh.blocks[b].vertices),
                                                   stream.get());
    const cuda::DeviceIncidence found(vertices, mesh.vertex_count(), stream.get());
    stream.synchronize();
    EXPECT_EQ(to_host(found.view().offsets, expected.offsets.size()), expected.offsets);
    EXPECT_EQ(to_host(found.view().places, expected.places.size()), expected.places);
  }
}

// In one range, in some, and vertex by vertex.
TEST_F(VertexGraphTest, GraphIsTheHostsInAnyRanges) {
  for (const VolumeMesh& mesh : {mixed_mesh(), box(ElementType::tet10, 1)}) {
    const PreparedMesh prepared(mesh);
    for (const std::int64_t most_pairs : {cuda::most_sorted_pairs, std::int64_t{500}, std::int64_t{1}}) {
      const VertexGraph found = cuda::vertex_graph(prepared, most_pairs);
      EXPECT_EQ(found.offsets, prepared.graph().offsets) << most_pairs;
      EXPECT_EQ(found.neighbours, prepared.graph().neighbours) << most_pairs;
    }
  }
}

TEST_F(VertexGraphTest, SpringsJoinVerticesOfNoCommonElement) {
  VolumeMesh mesh = box(ElementType::tet4, 1);
  const auto last = static_cast<std::int32_t>(mesh.vertex_count() - 1);
  Spring spring;
  spring.stiffness = 3;
  spring.terms = {{.vertex = 0, .factors = {1, 0, 0}}, {.vertex = last, .factors = {-1, 0, 0}}};
  mesh.springs = {spring};
  const PreparedMesh prepared(mesh);
  const VertexGraph found = cuda::vertex_graph(prepared);
  EXPECT_EQ(found.neighbours, prepared.graph().neighbours);
  EXPECT_EQ(found.row(0).back(), last);
}

}  // namespace
}  // namespace quartic
