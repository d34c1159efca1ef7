// Newmark trajectories of another program, from its own coefficients and from ours.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/energy/quartic_polynomial.hpp"
#include "quartic/batch.hpp"
#include "quartic/energy.hpp"
#include "quartic/mesh.hpp"
#include "support/batch_states.hpp"
#include "support/golden.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using namespace test;

struct GoldenTrajectory {
  double dt = 0, rayleigh_mass = 0, rayleigh_stiffness = 0;
  Eigen::VectorXd load;
  std::vector<Eigen::VectorXd> q;
};

GoldenTrajectory read_trajectory(const std::filesystem::path& path, int rank) {
  GoldenTrajectory trajectory;
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path.string());
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    const auto vector = [&] {
      Eigen::VectorXd values(rank);
      for (double& x : values) words >> x;
      return values;
    };
    if (key == "dt") words >> trajectory.dt;
    if (key == "damping_mass") words >> trajectory.rayleigh_mass;
    if (key == "damping_stiffness") words >> trajectory.rayleigh_stiffness;
    if (key == "load") trajectory.load = vector();
    if (!key.empty() && key.find_first_not_of("0123456789") == std::string::npos) trajectory.q.push_back(vector());
  }
  return trajectory;
}

// A `.cub` file: four counts, then for each degree 1, 2, 3 the force's coefficients [output][monomial], monomials
// i <= j <= k. A force coefficient is S_0.. over the product of the factorials of equal indices.
QuarticEnergy read_polynomial(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<std::int32_t, 4> counts = {};
  file.read(reinterpret_cast<char*>(counts.data()), sizeof(counts));
  const auto r = static_cast<std::size_t>(counts[0]);
  const auto linear = static_cast<std::size_t>(counts[1]), quadratic = static_cast<std::size_t>(counts[2]);
  std::vector<double> values(r * (linear + quadratic + static_cast<std::size_t>(counts[3])));
  if (!file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(double))))
    throw std::runtime_error(path.string());
  const double* pairs = values.data() + r * linear;
  const double* triples = pairs + r * quadratic;

  QuarticEnergy energy{.rank = counts[0], .coefficients = {}};
  energy.coefficients.resize(static_cast<std::size_t>(quartic_coefficient_count(energy.rank)));
  const auto at = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d) -> double& {
    return energy.coefficients[sorted_index(a, b, c, d, r)];
  };
  for (std::size_t o = 1; o <= r; ++o) {
    for (std::size_t i = o; i <= r; ++i) at(0, 0, o, i) = 2 * values[(o - 1) * r + i - 1];
    for (std::size_t i = 1; i <= r; ++i)
      for (std::size_t j = i; j <= r; ++j, ++pairs)
        if (o <= i) at(0, o, i, j) = *pairs * (i == j ? 2 : 1);
    for (std::size_t i = 1; i <= r; ++i)
      for (std::size_t j = i; j <= r; ++j)
        for (std::size_t k = j; k <= r; ++k, ++triples)
          if (o <= i) at(o, i, j, k) = *triples * (i == j && j == k ? 6 : i == j || j == k ? 2 : 1);
  }
  return energy;
}

// The largest error of the first steps, over the largest coordinate so far.
template <class T>
double trajectory_error(const QuarticEnergy& energy, const GoldenTrajectory& golden, int iterations,
                        std::size_t steps) {
  Batch<T> batch(energy, {.rayleigh_mass = golden.rayleigh_mass,
                          .rayleigh_stiffness = golden.rayleigh_stiffness,
                          .newton_iterations = iterations});
  set_body(batch.force(), 0, golden.load);
  double error = 0, size = 0;
  for (std::size_t n = 1; n <= steps; ++n) {
    batch.step(golden.dt);
    const Eigen::VectorXd& expected = golden.q.at(n);
    size = std::max(size, expected.lpNorm<Eigen::Infinity>());
    error = std::max(error, (get_body<T>(batch.q(), 0) - expected).template lpNorm<Eigen::Infinity>() / size);
  }
  return error;
}

std::string trajectory_name(int rank, int iterations) {
  return "r" + std::to_string(rank) + "_newmark_iter" + std::to_string(iterations) + ".txt";
}

TEST(GoldenBatchTest, TrajectoriesFollowFromTheReferenceCoefficients) {
  QUARTIC_NEED_DATA(data, "golden");
  for (const GoldenCase& c : golden_cases)
    for (const int rank : {12, 20}) {
      const QuarticEnergy energy = read_polynomial(data / c.name / ("r" + std::to_string(rank) + ".cub"));
      for (const int iterations : {1, 20}) {
        SCOPED_TRACE(c.name + ("/" + trajectory_name(rank, iterations)));
        const GoldenTrajectory golden = read_trajectory(data / c.name / trajectory_name(rank, iterations), rank);
        ASSERT_EQ(golden.q.size(), 101U);
        // Rounding grows with the steps; two implementations of the reference differ by 4e-12 after 12 of them.
        EXPECT_LE(trajectory_error<double>(energy, golden, iterations, 12), 1e-11);
        EXPECT_LE(trajectory_error<float>(energy, golden, iterations, 12), 1e-5);
      }
    }
}

TEST(GoldenBatchTest, TrajectoriesFollowFromOurReduction) {
  QUARTIC_NEED_DATA(data, "");
  for (const GoldenCase& c : golden_cases) {
    const VolumeMesh mesh = read_mesh(data / "public/vegafem" / c.mesh);
    const Matrix basis = golden_matrix(data / "golden" / c.name / "U30.f64", 3 * mesh.vertex_count());
    const int rank = 30;  // the lower ones are covered by the coefficients themselves
    const QuarticEnergy energy = reduce_energy(mesh, basis.map().leftCols(rank));
    for (const int iterations : {1, 20}) {
      SCOPED_TRACE(c.name + ("/" + trajectory_name(rank, iterations)));
      const GoldenTrajectory golden =
          read_trajectory(data / "golden" / c.name / trajectory_name(rank, iterations), rank);
      // The reference's brick integrals are printed with 8 correct digits here and there.
      const double tolerance = std::string(c.name) == "beam_vox" ? 1e-9 : 1e-11;
      EXPECT_LE(trajectory_error<double>(energy, golden, iterations, 12), tolerance);
    }
  }
}

}  // namespace
}  // namespace quartic
