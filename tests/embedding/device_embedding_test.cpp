// Vertices from reduced coordinates, normals, and forces back, in device memory.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "quartic/cuda.hpp"
#include "quartic/embedding.hpp"
#include "quartic/error.hpp"
#include "support/device_memory.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using namespace test;

template <class T>
std::vector<T> numbers(std::size_t count, unsigned seed) {
  std::vector<T> result;
  for (const double x : random_numbers(count, seed)) result.push_back(static_cast<T>(static_cast<float>(x)));
  return result;
}

Matrix random_basis(std::int64_t vertices, std::int64_t rank) {
  Matrix basis(3 * vertices, rank);
  const std::vector<double> values = random_numbers(basis.values.size(), 17);
  for (std::size_t n = 0; n < values.size(); ++n) basis.values[n] = static_cast<float>(values[n]);
  return basis;
}

template <class T>
class DeviceEmbeddingTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!backend_available(Backend::cuda)) GTEST_SKIP() << "no CUDA device";
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceEmbeddingTest, Precisions);

// Against the CPU's sums in double. Each of the r + 1 roundings of a sum is of at most |x| + sum |U q| <= 1 + r.
template <class T>
void compare(std::int64_t vertices, std::int64_t rank, std::int64_t bodies, std::int64_t stride_vertex,
             cuda::BasisPrecision precision) {
  const Matrix basis = random_basis(vertices, rank);
  const std::vector<double> rest = numbers<double>(static_cast<std::size_t>(3 * vertices), 5);
  const std::vector<T> q = numbers<T>(static_cast<std::size_t>(rank * bodies), 9);
  const std::vector<double> q_double(q.begin(), q.end());
  std::vector<double> expected(static_cast<std::size_t>(3 * vertices * bodies));
  vertex_displacements<double>(basis.map(), StateView<const double>{q_double.data(), rank, bodies, 1, rank}, {},
                               expected);

  const cuda::Embedding embedding(basis.map(), rest, {.precision = precision});
  const DeviceVector<T> device_q(q);
  const std::int64_t stride_body = vertices * stride_vertex;
  const DeviceVector<float> out(std::vector<float>(static_cast<std::size_t>(stride_body * bodies), -7.0F));
  const TestStream stream;
  embedding.positions(StateView<const T>{device_q.data(), rank, bodies, 1, rank},
                      {out.data(), bodies, vertices, stride_body, stride_vertex}, stream);
  const std::vector<float> values = out.values();
  const double half = precision == cuda::BasisPrecision::half ? 0x1p-11 * static_cast<double>(rank) : 0;
  const double tolerance = 0x1p-24 * static_cast<double>((rank + 1) * (rank + 1)) + half;
  for (std::int64_t b = 0; b < bodies; ++b)
    for (std::int64_t v = 0; v < vertices; ++v)
      for (std::int64_t c = 0; c < stride_vertex; ++c) {
        const float value = values[static_cast<std::size_t>(b * stride_body + v * stride_vertex + c)];
        if (c < 3) {
          const auto row = static_cast<std::size_t>(3 * v + c);
          ASSERT_NEAR(value, rest[row] + expected[static_cast<std::size_t>(3 * vertices * b) + row], tolerance)
              << vertices << ' ' << rank << ' ' << bodies << ": " << b << ' ' << v << ' ' << c;
        } else {
          ASSERT_EQ(value, -7.0F);  // what is between positions stays
        }
      }
}

TYPED_TEST(DeviceEmbeddingTest, PositionsMatchTheCpu) {
  for (const std::int64_t vertices : {1, 2, 3, 170, 171, 172})
    for (const std::int64_t bodies : {1, 31, 33, 65})
      compare<TypeParam>(vertices, 7, bodies, 3, cuda::BasisPrecision::single);
  for (const std::int64_t rank : {1, 64, 65, 130}) compare<TypeParam>(5, rank, 3, 3, cuda::BasisPrecision::single);
}

TYPED_TEST(DeviceEmbeddingTest, VertexBuffersKeepWhatIsBetween) {
  compare<TypeParam>(11, 6, 5, 8, cuda::BasisPrecision::single);
  compare<TypeParam>(11, 6, 5, 4, cuda::BasisPrecision::half);
}

TYPED_TEST(DeviceEmbeddingTest, HalfPrecisionIsAsGoodAsItsBits) {
  compare<TypeParam>(171, 12, 33, 3, cuda::BasisPrecision::half);
}

