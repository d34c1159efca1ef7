// What bodies of a simulation meet: the ground, and shapes that move evenly or along poses from a file.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/model.hpp"
#include "quartic/pose_track.hpp"
#include "quartic/world.hpp"

namespace quartic::cli {

/// --ground, --collider and how contacts are computed, as they were typed.
struct ContactArguments {
  std::string ground;  ///< its height, or not a number: the option was given without
  bool has_ground = false, has_settings = false;
  std::vector<std::string> colliders;
  std::string records;  ///< file of what contacts did; empty: none
  std::optional<double> spacing;
  ContactOptions options;

  [[nodiscard]] bool any() const { return has_ground || !colliders.empty(); }
};
void add_contact_options(CLI::App& command, ContactArguments& arguments);

/// Meshes and poses of colliders. @throws UsageError for a collider with a word twice
[[nodiscard]] std::vector<std::string> input_files(const ContactArguments& arguments);

/// A collider and how it moves.
struct ColliderRun {
  Collider collider;               ///< where it is at time 0, from where on its twist stays the same
  std::optional<PoseTrack> track;  ///< that moves it instead

  /// In a step of `length` from a time [s]: where it is then, and its twist, by the time alone.
  [[nodiscard]] Collider at(double time, double length) const;
  [[nodiscard]] bool moves() const;
};

struct ContactRun {
  std::shared_ptr<const BoundTree> tree;
  std::vector<ColliderRun> colliders;
  ContactOptions options;
  bool records = false;  ///< whether what contacts did is kept
};

/// The model's own points, unless a spacing is given.
[[nodiscard]] BoundTree contact_tree(const ReducedModel& model, const std::optional<double>& spacing);

/// What `sphere 0.2 at 0,0,1 velocity 1,0,0` stands for. @throws UsageError for another text; InputError for numbers
/// that make no shape, a mesh that can't be read or isn't closed, or poses that can't be read
[[nodiscard]] ColliderRun parse_collider(const std::string& text);

/// @throws UsageError for settings of contacts without anything to touch; InputError for a backend or an integrator
/// that contacts don't go with, before anything is read or opened
void check_contact(const ContactArguments& arguments, const BatchOptions& batch);

/// None without --ground and --collider. The points are those of the model's own bound tree, unless a spacing is given.
/// @param warnings gets a sentence for an integrator by which bodies don't come to rest
/// @throws UsageError and InputError as `parse_collider`
[[nodiscard]] std::optional<ContactRun> parse_contact(const ContactArguments& arguments, const ReducedModel& model,
                                                      const BatchOptions& batch, std::vector<std::string>& warnings);

}  // namespace quartic::cli
