#include "cli/runs/range_findings.hpp"

#include <algorithm>

#include "quartic/batch.hpp"
#include "quartic/statics.hpp"

namespace quartic::cli {

namespace {

// Elements that are looked at in all, some seconds' worth.
constexpr std::int64_t most_elements = 4'000'000;

// As many as that, evenly spread, with the first and the last.
std::vector<OutOfRange> evenly_spread(const std::vector<OutOfRange>& all, std::int64_t most) {
  const std::int64_t count = std::ssize(all);
  if (count <= most) return all;
  std::vector<OutOfRange> some;
  for (std::int64_t n = 0; n < most; ++n) some.push_back(all[static_cast<std::size_t>(n * (count - 1) / (most - 1))]);
  return some;
}

// None where the displacement isn't finite, in a state just short of diverging: there is nothing to count.
std::optional<std::int64_t> inverted_elements_of(const ReducedModel& model, const Trajectory& trajectory,
                                                 const OutOfRange& place) {
  const double* q = trajectory.q.data() + (place.frame * trajectory.bodies + place.body) * trajectory.rank;
  const Eigen::VectorXd u = model.basis.map() * Eigen::VectorXd::Map(q, trajectory.rank);
  if (!u.allFinite()) return {};
  return inverted_elements(model.mesh, {u.data(), static_cast<std::size_t>(u.size())});
}

void take_earlier(std::optional<double>& since, double time) {
  since = since ? std::min(*since, time) : time;
}

// Counts how many bodies have which flag.
RangeFindings count_flags(std::span<const BodyFlags> flags) {
  const auto with = [&](BodyFlags flag) {
    return std::count_if(flags.begin(), flags.end(), [&](BodyFlags f) { return has_any(f, flag); });
  };
  return {.bodies = std::ssize(flags),
          .inverted_bodies = with(BodyFlags::inverted),
          .strained_bodies = with(BodyFlags::strained),
          .unconverged_bodies = with(BodyFlags::not_converged),
          .fast_bodies = with(BodyFlags::too_fast),
          .lost_contacts_bodies = with(BodyFlags::contacts_lost)};
}

}  // namespace

void RangeWatch::look(std::int64_t frame, std::span<const BodyFlags> flags) {
  constexpr std::int64_t most = 16;
  const std::int64_t before = std::ssize(found_);
  const auto keep = [&](bool inverted) {
    for (std::size_t body = 0; body < flags.size() && std::ssize(found_) - before < most; ++body)
      if (has_any(flags[body], out_of_range) && has_any(flags[body], BodyFlags::inverted) == inverted)
        found_.push_back({frame, static_cast<std::int64_t>(body)});
  };
  BodyFlags all = BodyFlags::none;
  for (const BodyFlags body : flags) {
    all |= body;
    seen_ += has_any(body, out_of_range) ? 1 : 0;
  }
  if (!has_any(all, out_of_range)) return;
  if (has_any(all, BodyFlags::inverted) && !first_inverted_) first_inverted_ = frame;
  if (has_any(all, BodyFlags::strained) && !first_strained_) first_strained_ = frame;
  keep(true);
  keep(false);
}

RangeFindings find_out(const ReducedModel& model, const Trajectory& trajectory, const RangeWatch& watch,
                       std::span<const BodyFlags> flags, const Progress& progress) {
  RangeFindings findings = count_flags(flags);
  findings.elements = model.mesh.element_count();
  const auto time = [&](std::int64_t frame) { return trajectory.time[static_cast<std::size_t>(frame)]; };
  if (watch.first_inverted()) findings.inverted_since = time(*watch.first_inverted());
  if (watch.first_strained()) findings.strained_since = time(*watch.first_strained());
  const std::int64_t most = std::max<std::int64_t>(most_elements / std::max<std::int64_t>(findings.elements, 1), 8);
  const std::vector<OutOfRange> counted = evenly_spread(watch.found(), most);
  findings.wanted_counts = watch.seen();
  for (std::size_t n = 0; n < counted.size(); ++n) {
    progress("count inverted elements", static_cast<double>(n) / static_cast<double>(counted.size()));
    const std::optional<std::int64_t> inverted = inverted_elements_of(model, trajectory, counted[n]);
    ++(inverted ? findings.counts : findings.not_finite);
    if (inverted.value_or(0) > 0) take_earlier(findings.inverted_since, time(counted[n].frame));
    findings.inverted_elements = std::max(findings.inverted_elements, inverted.value_or(0));
  }
  return findings;
}

RangeFindings find_out(const ReducedModel& model, const Trajectory& trajectory, const Progress& progress) {
  if (trajectory.coordinates == Coordinates::linear_modes) {
    RangeFindings findings;
    findings.bodies = trajectory.bodies;
    return findings;
  }
  std::vector<BodyGroup> groups(1);
  groups[0].force_model = force_model(model);
  groups[0].bodies = trajectory.bodies;
  groups[0].range = model_range(model);
  Batch<double> batch(std::move(groups));
  RangeWatch watch;
  const StateView<double> q = batch.q();
  for (std::int64_t frame = 0; frame < trajectory.frames(); ++frame) {
    const double* stored = trajectory.q.data() + frame * trajectory.bodies * trajectory.rank;
    copy_state<double>(StateView<const double>{stored, trajectory.rank, trajectory.bodies, 1, trajectory.rank}, q);
    watch.look(frame, batch.check_range());
  }
  std::vector<BodyFlags> flags(batch.flags().begin(), batch.flags().end());
  for (std::size_t body = 0; body < trajectory.flags.size(); ++body) flags[body] |= trajectory.flags[body];
  return find_out(model, trajectory, watch, flags, progress);
}

}  // namespace quartic::cli
