// Drawing without a display: a context of EGL, a framebuffer, a PNG file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "view/gl/gl_objects.hpp"

namespace quartic::view {

/// An OpenGL context without any window, current in this thread as long as it lives.
class OffscreenContext {
 public:
  /// Mesa's platform without surfaces first, which draws in software where there is no graphics card; then each device,
  /// then the default display.
  /// @throws BackendUnavailable if none has OpenGL 4.3
  OffscreenContext();
  ~OffscreenContext();
  OffscreenContext(const OffscreenContext&) = delete;
  OffscreenContext& operator=(const OffscreenContext&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A picture of width x height pixels, drawn with more samples than it has pixels.
class OffscreenTarget {
 public:
  /// @throws InputError if a picture of this size can't be had
  OffscreenTarget(int width, int height);

  /// Where to draw, and how large: twice as wide and high where the card can.
  [[nodiscard]] GLuint framebuffer() const { return samples_framebuffer_.name(); }
  [[nodiscard]] int drawn_width() const { return scale_ * width_; }
  [[nodiscard]] int drawn_height() const { return scale_ * height_; }

  /// Takes means of samples. What is drawn into `picture_framebuffer` afterwards has one sample per pixel.
  void resolve();
  [[nodiscard]] GLuint picture_framebuffer() const { return picture_framebuffer_.name(); }

  /// RGB, from the upper left corner, shape (height, width, 3).
  [[nodiscard]] std::vector<std::uint8_t> read() const;

 private:
  int width_, height_, scale_ = 2;
  Renderbuffer samples_colour_, samples_depth_, large_colour_, picture_colour_;
  Framebuffer samples_framebuffer_, large_framebuffer_, picture_framebuffer_;
};

/// @param rgb shape (height, width, 3) @throws FileError
void write_png(std::span<const std::uint8_t> rgb, int width, int height, const std::filesystem::path& path);

}  // namespace quartic::view