// U of a body of 1e-10 kg has entries beyond half precision's range, of one of 1e12 kg below it.
TYPED_TEST(DeviceEmbeddingTest, HalfPrecisionHasTheRange) {
  for (const double scale : {1e6, 1e-7}) {
    Matrix basis = random_basis(3, 1);
    for (double& x : basis.values) x *= scale;
    const cuda::Embedding embedding(basis.map(), std::vector<double>(9), {.precision = cuda::BasisPrecision::half});
    const DeviceVector<TypeParam> q({TypeParam{2}});
    const DeviceVector<float> out(std::vector<float>(9));
    const TestStream stream;
    embedding.displacements(StateView<TypeParam>{q.data(), 1, 1, 1, 1}, {out.data(), 1, 3, 9, 3}, stream);
    const std::vector<float> values = out.values();
    for (std::size_t n = 0; n < 9; ++n) EXPECT_NEAR(values[n], 2 * basis.values[n], 0x1p-11 * 2 * scale);
  }
}

TYPED_TEST(DeviceEmbeddingTest, ChosenVerticesAndBodies) {
  const std::int64_t rank = 4, bodies = 6;
  const Matrix basis = random_basis(9, rank);
  const std::vector<double> rest = numbers<double>(27, 5);
  const std::vector<std::int32_t> vertices = {7, 0, 7};
  const std::vector<TypeParam> q = numbers<TypeParam>(static_cast<std::size_t>(rank * bodies), 9);
  const std::vector<std::int32_t> chosen = {5, 2};
  const cuda::Embedding all(basis.map(), rest), some(basis.map(), rest, {.vertices = vertices});
  EXPECT_EQ(some.vertices(), 3);
  const DeviceVector<TypeParam> device_q(q);
  const DeviceVector<std::int32_t> device_chosen(chosen);
  const DeviceVector<float> whole(std::vector<float>(27 * 6)), part(std::vector<float>(9 * 2));
  const TestStream stream;
  const StateView<const TypeParam> view{device_q.data(), rank, bodies, bodies, 1};
  all.displacements(view, {whole.data(), bodies, 9, 27, 3}, stream);
  some.displacements(view, {part.data(), 2, 3, 9, 3}, stream, device_chosen.data());
  const std::vector<float> a = whole.values(), b = part.values();
  for (std::size_t n = 0; n < 2; ++n)
    for (std::size_t v = 0; v < 3; ++v)
      for (std::size_t c = 0; c < 3; ++c)
        EXPECT_EQ(b[9 * n + 3 * v + c],
                  a[27 * static_cast<std::size_t>(chosen[n]) + 3 * static_cast<std::size_t>(vertices[v]) + c]);
}

// A tetrahedron with a right angle at the origin: normals by area in closed form.
TYPED_TEST(DeviceEmbeddingTest, NormalsAreMeansByArea) {
  const Matrix basis = random_basis(5, 1);
  const std::vector<double> rest = {0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 9, 9, 9};
  const std::vector<std::int32_t> triangles = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  const cuda::Embedding embedding(basis.map(), rest, {.triangles = triangles});
  const std::vector<float> tetrahedron(rest.begin(), rest.end());
  std::vector<float> both = tetrahedron;
  for (const float x : tetrahedron) both.push_back(1e-24F * x);  // the second body: areas below float's range
  const DeviceVector<float> positions(both), normals(std::vector<float>(30));
  const TestStream stream;
  embedding.normals({positions.data(), 2, 5, 15, 3}, {normals.data(), 2, 5, 15, 3}, stream);
  const std::vector<float> n = normals.values();
  // Twice the area times the normal: (0,0,-2), (0,-2,0), (-1,0,0) and (1,2,2), the faces of each vertex added up.
  const std::array<std::array<double, 3>, 5> sums = {{{-1, -2, -2}, {1, 0, 0}, {0, 2, 0}, {0, 0, 2}, {0, 0, 0}}};
  for (std::size_t body = 0; body < 2; ++body)
    for (std::size_t v = 0; v < 5; ++v) {
      const double length = std::hypot(sums[v][0], sums[v][1], sums[v][2]);
      for (std::size_t c = 0; c < 3; ++c)
        EXPECT_NEAR(n[15 * body + 3 * v + c], length > 0 ? sums[v][c] / length : 0, 1e-6) << body << ' ' << v;
    }
}

