// One step of islands: bodies whose implicit steps hang together by the impulses of their contacts.
//
// With nu for a body's velocity at the step's end (core/contact/pushed_body.hpp), its equations are G(nu) = J^T p, with
// the impulses p of its contacts, and the rows J of their places at the step's start. Newton's method makes these
// linear, nu(p) = nu_k - A^-1 (G(nu_k) - J^T p), and sweeps over the contacts solve for p, one after the other, in the
// order of their keys (projected Gauss & Seidel):
//   normal       the law of quartic/world.hpp at the gap d + h u_n: a compliance of 1 / (h^2 k A) in the impulses
//   friction     |p_t| <= mu p_n, and either u_t = 0, or p_t against u_t and as large as that
// with the velocity u of a point relative to the other body. They begin with the forces of the last step. An iteration
// that leaves much of the equations, and more than the one before, is halved.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/contact/body_collisions.hpp"
#include "core/contact/body_frame.hpp"
#include "core/contact/contact_law.hpp"
#include "core/contact/pushed_body.hpp"

namespace quartic {

/// A contact of an island, of two bodies or of one and a shape.
struct IslandContact {
  std::array<std::int32_t, 2> bodies = {-1, -1};  ///< of the step's; the point's first; -1: a shape
  ContactKey key;
  double gap = 0, stiffness = 0;    ///< at the step's start; k A [N/m]
  double depth = 0;                 ///< of what the point is in
  ContactPoint position, normal;    ///< at the step's start
  ContactPoint carried;             ///< velocity of the shape there
  std::array<double, 3> impulse{};  ///< on the point, along the normal and two directions across it

  // What the solver keeps of it.
  std::array<ContactPoint, 3> axes;
  std::array<std::size_t, 2> rows{};             ///< of the places, into the solver's memory
  std::array<std::array<double, 3>, 3> block{};  ///< change of the velocity per impulse
  double across = 0;                             ///< the largest such change across the normal
  std::array<double, 3> last_impulse{};          ///< before the last of Newton's iterations

  /// Takes the axes, and begins with an impulse. @param sideways across the normal
  void begin(double along, const ContactPoint& sideways);
  [[nodiscard]] ContactPoint impulse_in_world() const {
    return impulse[0] * axes[0] + impulse[1] * axes[1] + impulse[2] * axes[2];
  }
};

/// The points of the bodies' trees and their weights at a contact's end.
struct IslandPlace {
  std::array<std::int32_t, 3> points = {};
  std::array<double, 3> weights = {1, 0, 0};
};

struct SolvedBody {
  PushedBody* stepper = nullptr;
  BodyOnItsOwn* own = nullptr;
  bool is_held = false;  ///< without a frame, whose momentum would have the forces' sum
};

/// Where an island's bodies and contacts are in the lists of all, side by side.
struct IslandRange {
  std::size_t first_body = 0, bodies = 0, first_contact = 0, contacts = 0;
};

struct SweepOptions {
  ContactLaw law{};
  double h = 0, tolerance = 0;
  int iterations = 0, sweeps = 0;
};

/// Keeps its memory from step to step.
class IslandSolver {
 public:
  /// Steps the bodies, whose outcomes get all but the flags of contacts; contacts get their impulses and velocities.
  /// @param places of the contacts' two ends
  void run(std::span<const SolvedBody> bodies, std::span<const IslandRange> islands, std::span<IslandContact> contacts,
           std::span<const std::array<IslandPlace, 2>> places, const SweepOptions& options, ThreadPool& pool);

  /// The velocity of a contact's point at the step's end, in the world, or of the place of the other body.
  [[nodiscard]] ContactPoint velocity(const IslandContact& contact, std::size_t end) const;
  /// Islands whose impulses changed by more than the tolerance in the last sweep.
  [[nodiscard]] std::int64_t unsettled() const;

 private:
  struct BodyWork {
    std::size_t island = 0, first = 0, size = 0;              // of its velocity in velocities_
    std::vector<std::pair<std::int32_t, std::int32_t>> ends;  // contacts, and which end, in the order of contacts
    bool solved = false;
  };
  struct IslandWork {
    bool done = false, settled = false;  // all of it; the sweeps
    bool goes_back = false;              // since the last iteration went too far
    int sweeps = 0, steps = 0, halvings = 0;
    double left = 0;  // of the equations before the last iteration, summed up over bodies
  };

  void lay_out(std::span<const SolvedBody> bodies, std::span<const IslandRange> islands,
               std::span<IslandContact> contacts);
  void make_rows(std::span<const SolvedBody> bodies, IslandContact& contact, const std::array<IslandPlace, 2>& places);
  void check(std::size_t body, std::span<const SolvedBody> bodies, std::span<const IslandContact> contacts);
  void linearise(std::size_t body, std::span<const SolvedBody> bodies, std::span<const IslandContact> contacts);
  void make_block(IslandContact& contact) const;
  void sweep(const IslandRange& range, std::span<IslandContact> contacts, const SweepOptions& options,
             IslandWork& work);
  void judge(const IslandRange& range, std::span<const SolvedBody> bodies, const SweepOptions& options, int iteration,
             IslandWork& work) const;
  void go_back(const IslandRange& range, std::span<IslandContact> contacts);
  double solve(IslandContact& contact, const SweepOptions& options);
  [[nodiscard]] std::array<double, 3> relative(const IslandContact& contact) const;
  [[nodiscard]] std::size_t size_of(std::int32_t body) const { return work_[static_cast<std::size_t>(body)].size; }

  std::vector<BodyWork> work_;
  std::vector<IslandWork> islands_;
  std::vector<double> rows_, changes_;                           // of the contacts' ends, shape (3, size) each
  std::vector<double> velocities_, last_velocities_, impulses_;  // of the bodies; before the last iteration
};

}  // namespace quartic
