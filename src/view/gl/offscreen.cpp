#include "view/gl/offscreen.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "quartic/error.hpp"
#include "view/gl/gl_context.hpp"

namespace quartic::view {
namespace {

GLint limit(GLenum name) {
  GLint value = 0;
  glGetIntegerv(name, &value);
  return value;
}

void allocate(const Renderbuffer& buffer, GLint samples, GLenum format, int width, int height) {
  glBindRenderbuffer(GL_RENDERBUFFER, buffer.name());
  glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
}

void attach(const Framebuffer& framebuffer, const Renderbuffer& colour, const Renderbuffer* depth) {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.name());
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour.name());
  if (depth != nullptr) glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth->name());
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
    throw DeviceError("this OpenGL driver doesn't make a framebuffer for the picture");
}

}  // namespace

OffscreenTarget::OffscreenTarget(int width, int height) : width_(width), height_(height) {
  const int most = std::min(limit(GL_MAX_RENDERBUFFER_SIZE), limit(GL_MAX_TEXTURE_SIZE));
  if (std::min(width, height) < 1 || std::max(width, height) > most)
    throw InputError("a picture can have 1 to " + std::to_string(most) + " pixels along a side here, not " +
                     std::to_string(width) + " x " + std::to_string(height));
  if (2 * std::max(width, height) > std::min(most, 8192)) scale_ = 1;
  const GLint samples = std::min(limit(GL_MAX_SAMPLES), 4);
  allocate(samples_colour_, samples, GL_RGBA8, drawn_width(), drawn_height());
  allocate(samples_depth_, samples, GL_DEPTH_COMPONENT32F, drawn_width(), drawn_height());
  allocate(large_colour_, 0, GL_RGBA8, drawn_width(), drawn_height());
  allocate(picture_colour_, 0, GL_RGBA8, width, height);
  check_gl("make a picture of " + std::to_string(width) + " x " + std::to_string(height) + " pixels");
  attach(samples_framebuffer_, samples_colour_, &samples_depth_);
  attach(large_framebuffer_, large_colour_, nullptr);
  attach(picture_framebuffer_, picture_colour_, nullptr);
}

void OffscreenTarget::resolve() {
  const auto copy = [](const Framebuffer& from, int from_width, int from_height, const Framebuffer& to, int to_width,
                       int to_height, GLenum filter) {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from.name());
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to.name());
    glBlitFramebuffer(0, 0, from_width, from_height, 0, 0, to_width, to_height, GL_COLOR_BUFFER_BIT, filter);
  };
  copy(samples_framebuffer_, drawn_width(), drawn_height(), large_framebuffer_, drawn_width(), drawn_height(),
       GL_NEAREST);
  // Halved, linear filtering takes the mean of each two by two.
  copy(large_framebuffer_, drawn_width(), drawn_height(), picture_framebuffer_, width_, height_, GL_LINEAR);
  check_gl("take the picture");
}

std::vector<std::uint8_t> OffscreenTarget::read() const {
  const std::size_t row = 3 * static_cast<std::size_t>(width_);
  std::vector<std::uint8_t> upwards(row * static_cast<std::size_t>(height_)), rgb(upwards.size());
  glBindFramebuffer(GL_READ_FRAMEBUFFER, picture_framebuffer_.name());
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width_, height_, GL_RGB, GL_UNSIGNED_BYTE, upwards.data());
  check_gl("read the picture");
  for (std::size_t y = 0; y < static_cast<std::size_t>(height_); ++y)
    std::copy_n(upwards.begin() + static_cast<std::ptrdiff_t>(y * row), row,
                rgb.end() - static_cast<std::ptrdiff_t>((y + 1) * row));
  return rgb;
}

}  // namespace quartic::view
