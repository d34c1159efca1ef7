#include "view/gl_context.hpp"

#include <epoxy/gl.h>

#include "quartic/error.hpp"

namespace quartic::view {
namespace {

// Exceptions can't pass through a driver that calls this: the message waits for `check_gl`. One context per thread.
thread_local std::string first_error;

void GLAPIENTRY remember(GLenum /*source*/, GLenum type, GLuint /*id*/, GLenum /*severity*/, GLsizei length,
                         const GLchar* message, const void* /*user*/) {
  if (type != GL_DEBUG_TYPE_ERROR || !first_error.empty()) return;
  first_error.assign(message, static_cast<std::size_t>(length));
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
  first_error.clear();
  glEnable(GL_DEBUG_OUTPUT);
  glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
  glDebugMessageCallback(remember, nullptr);
}

void check_gl(const std::string& doing) {
  const GLenum code = glGetError();
  while (code != GL_NO_ERROR && glGetError() != GL_NO_ERROR) {
  }
  if (code == GL_NO_ERROR && first_error.empty()) return;
  const std::string what = first_error.empty() ? "error " + std::to_string(code) : first_error;
  first_error.clear();
  throw DeviceError("OpenGL failed to " + doing + ": " + what +
                    (code == GL_OUT_OF_MEMORY ? "; use fewer bodies or a smaller picture" : ""));
}

void forget_gl_errors() {
  first_error.clear();
  while (glGetError() != GL_NO_ERROR) {
  }
}

std::string renderer_text() {
  return text(GL_RENDERER) + ", OpenGL " + std::to_string(epoxy_gl_version() / 10) + "." +
         std::to_string(epoxy_gl_version() % 10);
}

}  // namespace quartic::view
