// Free bodies: the CUDA backend's kernels on the host.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <vector>

#include "core/frame/inertia_forms.hpp"
#include "cuda/batch/batch.hpp"
#include "cuda/batch/steps/step_memory.hpp"
#include "support/batch_states.hpp"
#include "support/random_moments.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

constexpr int rank = 5;
constexpr Integrator free_integrators[] = {Integrator::newmark, Integrator::backward_euler,
                                           Integrator::energy_conserving};

template <class T>
class FreeOnHostTest : public testing::Test {
 protected:
  void SetUp() override { cuda_on_host::device() = {}; }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(FreeOnHostTest, Precisions);

template <class T>
struct Run {
  cuda::CudaBatch<T> batch;

  // Five free bodies, which spin, beside two held ones.
  explicit Run(const BatchOptions& options)
      : batch({{.energy = random_squares(rank, 3).energy(), .bodies = 5, .frame = random_moments(rank, 2)},
               {.energy = random_squares(3, 4).energy(), .bodies = 2}},
              options) {
    for (const StateArray which : {StateArray::q, StateArray::velocity})
      for (unsigned b = 0; b < 7; ++b) {
        const GroupRange group = batch.ranges()[b / 5];
        set_body(batch.state(which).part(group), b % 5, random_vector(static_cast<int>(group.rank), b + 3, 0.3));
      }
    for (unsigned b = 0; b < 5; ++b) set_body(batch.state(StateArray::twist), b, random_vector(6, b + 20, 3));
  }

  [[nodiscard]] std::vector<T> numbers() {
    std::vector<T> values;
    for (const StateArray which : {StateArray::q, StateArray::velocity, StateArray::acceleration, StateArray::pose,
                                   StateArray::twist, StateArray::twist_rate}) {
      const StateView<const T> view = batch.read_state(which);
      for (std::int64_t b = 0; b < 7; ++b)
        for (std::int64_t i = 0; i < (b < 5 ? view.rank : std::min<std::int64_t>(view.rank, 3)); ++i)
          values.push_back(view(i, b));
    }
    return values;
  }
  // |L| about the mass centre.
  [[nodiscard]] double momentum(std::int64_t body) {
    const InertiaForms forms(*batch.frames()[0]);
    std::vector<double> point = {1}, rate;
    for (int i = 0; i < rank; ++i) {
      point.push_back(double{batch.read_state(StateArray::q)(i, body)});
      rate.push_back(double{batch.read_state(StateArray::velocity)(i, body)});
    }
    double spin[3], result[3];
    for (int c = 0; c < 3; ++c) spin[c] = double{batch.read_state(StateArray::twist)(3 + c, body)};
    InertiaAt(forms, point.data()).angular_momentum(spin, rate.data(), result);
    return std::hypot(result[0], result[1], result[2]);
  }
};

BatchOptions options_of(Integrator integrator, Evaluation evaluation) {
  return {.bodies = 7, .integrator = integrator, .newton_iterations = 2, .evaluation = evaluation};
}

TYPED_TEST(FreeOnHostTest, AngularMomentumStays) {
  for (const Integrator integrator : free_integrators)
    for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency}) {
      if (integrator == Integrator::energy_conserving && sizeof(TypeParam) == 4) continue;  // takes long here
      Run<TypeParam> run(options_of(integrator, evaluation));
      double before[5];
      for (int b = 0; b < 5; ++b) before[b] = run.momentum(b);
      run.batch.step(0.01, 2);
      for (int b = 0; b < 5; ++b)  // solved to round-off in each step
        EXPECT_NEAR(run.momentum(b), before[b], 30 * double{std::numeric_limits<TypeParam>::epsilon()} * before[b]);
      for (const BodyStatus status : run.batch.status()) EXPECT_EQ(status, BodyStatus::ok);
    }
}

TYPED_TEST(FreeOnHostTest, WhereRowsAreDoesNotMatter) {
  for (const Integrator integrator : free_integrators) {
    const auto numbers = [&] {
      Run<TypeParam> run(options_of(integrator, Evaluation::strict));
      run.batch.step(0.01, 1);
      return run.numbers();
    };
    setenv("QUARTIC_CUDA_FUSED", "0", 1);
    const std::vector<TypeParam> expected = numbers();
    if (sizeof(TypeParam) == 8) {  // in float all fits where the product does
      constexpr int room = 20'000;
      ASSERT_GT(cuda::step_shared_bytes<double>(rank, true, cuda::frame_rows(rank)), std::size_t{room});
      cuda_on_host::device().shared_bytes = room;
      EXPECT_EQ(numbers(), expected) << "in global memory";
      cuda_on_host::device() = {};
    }
    if (integrator == Integrator::energy_conserving) continue;
    setenv("QUARTIC_CUDA_FUSED", "1", 1);
    EXPECT_EQ(numbers(), expected) << "in one kernel";
    unsetenv("QUARTIC_CUDA_FUSED");
  }
}

}  // namespace
}  // namespace quartic
