#include "view/gl/gl_context.hpp"

#include <epoxy/gl.h>

#include <algorithm>
#include <array>
#include <string>

#include "quartic/error.hpp"

namespace quartic::view {
namespace {

// Exceptions can't pass through a driver that calls this: the message waits for `check_gl`. One context per thread.
thread_local std::array<char, 400> first_error{};

void GLAPIENTRY remember(GLenum /*source*/, GLenum type, GLuint /*id*/, GLenum /*severity*/, GLsizei length,
                         const GLchar* message, const void* /*user*/) {
  if (type != GL_DEBUG_TYPE_ERROR || first_error[0] != 0) return;
  const std::size_t count = std::min(static_cast<std::size_t>(std::max(length, 0)), first_error.size() - 1);
  std::copy_n(message, count, first_error.begin());
  first_error[count] = 0;
}

std::string text(GLenum name) {
  const auto* value = glGetString(name);
  return value == nullptr ? "unknown" : reinterpret_cast<const char*>(value);
}

}  // namespace

void require_version() {
  if (epoxy_is_desktop_gl() && epoxy_gl_version() >= 43) return;
  throw BackendUnavailable("the viewer needs OpenGL 4.3, but " + text(GL_RENDERER) + " has " + text(GL_VERSION) +
                           "; update its driver, or set LIBGL_ALWAYS_SOFTWARE=1 for Mesa's software renderer");
}

void watch_errors() {
  first_error[0] = 0;
  glEnable(GL_DEBUG_OUTPUT);
  glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
  glDebugMessageCallback(remember, nullptr);
}

void check_gl(const std::string& doing) {
  const GLenum code = glGetError();
  while (code != GL_NO_ERROR && glGetError() != GL_NO_ERROR) {
  }
  if (code == GL_NO_ERROR && first_error[0] == 0) return;
  const std::string what = first_error[0] == 0 ? "error " + std::to_string(code) : first_error.data();
  first_error[0] = 0;
  throw DeviceError("OpenGL failed to " + doing + ": " + what +
                    (code == GL_OUT_OF_MEMORY ? "; use fewer bodies or a smaller picture" : ""));
}

void forget_gl_errors() {
  first_error[0] = 0;
  while (glGetError() != GL_NO_ERROR) {
  }
}

std::string renderer_text() {
  return text(GL_RENDERER) + ", OpenGL " + std::to_string(epoxy_gl_version() / 10) + "." +
         std::to_string(epoxy_gl_version() % 10);
}

}  // namespace quartic::view
