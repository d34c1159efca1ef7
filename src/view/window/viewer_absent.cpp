// In place of the viewer where it isn't built: the same functions, which say so.
#include "quartic/error.hpp"
#include "view/window/viewer.hpp"

namespace quartic::view {
namespace {

[[noreturn]] void refuse() {
  throw BackendUnavailable(
      "this build of quartic has no viewer: install GLFW, Dear ImGui, libepoxy, stb and EGL (Debian: libglfw3-dev "
      "libimgui-dev libepoxy-dev libstb-dev libegl-dev) and configure again with QUARTIC_VIEWER=ON");
}

}  // namespace

ViewReport make_screenshots(const ReducedModel&, const ViewOptions&, const std::string&, const Progress&) {
  refuse();
}

ViewReport open_window(const ReducedModel&, const ViewOptions&) {
  refuse();
}

}  // namespace quartic::view
