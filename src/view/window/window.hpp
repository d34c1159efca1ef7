// A window of GLFW with an OpenGL context, and Dear ImGui in it.
#pragma once

#include <memory>
#include <string>
#include <vector>

struct GLFWwindow;
struct ImGuiContext;

namespace quartic::view {

/// What happened since the last picture, besides what the panel took.
struct WindowInput {
  double x = 0, y = 0, change_x = 0, change_y = 0;  ///< mouse [pixels of the framebuffer] from the left and the top
  double scroll = 0;
  bool left = false, right = false, middle = false, shift = false;  ///< held down; false where the panel has the mouse
  std::vector<int> keys = {};                                       ///< pressed: GLFW_KEY_SPACE, ...
};

class Window {
 public:
  /// @throws BackendUnavailable without a display or OpenGL 4.3
  Window(int width, int height, const std::string& title);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  [[nodiscard]] bool closing() const;
  void close();
  /// Takes events and begins a frame of ImGui.
  WindowInput begin_frame();
  /// Draws the panel, and shows the picture when the display is ready for it.
  void end_frame();
  [[nodiscard]] int width() const { return width_; }  ///< of the framebuffer [pixels]
  [[nodiscard]] int height() const { return height_; }

 private:
  static void on_scroll(GLFWwindow* window, double x, double y);
  static void on_key(GLFWwindow* window, int key, int code, int action, int modifiers);

  struct Closer {
    void operator()(GLFWwindow* window) const;
  };
  std::unique_ptr<GLFWwindow, Closer> window_;
  ImGuiContext* context_ = nullptr;
  int width_ = 0, height_ = 0;
  WindowInput input_;
};

}  // namespace quartic::view
