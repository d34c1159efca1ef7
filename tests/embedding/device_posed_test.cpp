// Vertices of bodies with poses in device memory, and forces on them: against the same by matrices of rotation.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "quartic/cuda.hpp"
#include "quartic/error.hpp"
#include "support/device_memory.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using namespace test;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;

constexpr int vertices = 9, rank = 4, bodies = 5;

// Numbers that float holds.
MatrixXd random_matrix(Eigen::Index rows, Eigen::Index cols, unsigned seed) {
  const auto values = random_numbers(static_cast<std::size_t>(rows * cols), seed);
  return Eigen::Map<const MatrixXd>(values.data(), rows, cols).cast<float>().cast<double>();
}

template <class T>
std::vector<T> listed(const MatrixXd& values) {
  std::vector<T> result;
  for (Eigen::Index n = 0; n < values.size(); ++n) result.push_back(static_cast<T>(values.data()[n]));
  return result;
}

template <class T>
class DevicePosedTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!backend_available(Backend::cuda)) GTEST_SKIP() << "no CUDA device";
  }
  [[nodiscard]] Matrix3d rotation(Eigen::Index body) const {
    const Eigen::Vector4d x = pose.col(body).tail<4>().normalized();
    return Eigen::Quaterniond(x[3], x[0], x[1], x[2]).toRotationMatrix();
  }
  // y of a vertex of a body, in its axes.
  [[nodiscard]] Vector3d own_point(Eigen::Index body, Eigen::Index vertex) const {
    return rest.middleRows<3>(3 * vertex) - Vector3d(0.5, -0.25, 1) + basis.middleRows<3>(3 * vertex) * q.col(body);
  }
  [[nodiscard]] cuda::Embedding embedding() const {
    return {basis, std::vector<double>(rest.data(), rest.data() + rest.size()), {.origin = {0.5, -0.25, 1}}};
  }

  const MatrixXd basis = random_matrix(3 * vertices, rank, 1), rest = random_matrix(3 * vertices, 1, 2);
  const MatrixXd q = random_matrix(rank, bodies, 3), pose = random_matrix(7, bodies, 4);
  const DeviceVector<T> device_q{listed<T>(q)}, device_pose{listed<T>(pose)};
  const StateView<const T> q_view{device_q.data(), rank, bodies, 1, rank},
      pose_view{device_pose.data(), 7, bodies, 1, 7};
  // Numbers of size 1, of which each coordinate sums 2 r at most.
  static constexpr double tolerance = 40 * static_cast<double>(std::numeric_limits<T>::epsilon());
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(DevicePosedTest, Precisions);

TYPED_TEST(DevicePosedTest, VerticesLieWhereThePosesPutThem) {
  const cuda::Embedding embedding = this->embedding();
  const std::vector<std::int32_t> chosen = {3, 0, 3};
  const DeviceVector<std::int32_t> device_chosen(chosen);
  const TestStream stream;
  for (const bool all : {true, false}) {
    const int count = all ? bodies : 3;
    const DeviceVector<float> out(std::vector<float>(static_cast<std::size_t>(3 * vertices * count)));
    embedding.positions(this->q_view, this->pose_view, {out.data(), count, vertices, 3 * vertices, 3}, stream,
                        all ? nullptr : device_chosen.data());
    const std::vector<float> values = out.values();
    for (int n = 0; n < count; ++n)
      for (int v = 0; v < vertices; ++v) {
        const Eigen::Index body = all ? n : chosen[static_cast<std::size_t>(n)];
        const Vector3d expected =
            this->pose.col(body).template head<3>() + this->rotation(body) * this->own_point(body, v);
        for (int c = 0; c < 3; ++c)  // in float
          EXPECT_NEAR(values[static_cast<std::size_t>(3 * (vertices * n + v) + c)], expected[c], 1e-5);
      }
  }
}

TYPED_TEST(DevicePosedTest, ForcesActOnCoordinatesAndWrenches) {
  using T = TypeParam;
  const std::vector<std::int64_t> starts = {0, 2, 2, 3, 6, 6};
  const std::vector<std::int32_t> where = {0, 8, 4, 4, 4, 1};
  const MatrixXd forces = random_matrix(3, 6, 6), start = random_matrix(rank, bodies, 7),
                 before = random_matrix(6, bodies, 8);
  const DeviceVector<std::int64_t> device_starts(starts);
  const DeviceVector<std::int32_t> device_where(where);
  const DeviceVector<float> device_forces(listed<float>(forces));
  const DeviceVector<T> reduced(listed<T>(start)), wrench(listed<T>(before));
  const TestStream stream;
  const cuda::Embedding embedding = this->embedding();
  embedding.add_vertex_forces<T>({device_starts.data(), device_where.data(), device_forces.data()}, this->q_view,
                                 this->pose_view, {reduced.data(), rank, bodies, 1, rank},
                                 {wrench.data(), 6, bodies, 1, 6}, stream);
  MatrixXd expected = start, loads = before;
  for (Eigen::Index b = 0; b < bodies; ++b)
    for (auto n = starts[static_cast<std::size_t>(b)]; n < starts[static_cast<std::size_t>(b) + 1]; ++n) {
      const Eigen::Index v = where[static_cast<std::size_t>(n)];
      const Vector3d f = forces.col(n);
      expected.col(b) += this->basis.template middleRows<3>(3 * v).transpose() * this->rotation(b).transpose() * f;
      loads.col(b).template head<3>() += f;
      loads.col(b).template tail<3>() += (this->rotation(b) * this->own_point(b, v)).cross(f);
    }
  const std::vector<T> found = reduced.values(), found_wrench = wrench.values();
  // Points come from float's rest positions: exact here, but for their distance from the origin.
  for (std::size_t n = 0; n < found.size(); ++n) EXPECT_NEAR(found[n], expected.data()[n], this->tolerance) << n;
  for (std::size_t n = 0; n < found_wrench.size(); ++n)
    EXPECT_NEAR(found_wrench[n], loads.data()[n], 1e-6 + this->tolerance) << n;
}

TYPED_TEST(DevicePosedTest, RefusesWhatItCannotUse) {
  using T = TypeParam;
  const cuda::Embedding embedding = this->embedding();
  const DeviceVector<float> out(std::vector<float>(3 * vertices * bodies));
  std::vector<T> host(7 * bodies);
  const TestStream stream;
  const auto expect_refused = [&](const StateView<const T>& wrong, const std::string& word) {
    try {
      embedding.positions(this->q_view, wrong, {out.data(), bodies, vertices, 3 * vertices, 3}, stream);
      ADD_FAILURE() << "accepted, not refused for '" << word << "'";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  expect_refused({this->device_pose.data(), 6, bodies, 1, 7}, "7 rows");
  expect_refused({this->device_pose.data(), 7, 2, 1, 7}, "5 bodies");
  expect_refused({host.data(), 7, bodies, 1, 7}, "host memory");
}

}  // namespace
}  // namespace quartic
