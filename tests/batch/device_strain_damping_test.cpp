// Damping by strain rates on a device: CUDA against the CPU, and bodies without it beside those with.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "batch/device_states.hpp"
#include "batch/fused_setting.hpp"
#include "quartic/checkpoint.hpp"
#include "quartic/cuda.hpp"
#include "quartic/strain_damping.hpp"
#include "support/device_memory.hpp"
#include "support/files.hpp"
#include "support/random_moments.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

template <class T>
class DeviceStrainDampingTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!backend_available(Backend::cuda)) GTEST_SKIP() << "no CUDA device";
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceStrainDampingTest, Precisions);

// As many squares as strains, so that no row of the form is zero.
SumOfSquares squares_of(int rank) {
  return random_squares(rank, 7, static_cast<int>(strain_count(rank)));
}

BodyGroup sample_group(int rank, std::int64_t bodies) {
  return {.energy = squares_of(rank).energy(), .bodies = bodies};
}

// Every fourth body has none, and every tenth's is so strong that it counts for more than its stiffness.
std::vector<double> times(std::int64_t bodies, double most = 0.02) {
  std::vector<double> values;
  for (std::int64_t b = 0; b < bodies; ++b)
    values.push_back(b % 4 == 3 ? 0 : (b % 10 == 0 ? 10 : 1) * most / (1 + static_cast<double>(b % 3)));
  return values;
}

template <class T>
std::vector<StrainForm> forms_of(const Batch<T>& batch) {
  std::vector<StrainForm> forms;
  for (int g = 0; g < batch.group_count(); ++g)
    forms.push_back(squares_of(static_cast<int>(batch.group(g).rank)).strain_form());
  return forms;
}

template <class T>
void set_starts(Batch<T>& batch) {
  for (int g = 0; g < batch.group_count(); ++g) {
    const GroupRange range = batch.group(g);
    for (std::int64_t b = 0; b < range.bodies; ++b) {
      const auto number = static_cast<unsigned>(4 * (range.first_body + b));
      const int rank = static_cast<int>(range.rank);
      set_body(batch.q().part(range), b, random_vector(rank, number, 0.3));
      set_body(batch.velocity().part(range), b, random_vector(rank, number + 1, 2));
      set_body(batch.acceleration().part(range), b, random_vector(rank, number + 3, 10));
      set_body(batch.force().part(range), b, random_vector(rank, number + 2, 20));
    }
  }
}

template <class T>
Batch<T> started(const std::vector<BodyGroup>& groups, BatchOptions options, Backend backend) {
  options.backend = backend;
  options.rayleigh_mass = 0.5;
  options.rayleigh_stiffness = 0.001;
  Batch<T> batch(groups, options);
  set_starts(batch);
  std::vector<double> scale;
  for (std::int64_t b = 0; b < batch.bodies(); ++b) scale.push_back(b % 3 == 2 ? 0.5 : 1);
  batch.set_stiffness_scale(scale);
  return batch;
}

// The states behind some steps, between which times change.
template <class T>
std::vector<std::vector<T>> run(const std::vector<BodyGroup>& groups, const BatchOptions& options, Backend backend) {
  Batch<T> batch = started<T>(groups, options, backend);
  if (batch.chamber_count() > 0) batch.set_pressure(std::vector<double>(static_cast<std::size_t>(batch.bodies()), 2.0));
  set_strain_damping<T>(batch, times(batch.bodies()), forms_of(batch));
  batch.step(0.02, 2);
  set_strain_damping<T>(batch, times(batch.bodies(), 0.01));
  batch.step(0.01);
  return states_of(batch);
}

// Ranks whose D fills no block of rows, one, and some; bodies around a tile.
TYPED_TEST(DeviceStrainDampingTest, AllRanksMoveAsOnTheCpu) {
  for (const auto& [rank, bodies] : {std::pair{1, 37}, {2, 129}, {3, 33}, {5, 5}, {8, 5}, {13, 5}, {29, 3}})
    for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency}) {
      if (rank > 13 && evaluation == Evaluation::latency) continue;  // slow where it is emulated
      SCOPED_TRACE("rank " + std::to_string(rank) + " " + std::string(evaluation_name(evaluation)));
      const std::vector<BodyGroup> groups = {sample_group(rank, evaluation == Evaluation::strict ? bodies : 3)};
      const BatchOptions options{.newton_iterations = 2, .evaluation = evaluation};
      expect_close(run<TypeParam>(groups, options, Backend::cuda), run<TypeParam>(groups, options, Backend::cpu),
                   three_steps_tolerance<TypeParam>);
    }
}

