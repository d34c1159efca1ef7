// Texts that all .usda files of moving bodies consist of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/motion/frame_times.hpp"
#include "io/motion/render_surface.hpp"
#include "io/text/text.hpp"

namespace quartic::io {

/// Least and greatest coordinates.
using Extent = std::array<float, 6>;

[[nodiscard]] Extent extent_of(std::span<const float> positions);

/// `[item 0, item 1, ...]`
template <class AppendItem>
void append_list(std::string& text, std::size_t count, const AppendItem& append_item) {
  text += '[';
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ", ";
    append_item(i);
  }
  text += ']';
}

/// `(1, 2, 3)`, in double precision.
[[nodiscard]] std::string tuple_text(std::span<const double> numbers);

void append_vectors(std::string& text, std::span<const float> values);
[[nodiscard]] std::string vectors_text(std::span<const float> values);
[[nodiscard]] std::string repeated_text(std::size_t count, char digit);
[[nodiscard]] std::string indices_text(const std::vector<std::uint32_t>& indices);

/// `[Xq0Y, Xq1Y, ...]`, names of the blend shapes with what stands before and after each.
[[nodiscard]] std::string shape_names_text(std::int64_t rank, std::string_view before, std::string_view after);

[[nodiscard]] std::vector<float> in_single_precision(std::span<const double> values, double factor = 1);

/// The stage's metadata. @param prim the default one
[[nodiscard]] std::string head_text(const TimeCodes& times, std::string_view prim);

/// `ATTRIBUTE.timeSamples`, of which one is in memory at a time.
template <class AppendValue>
void write_samples(AtomicFile& file, std::string_view indent, std::string_view attribute, const TimeCodes& times,
                   const AppendValue& append_value) {
  std::string text = std::string(indent) + std::string(attribute) + ".timeSamples = {\n";
  for (std::size_t frame = 0; frame < times.codes.size(); ++frame) {
    text.append(indent).append("    ").append(format_number(times.codes[frame])).append(": ");
    append_value(text, frame);
    text += ",\n";
    file.write(text);
    text.clear();
  }
  file.write(std::string(indent) + "}\n");
}

/// Where a body stands, in double precision: its pose over time, with its velocities where they were recorded, or else
/// the surface's origin.
void write_placement(AtomicFile& file, const SurfaceMotion& motion, std::int64_t body, const TimeCodes& times,
                     const std::string& indent);

}  // namespace quartic::io
