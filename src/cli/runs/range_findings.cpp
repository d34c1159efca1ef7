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

std::int64_t inverted_elements_of(const ReducedModel& model, const Trajectory& trajectory, const OutOfRange& place) {
  const double* q = trajectory.q.data() + (place.frame * trajectory.bodies + place.body) * trajectory.rank;
  const Eigen::VectorXd u = model.basis.map() * Eigen::VectorXd::Map(q, trajectory.rank);
  if (!u.allFinite()) return model.mesh.element_count();  // of a state just short of diverging
  return inverted_elements(model.mesh, {u.data(), static_cast<std::size_t>(u.size())});
}

void take_earlier(std::optional<double>& since, double time) {
  since = since ? std::min(*since, time) : time;
}

}  // namespace

void RangeWatch::look(std::int64_t frame, std::span<const BodyFlags> flags) {
  constexpr int most = 16;
  int found = 0;
  for (std::size_t body = 0; body < flags.size() && found < most; ++body) {
    if (!has_any(flags[body], out_of_range)) continue;
    found_.push_back({frame, static_cast<std::int64_t>(body), flags[body]});
    ++found;
  }
}

WatchedMotion watch_motion(const ReducedModel& model, const ModelRange& range, const Trajectory& trajectory) {
  std::vector<BodyGroup> groups(1);
  groups[0].energy = model.energy;
  groups[0].bodies = trajectory.bodies;
  groups[0].range = range;
  Batch<double> batch(std::move(groups));
  WatchedMotion result;
  const StateView<double> q = batch.q();
  for (std::int64_t frame = 0; frame < trajectory.frames(); ++frame) {
    const double* stored = trajectory.q.data() + frame * trajectory.bodies * trajectory.rank;
    copy_state<double>(StateView<const double>{stored, trajectory.rank, trajectory.bodies, 1, trajectory.rank}, q);
    result.watch.look(frame, batch.check_range());
  }
  result.flags.assign(batch.flags().begin(), batch.flags().end());
  return result;
}

RangeFindings count_flags(std::span<const BodyFlags> flags) {
  const auto with = [&](BodyFlags flag) {
    return std::count_if(flags.begin(), flags.end(), [&](BodyFlags f) { return has_any(f, flag); });
  };
  return {.bodies = std::ssize(flags),
          .inverted_bodies = with(BodyFlags::inverted),
          .strained_bodies = with(BodyFlags::strained),
          .unconverged_bodies = with(BodyFlags::not_converged)};
}

RangeFindings find_out(const ReducedModel& model, const Trajectory& trajectory, const RangeWatch& watch,
                       std::span<const BodyFlags> flags, const Progress& progress) {
  RangeFindings findings = count_flags(flags);
  findings.elements = model.mesh.element_count();
  const auto time = [&](const OutOfRange& place) { return trajectory.time[static_cast<std::size_t>(place.frame)]; };
  for (const OutOfRange& place : watch.found()) {
    if (has_any(place.flags, BodyFlags::inverted)) take_earlier(findings.inverted_since, time(place));
    if (has_any(place.flags, BodyFlags::strained)) take_earlier(findings.strained_since, time(place));
  }
  const std::int64_t most = std::max<std::int64_t>(most_elements / std::max<std::int64_t>(findings.elements, 1), 8);
  const std::vector<OutOfRange> counted = evenly_spread(watch.found(), most);
  findings.wanted_counts = std::ssize(watch.found());
  findings.counts = std::ssize(counted);
  for (std::size_t n = 0; n < counted.size(); ++n) {
    progress("count inverted elements", static_cast<double>(n) / static_cast<double>(counted.size()));
    const std::int64_t inverted = inverted_elements_of(model, trajectory, counted[n]);
    if (inverted > 0) take_earlier(findings.inverted_since, time(counted[n]));
    findings.inverted_elements = std::max(findings.inverted_elements, inverted);
  }
  return findings;
}

}  // namespace quartic::cli
