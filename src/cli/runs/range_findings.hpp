// What is found out about a motion that leaves its model's range (quartic/range.hpp): when, how far, of how many
// bodies.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "quartic/model.hpp"
#include "quartic/range.hpp"
#include "quartic/trajectory.hpp"

namespace quartic::cli {

/// A body in a frame that was found out of range.
struct OutOfRange {
  std::int64_t frame = 0, body = 0;
};

/// Collects them, frame by frame: of each frame the first few, inverted ones before others, since elements are counted
/// in single bodies. When what was seen first, and how many bodies were out of range, is known of all bodies.
class RangeWatch {
 public:
  /// @param flags of each body in this frame
  void look(std::int64_t frame, std::span<const BodyFlags> flags);
  [[nodiscard]] const std::vector<OutOfRange>& found() const { return found_; }
  [[nodiscard]] std::int64_t seen() const { return seen_; }  ///< bodies in frames out of range, also those not kept
  [[nodiscard]] std::optional<std::int64_t> first_inverted() const { return first_inverted_; }  ///< frame
  [[nodiscard]] std::optional<std::int64_t> first_strained() const { return first_strained_; }

 private:
  std::vector<OutOfRange> found_;
  std::int64_t seen_ = 0;
  std::optional<std::int64_t> first_inverted_, first_strained_;
};

struct RangeFindings {
  std::int64_t bodies = 0;                                                        ///< that were looked at
  std::int64_t inverted_bodies = 0, strained_bodies = 0, unconverged_bodies = 0;  ///< with that flag
  std::int64_t fast_bodies = 0, lost_contacts_bodies = 0;                         ///< too_fast, contacts_lost
  bool touching = false;  ///< steps that didn't converge were those of bodies that touch something
  std::optional<double> inverted_since = {}, strained_since = {};  ///< first such frame [s]
  std::int64_t inverted_elements = 0;                              ///< most of a body in a frame
  std::int64_t elements = 0;                                       ///< of the mesh
  std::int64_t counts = 0, wanted_counts = 0;  ///< bodies in frames whose elements were counted, of those out of range
  std::int64_t not_finite = 0;                 ///< of those to be counted: displacements that aren't finite, left out
};

/// The findings of a motion. In the bodies and frames that the watch found, inverted elements are counted, in evenly
/// spread ones where there are very many. @param flags of each body, also from before the motion
[[nodiscard]] RangeFindings find_out(const ReducedModel& model, const Trajectory& trajectory, const RangeWatch& watch,
                                     std::span<const BodyFlags> flags, const Progress& progress);

/// The same of a saved motion, all frames of which are looked at, whatever its own flags say. Motions in linear modes,
/// which have no range, aren't looked at.
[[nodiscard]] RangeFindings find_out(const ReducedModel& model, const Trajectory& trajectory, const Progress& progress);

}  // namespace quartic::cli
