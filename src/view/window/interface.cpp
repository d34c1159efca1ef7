#include "view/window/interface.hpp"

#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include "quartic/error.hpp"

namespace quartic::view {

Interface::Interface(int width, int height) : context_(ImGui::CreateContext()), width_(width), height_(height) {
  ImGui::GetIO().IniFilename = nullptr;  // nothing is left in the folder, nothing is found there
  set_panel_style();
  if (!ImGui_ImplOpenGL3_Init("#version 430 core")) {
    ImGui::DestroyContext(context_);
    throw BackendUnavailable("the panel can't be drawn with this OpenGL driver; use --no-panel");
  }
}

Interface::~Interface() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext(context_);
}

void Interface::draw(GLuint framebuffer, const std::function<void()>& controls) {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(width_), static_cast<float>(height_)};
  // Windows find their size in their first frame and have it in the second.
  for (int pass = 0; pass < 2; ++pass) {
    io.DeltaTime = 1.0F / 60;
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    controls();
    ImGui::Render();
  }
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glViewport(0, 0, width_, height_);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

}  // namespace quartic::view
