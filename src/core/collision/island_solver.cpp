#include "core/collision/island_solver.hpp"

#include <algorithm>
#include <cmath>

#include "core/collision/impulse_law.hpp"

namespace quartic {
namespace {

// Of three rows. @param rows shape (3, n)
std::array<double, 3> products(const double* rows, const double* by, std::size_t n) {
  std::array<double, 3> sums = {};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < 3; ++k) sums[k] += rows[k * n + i] * by[i];
  return sums;
}

// The normal, and two directions across it that follow from it alone.
std::array<ContactPoint, 3> axes_of(const ContactPoint& n) {
  const ContactPoint other = std::abs(n.x) < 0.6 ? ContactPoint{1, 0, 0} : ContactPoint{0, 1, 0};
  const ContactPoint across = cross(n, other), first = (1 / norm(across)) * across;
  return {n, first, cross(n, first)};
}

// The largest eigenvalue of the symmetric part of the block's last two rows and columns.
double largest_across(const std::array<std::array<double, 3>, 3>& block) {
  const double mean = 0.5 * (block[1][1] + block[2][2]), half = 0.5 * (block[1][1] - block[2][2]);
  return mean + std::hypot(half, 0.5 * (block[1][2] + block[2][1]));
}

}  // namespace

void IslandContact::begin(double along, const ContactPoint& sideways) {
  axes = axes_of(normal);
  impulse = {along, dot(sideways, axes[1]), dot(sideways, axes[2])};
}

std::int64_t IslandSolver::unsettled() const {
  return std::ranges::count(islands_, false, &IslandWork::settled);
}

void IslandSolver::lay_out(std::span<const SolvedBody> bodies, std::span<const IslandRange> islands,
                           std::span<IslandContact> contacts) {
  if (work_.size() < bodies.size()) work_.resize(bodies.size());
  islands_.assign(islands.size(), {});
  std::size_t total = 0;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    work_[b].first = total;
    work_[b].size = static_cast<std::size_t>(bodies[b].stepper->size());
    work_[b].ends.clear();
    work_[b].solved = false;
    total += work_[b].size;
  }
  velocities_.assign(total, 0.0);
  last_velocities_.assign(total, 0.0);
  impulses_.assign(total, 0.0);
  for (std::size_t i = 0; i < islands.size(); ++i)
    for (std::size_t n = 0; n < islands[i].bodies; ++n) work_[islands[i].first_body + n].island = i;
  total = 0;
  for (std::size_t c = 0; c < contacts.size(); ++c)
    for (std::size_t end = 0; end < 2; ++end) {
      const std::int32_t body = contacts[c].bodies[end];
      if (body < 0) continue;
      BodyWork& work = work_[static_cast<std::size_t>(body)];
      contacts[c].rows[end] = total;
      work.ends.emplace_back(static_cast<std::int32_t>(c), static_cast<std::int32_t>(end));
      total += 3 * work.size;
    }
  rows_.resize(total);
  changes_.resize(total);
}

void IslandSolver::make_rows(std::span<const SolvedBody> bodies, IslandContact& contact,
                             const std::array<IslandPlace, 2>& places) {
  for (std::size_t end = 0; end < 2; ++end) {
    if (contact.bodies[end] < 0) continue;
    const std::size_t n = size_of(contact.bodies[end]), corners = end == 0 ? 1 : 3;
    double* rows = rows_.data() + contact.rows[end];
    bodies[static_cast<std::size_t>(contact.bodies[end])].stepper->place_rows(
        std::span(places[end].points).first(corners), std::span(places[end].weights).first(corners), contact.position,
        rows);
    for (std::size_t j = 0; j < n; ++j) {
      const ContactPoint column = {rows[j], rows[n + j], rows[2 * n + j]};
      for (std::size_t k = 0; k < 3; ++k) rows[k * n + j] = dot(contact.axes[k], column);
    }
  }
}

void IslandSolver::check(std::size_t body, std::span<const SolvedBody> bodies,
                         std::span<const IslandContact> contacts) {
  BodyWork& work = work_[body];
  double* sum = impulses_.data() + work.first;
  std::fill_n(sum, work.size, 0.0);
  for (const auto& [c, end] : work.ends) {
    const IslandContact& contact = contacts[static_cast<std::size_t>(c)];
    const double* rows = rows_.data() + contact.rows[static_cast<std::size_t>(end)];
    for (std::size_t k = 0; k < 3; ++k) {
      const double impulse = end == 0 ? contact.impulse[k] : -contact.impulse[k];
      if (impulse == 0) continue;
      for (std::size_t j = 0; j < work.size; ++j) sum[j] += impulse * rows[k * work.size + j];
    }
  }
  work.solved = bodies[body].stepper->check(sum);
}

