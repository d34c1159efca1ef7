// Names of pictures that have a place for the frame's number.
#pragma once

#include <cstdint>
#include <string>

namespace quartic::view {

/// Whether the name has one such place: `%d`, or `%04d` for zeros in front up to a width of 1 to 9.
/// @throws InputError for any other `%`, or more than one
[[nodiscard]] bool has_frame_number(const std::string& name);

/// The name of one frame; the same for all if it has no place for a number. @throws InputError as has_frame_number
[[nodiscard]] std::string frame_name(const std::string& name, std::int64_t frame);

}  // namespace quartic::view