// Held and free bodies of two ranks in one batch.
TYPED_TEST(DeviceStrainDampingTest, AllIntegratorsMoveAsOnTheCpu) {
  for (const Integrator integrator : all_integrators)
    for (const Evaluation evaluation :
         {Evaluation::strict, Evaluation::latency, Evaluation::tensor, Evaluation::cublas}) {
      SCOPED_TRACE(std::string(integrator_name(integrator)) + " " + std::string(evaluation_name(evaluation)));
      std::vector<BodyGroup> groups = {sample_group(6, 5), sample_group(3, 2)};
      BatchOptions options{.integrator = integrator, .newton_iterations = 2, .evaluation = evaluation};
      BatchOptions own = options;
      own.evaluation = evaluation == Evaluation::latency ? evaluation : Evaluation::strict;
      const double k = evaluation == Evaluation::tensor ? 16 : 1;  // products on tensor cores round to 2^-21
      expect_close(run<TypeParam>(groups, options, Backend::cuda), run<TypeParam>(groups, own, Backend::cpu),
                   k * three_steps_tolerance<TypeParam>);
      if (integrator == Integrator::central_differences) continue;
      groups[0].frame = random_moments(6, 5);
      expect_close(run<TypeParam>(groups, options, Backend::cuda), run<TypeParam>(groups, own, Backend::cpu),
                   k * three_steps_tolerance<TypeParam>);
    }
}

// Forces from strains, where R stands in the place of H_i0, and chambers under pressure, whose K is in the system
// first.
TYPED_TEST(DeviceStrainDampingTest, GoesWithStrainFormsAndChambers) {
  BodyGroup accurate = sample_group(5, 3), hollow = sample_group(5, 3);
  accurate.strain_form = squares_of(5).strain_form();
  std::vector<double> numbers = random_numbers(static_cast<std::size_t>(cubic_coefficient_count(5)), 11);
  hollow.chambers = {{5, numbers}};
  for (const Integrator integrator : all_integrators)
    for (const auto& [group, evaluation] : {std::pair{accurate, Evaluation::accurate},
                                            {accurate, Evaluation::latency},
                                            {hollow, Evaluation::strict},
                                            {hollow, Evaluation::latency}}) {
      SCOPED_TRACE(std::string(integrator_name(integrator)) + " " + std::string(evaluation_name(evaluation)));
      const BatchOptions options{.integrator = integrator, .evaluation = evaluation};
      expect_close(run<TypeParam>({group}, options, Backend::cuda), run<TypeParam>({group}, options, Backend::cpu),
                   three_steps_tolerance<TypeParam>);
    }
}

// Bodies that aren't damped have the bits of a batch that is stepped in one kernel, and damped ones those that they
// have alone. With the last time taken out, all is as it was.
TYPED_TEST(DeviceStrainDampingTest, BodiesKeepTheirBits) {
  for (const Evaluation evaluation : {Evaluation::strict, Evaluation::tensor, Evaluation::latency})
    for (const Integrator integrator : {Integrator::newmark, Integrator::energy_conserving}) {
      SCOPED_TRACE(std::string(integrator_name(integrator)) + " " + std::string(evaluation_name(evaluation)));
      const FusedSetting setting("1");
      const std::int64_t bodies = evaluation == Evaluation::latency ? 7 : 37;
      const std::vector<BodyGroup> groups = {sample_group(3, bodies)};
      const BatchOptions options{.integrator = integrator, .newton_iterations = 2, .evaluation = evaluation};
      Batch<TypeParam> with = started<TypeParam>(groups, options, Backend::cuda);
      Batch<TypeParam> without = started<TypeParam>(groups, options, Backend::cuda);
      Batch<TypeParam> alone = started<TypeParam>({sample_group(3, 1)}, options, Backend::cuda);
      set_strain_damping<TypeParam>(with, times(bodies), forms_of(with));
      set_strain_damping<TypeParam>(alone, times(1), forms_of(alone));
      with.step(0.02, 2), without.step(0.02, 2), alone.step(0.02, 2);
      const auto a = states_of(with), b = states_of(without);
      for (std::size_t n = 0; n < a.size(); ++n) EXPECT_EQ(a[n] == b[n], n % 4 == 3) << n;
      EXPECT_EQ(a[0], states_of(alone)[0]);
      set_strain_damping<TypeParam>(with, std::vector<double>(static_cast<std::size_t>(bodies)));
      for (Batch<TypeParam>* batch : {&with, &without}) {
        set_starts(*batch);
        batch->step(0.01, 2);
      }
      EXPECT_EQ(states_of(with), states_of(without));
    }
}

