#include "io/usd/usd_motion_text.hpp"

#include <algorithm>

#include "core/frame/pose.hpp"
#include "quartic/version.hpp"

namespace quartic::io {

Extent extent_of(std::span<const float> positions) {
  Extent extent{};
  for (std::size_t c = 0; c < 3; ++c) extent[c] = extent[3 + c] = positions.empty() ? 0 : positions[c];
  for (std::size_t i = 0; i < positions.size(); ++i) {
    extent[i % 3] = std::min(extent[i % 3], positions[i]);
    extent[3 + i % 3] = std::max(extent[3 + i % 3], positions[i]);
  }
  return extent;
}

std::string tuple_text(std::span<const double> numbers) {
  std::string text;
  for (const double number : numbers) text += (text.empty() ? "(" : ", ") + format_number(number);
  return text + ")";
}

void append_vectors(std::string& text, std::span<const float> values) {
  append_list(text, values.size() / 3, [&](std::size_t i) {
    text += '(';
    append_number(text, values[3 * i]);
    text += ", ";
    append_number(text, values[3 * i + 1]);
    text += ", ";
    append_number(text, values[3 * i + 2]);
    text += ')';
  });
}

std::string vectors_text(std::span<const float> values) {
  std::string text;
  append_vectors(text, values);
  return text;
}

std::string repeated_text(std::size_t count, char digit) {
  std::string text;
  append_list(text, count, [&](std::size_t) { text += digit; });
  return text;
}

std::string indices_text(const std::vector<std::uint32_t>& indices) {
  std::string text;
  append_list(text, indices.size(), [&](std::size_t i) { text += std::to_string(indices[i]); });
  return text;
}

std::string shape_names_text(std::int64_t rank, std::string_view before, std::string_view after) {
  std::string text;
  append_list(text, static_cast<std::size_t>(rank),
              [&](std::size_t i) { text.append(before).append("q" + std::to_string(i)).append(after); });
  return text;
}

std::vector<float> in_single_precision(std::span<const double> values, double factor) {
  std::vector<float> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(), [&](double x) { return to_single(factor * x); });
  return result;
}

std::string head_text(const TimeCodes& times, std::string_view prim) {
  const std::string rate = format_number(times.per_second);
  return "#usda 1.0\n(\n    defaultPrim = \"" + std::string(prim) + "\"\n    doc = \"quartic " + version +
         ": the surface of a moving body\"\n    endTimeCode = " + format_number(times.codes.back()) +
         "\n    framesPerSecond = " + rate +
         "\n    metersPerUnit = 1\n    startTimeCode = " + format_number(times.codes.front()) +
         "\n    timeCodesPerSecond = " + rate + "\n    upAxis = \"Z\"\n)\n\n";
}

namespace {

// Of the mass centre and of the body's axes, both in the axes that the pose is in.
void write_velocities(AtomicFile& file, const SurfaceMotion& motion, std::int64_t body, const TimeCodes& times,
                      std::span<const frame::Pose<double>> path, const std::string& indent) {
  write_samples(file, indent, "custom double3 quartic:velocity", times, [&](std::string& text, std::size_t frame) {
    text += tuple_text(motion.twist(static_cast<std::int64_t>(frame), body).first(3));
  });
  write_samples(file, indent, "custom double3 quartic:angularVelocity", times,
                [&](std::string& text, std::size_t frame) {
                  const auto own = motion.twist(static_cast<std::int64_t>(frame), body).last(3);
                  const auto [x, y, z] = rotate(path[frame].rotation, frame::Vector3<double>{own[0], own[1], own[2]});
                  text += tuple_text(std::array{x, y, z});
                });
}

}  // namespace

void write_placement(AtomicFile& file, const SurfaceMotion& motion, std::int64_t body, const TimeCodes& times,
                     const std::string& indent) {
  if (!motion.flies()) {
    const std::array<double, 3>& origin = motion.surface().origin;
    if (origin == std::array<double, 3>{}) return;
    file.write(indent + "double3 xformOp:translate = " + tuple_text(origin) + "\n" + indent +
               "uniform token[] xformOpOrder = [\"xformOp:translate\"]\n");
    return;
  }
  const auto path = motion.poses(body);
  write_samples(file, indent, "double3 xformOp:translate", times, [&](std::string& text, std::size_t frame) {
    const auto& [x, y, z] = path[frame].position;
    text += tuple_text(std::array{x, y, z});
  });
  write_samples(file, indent, "quatd xformOp:orient", times, [&](std::string& text, std::size_t frame) {
    const auto& [vector, w] = path[frame].rotation;  // the real part comes first
    text += tuple_text(std::array{w, vector.x, vector.y, vector.z});
  });
  file.write(indent + "uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n");
  if (!motion.twist(0, body).empty()) write_velocities(file, motion, body, times, path, indent);
}

}  // namespace quartic::io