void IslandSolver::linearise(std::size_t body, std::span<const SolvedBody> bodies,
                             std::span<const IslandContact> contacts) {
  BodyWork& work = work_[body];
  double* velocity = velocities_.data() + work.first;
  std::copy_n(velocity, work.size, last_velocities_.data() + work.first);
  bodies[body].stepper->linearise(velocity);
  for (const auto& [c, end] : work.ends) {
    const std::size_t rows = contacts[static_cast<std::size_t>(c)].rows[static_cast<std::size_t>(end)];
    bodies[body].stepper->respond(rows_.data() + rows, changes_.data() + rows);
  }
}

void IslandSolver::make_block(IslandContact& contact) const {
  contact.block = {};
  for (std::size_t end = 0; end < 2; ++end) {
    if (contact.bodies[end] < 0) continue;
    const std::size_t n = size_of(contact.bodies[end]);
    const double *rows = rows_.data() + contact.rows[end], *changes = changes_.data() + contact.rows[end];
    for (std::size_t j = 0; j < 3; ++j) {
      const std::array<double, 3> column = products(rows, changes + j * n, n);
      for (std::size_t i = 0; i < 3; ++i) contact.block[i][j] += column[i];
    }
  }
  contact.across = largest_across(contact.block);
}

// Of the point relative to the other body along the contact's axes.
std::array<double, 3> IslandSolver::relative(const IslandContact& contact) const {
  std::array<double, 3> velocity;
  for (std::size_t k = 0; k < 3; ++k) velocity[k] = -dot(contact.axes[k], contact.carried);
  for (std::size_t end = 0; end < 2; ++end) {
    if (contact.bodies[end] < 0) continue;
    const BodyWork& work = work_[static_cast<std::size_t>(contact.bodies[end])];
    const std::array<double, 3> along =
        products(rows_.data() + contact.rows[end], velocities_.data() + work.first, work.size);
    for (std::size_t k = 0; k < 3; ++k) velocity[k] += end == 0 ? along[k] : -along[k];
  }
  return velocity;
}

ContactPoint IslandSolver::velocity(const IslandContact& contact, std::size_t end) const {
  if (contact.bodies[end] < 0) return contact.carried;
  const BodyWork& work = work_[static_cast<std::size_t>(contact.bodies[end])];
  ContactPoint sum = {0, 0, 0};
  const std::array<double, 3> along =
      products(rows_.data() + contact.rows[end], velocities_.data() + work.first, work.size);
  for (std::size_t k = 0; k < 3; ++k) sum = sum + along[k] * contact.axes[k];
  return sum;
}

// One contact, and the bodies' velocities with it. @return the largest change of its impulse
double IslandSolver::solve(IslandContact& contact, const SweepOptions& options) {
  const double h = options.h, response = std::max(contact.block[0][0], 0.0);
  const std::array<double, 3> velocity = relative(contact);
  std::array<double, 3>& old = contact.impulse;
  const double now = normal_impulse(contact.stiffness, options.law.dissipation, h, contact.gap,
                                    velocity[0] - response * old[0], response);
  if (now == 0 && old == std::array<double, 3>{}) return 0;
  std::array<double, 3> next = {now, 0, 0};
  if (options.law.friction > 0 && now > 0 && contact.across > 0) {
    for (std::size_t k = 1; k < 3; ++k)
      next[k] = old[k] - (velocity[k] + contact.block[k][0] * (now - old[0])) / contact.across;
    const double size = std::hypot(next[1], next[2]), most = options.law.friction * now;
    if (size > most)
      for (std::size_t k = 1; k < 3; ++k) next[k] *= most / size;
  }
  const std::array<double, 3> change = {next[0] - old[0], next[1] - old[1], next[2] - old[2]};
  old = next;
  for (std::size_t end = 0; end < 2; ++end) {
    if (contact.bodies[end] < 0) continue;
    const BodyWork& work = work_[static_cast<std::size_t>(contact.bodies[end])];
    const double *by = changes_.data() + contact.rows[end], sign = end == 0 ? 1 : -1;
    double* v = velocities_.data() + work.first;
    for (std::size_t j = 0; j < work.size; ++j)
      v[j] += sign * (change[0] * by[j] + change[1] * by[work.size + j] + change[2] * by[2 * work.size + j]);
  }
  return std::max({std::abs(change[0]), std::abs(change[1]), std::abs(change[2])});
}