// A group without a form beside one that has one, a system that takes shifts, and a body that diverges.
TYPED_TEST(DeviceStrainDampingTest, OtherGroupsAndEventsDoNotMatter) {
  std::vector<BodyGroup> groups = {sample_group(3, 5), sample_group(4, 5)};
  groups[1].energy = squares_of(4).energy();
  for (double& c : groups[1].energy.coefficients) c = -c;  // indefinite
  Batch<TypeParam> both = started<TypeParam>(groups, {}, Backend::cuda);
  Batch<TypeParam> one = started<TypeParam>({groups[0]}, {}, Backend::cuda);
  const std::vector<StrainForm> forms = {squares_of(3).strain_form(), StrainForm{}};
  std::vector<double> some = times(5);
  set_strain_damping<TypeParam>(one, some, std::span(forms).first(1));
  some.resize(10);
  set_strain_damping<TypeParam>(both, some, forms);
  both.force()(0, 1) = std::numeric_limits<TypeParam>::infinity();
  both.step(0.8, 2), one.step(0.8, 2);
  EXPECT_EQ(both.status()[1], BodyStatus::diverged);
  EXPECT_NE(both.status()[6], BodyStatus::ok);
  for (const std::int64_t b : {0, 2, 3, 4})
    for (std::int64_t i = 0; i < 3; ++i) EXPECT_EQ(both.q()(i, b), one.q()(i, b)) << b;
}

// Times change under a graph of repeated steps; a checkpoint brings them to another backend and back.
TYPED_TEST(DeviceStrainDampingTest, GoesWithStreamsAndCheckpoints) {
  const TemporaryFolder folder;
  const std::vector<BodyGroup> groups = {sample_group(4, 5)};
  Batch<TypeParam> host = started<TypeParam>(groups, {}, Backend::cuda);
  Batch<TypeParam> device = started<TypeParam>(groups, {}, Backend::cuda);
  Batch<TypeParam> cpu = started<TypeParam>(groups, {}, Backend::cpu);
  for (Batch<TypeParam>* batch : {&host, &device, &cpu})
    set_strain_damping<TypeParam>(*batch, times(5), forms_of(*batch));
  const TestStream stream;
  cuda::send(device, stream);
  for (const double most : {0.02, 0.02, 0.05}) {
    for (Batch<TypeParam>* batch : {&host, &device}) set_strain_damping<TypeParam>(*batch, times(5, most));
    for (int n = 0; n < 3; ++n) {
      host.step(0.01);
      cuda::step(device, 0.01, 1, stream);
    }
  }
  stream.synchronize();
  cuda::fetch(device, nullptr);
  EXPECT_EQ(states_of(host), states_of(device));
  save_checkpoint(host, folder / "damped.qstate");
  static_cast<void>(load_checkpoint(cpu, folder / "damped.qstate"));
  EXPECT_EQ(strain_damping(cpu), strain_damping(host));
  Batch<TypeParam> again = started<TypeParam>(groups, {}, Backend::cuda);
  set_strain_damping<TypeParam>(again, std::vector<double>(5), forms_of(again));
  static_cast<void>(load_checkpoint(again, folder / "damped.qstate"));
  for (Batch<TypeParam>* batch : {&host, &again, &cpu}) batch->step(0.01);
  EXPECT_EQ(states_of(again), states_of(host));
  expect_close(states_of(host), states_of(cpu), three_steps_tolerance<TypeParam>);
}

}  // namespace
}  // namespace quartic
