#include "cli/runs/relaxation_findings.hpp"

#include <algorithm>
#include <span>

#include "quartic/relaxation.hpp"

namespace quartic::cli {

namespace {

double median(std::vector<double> numbers) {
  if (numbers.empty()) return 0;
  const auto middle = numbers.begin() + std::ssize(numbers) / 2;
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

}  // namespace

NaturalTrust natural_trust(const ReducedModel& model) {
  const QuarticEnergy whole = unrelaxed(model.energy, *model.relaxation);
  const Matrix states = natural_states(model.mesh.vertices, model.basis.map(), whole);
  std::array<std::vector<double>, NaturalTrust::amplitudes.size()> shares;
  for (std::int64_t s = 0; s < states.cols; ++s)
    shares[static_cast<std::size_t>(s) % shares.size()].push_back(
        relaxable_share(model.energy, *model.relaxation, states.col(s)));
  NaturalTrust trust;
  for (std::size_t a = 0; a < shares.size(); ++a) trust.median_share[a] = median(std::move(shares[a]));
  return trust;
}

MotionTrust motion_trust(const ReducedModel& model, const Trajectory& trajectory) {
  const auto bodies = static_cast<std::size_t>(trajectory.bodies), rank = static_cast<std::size_t>(trajectory.rank);
  MotionTrust trust{.largest_share = std::vector<double>(bodies),
                    .largest_energy = std::vector<double>(bodies),
                    .beyond_reach = {},
                    .reach = model.relaxation->reach};
  for (std::size_t n = 0; n < static_cast<std::size_t>(trajectory.frames()) * bodies; ++n) {
    const StateTrust state = state_trust(model.energy, *model.relaxation, {trajectory.q.data() + n * rank, rank});
    double& share = trust.largest_share[n % bodies];
    double& energy = trust.largest_energy[n % bodies];
    share = std::max(share, state.relaxable_share);
    energy = std::max(energy, state.linear_energy);
  }
  for (std::size_t body = 0; body < bodies; ++body)
    if (trust.largest_energy[body] > trust.reach || trajectory.status[body] == BodyStatus::diverged)
      trust.beyond_reach.push_back(static_cast<std::int64_t>(body));
  return trust;
}

}  // namespace quartic::cli
