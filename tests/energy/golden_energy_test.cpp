// The reduced energy against values computed with VegaFEM: R, K and V at given q, and the coefficients themselves.
#include <Eigen/Core>
#include <algorithm>
#include <fstream>
#include <locale>

#include "quartic/energy.hpp"
#include "support/golden.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Coefficients behind a header of four integers.
std::vector<double> read_coefficients(const std::filesystem::path& path) {
  constexpr std::uintmax_t header_bytes = 16;
  const auto bytes = std::filesystem::file_size(path) - header_bytes;
  std::vector<double> values(bytes / sizeof(double));
  std::ifstream file(path, std::ios::binary);
  file.seekg(header_bytes);
  if (!file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(bytes)))
    throw std::runtime_error(path.string());
  return values;
}

// A file of "key value" lines followed by blocks "q", "R" and "K".
struct GoldenEvaluation {
  double energy = 0;
  std::vector<double> q;
  VectorXd force;
  MatrixXd stiffness;
};

GoldenEvaluation read_evaluation(const std::filesystem::path& path, Eigen::Index rank) {
  std::ifstream file(path);
  file.imbue(std::locale::classic());
  GoldenEvaluation result;
  std::string key;
  while (file >> key) {
    const auto read_numbers = [&](Eigen::Index count) {
      std::vector<double> numbers(static_cast<std::size_t>(count));
      for (double& x : numbers) file >> x;
      return numbers;
    };
    if (key == "strain_energy") {
      file >> result.energy;
    } else if (key == "q") {
      result.q = read_numbers(rank);
    } else if (key == "R") {
      const auto numbers = read_numbers(rank);
      result.force = Eigen::Map<const VectorXd>(numbers.data(), rank);
    } else if (key == "K") {
      const auto numbers = read_numbers(rank * rank);  // symmetric: order doesn't matter
      result.stiffness = Eigen::Map<const MatrixXd>(numbers.data(), rank, rank);
    } else {
      file.ignore(1000, '\n');
    }
  }
  if (std::ssize(result.q) != rank || result.stiffness.rows() != rank)
    throw std::runtime_error("unexpected content: " + path.string());
  return result;
}

class GoldenEnergy : public testing::TestWithParam<test::GoldenCase> {
 protected:
  // VegaFEM's table for cubes has eight correct digits, and its energy loses some more.
  const bool cubes_ = std::string_view(GetParam().name) == "beam_vox";
  const double tolerance_ = cubes_ ? 1e-8 : 1e-10, energy_tolerance_ = cubes_ ? 1e-7 : 1e-10;

  static VolumeMesh mesh(const std::filesystem::path& data) {
    return read_mesh(data / "public/vegafem" / GetParam().mesh);
  }
  static MatrixXd basis(const std::filesystem::path& folder, const VolumeMesh& mesh, Eigen::Index rank) {
    return test::golden_matrix(folder / "U30.f64", 3 * mesh.vertex_count()).map().leftCols(rank);
  }
};

TEST_P(GoldenEnergy, ForceStiffnessAndEnergyAgree) {
  QUARTIC_NEED_DATA(data, ".");
  const auto folder = data / "golden" / GetParam().name;
  const VolumeMesh body = mesh(data);
  for (const int rank : {12, 20, 30}) {
    const QuarticEnergy energy = reduce_energy(body, basis(folder, body, rank));
    for (const char* state : {"q1", "q2", "q3"}) {
      SCOPED_TRACE("r" + std::to_string(rank) + " " + state);
      const GoldenEvaluation golden =
          read_evaluation(folder / ("r" + std::to_string(rank) + "_" + state + ".txt"), rank);
      const ReducedForces result = evaluate(energy, golden.q);
      const Eigen::Map<const VectorXd> force(result.force.data(), rank);
      EXPECT_LT((force - golden.force).norm(), tolerance_ * golden.force.norm());
      EXPECT_LT((result.stiffness.map() - golden.stiffness).norm(), tolerance_ * golden.stiffness.norm());
      EXPECT_NEAR(result.energy, golden.energy, energy_tolerance_ * golden.energy);
    }
  }
}

// The file holds r and the numbers of linear, quadratic and cubic monomials as 32-bit integers, then the
// coefficients of each force component: r rows of linear ones, then quadratic ones (j <= k), then cubic ones
// (j <= k <= l). Those of S are R_i = K_ij q_j + 1/2 S_0ijk q_j q_k + 1/6 S_ijkl q_j q_k q_l.
TEST_P(GoldenEnergy, CoefficientsAgree) {
  QUARTIC_NEED_DATA(data, ".");
  const auto folder = data / "golden" / GetParam().name;
  const VolumeMesh body = mesh(data);
  for (const int rank : {12, 20}) {
    SCOPED_TRACE(rank);
    const QuarticEnergy energy = reduce_energy(body, basis(folder, body, rank));
    const auto golden = read_coefficients(folder / ("r" + std::to_string(rank) + ".cub"));
    // S_abcd for any order of the indices.
    std::vector<double> tensor;
    const auto n = static_cast<std::size_t>(rank + 1);
    tensor.resize(n * n * n * n);
    std::size_t next = 0;
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = a; b < n; ++b)
        for (std::size_t c = b; c < n; ++c)
          for (std::size_t d = c; d < n; ++d) {
            std::size_t index[4] = {a, b, c, d};
            do tensor[((index[0] * n + index[1]) * n + index[2]) * n + index[3]] = energy.coefficients[next];
            while (std::next_permutation(index, index + 4));
            ++next;
          }
    const auto s = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
      return tensor[((a * n + b) * n + c) * n + d];
    };
    std::vector<double> coefficients;
    for (std::size_t i = 1; i < n; ++i)
      for (std::size_t j = 1; j < n; ++j) coefficients.push_back(s(0, 0, i, j) / 2);
    const std::size_t linear_end = coefficients.size();
    for (std::size_t i = 1; i < n; ++i)
      for (std::size_t j = 1; j < n; ++j)
        for (std::size_t k = j; k < n; ++k) coefficients.push_back((j == k ? 0.5 : 1.0) * s(0, i, j, k));
    const std::size_t quadratic_end = coefficients.size();
    for (std::size_t i = 1; i < n; ++i)
      for (std::size_t j = 1; j < n; ++j)
        for (std::size_t k = j; k < n; ++k)
          for (std::size_t l = k; l < n; ++l) {
            const double repeats = j == l ? 6 : (j == k || k == l) ? 2 : 1;
            coefficients.push_back(s(i, j, k, l) / repeats);
          }
    ASSERT_EQ(coefficients.size(), golden.size());
    const auto compare = [&](std::size_t begin, std::size_t end) {
      const auto count = static_cast<Eigen::Index>(end - begin);
      const Eigen::Map<const VectorXd> value(coefficients.data() + begin, count),
          reference(golden.data() + begin, count);
      EXPECT_LT((value - reference).norm(), tolerance_ * reference.norm());
    };
    compare(0, linear_end);
    compare(linear_end, quadratic_end);
    compare(quadratic_end, golden.size());
  }
}

INSTANTIATE_TEST_SUITE_P(VegaFem, GoldenEnergy, testing::ValuesIn(test::golden_cases),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace quartic
