#include "view/window/window.hpp"

#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <epoxy/gl.h>
#include <imgui.h>

#include <algorithm>
#include <cstdlib>

#include "quartic/error.hpp"
#include "view/gl/gl_context.hpp"
#include "view/window/panel.hpp"

namespace quartic::view {
namespace {

std::string last_message() {
  const char* message = nullptr;
  glfwGetError(&message);
  return message == nullptr ? "" : std::string(" (") + message + ")";
}

GLFWwindow* make_window(int width, int height, const std::string& title) {
  if (glfwInit() != GLFW_TRUE)
    throw BackendUnavailable("there is no display" + last_message() + "; draw without one by --screenshot FILE.png");
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_SAMPLES, 4);
  GLFWwindow* window = glfwCreateWindow(width, height, title.c_str(), nullptr, nullptr);
  if (window != nullptr) return window;
  const std::string message = last_message();
  glfwTerminate();
  throw BackendUnavailable("can't open a window with OpenGL 4.3" + message +
                           "; update the graphics driver, or draw without a window by --screenshot FILE.png");
}

}  // namespace

void Window::Closer::operator()(GLFWwindow* window) const {
  glfwDestroyWindow(window);
  glfwTerminate();
}

Window::Window(int width, int height, const std::string& title) : window_(make_window(width, height, title)) {
  glfwMakeContextCurrent(window_.get());
  glfwSwapInterval(1);
  require_version();
  watch_errors();
  glfwSetWindowUserPointer(window_.get(), this);
  glfwSetScrollCallback(window_.get(), on_scroll);
  glfwSetKeyCallback(window_.get(), on_key);
  context_ = ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  set_panel_style();
  ImGui_ImplGlfw_InitForOpenGL(window_.get(), true);  // after our callbacks, which it calls
  constexpr std::size_t most_keys = 64;               // between two pictures
  input_.keys.reserve(most_keys);
  ImGui_ImplOpenGL3_Init("#version 430 core");
}

Window::~Window() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext(context_);
}

bool Window::closing() const {
  return glfwWindowShouldClose(window_.get()) == GLFW_TRUE;
}
void Window::close() {
  glfwSetWindowShouldClose(window_.get(), GLFW_TRUE);
}

void Window::on_scroll(GLFWwindow* window, double /*x*/, double y) {
  static_cast<Window*>(glfwGetWindowUserPointer(window))->input_.scroll += y;
}

void Window::on_key(GLFWwindow* window, int key, int /*code*/, int action, int /*modifiers*/) {
  std::vector<int>& keys = static_cast<Window*>(glfwGetWindowUserPointer(window))->input_.keys;
  if (action == GLFW_PRESS && keys.size() < keys.capacity()) keys.push_back(key);  // nothing may be thrown through GLFW
}

WindowInput Window::begin_frame() {
  input_.scroll = 0;
  input_.keys.clear();
  glfwPollEvents();
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  ImGui::NewFrame();
  glfwGetFramebufferSize(window_.get(), &width_, &height_);

  // The mouse is told in the window's own units, which a dense display has fewer of than pixels.
  int window_width = 0, window_height = 0;
  glfwGetWindowSize(window_.get(), &window_width, &window_height);
  const double dense = window_width > 0 ? static_cast<double>(width_) / window_width : 1;
  double x = 0, y = 0;
  glfwGetCursorPos(window_.get(), &x, &y);
  input_.change_x = dense * x - input_.x;
  input_.change_y = dense * y - input_.y;
  input_.x = dense * x;
  input_.y = dense * y;

  const ImGuiIO& io = ImGui::GetIO();
  const auto held = [&](int button) {
    return !io.WantCaptureMouse && glfwGetMouseButton(window_.get(), button) == GLFW_PRESS;
  };
  input_.left = held(GLFW_MOUSE_BUTTON_LEFT);
  input_.right = held(GLFW_MOUSE_BUTTON_RIGHT);
  input_.middle = held(GLFW_MOUSE_BUTTON_MIDDLE);
  input_.shift = glfwGetKey(window_.get(), GLFW_KEY_LEFT_SHIFT) == GLFW_PRESS ||
                 glfwGetKey(window_.get(), GLFW_KEY_RIGHT_SHIFT) == GLFW_PRESS;
  if (io.WantCaptureMouse) input_.scroll = 0;
  if (io.WantTextInput) input_.keys.clear();
  return input_;
}

void Window::end_frame() {
  ImGui::Render();
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glViewport(0, 0, width_, height_);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  glfwSwapBuffers(window_.get());
  check_gl("draw the window");
}

}  // namespace quartic::view
