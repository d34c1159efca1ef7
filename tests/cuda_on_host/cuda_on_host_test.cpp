// The logic of the CUDA backend without a device: its sources, compiled for the host against a stand-in for CUDA's
// headers (cuda_on_host/), compared with steps in plain linear algebra.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <vector>

#include "core/batch/range_rule.hpp"
#include "cuda/batch/batch.hpp"
#include "cuda/batch/steps/fused_shape.hpp"
#include "cuda/embedding/embedding.hpp"
#include "cuda/energy/tensor_image.hpp"
#include "quartic/error.hpp"
#include "support/batch_states.hpp"
#include "support/reference_steps.hpp"
#include "support/sample_energies.hpp"
#include "support/sample_range.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using namespace test;

template <class T>
class CudaOnHostTest : public testing::Test {
 protected:
  void TearDown() override { cuda_on_host::device() = {}; }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaOnHostTest, Precisions);

// The rule that picks the fused kernel, on a device like an H100 and on smaller ones.
TEST(FusedShapeTest, FollowsRankPrecisionAndDevice) {
  const auto width = [](auto number, int rank, std::int64_t bodies, std::size_t shared_bytes = 232'448,
                        bool on_tensor_cores = false) {
    using T = decltype(number);
    const std::vector<std::int64_t> groups = {bodies};
    const auto shape = cuda::fused_shape<T>(rank, groups, false, {shared_bytes, 132, on_tensor_cores});
    if (!shape) return 0;
    EXPECT_LE(shape->shared_bytes, shared_bytes) << rank;
    const int threads = on_tensor_cores ? cuda::fused_tensor_threads<T> : cuda::fused_threads<T>;
    EXPECT_LE(shape->warps * cuda::warp_size, threads) << rank;
    EXPECT_EQ(shape->warps % (on_tensor_cores ? shape->width : cuda::schedulers), 0) << rank;
    return shape->width;
  };
  EXPECT_EQ(width(1.0F, 12, 100'000), 4);
  EXPECT_EQ(width(1.0F, 20, 100'000), 2);
  EXPECT_EQ(width(1.0F, 40, 100'000), 1);
  EXPECT_EQ(width(1.0F, 41, 100'000), 0);
  EXPECT_EQ(width(1.0, 12, 100'000), 2);
  EXPECT_EQ(width(1.0, 32, 100'000), 1);
  EXPECT_EQ(width(1.0, 33, 100'000), 0);
  EXPECT_EQ(width(1.0F, 20, 100'000, 101'376), 1) << "shared memory of small cards";
  EXPECT_EQ(width(1.0F, 40, 100'000, 101'376), 0);
  EXPECT_EQ(width(1.0F, 12, 4096), 1) << "all multiprocessors at work";
  EXPECT_EQ(width(1.0F, 20, 1), 1);
  EXPECT_EQ(width(1.0F, 30, 64), 0) << "rows over many multiprocessors instead";
  EXPECT_EQ(width(1.0F, 12, 100'000, 232'448, true), 4);
  EXPECT_EQ(width(1.0F, 20, 100'000, 232'448, true), 2);
  EXPECT_EQ(width(1.0F, 32, 100'000, 232'448, true), 2);
  EXPECT_EQ(width(1.0F, 33, 100'000, 232'448, true), 0);
  EXPECT_EQ(width(1.0, 20, 100'000, 232'448, true), 2);
  for (int rank = 1; rank <= cuda::largest_fused_rank; ++rank) EXPECT_GT(width(1.0F, rank, 1'000'000), 0) << rank;
}

// What is asked for is done: tests that compare the two ways would pass all the same if one were never taken.
TYPED_TEST(CudaOnHostTest, StepsAreFusedWhereAskedFor) {
  const auto chunks = [](cuda::Fusing fusing, bool on_tensor_cores, int rank) {
    const std::vector<GroupRange> groups = {{0, 40, rank}, {40, 300, 1}};
    return cuda::plan_tiles<TypeParam>(groups, {.fusing = fusing, .on_tensor_cores = on_tensor_cores},
                                       {232'448, 1 << 20, 1 << 30, 132})
        .chunks;
  };
  for (const bool on_tensor_cores : {false, true})
    for (const int rank : {1, 3, 9, 12, 13, 20, 31}) {
      for (const cuda::Chunk& chunk : chunks(cuda::Fusing::whenever_possible, on_tensor_cores, rank)) {
        ASSERT_TRUE(chunk.fused) << rank;
        EXPECT_EQ(chunk.fused->on_tensor_cores, on_tensor_cores);
      }
      for (const cuda::Chunk& chunk : chunks(cuda::Fusing::never, on_tensor_cores, rank)) EXPECT_FALSE(chunk.fused);
    }
  const auto mixed = chunks(cuda::Fusing::whenever_possible, false, 60);
  ASSERT_EQ(mixed.size(), 2U);
  EXPECT_FALSE(mixed[0].fused) << "too large a rank";
  EXPECT_TRUE(mixed[1].fused);
}

// 50 ms at most, by an estimate that is right for large batches: 65,536 bodies of rank 40 take five milliseconds.
TYPED_TEST(CudaOnHostTest, LongLaunchesAreCutByTheirWork) {
  const auto steps = [](int rank, std::int64_t bodies, int iterations = 1) {
    const std::vector<GroupRange> groups = {{0, bodies, rank}};
    return cuda::plan_tiles<TypeParam>(groups, {.newton_iterations = iterations}, {232'448, 1 << 20, 1 << 30, 132})
        .steps_at_once;
  };
  const int expected = sizeof(TypeParam) == 4 ? 12 : 6;  // 4.5e9 x 132 multiply-adds over 860 x 861 x 65,536
  EXPECT_EQ(steps(40, 65'536), expected);
  EXPECT_EQ(steps(40, 65'536, 3), expected / 3);
  EXPECT_EQ(steps(60, 10'000'000), 1);
  EXPECT_EQ(steps(12, 4096), 256);
}

template <class T>
void set_start(cuda::CudaBatch<T>& batch, const GroupRange& group, std::int64_t body, unsigned number) {
  const StateArray arrays[] = {StateArray::q, StateArray::velocity, StateArray::acceleration, StateArray::force};
  const double scales[] = {0.3, 2, 10, 20};
  for (unsigned k = 0; k < 4; ++k)
    set_body(batch.state(arrays[k]).part(group), body,
             random_vector(static_cast<int>(group.rank), 4 * number + k, scales[k]));
}

template <class T>
std::vector<T> all_state(cuda::CudaBatch<T>& batch) {
  std::vector<T> values;
  for (const StateArray which : {StateArray::q, StateArray::velocity, StateArray::acceleration}) {
    const StateView<const T> view = batch.read_state(which);
    for (const GroupRange& group : batch.ranges())
      for (std::int64_t i = 0; i < group.rank; ++i)
        for (std::int64_t b = 0; b < group.bodies; ++b) values.push_back(view.part(group)(i, b));
  }
  return values;
}

template <class T>
Eigen::VectorXd body_of(cuda::CudaBatch<T>& batch, StateArray which, std::int64_t body) {
  return get_body<T>(batch.read_state(which), body);
}

template <class T>
double relative_error(const Eigen::VectorXd& x, const Eigen::VectorXd& reference) {
  return (x - reference).lpNorm<Eigen::Infinity>() / reference.lpNorm<Eigen::Infinity>();
}

template <class T>
void compare_with_reference(Evaluation evaluation, Integrator integrator, int rank, std::int64_t bodies) {
  // As many squares as strains, so that no row of the strain form is zero.
  const SumOfSquares squares = random_squares(rank, 3, static_cast<int>(strain_count(rank)));
  const BatchOptions options{.bodies = bodies,
                             .integrator = integrator,
                             .rayleigh_mass = 0.7,
                             .rayleigh_stiffness = 0.002,
                             .newton_iterations = 2,
                             .evaluation = evaluation};
  const bool from_strains = evaluation == Evaluation::accurate;
  cuda::CudaBatch<T> batch({{squares.energy(), bodies, from_strains ? squares.strain_form() : StrainForm{}}}, options);
  const GroupRange group = batch.ranges()[0];
  for (unsigned b = 0; b < bodies; ++b) set_start(batch, group, b, b);
  const std::int64_t probe = bodies - 1;
  BodyState body{body_of(batch, StateArray::q, probe), body_of(batch, StateArray::velocity, probe),
                 body_of(batch, StateArray::acceleration, probe)};
  const Eigen::VectorXd f = body_of(batch, StateArray::force, probe);
  batch.step(0.01, 2);
  for (int n = 0; n < 2; ++n) body = reference_step(squares, body, f, 0.01, options);
  // Rounding of r^2 / 2 monomials, and a factor 2 / (omega dt) for each time derivative, as for the CPU.
  const double tolerance = 30.0 * (1 + rank) * double{std::numeric_limits<T>::epsilon()};
  const auto error = [&](StateArray which, const Eigen::VectorXd& expected) {
    return relative_error<T>(body_of(batch, which, probe), expected);
  };
  EXPECT_LE(error(StateArray::q, body.q), tolerance) << rank << ' ' << bodies;
  EXPECT_LE(error(StateArray::velocity, body.v), 5 * tolerance) << rank << ' ' << bodies;
  EXPECT_LE(error(StateArray::acceleration, body.a), 30 * tolerance) << rank << ' ' << bodies;
  for (const BodyStatus status : batch.status()) EXPECT_EQ(status, BodyStatus::ok);
}

TYPED_TEST(CudaOnHostTest, StepsMatchPlainLinearAlgebra) {
  for (const Evaluation evaluation : {Evaluation::strict, Evaluation::accurate, Evaluation::latency})
    for (const Integrator integrator : all_integrators) {
      for (const int rank : {1, 3, 4, 5, 9}) compare_with_reference<TypeParam>(evaluation, integrator, rank, 2);
      if (evaluation == Evaluation::latency) continue;  // a body knows nothing of others
      for (const std::int64_t bodies : {32, 33, 129})
        compare_with_reference<TypeParam>(evaluation, integrator, 2, bodies);
    }
}

// One tile of rows and three, which is one more than a warp sums.
TYPED_TEST(CudaOnHostTest, StepsOnTensorCoresMatchPlainLinearAlgebra) {
  for (const Integrator integrator : all_integrators)
    for (const int rank : {1, 4}) compare_with_reference<TypeParam>(Evaluation::tensor, integrator, rank, 3);
  compare_with_reference<TypeParam>(Evaluation::tensor, Integrator::newmark, 7, 33);
  compare_with_reference<TypeParam>(Evaluation::tensor, Integrator::newmark, 2, 129);
}

// Three numbers of 8 bits are one of 24.
TEST(TensorImageTest, PartsOfACoefficientSumUpToIt) {
  const float values[] = {1, -1.0F / 3, 1e-30F, 0x1.fefffep127F, -3e38F, 0};
  for (const float value : values) {
    QuarticEnergy energy = duffing(0, 0);
    energy.coefficients[2] =
        double{value};  // S_0011, in H_10 with q: row 1 and monomial 1, where lane 5's first numbers are
    const std::vector<uint4> fragments = cuda::tensor_fragments<float>(energy);
    double sum = 0;
    for (std::size_t part = 0; part < 3; ++part)
      sum += double{first_of_bfloat16(fragments[part * cuda::warp_size + 5].x)};
    EXPECT_EQ(sum, double{value});
    EXPECT_NEAR(double{first_of_bfloat16(fragments[5].x)}, double{value}, 0x1p-8 * std::abs(double{value}));
    EXPECT_EQ(cuda::tensor_fragments<double>(energy)[5].x, double{value});
  }
  const auto largest = double{std::numeric_limits<float>::max()};
  EXPECT_THROW(static_cast<void>(cuda::tensor_fragments<float>(duffing(largest, 0))), InputError);
  EXPECT_THROW(static_cast<void>(cuda::tensor_fragments<float>(duffing(1e39, 0))), InputError);
}

constexpr int eventful_rank = 13;

// Two models, odd numbers of bodies, curves, damping, an indefinite matrix and a body that diverges: everything after
// three calls, the last one a graph.
template <class T>
std::vector<T> eventful_run(Integrator integrator, Evaluation evaluation = Evaluation::strict) {
  QuarticEnergy soft = duffing(-5e4, 1);
  cuda::CudaBatch<T> batch({{random_squares(eventful_rank, 3).energy(), 5}, {soft, 34}}, {.bodies = 39,
                                                                                          .integrator = integrator,
                                                                                          .newton_iterations = 3,
                                                                                          .newton_tolerance = 1e-3,
                                                                                          .evaluation = evaluation});
  const std::vector<GroupRange> groups = batch.ranges();
  for (unsigned b = 0; b < 5; ++b) set_start(batch, groups[0], b, b);
  for (unsigned b = 0; b < 34; ++b) set_start(batch, groups[1], b, b);
  batch.state(StateArray::force).part(groups[0])(2, 3) = std::numeric_limits<T>::infinity();
  BodyParameters<T> parameters = batch.parameters();
  parameters.curves = {{.times = {0, 0.02}, .scales = {0, 1}}};
  for (int b = 0; b < 39; ++b) {
    parameters.curve_of_body.push_back(b % 2 - 1);
    parameters.rayleigh_mass[static_cast<std::size_t>(b)] = static_cast<T>(b % 5);
  }
  batch.set_parameters(parameters);
  const int substeps = integrator == Integrator::energy_conserving ? 1 : 2;  // that one takes long here
  for (int n = 0; n < 3; ++n) batch.step(0.01, substeps);

  EXPECT_EQ(batch.status()[3], BodyStatus::diverged);
  EXPECT_EQ(batch.status()[4], BodyStatus::ok);
  EXPECT_NEAR(batch.time(), 0.03 * substeps, 1e-15);
  std::vector<T> result = all_state(batch);
  for (const T x : result) EXPECT_TRUE(std::isfinite(x));
  for (const BodyStatus status : batch.status()) result.push_back(static_cast<T>(status));
  return result;
}

TYPED_TEST(CudaOnHostTest, WhereSystemsAndTilesAreDoesNotMatter) {
  const auto compare = [](Integrator integrator, Evaluation evaluation) {
    cuda_on_host::device() = {};
    const std::vector<TypeParam> expected = eventful_run<TypeParam>(integrator, evaluation);
    // For a product and for vectors, not for systems.
    constexpr int room = 2 * cuda::tensor_slab_bytes<TypeParam>(cuda::tile_bodies);
    ASSERT_GT(cuda::step_shared_bytes<TypeParam>(eventful_rank, true), std::size_t{room});
    cuda_on_host::device().shared_bytes = room;
    EXPECT_EQ(eventful_run<TypeParam>(integrator, evaluation), expected) << "systems in global memory";
    cuda_on_host::device() = {};
    cuda_on_host::device().multiprocessors = 1;
    cuda_on_host::device().l2_bytes = 1;
    EXPECT_EQ(eventful_run<TypeParam>(integrator, evaluation), expected) << "a chunk per tile";
  };
  for (const Integrator integrator :
       {Integrator::newmark, Integrator::central_differences, Integrator::energy_conserving})
    compare(integrator, Evaluation::strict);
  compare(Integrator::newmark, Evaluation::tensor);
}

TYPED_TEST(CudaOnHostTest, HowStepsAreCutIntoKernelsDoesNotMatter) {
  for (const Integrator integrator : {Integrator::newmark, Integrator::backward_euler}) {
    setenv("QUARTIC_CUDA_FUSED", "0", 1);
    const std::vector<TypeParam> apart = eventful_run<TypeParam>(integrator, Evaluation::strict);
    setenv("QUARTIC_CUDA_FUSED", "1", 1);
    EXPECT_EQ(eventful_run<TypeParam>(integrator, Evaluation::strict), apart);
    unsetenv("QUARTIC_CUDA_FUSED");
  }
}

// Of bodies one by one.
TYPED_TEST(CudaOnHostTest, WhereCoefficientsAreDoesNotMatter) {
  const auto run = [] {
    cuda::CudaBatch<TypeParam> batch({{random_squares(9, 3).energy(), 2}},
                                     {.bodies = 2, .evaluation = Evaluation::latency});
    for (unsigned b = 0; b < 2; ++b) set_start(batch, batch.ranges()[0], b, b);
    batch.step(0.01, 2);
    return all_state(batch);
  };
  const std::vector<TypeParam> expected = run();
  cuda_on_host::device().shared_bytes = 10'000;  // room for H and the system, not for coefficients of rank 9
  EXPECT_EQ(run(), expected);
}

TYPED_TEST(CudaOnHostTest, IndefiniteSystemsAreShiftedByTheRule) {
  // V = -c q^2 / 2: A = 4 / dt^2 - c < 0, so the shift is the least of tau 10^n that makes it positive.
  const double dt = 0.01, c = 5e4, a = 4 / (dt * dt) - c;
  for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency}) {
    cuda::CudaBatch<TypeParam> batch({{duffing(-c, 0), 1}}, {.bodies = 1, .evaluation = evaluation});
    batch.state(StateArray::q)(0, 0) = static_cast<TypeParam>(0.25);
    batch.step(dt, 1);
    double tau = 1e-6 * std::abs(a);
    while (a + tau <= 0) tau *= 10;
    const double expected = 0.25 + c * 0.25 / (a + tau);
    EXPECT_EQ(batch.status()[0], BodyStatus::regularised);
    EXPECT_NEAR(batch.read_state(StateArray::q)(0, 0), expected,
                100 * double{std::numeric_limits<TypeParam>::epsilon()} * std::abs(expected));
  }
}

TYPED_TEST(CudaOnHostTest, TooLittleMemoryIsSaidBefore) {
  cuda_on_host::device().memory_bytes = 1'000'000;
  try {
    const cuda::CudaBatch<TypeParam> batch({{duffing(1, 1), 10'000'000}}, {.bodies = 10'000'000});
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("of device memory"), std::string::npos) << error.what();
  }
  cuda_on_host::device() = {};
  cuda_on_host::device().shared_bytes = 1000;
  for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency})
    EXPECT_THROW(
        cuda::CudaBatch<TypeParam>({{random_squares(9, 1).energy(), 1}}, {.bodies = 1, .evaluation = evaluation}),
        InputError);
}

TYPED_TEST(CudaOnHostTest, VerticesAndForcesMatchPlainSums) {
  const std::int64_t rows = 9, padded = 12, rank = 66, bodies = 34;
  std::vector<float> basis(static_cast<std::size_t>(padded * rank)), rest(static_cast<std::size_t>(padded));
  const std::vector<double> numbers = random_numbers(basis.size() + rest.size(), 3);
  for (std::size_t n = 0; n < basis.size(); ++n) basis[n] = static_cast<float>(numbers[n]);
  for (std::size_t n = 0; n < rest.size(); ++n) rest[n] = static_cast<float>(numbers[basis.size() + n]);
  std::vector<TypeParam> q;
  for (const double x : random_numbers(static_cast<std::size_t>(rank * bodies), 4))
    q.push_back(static_cast<TypeParam>(static_cast<float>(x)));
  std::vector<float> out(static_cast<std::size_t>(12 * bodies), -7);
  const std::vector<float> scales(static_cast<std::size_t>(rank), 1.0F);
  const cuda::BasisView<float> view{basis.data(), scales.data(), rows, padded, static_cast<int>(rank)};
  cuda::reconstruct<float, TypeParam>(view, rest.data(), {q.data(), bodies, 1, nullptr}, {out.data(), bodies, 12, 4},
                                      nullptr);
  const auto u = [&](std::int64_t row, std::int64_t mode) {
    return double{basis[static_cast<std::size_t>(mode * padded + row)]};
  };
  for (std::int64_t b = 0; b < bodies; ++b)
    for (std::int64_t row = 0; row < rows; ++row) {
      double expected = rest[static_cast<std::size_t>(row)];
      for (std::int64_t i = 0; i < rank; ++i)
        expected += u(row, i) * static_cast<double>(q[static_cast<std::size_t>(i * bodies + b)]);
      // r + 1 roundings of sums up to r + 1.
      EXPECT_NEAR(out[static_cast<std::size_t>(12 * b + row / 3 * 4 + row % 3)], expected, 0x1p-24 * 67 * 67);
    }

  const std::vector<std::int64_t> starts = {0, 0, 2};
  const std::vector<std::int32_t> vertices = {2, 0};
  const std::vector<float> forces = {1, 2, 3, -1, 0, 1};
  std::vector<TypeParam> reduced(static_cast<std::size_t>(2 * rank), TypeParam{1});
  cuda::gather_forces<float, TypeParam>(view, starts.data(), vertices.data(), forces.data(), reduced.data(), 1, rank, 2,
                                        nullptr);
  for (std::int64_t i = 0; i < rank; ++i) {
    EXPECT_EQ(reduced[static_cast<std::size_t>(i)], TypeParam{1});
    const double expected = 1 + u(6, i) + 2 * u(7, i) + 3 * u(8, i) - u(0, i) + u(2, i);
    EXPECT_NEAR(reduced[static_cast<std::size_t>(rank + i)], expected,
                20 * double{std::numeric_limits<TypeParam>::epsilon()});
  }
}

// The points of a range, shared out among warps, find what the rule says of each.
TYPED_TEST(CudaOnHostTest, BodiesOutOfRangeAreFlagged) {
  using T = TypeParam;
  std::vector<BodyGroup> groups(2);
  groups[0].energy = random_squares(3, 1).energy();
  groups[1].energy = random_squares(5, 2).energy();
  groups[0].bodies = 3, groups[1].bodies = 70;
  groups[1].range = sample_range(5, 19, 4);
  cuda::CudaBatch<T> batch(groups, {.bodies = 73});
  const StateView<T> q = batch.state(StateArray::q).part(batch.ranges()[1]);
  for (unsigned b = 0; b < 70; ++b) set_body(q, b, random_vector(5, b, 0.04 * (b % 12)));
  const auto found = batch.check_range();
  int out = 0;
  for (unsigned b = 0; b < 70; ++b) {
    std::uint32_t expected = 0;
    for (std::size_t point = 0; point < 19; ++point) {
      T g[9] = {};
      for (std::size_t e = 0; e < 9; ++e)
        for (std::size_t i = 0; i < 5; ++i)
          g[e] +=
              static_cast<T>(groups[1].range.gradients[(9 * point + e) * 5 + i]) * q(static_cast<std::int64_t>(i), b);
      expected |= range_bits(g);
    }
    EXPECT_EQ(found[3 + b], BodyFlags{expected}) << b;
    out += expected != 0 ? 1 : 0;
  }
  EXPECT_GT(out, 5);
  EXPECT_LT(out, 65);
  EXPECT_EQ(found[1], BodyFlags::none);
  batch.set_model_range(1, {});
  EXPECT_EQ(std::count(batch.check_range().begin(), batch.check_range().end(), BodyFlags::none), 73);
  EXPECT_LT(std::count(batch.flags().begin(), batch.flags().end(), BodyFlags::none), 73) << "they stay";
}

// By both ways of stepping: bodies that move gently converge, one thrown far beyond Newton's reach doesn't.
TYPED_TEST(CudaOnHostTest, StepsThatDoNotConvergeAreFlagged) {
  for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency}) {
    std::vector<BodyGroup> groups(1);
    groups[0].energy = random_squares(4, 13).energy();
    groups[0].bodies = 8;
    cuda::CudaBatch<TypeParam> batch(
        groups, {.bodies = 8, .integrator = Integrator::energy_conserving, .evaluation = evaluation});
    const StateView<TypeParam> velocity = batch.state(StateArray::velocity);
    for (unsigned b = 0; b < 8; ++b) set_body(velocity, b, random_vector(4, b, b % 2 == 0 ? 1 : 1e4));
    batch.step(0.1, 3);
    int flagged = 0;
    for (std::size_t b = 0; b < 8; ++b) {
      if (b % 2 == 0) {
        EXPECT_EQ(batch.flags()[b], BodyFlags::none) << b;
      }
      flagged += batch.flags()[b] == BodyFlags::not_converged ? 1 : 0;
    }
    EXPECT_GT(flagged, 0);
  }
}

}  // namespace
}  // namespace quartic
