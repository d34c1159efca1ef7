// The loops of bench/python_bench.py in C++: prints the seconds of each as JSON, processor time on one thread.
// python_baseline MODEL.qrt TIP BODIES
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <random>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/model.hpp"

namespace quartic::bench {
namespace {

constexpr double dt = 0.02;
constexpr int substeps = 2, episode = 100;

/// The best of many short rounds.
template <class Work>
double seconds_per_call(int rounds, int calls, const Work& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    const std::clock_t start = std::clock();
    for (int n = 0; n < calls; ++n) work();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / calls);
  }
  return best;
}

double seconds_per_single_step(const ReducedModel& model) {
  Batch<float> batch(model.energy, {.bodies = 1, .rayleigh_mass = 2, .threads = 1});
  return seconds_per_call(100, 1000, [&] { batch.step(dt); });
}

/// What quartic.gym.SoftReach does in a step, with the same arrays, in plain loops.
class ReachLoop {
 public:
  ReachLoop(const ReducedModel& model, std::int64_t tip, std::int64_t bodies)
      : batch_(model.energy, {.bodies = bodies, .rayleigh_mass = 2, .threads = 1}),
        rank_(model.energy.rank),
        actions_(static_cast<std::size_t>(2 * bodies)),
        gravity_(static_cast<std::size_t>(bodies), 9.81F),
        targets_(static_cast<std::size_t>(3 * bodies)),
        seen_(static_cast<std::size_t>(9 * bodies)),
        rewards_(static_cast<std::size_t>(bodies)),
        steps_(static_cast<std::size_t>(bodies)),
        ended_(static_cast<std::size_t>(bodies)) {
    for (std::int64_t i = 0; i < rank_; ++i) {
      for (std::int64_t axis = 0; axis < 3; ++axis)
        tip_[static_cast<std::size_t>(axis)].push_back(static_cast<float>(model.basis(3 * tip + axis, i)));
      weight_.push_back(static_cast<float>(-model.unit_acceleration(i, 2)));
    }
    for (float& action : actions_) action = uniform(-1, 1);
  }

  void step() {
    if (std::find(ended_.begin(), ended_.end(), 1) != ended_.end()) restart();
    apply_forces();
    batch_.step(dt, substeps);
    observe();
  }

 private:
  float uniform(float low, float high) { return std::uniform_real_distribution<float>(low, high)(random_); }

  void restart() {
    std::vector<double> stiffness(ended_.size(), 1.0), damping(ended_.size(), 2.0), none(ended_.size(), 0.0);
    for (std::size_t b = 0; b < ended_.size(); ++b) {
      if (ended_[b] == 0) continue;
      for (std::size_t axis = 0; axis < 3; ++axis) targets_[3 * b + axis] = uniform(-0.05F, 0.05F);
      stiffness[b] = uniform(0.7F, 1.4F), damping[b] = uniform(3, 6), gravity_[b] = uniform(7, 10);
      steps_[b] = 0;
    }
    batch_.set_stiffness_scale(stiffness);
    batch_.set_rayleigh_damping(damping, none);
    reset_bodies<float>(batch_, ended_);
  }

  // Two forces at the tip, along y and z, and gravity.
  void apply_forces() {
    const StateView<float> force = batch_.force();
    for (std::int64_t i = 0; i < rank_; ++i) {
      const auto mode = static_cast<std::size_t>(i);
      const float push_y = 0.8F * tip_[1][mode], push_z = 0.8F * tip_[2][mode];
      for (std::int64_t body = 0; body < force.bodies; ++body) {
        const auto b = static_cast<std::size_t>(body);
        const float y = std::clamp(actions_[2 * b], -1.0F, 1.0F), z = std::clamp(actions_[2 * b + 1], -1.0F, 1.0F);
        force(i, body) = ended_[b] != 0 ? 0 : y * push_y + z * push_z + gravity_[b] * weight_[mode];
      }
    }
  }

  void observe() {
    const StateView<float> q = batch_.q(), velocity = batch_.velocity();
    std::fill(seen_.begin(), seen_.end(), 0.0F);
    for (std::int64_t i = 0; i < rank_; ++i)
      for (std::int64_t body = 0; body < q.bodies; ++body)
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const float u = tip_[axis][static_cast<std::size_t>(i)];
          seen_[9 * static_cast<std::size_t>(body) + axis] += u * q(i, body);
          seen_[9 * static_cast<std::size_t>(body) + 3 + axis] += u * velocity(i, body);
        }
    const auto status = batch_.status();
    for (std::size_t b = 0; b < ended_.size(); ++b) {
      float* seen = &seen_[9 * b];
      float square = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const float target = targets_[3 * b + axis], away = seen[axis] - target;
        square += away * away;
        seen[axis] /= 0.05F, seen[3 + axis] /= 0.05F, seen[6 + axis] = target / 0.05F;
      }
      rewards_[b] = ended_[b] != 0 ? 0 : -std::sqrt(square) / 0.05F;
      steps_[b] = ended_[b] != 0 ? 0 : steps_[b] + 1;
      ended_[b] = status[b] == BodyStatus::diverged || steps_[b] >= episode ? 1 : 0;
    }
  }

  Batch<float> batch_;
  std::int64_t rank_;
  std::array<std::vector<float>, 3> tip_;
  std::vector<float> weight_, actions_, gravity_, targets_, seen_, rewards_;
  std::vector<int> steps_;
  std::vector<std::uint8_t> ended_;
  std::mt19937 random_{1};
};

double seconds_per_loop(const ReducedModel& model, std::int64_t tip, std::int64_t bodies) {
  ReachLoop loop(model, tip, bodies);
  return seconds_per_call(40, 10, [&] { loop.step(); });
}

}  // namespace
}  // namespace quartic::bench

int main(int argc, char** argv) {
  namespace bench = quartic::bench;
  if (argc != 4) return std::fputs("python_baseline MODEL.qrt TIP BODIES\n", stderr), 1;
  const quartic::ReducedModel model = quartic::load_model(argv[1]);
  const std::int64_t tip = std::atoll(argv[2]), bodies = std::atoll(argv[3]);
  std::printf("{\"single_step\": %.4g, \"loop\": %.6g}\n", bench::seconds_per_single_step(model),
              bench::seconds_per_loop(model, tip, bodies));
  return 0;
}
