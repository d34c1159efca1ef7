#include <dlfcn.h>
#include <epoxy/egl.h>

#include <array>
#include <string>
#include <vector>

#include "quartic/error.hpp"
#include "view/gl/gl_context.hpp"
#include "view/gl/offscreen.hpp"

namespace quartic::view {

struct OffscreenContext::State {
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLContext context = EGL_NO_CONTEXT;

  explicit State(EGLDisplay opened) : display(opened) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
    eglTerminate(display);
    eglReleaseThread();
  }
};

namespace {

std::vector<EGLDisplay> displays() {
  std::vector<EGLDisplay> found;
  const EGLDisplay client = EGL_NO_DISPLAY;
  if (epoxy_has_egl_extension(client, "EGL_MESA_platform_surfaceless"))
    found.push_back(eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr));
  if (epoxy_has_egl_extension(client, "EGL_EXT_device_enumeration") ||
      epoxy_has_egl_extension(client, "EGL_EXT_device_base")) {
    std::array<EGLDeviceEXT, 32> devices{};
    EGLint count = 0;
    if (eglQueryDevicesEXT(static_cast<EGLint>(devices.size()), devices.data(), &count) == EGL_TRUE)
      for (EGLint i = 0; i < count; ++i)
        found.push_back(
            eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[static_cast<std::size_t>(i)], nullptr));
  }
  found.push_back(eglGetDisplay(EGL_DEFAULT_DISPLAY));
  return found;
}

[[noreturn]] void fail() {
  throw BackendUnavailable(
      "there is no OpenGL 4.3 to draw with: install a graphics driver, or Mesa's software renderer (Debian: "
      "libegl-mesa0 and libgl1-mesa-dri)");
}

// libepoxy ends the process where it doesn't find the library.
void require_egl() {
  void* library = dlopen("libEGL.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) fail();
  dlclose(library);
}

EGLContext make_context(EGLDisplay display) {
  constexpr std::array<EGLint, 9> attributes = {EGL_CONTEXT_MAJOR_VERSION,
                                                4,
                                                EGL_CONTEXT_MINOR_VERSION,
                                                3,
                                                EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                                EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                                EGL_CONTEXT_OPENGL_DEBUG,
                                                EGL_TRUE,
                                                EGL_NONE};
  if (eglBindAPI(EGL_OPENGL_API) != EGL_TRUE) return EGL_NO_CONTEXT;
  return eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes.data());
}

}  // namespace

OffscreenContext::OffscreenContext() {
  require_egl();
  for (EGLDisplay display : displays()) {
    if (display == EGL_NO_DISPLAY || eglInitialize(display, nullptr, nullptr) != EGL_TRUE) continue;
    auto state = std::make_unique<State>(display);
    state->context = make_context(display);
    if (state->context == EGL_NO_CONTEXT ||
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, state->context) != EGL_TRUE)
      continue;
    state_ = std::move(state);
    require_version();
    watch_errors();
    return;
  }
  fail();
}

OffscreenContext::~OffscreenContext() = default;

}  // namespace quartic::view
