// Dear ImGui without a window: for pictures that show the panel.
#pragma once

#include <functional>

#include "view/gl/gl_objects.hpp"
#include "view/window/panel.hpp"

struct ImGuiContext;

namespace quartic::view {

/// The context of Dear ImGui and its drawing with OpenGL.
class Interface {
 public:
  Interface(int width, int height);
  ~Interface();
  Interface(const Interface&) = delete;
  Interface& operator=(const Interface&) = delete;

  /// Draws what `controls` puts into ImGui's frame on top of what is in the framebuffer.
  void draw(GLuint framebuffer, const std::function<void()>& controls);

 private:
  ImGuiContext* context_;
  int width_, height_;
};

}  // namespace quartic::view