TYPED_TEST(DeviceEmbeddingTest, ForcesComeBackAsOnTheCpu) {
  const std::int64_t rank = 6, bodies = 5;
  const Matrix basis = random_basis(8, rank);
  const std::vector<VertexForce> list = {{.body = 0, .vertex = 3, .force = {1, 2, 3}},
                                         {.body = 0, .vertex = 7, .force = {-1, 0.5, 0}},
                                         {.body = 3, .vertex = 3, .force = {0, 0, 4}},
                                         {.body = 4, .vertex = 0, .force = {1, 1, 1}}};
  const std::vector<std::int64_t> starts = {0, 2, 2, 2, 3, 4};
  std::vector<std::int32_t> vertices;
  std::vector<float> forces;
  for (const VertexForce& f : list) {
    vertices.push_back(f.vertex);
    for (const double x : f.force) forces.push_back(static_cast<float>(x));
  }
  const std::vector<TypeParam> start = numbers<TypeParam>(static_cast<std::size_t>(rank * bodies), 3);
  std::vector<TypeParam> expected = start;
  add_vertex_forces<TypeParam>(basis.map(), list, {expected.data(), rank, bodies, 1, rank});

  const cuda::Embedding embedding(basis.map(), std::vector<double>(24));
  const DeviceVector<std::int64_t> device_starts(starts);
  const DeviceVector<std::int32_t> device_vertices(vertices);
  const DeviceVector<float> device_forces(forces);
  const DeviceVector<TypeParam> result(start);
  const TestStream stream;
  embedding.add_vertex_forces<TypeParam>({device_starts.data(), device_vertices.data(), device_forces.data()},
                                         {result.data(), rank, bodies, 1, rank}, stream);
  const std::vector<TypeParam> values = result.values();
  // No forces at all: null lists.
  const DeviceVector<std::int64_t> no_starts(std::vector<std::int64_t>(6, 0));
  embedding.add_vertex_forces<TypeParam>({no_starts.data(), nullptr, nullptr}, {result.data(), rank, bodies, 1, rank},
                                         stream);
  EXPECT_EQ(result.values(), values);
  for (std::size_t n = 0; n < values.size(); ++n)
    EXPECT_NEAR(values[n], expected[n], 20 * std::numeric_limits<TypeParam>::epsilon()) << n;
}

TYPED_TEST(DeviceEmbeddingTest, RefusesWhatItCannotUse) {
  const Matrix basis = random_basis(4, 2);
  const std::vector<double> rest(12);
  const std::vector<std::int32_t> wrong = {0, 4, 1};
  const auto expect_input_error = [](const auto& call, const std::string& word) {
    try {
      call();
      ADD_FAILURE() << "accepted, not refused for '" << word << "'";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  using cuda::Embedding;
  expect_input_error([&] { Embedding(basis.map(), std::vector<double>(9)); }, "rest positions");
  expect_input_error([&] { Embedding(basis.map(), rest, {.vertices = wrong}); }, "vertices is 4");
  expect_input_error([&] { Embedding(basis.map(), rest, {.triangles = wrong}); }, "vertex 4");
  Matrix broken = basis;
  broken(3, 1) = std::numeric_limits<double>::quiet_NaN();
  expect_input_error([&] { Embedding(broken.map(), rest); }, "isn't finite");
  const Embedding embedding(basis.map(), rest);
  const DeviceVector<TypeParam> q(std::vector<TypeParam>(6));
  const DeviceVector<float> out(std::vector<float>(36));
  std::vector<float> host(36);
  const TestStream stream;
  const StateView<const TypeParam> view{q.data(), 2, 3, 1, 2};
  expect_input_error([&] { embedding.positions(view, {host.data(), 3, 4, 12, 3}, stream); }, "host memory");
  expect_input_error([&] { embedding.positions(view, {out.data(), 3, 3, 12, 3}, stream); }, "vertices per body");
  expect_input_error([&] { embedding.positions(view, {out.data(), 4, 4, 12, 3}, stream); }, "there are 3");
  expect_input_error(
      [&] {
        embedding.positions(StateView<TypeParam>{q.data(), 1, 3, 1, 2}, {out.data(), 3, 4, 12, 3}, stream);
      },
      "rank 1");
  expect_input_error(
      [&] {
        embedding.normals({out.data(), 3, 4, 12, 3}, {out.data(), 3, 4, 12, 3}, stream);
      },
      "no triangles");
}

}  // namespace
}  // namespace quartic
