// A thin bar that is struck so that it rings at 0.7 of its thickness: the pitch of its first four modes against central
// differences with steps 96 times smaller, and its energy over a second.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/energy.hpp"
#include "quartic/exponential.hpp"
#include "quartic/mesh.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "support/batch_states.hpp"

namespace quartic {
namespace {

using namespace test;

constexpr double rate = 44100, thickness = 0.003;
constexpr int modes = 4, bar_rank = 14;
constexpr Material aluminium = {.youngs_modulus = 70e9, .poissons_ratio = 0.33, .density = 2700};

struct Bar {
  ReducedModel model;
  Eigen::MatrixXd turn;  // q = turn z, K0 diagonal in z
  Eigen::VectorXd frequencies;
  Eigen::VectorXd velocity;  // q', with which the first mode alone would reach 0.7 of the thickness
};

/// Five tetrahedra per brick of a grid, of which neighbours are mirror images. @param size of a brick
VolumeMesh five_per_brick(const std::array<int, 3>& count, const std::array<double, 3>& size) {
  VolumeMesh mesh;
  const auto vertex = [&](int x, int y, int z) { return (z * (count[1] + 1) + y) * (count[0] + 1) + x; };
  for (int z = 0; z <= count[2]; ++z)
    for (int y = 0; y <= count[1]; ++y)
      for (int x = 0; x <= count[0]; ++x)
        mesh.vertices.insert(mesh.vertices.end(), {x * size[0], y * size[1], z * size[2]});
  // Corners by their bits x, y, z, positive for a brick whose x + y + z is even; the other's are mirrored along x.
  constexpr int tetrahedra[5][4] = {{0, 3, 6, 5}, {1, 0, 3, 5}, {2, 3, 0, 6}, {4, 0, 5, 6}, {7, 3, 6, 5}};
  std::vector<std::int32_t> corners;
  for (int z = 0; z < count[2]; ++z)
    for (int y = 0; y < count[1]; ++y)
      for (int x = 0; x < count[0]; ++x)
        for (const auto& tetrahedron : tetrahedra) {
          const int mirror = (x + y + z) % 2;
          for (const int corner : tetrahedron)
            corners.push_back(vertex(x + ((corner & 1) ^ mirror), y + ((corner >> 1) & 1), z + (corner >> 2)));
        }
  mesh.blocks = {{ElementType::tet4, std::move(corners)}};
  mesh.element_region.assign(static_cast<std::size_t>(mesh.element_count()), 0);
  mesh.regions = {{"bar", aluminium}};
  (void)repair_orientation(mesh);
  return mesh;
}

// Both ends clamped.
Bar clamped(const VolumeMesh& mesh) {
  std::vector<std::int32_t> fixed;
  for (std::int32_t v = 0; v < mesh.vertex_count(); ++v) {
    const double x = mesh.vertices[3 * static_cast<std::size_t>(v)];
    if (x < 1e-9 || x > 0.2 - 1e-9) fixed.push_back(v);
  }
  Bar made{reduce(mesh, fixed, {.modes = modes, .rank = bar_rank}), {}, {}, {}};
  const Matrix stiffness = evaluate(made.model.energy, std::vector<double>(bar_rank)).stiffness;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(stiffness.map());
  made.turn = solver.eigenvectors();
  made.frequencies = solver.eigenvalues().cwiseSqrt() / (2 * std::numbers::pi);
  const double largest = (made.model.basis.map() * made.turn.col(0)).cwiseAbs().maxCoeff();
  Eigen::VectorXd z = Eigen::VectorXd::Zero(bar_rank);
  z.head(4) << 1, 0.2, 0.3, 0.2;
  made.velocity = made.turn * (0.7 * thickness / largest * std::sqrt(solver.eigenvalues()[0]) * z);
  return made;
}

enum class BarOf : std::uint8_t { tetrahedra, bricks, quadratic };

Bar clamped_box(int cells_x, ElementType type) {
  return clamped(make_box({.length = 0.2,
                           .width = 0.02,
                           .height = thickness,
                           .cells_x = cells_x,
                           .cells_y = 2,
                           .cells_z = 1,
                           .type = type,
                           .material = aluminium})
                     .mesh);
}

// 0.2 x 0.02 x 0.003 m, of linear tetrahedra or bricks, which are too stiff in bending, or of quadratic tetrahedra.
const Bar& bar(BarOf elements) {
  static const Bar of_tetrahedra = clamped(five_per_brick({16, 2, 1}, {0.2 / 16, 0.01, thickness}));
  static const Bar of_bricks = clamped_box(32, ElementType::hex8), quadratic = clamped_box(16, ElementType::tet10);
  if (elements == BarOf::tetrahedra) return of_tetrahedra;
  return elements == BarOf::bricks ? of_bricks : quadratic;
}

/// z of the first modes, at each sample.
template <class B>
Eigen::MatrixXd ringing(const Bar& bar, B& batch, int samples, int substeps) {
  set_body(batch.velocity(), 0, bar.velocity);
  Eigen::MatrixXd heard(modes, samples);
  for (int n = 0; n < samples; ++n) {
    batch.step(1 / rate, substeps);
    heard.col(n) = (bar.turn.transpose() * get_body(std::as_const(batch).q(), 0)).head(modes);
  }
  return heard;
}

/// The highest peak of the spectrum between two frequencies [Hz], by a parabola through its logarithm.
double pitch(const Eigen::VectorXd& samples, double low, double high) {
  const Eigen::Index count = samples.size();
  const double bin = rate / (8 * static_cast<double>(count));
  const auto loudness = [&](double frequency) {
    const std::complex<double> turn = std::polar(1.0, -2 * std::numbers::pi * frequency / rate);
    std::complex<double> phase = 1, sum = 0;
    for (Eigen::Index n = 0; n < count; ++n, phase *= turn)
      sum += samples[n] *
             (0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(n) / static_cast<double>(count - 1))) *
             phase;
    return std::log(std::abs(sum));
  };
  std::vector<double> spectrum;
  for (double f = low; f < high; f += bin) spectrum.push_back(loudness(f));
  const auto peak = std::max_element(spectrum.begin() + 1, spectrum.end() - 1);
  const double a = peak[-1], b = peak[0], c = peak[1];
  return low + bin * (static_cast<double>(peak - spectrum.begin()) + (a - c) / (2 * (a - 2 * b + c)));
}

double cents(double a, double b) {
  return 1200 * std::log2(a / b);
}

class RingingBar : public testing::TestWithParam<BarOf> {};
INSTANTIATE_TEST_SUITE_P(Elements, RingingBar, testing::Values(BarOf::tetrahedra, BarOf::bricks, BarOf::quadratic));

// A soft bar's pitch rises too far to be told from others' over a tenth of a second.
class StiffRingingBar : public testing::TestWithParam<BarOf> {};
INSTANTIATE_TEST_SUITE_P(Elements, StiffRingingBar, testing::Values(BarOf::tetrahedra, BarOf::bricks));

TEST_P(StiffRingingBar, HasTheRightPitch) {
  constexpr int samples = 4410;
  const Bar& own = bar(GetParam());
  const int oscillators = ExponentialBatch<double>(own.model.energy).oscillators(1 / rate);
  ASSERT_GE(oscillators, modes);
  ASSERT_LT(oscillators, bar_rank) << "others follow";
  const double mass_damping = 2, stiffness_damping = 2e-7;
  BatchOptions options{.integrator = Integrator::central_differences,
                       .rayleigh_mass = mass_damping,
                       .rayleigh_stiffness = stiffness_damping,
                       .evaluation = Evaluation::latency};
  Batch<double> central(own.model.energy, options);
  const Eigen::MatrixXd expected = ringing(own, central, samples, 96);
  options.integrator = Integrator::newmark;
  options.newton_iterations = 8;
  Batch<double> newmark(own.model.energy, options);
  const Eigen::MatrixXd detuned = ringing(own, newmark, samples, 1);
  const ExponentialOptions exponential{.rayleigh_mass = mass_damping, .rayleigh_stiffness = stiffness_damping};
  ExponentialBatch<double> batch(own.model.energy, exponential);
  const Eigen::MatrixXd found = ringing(own, batch, samples, 1);
  ExponentialBatch<float> single(own.model.energy, exponential);
  const Eigen::MatrixXd in_float = ringing(own, single, samples, 1);
  double worst_of_newmark = 0;
  for (int i = 0; i < modes; ++i) {
    const double low = 0.97 * own.frequencies[i], high = 1.04 * own.frequencies[i];
    const auto heard = [&](const Eigen::MatrixXd& sound) { return pitch(sound.row(i), low, high); };
    const double pitch_of_reference = heard(expected);
    if (GetParam() == BarOf::tetrahedra) {
      EXPECT_GT(cents(pitch_of_reference, own.frequencies[i]), 0.2) << "bending makes it stiffer";
    }
    RecordProperty("cents_" + std::to_string(i), std::to_string(cents(heard(found), pitch_of_reference)));
    EXPECT_LT(std::abs(cents(heard(found), pitch_of_reference)), 1) << i;
    EXPECT_LT(std::abs(cents(heard(in_float), pitch_of_reference)), 1) << i;
    worst_of_newmark = std::max(worst_of_newmark, std::abs(cents(heard(detuned), pitch_of_reference)));
  }
  RecordProperty("newmark_cents", std::to_string(worst_of_newmark));
  EXPECT_GT(worst_of_newmark, GetParam() == BarOf::tetrahedra ? 40 : 15)
      << "converged, with the same step; the fourth mode's is out of the window";
  EXPECT_LT((found.leftCols(882) - expected.leftCols(882)).norm() / expected.leftCols(882).norm(), 0.02);
}

TEST_P(RingingBar, KeepsItsEnergy) {
  const Bar& own = bar(GetParam());
  ExponentialBatch<double> batch(own.model.energy);
  set_body(batch.velocity(), 0, own.velocity);
  double first = 0, last = 0;
  constexpr int pieces = 900, piece = 49, of_50_ms = 45;
  for (int n = 0; n < pieces; ++n) {
    batch.step(piece / rate, piece);
    const double energy = batch.elastic_energy()[0] + batch.kinetic_energy()[0];
    if (n < of_50_ms) first += energy / of_50_ms;
    if (n >= pieces - of_50_ms) last += energy / of_50_ms;
  }
  EXPECT_EQ(batch.status()[0], BodyStatus::ok);
  EXPECT_FALSE(has_any(batch.flags()[0], BodyFlags::not_converged));
  RecordProperty("drift", std::to_string(last / first - 1));
  EXPECT_NEAR(last / first, 1, 1e-3);
}

}  // namespace
}  // namespace quartic
