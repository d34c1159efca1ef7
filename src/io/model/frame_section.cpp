// Which moments of mass the free bodies of a checkpoint have. Their poses, twists and wrenches are blocks of the state,
// as q is; without a program that knows them the bodies would go on at rest in the world, so that the file requires it.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "io/model/checkpoint_sections.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"moments_fingerprint"};

template <class T>
bool is_present(const Checkpoint<T>& checkpoint) {
  return !checkpoint.groups.moments_fingerprint.empty();
}

template <class T>
void write(const Checkpoint<T>& checkpoint, FileDraft& draft) {
  const auto& fingerprints = checkpoint.groups.moments_fingerprint;
  draft.add("moments_fingerprint", {std::ssize(fingerprints)}, fingerprints);
}

template <class T>
void read(const SafetensorsFile& file, Checkpoint<T>& checkpoint) {
  checkpoint.groups.moments_fingerprint = file.values<std::int64_t>("moments_fingerprint", 1);
}

// Which moments they must be can only the batch tell that is to be restored, see `load_checkpoint`. Where bodies have
// diverged, nothing has to be finite.
template <class T>
void check(const Checkpoint<T>& checkpoint) {
  if (!is_present(checkpoint)) return;
  const std::vector<T>& poses = checkpoint.state[index_of(StateArray::pose)].values;
  std::int64_t body = 0, end = 0;
  for (std::size_t g = 0; g < checkpoint.groups.bodies.size(); ++g)
    for (end += checkpoint.groups.bodies[g]; body < end; ++body) {
      if (checkpoint.groups.moments_fingerprint[g] == 0) continue;
      if (checkpoint.status[static_cast<std::size_t>(body)] == BodyStatus::diverged) continue;
      const T* q = poses.data() + body * pose_size + 3;
      const T largest = std::max({std::abs(q[0]), std::abs(q[1]), std::abs(q[2]), std::abs(q[3])});
      if (!(largest > 0) || !std::isfinite(q[0] + q[1] + q[2] + q[3]))
        throw InputError("the quaternion of body " + std::to_string(body) + " in 'pose' is no rotation");
    }
}

}  // namespace

template <class T>
const CheckpointSection<T>& frame_section() {
  static constexpr CheckpointSection<T> section = {.name = "frame",
                                                   .is_required = true,
                                                   .tensors = tensors,
                                                   .key_tensor = "moments_fingerprint",
                                                   .is_present = is_present<T>,
                                                   .check = check<T>,
                                                   .write = write<T>,
                                                   .read = read<T>};
  return section;
}

template const CheckpointSection<float>& frame_section<float>();
template const CheckpointSection<double>& frame_section<double>();

}  // namespace quartic::io
