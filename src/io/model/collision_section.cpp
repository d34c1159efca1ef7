// Forces of contacts of bodies that collide, which the next step begins with, in a checkpoint of a world.
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/contact/body_collisions.hpp"
#include "io/model/checkpoint_sections.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"collision_key", "collision_force"};

template <class T>
bool is_present(const Checkpoint<T>& checkpoint) {
  return !checkpoint.warm_starts.empty();
}

template <class T>
void check(const Checkpoint<T>& checkpoint) {
  require_warm_starts(checkpoint.warm_starts);
}

template <class T>
void write(const Checkpoint<T>& checkpoint, FileDraft& draft) {
  const auto count = static_cast<std::int64_t>(checkpoint.warm_starts.size());
  std::vector<std::int32_t> keys;
  std::vector<double> forces;
  for (const auto& [key, force] : checkpoint.warm_starts) {
    keys.insert(keys.end(), {key.first, key.second, key.side, key.point});
    forces.insert(forces.end(), force.begin(), force.end());
  }
  draft.add_computed("collision_key", {count, 4}, std::move(keys));
  draft.add_computed("collision_force", {count, 3}, std::move(forces));
}

template <class T>
void read(const SafetensorsFile& file, Checkpoint<T>& checkpoint) {
  const auto keys = file.values<std::int32_t>("collision_key", 2);
  const auto forces = file.values<double>("collision_force", 2);
  file.require_size("collision_key", 1, 4);
  file.require_size("collision_force", 1, 3);
  const std::size_t count = keys.size() / 4;
  file.require_size("collision_force", 0, static_cast<std::int64_t>(count));
  for (std::size_t n = 0; n < count; ++n) {
    const std::int32_t* key = keys.data() + 4 * n;
    const double* force = forces.data() + 3 * n;
    checkpoint.warm_starts.push_back({{key[0], key[1], key[2], key[3]}, {force[0], force[1], force[2]}});
  }
}

}  // namespace

template <class T>
const CheckpointSection<T>& collision_section() {
  static constexpr CheckpointSection<T> section = {.name = "collisions",
                                                   .is_required = true,
                                                   .tensors = tensors,
                                                   .key_tensor = "collision_key",
                                                   .is_present = is_present<T>,
                                                   .check = check<T>,
                                                   .write = write<T>,
                                                   .read = read<T>};
  return section;
}

template const CheckpointSection<float>& collision_section<float>();
template const CheckpointSection<double>& collision_section<double>();

}  // namespace quartic::io
