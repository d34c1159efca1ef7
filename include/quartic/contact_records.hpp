// What contacts have done, one by one: for sound (course notes part 2, section 2.2: "contact forces of a rigid-body
// program"), wear, or a log.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "quartic/export.hpp"
#include "quartic/sound.hpp"
#include "quartic/world.hpp"

namespace quartic {

/// One point's touch of one shape, from when it came in until it came out.
struct ContactRecord {
  double time = 0;                      ///< when it began [s]
  double duration = 0;                  ///< [s]
  std::int64_t body = 0;                ///< of the batch
  std::int32_t shape = 0;               ///< of the colliders
  std::int32_t point = 0;               ///< of the body's bound tree
  std::array<double, 3> position = {};  ///< of the point at the end of the first step, in the world [m]
  std::array<double, 3> impulse = {};   ///< on the body [N s], along the mesh's axes as they turned with the body

  [[nodiscard]] bool operator==(const ContactRecord&) const = default;
};

/// Makes records of a world's contacts, step by step.
///
/// A step's impulse on a point is its force at the end times the step: what moves bodies by backward Euler, so that
/// impulses add up to the change of momentum besides other loads; by the energy-conserving scheme, too, whose forces
/// are the step's mean. Newmark takes half of it in the step and half in the next: the same sum once the contact is
/// over.
class QUARTIC_EXPORT ContactRecorder {
 public:
  /// After each `world.step(dt)` of one substep. @param dt [s] @throws InputError unless finite and > 0
  template <class T>
  void record(World<T>& world, double dt);
  /// Contacts that are over, in the order in which they ended, then of body, shape and point.
  [[nodiscard]] const std::vector<ContactRecord>& records() const { return over_; }
  /// The same with those that last, cut off now.
  [[nodiscard]] std::vector<ContactRecord> all_records() const;

 private:
  std::map<std::tuple<std::int64_t, std::int32_t, std::int32_t>, ContactRecord> lasting_;
  std::vector<ContactRecord> over_;
};

/// Contacts as strikes: a half sine of each record's impulse and duration, at the surface's vertices around its point,
/// in the order of the records. A point that rests on the ground for long isn't heard, but for its first touch.
/// @param model whose modes sound, with the surface that the tree's points are on
/// @param tree of the bodies that were recorded @param body whose records count; none: all
/// @throws InputError for a point that the tree doesn't have, or a triangle that the surface doesn't have
[[nodiscard]] QUARTIC_EXPORT std::vector<Strike> contact_strikes(const ReducedModel& model, const BoundTree& tree,
                                                                 std::span<const ContactRecord> records,
                                                                 std::optional<std::int64_t> body = {});

/// A text file: lines `time,duration,body,shape,point,x,y,z,jx,jy,jz` below these names. Reads back the same.
/// @throws FileError; InputError for numbers that aren't finite
QUARTIC_EXPORT void write_contact_records(std::span<const ContactRecord> records, const std::filesystem::path& path);
/// @throws FileError; ParseError with the line, for numbers that are missing or not finite, a negative duration, or
/// bodies, shapes and points that aren't numbers from 0 on
[[nodiscard]] QUARTIC_EXPORT std::vector<ContactRecord> read_contact_records(const std::filesystem::path& path);

}  // namespace quartic
