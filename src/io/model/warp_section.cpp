// What modal coordinates are shown as. A program that doesn't know warps would draw the wrong thing, so it must refuse.
#include <string>
#include <vector>

#include "io/model/trajectory_sections.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"warp"};

bool is_warped(const Trajectory& trajectory) {
  return trajectory.warp != Warp::none;
}

void check(const Trajectory& trajectory) {
  if (!is_warped(trajectory)) return;
  if (trajectory.warp > Warp::rotation_strain)
    throw InputError("there is no warp of the number " + std::to_string(static_cast<int>(trajectory.warp)));
  if (trajectory.coordinates != Coordinates::linear_modes)
    throw InputError("only motions in linear modes are warped, and this one is of another basis");
}

void write(const Trajectory& trajectory, FileDraft& draft) {
  draft.add_computed("warp", {1}, std::vector{static_cast<std::int32_t>(trajectory.warp)});
}

void read(const SafetensorsFile& file, Trajectory& trajectory) {
  const auto warp = file.values<std::int32_t>("warp", 1);
  if (warp.size() != 1 || warp[0] < 1 || warp[0] > static_cast<std::int32_t>(Warp::rotation_strain))
    file.fail("'warp' must hold one number, 1 (modal) or 2 (rotation-strain)");
  trajectory.warp = static_cast<Warp>(warp[0]);
}

void cut_to_body(const Trajectory& whole, std::int64_t, Trajectory& part) {
  part.warp = whole.warp;
}

}  // namespace

const TrajectorySection warp_section = {.name = "warp",
                                        .is_required = true,
                                        .tensors = tensors,
                                        .key_tensor = "warp",
                                        .is_present = is_warped,
                                        .check = check,
                                        .write = write,
                                        .read = read,
                                        .cut_to_body = cut_to_body};

}  // namespace quartic::io