void IslandSolver::sweep(const IslandRange& range, std::span<IslandContact> contacts, const SweepOptions& options,
                         IslandWork& work) {
  const std::span<IslandContact> own = contacts.subspan(range.first_contact, range.contacts);
  for (IslandContact& contact : own) {
    contact.last_impulse = contact.impulse;
    make_block(contact);
  }
  const int least = 1 + options.sweeps / 8, most = std::max(options.sweeps - work.sweeps, least);
  work.settled = false;
  for (int n = 0; n < most && !work.settled; ++n, ++work.sweeps) {
    double change = 0, largest = 0;
    for (IslandContact& contact : own) {
      change = std::max(change, solve(contact, options));
      largest = std::max(largest, contact.impulse[0]);
    }
    work.settled = change <= options.tolerance * largest;
  }
}

// Whether an island's step is done, or its last iteration went too far: left much, and more than the one before. The
// first one isn't judged, since what it starts from knows no contacts.
void IslandSolver::judge(const IslandRange& range, std::span<const SolvedBody> bodies, const SweepOptions& options,
                         int iteration, IslandWork& work) const {
  constexpr int most_halvings = 6;
  constexpr double little = 1e-2;  // of the terms of each body's equations: Newton's method leads on from there
  bool solved = true, finite = true;
  double left = 0;
  for (std::size_t b = range.first_body; b < range.first_body + range.bodies; ++b) {
    solved &= work_[b].solved;
    finite &= bodies[b].stepper->is_finite();
    left += bodies[b].stepper->left();
  }
  const bool is_last = iteration == options.iterations, was_judged = work.steps > 1;
  const bool went_too_far = !(left <= std::max(work.left, little * static_cast<double>(range.bodies)));
  work.goes_back = was_judged && !solved && went_too_far && work.halvings < most_halvings && !is_last;
  if (work.goes_back) {
    ++work.halvings;
    return;
  }
  const bool swept = (work.settled || work.sweeps >= options.sweeps) && work.halvings == 0;
  work.done = (solved && swept) || !finite || is_last;
  work.left = left;
  work.halvings = 0;
  ++work.steps;
}

// Half the way to where the iteration came from.
void IslandSolver::go_back(const IslandRange& range, std::span<IslandContact> contacts) {
  for (std::size_t b = range.first_body; b < range.first_body + range.bodies; ++b)
    for (std::size_t j = work_[b].first; j < work_[b].first + work_[b].size; ++j)
      velocities_[j] = 0.5 * (velocities_[j] + last_velocities_[j]);
  for (IslandContact& contact : contacts.subspan(range.first_contact, range.contacts))
    for (std::size_t k = 0; k < 3; ++k) contact.impulse[k] = 0.5 * (contact.impulse[k] + contact.last_impulse[k]);
}

void IslandSolver::run(std::span<const SolvedBody> bodies, std::span<const IslandRange> islands,
                       std::span<IslandContact> contacts, std::span<const std::array<IslandPlace, 2>> places,
                       const SweepOptions& options, ThreadPool& pool) {
  lay_out(bodies, islands, contacts);
  const auto each_body = [&](const auto& visit) {
    pool.run(std::ssize(bodies), [&](std::int64_t n) {
      const auto b = static_cast<std::size_t>(n);
      if (!islands_[work_[b].island].done) visit(b);
    });
  };
  const auto each_island = [&](const auto& visit) {
    pool.run(std::ssize(islands), [&](std::int64_t n) {
      const auto i = static_cast<std::size_t>(n);
      if (!islands_[i].done) visit(i);
    });
  };
  each_body([&](std::size_t b) { bodies[b].stepper->start_step(bodies[b].own->step, bodies[b].own->start); });
  pool.run(std::ssize(contacts), [&](std::int64_t c) {
    make_rows(bodies, contacts[static_cast<std::size_t>(c)], places[static_cast<std::size_t>(c)]);
  });
  for (int iteration = 0;; ++iteration) {
    each_body([&](std::size_t b) { check(b, bodies, contacts); });
    each_island([&](std::size_t i) { judge(islands[i], bodies, options, iteration, islands_[i]); });
    if (std::ranges::all_of(islands_, &IslandWork::done)) break;
    each_body([&](std::size_t b) {
      if (!islands_[work_[b].island].goes_back) linearise(b, bodies, contacts);
    });
    each_island([&](std::size_t i) {
      if (islands_[i].goes_back)
        go_back(islands[i], contacts);
      else
        sweep(islands[i], contacts, options, islands_[i]);
    });
    each_body([&](std::size_t b) { bodies[b].stepper->set_velocity(velocities_.data() + work_[b].first); });
  }
  pool.run(std::ssize(bodies), [&](std::int64_t n) {
    const auto b = static_cast<std::size_t>(n);
    bodies[b].own->outcome = {};
    bodies[b].stepper->end_step(bodies[b].own->end, bodies[b].own->outcome);
    bodies[b].own->outcome.converged = work_[b].solved;
  });
}

}  // namespace quartic
