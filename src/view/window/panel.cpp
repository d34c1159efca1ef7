#include "view/window/panel.hpp"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace quartic::view {
namespace {

/// @param flies whether bodies fly, which central differences can't step
/// @return whether another one was chosen
bool choose_integrator(int& chosen, bool flies) {
  const auto name_of = [](int i) { return std::string(integrator_name(static_cast<Integrator>(i))); };
  bool changed = false;
  if (!ImGui::BeginCombo("integrator", name_of(chosen).c_str())) return false;
  for (int i = 0; i < integrator_count; ++i) {
    const bool impossible = flies && static_cast<Integrator>(i) == Integrator::central_differences;
    const ImGuiSelectableFlags flags = impossible ? ImGuiSelectableFlags_Disabled : ImGuiSelectableFlags_None;
    if (ImGui::Selectable(name_of(i).c_str(), i == chosen, flags)) {
      changed = i != chosen;
      chosen = i;
    }
  }
  ImGui::EndCombo();
  return changed;
}

void row(const char* label, const char* format, ...) IM_FMTARGS(2);
void row(const char* label, const char* format, ...) {
  ImGui::TextDisabled("%s", label);
  ImGui::SameLine(110);
  va_list arguments;
  va_start(arguments, format);
  ImGui::TextV(format, arguments);
  va_end(arguments);
}

bool slider(const char* label, float* value, float low, float high, const char* format,
            ImGuiSliderFlags flags = ImGuiSliderFlags_Logarithmic) {
  return ImGui::SliderFloat(label, value, low, high, format, flags | ImGuiSliderFlags_AlwaysClamp);
}

bool slider(const char* label, double& value, double low, double high, const char* format,
            ImGuiSliderFlags flags = ImGuiSliderFlags_Logarithmic) {
  auto shown = static_cast<float>(value);
  if (!slider(label, &shown, static_cast<float>(low), static_cast<float>(high), format, flags)) return false;
  value = static_cast<double>(shown);
  return true;
}

}  // namespace

std::vector<float> coordinate_ranges(const ViewSurface& surface) {
  const double size = box_of(surface.rest).diagonal();
  std::vector<float> ranges;
  for (int mode = 0; mode < surface.rank(); ++mode) {
    const auto column = surface.basis.col(mode);
    double largest = 0;
    for (const double x : column) largest = std::max(largest, std::abs(x));
    ranges.push_back(largest > 0 ? static_cast<float>(0.25 * size / largest) : 1.0F);
  }
  return ranges;
}

void set_panel_style() {
  ImGui::StyleColorsLight();
  ImGuiStyle& style = ImGui::GetStyle();
  style.WindowRounding = 8;
  style.FrameRounding = 4;
  style.GrabRounding = 4;
  style.WindowBorderSize = 0;
  style.WindowPadding = {14, 12};
  style.ItemSpacing = {8, 6};
  style.Colors[ImGuiCol_WindowBg] = {0.985F, 0.988F, 0.992F, 0.90F};
  style.Colors[ImGuiCol_TitleBg] = style.Colors[ImGuiCol_TitleBgActive] = {0.90F, 0.915F, 0.93F, 1};
  style.Colors[ImGuiCol_FrameBg] = {0.90F, 0.915F, 0.93F, 1};
  style.Colors[ImGuiCol_Header] = {0.90F, 0.915F, 0.93F, 1};
  style.Colors[ImGuiCol_SliderGrab] = style.Colors[ImGuiCol_SliderGrabActive] = {0.72F, 0.30F, 0.18F, 1};
  style.Colors[ImGuiCol_CheckMark] = {0.72F, 0.30F, 0.18F, 1};
  style.Colors[ImGuiCol_TextDisabled] = {0.42F, 0.45F, 0.49F, 1};
}

Panel::Panel(const ReducedModel& model, const SessionOptions& options, double speed) {
  state.speed = speed;
  state.step_length = static_cast<float>(1000 * options.step_length);
  state.rayleigh_mass = static_cast<float>(options.batch.rayleigh_mass);
  state.rayleigh_stiffness = static_cast<float>(options.batch.rayleigh_stiffness);
  state.integrator = static_cast<int>(options.batch.integrator);
  std::transform(options.gravity.begin(), options.gravity.end(), state.gravity.begin(),
                 [](double x) { return static_cast<float>(x); });
  for (const Region& region : model.mesh.regions) state.materials.push_back(region.material.value_or(Material{}));
}

void Panel::draw(const PanelContext& context, Scene& scene) {
  ImGui::SetNextWindowPos({16, 16}, ImGuiCond_FirstUseEver);
  ImGui::SetNextWindowSizeConstraints({300, 0}, {300, std::max(ImGui::GetIO().DisplaySize.y - 32, 100.0F)});
  if (ImGui::Begin("quartic", nullptr, ImGuiWindowFlags_AlwaysAutoResize)) {
    ImGui::PushItemWidth(150);
    draw_readout(context);
    ImGui::Separator();
    if (context.motion_frames > 0) {
      draw_motion(context);
    } else {
      draw_run(context);
      if (ImGui::CollapsingHeader("Dynamics", ImGuiTreeNodeFlags_DefaultOpen)) draw_dynamics(context);
      if (ImGui::CollapsingHeader("Materials")) draw_materials(context);
      if (ImGui::CollapsingHeader("Coordinates")) draw_coordinates(context);
    }
    if (ImGui::CollapsingHeader("View", ImGuiTreeNodeFlags_DefaultOpen)) draw_view(context, scene);
    ImGui::PopItemWidth();
  }
  ImGui::End();
}

void Panel::draw_readout(const PanelContext& context) const {
  const Frame& frame = context.frame;
  const std::int64_t bodies = std::ssize(frame.q) / context.model.rank();
  row("bodies", "%lld of rank %d", static_cast<long long>(bodies), context.model.rank());
  row("time", "%.3f s", frame.time);
  if (context.motion_frames == 0) {
    row("energy", "%.4g J", frame.elastic + frame.kinetic);
    row("  elastic", "%.4g J", frame.elastic);
    row("  kinetic", "%.4g J", frame.kinetic);
    if (frame.regularised > 0) row("regularised", "%lld bodies", static_cast<long long>(frame.regularised));
    if (frame.diverged > 0)
      row("diverged", "%lld bodies; reset, and use smaller steps", static_cast<long long>(frame.diverged));
    if (frame.range.inverted > 0)
      row("inside out", "%lld bodies, from %.3g s on", static_cast<long long>(frame.range.inverted),
          frame.range.inverted_since.value_or(0));
    else if (frame.range.strained > 0)
      row("overstrained", "%lld bodies, from %.3g s on", static_cast<long long>(frame.range.strained),
          frame.range.strained_since.value_or(0));
    if (frame.range.not_converged > 0)
      row("unconverged", "%lld bodies; use smaller steps", static_cast<long long>(frame.range.not_converged));
    if (frame.range.too_fast > 0)
      row("too fast", "%lld bodies; use smaller steps", static_cast<long long>(frame.range.too_fast));
    if (frame.range.contacts_lost > 0)
      row("contacts lost", "%lld bodies", static_cast<long long>(frame.range.contacts_lost));
  }
  if (context.frame_seconds > 0) {
    if (context.motion_frames == 0) row("step", "%.1f us", 1e6 * context.physics.step_seconds);
    if (context.physics.speed > 0) row("speed", "%.2f of real time", context.physics.speed);
    row("picture", "%.1f ms", 1e3 * context.frame_seconds);
    if (context.motion_frames == 0 && !state.paused && context.physics.speed > 0 &&
        context.physics.speed < 0.9 * state.speed)
      ImGui::TextColored({0.75F, 0.25F, 0.1F, 1}, "can't keep up with %.2g: slowed down", state.speed);
  }
  ImGui::PushTextWrapPos(280);
  if (!context.warning.empty()) ImGui::TextColored({0.75F, 0.25F, 0.1F, 1}, "%s", context.warning.c_str());
  for (const std::string& notice : frame.notices) ImGui::TextColored({0.75F, 0.25F, 0.1F, 1}, "%s", notice.c_str());
  if (!context.physics.error.empty()) ImGui::TextColored({0.75F, 0.1F, 0.1F, 1}, "%s", context.physics.error.c_str());
  ImGui::PopTextWrapPos();
}

void Panel::draw_run(const PanelContext& context) {
  if (ImGui::Button(state.paused ? "Run (space)" : "Pause (space)")) state.paused = !state.paused;
  ImGui::SameLine();
  if (ImGui::Button("Step (.)") && state.paused) context.step_once();
  ImGui::SameLine();
  if (ImGui::Button("Reset (R)")) context.post([](Session& session) { session.reset(); });
  if (context.can_record) {
    if (ImGui::Checkbox("record pulls", &state.recording))
      context.post([recording = state.recording](Session& session) { session.set_recording(recording); });
    ImGui::SameLine();
    ImGui::TextDisabled("%lld loads", static_cast<long long>(context.frame.recorded));
  }
  slider("speed", state.speed, 0.01, 10, "%.2f");
}

void Panel::draw_motion(const PanelContext& context) {
  if (ImGui::Button(state.paused ? "Play (space)" : "Pause (space)")) state.paused = !state.paused;
  const std::int64_t first = 0, last = context.motion_frames - 1;
  if (ImGui::SliderScalar("frame", ImGuiDataType_S64, &state.motion_frame, &first, &last)) state.paused = true;
  slider("speed", state.speed, 0.01, 10, "%.2f");
}

void Panel::draw_dynamics(const PanelContext& context) {
  if (slider("step [ms]", &state.step_length, 0.01F, 50, "%.3f"))
    context.post(
        [step = 1e-3 * static_cast<double>(state.step_length)](Session& session) { session.set_step_length(step); });
  if (choose_integrator(state.integrator, !context.frame.poses.empty()))
    context.post([integrator = static_cast<Integrator>(state.integrator)](Session& session) {
      session.set_integrator(integrator);
    });
  const bool mass = slider("damping M [1/s]", &state.rayleigh_mass, 0, 20, "%.3f");
  const bool stiffness = slider("damping K [s]", &state.rayleigh_stiffness, 0, 0.2F, "%.5f");
  if (mass || stiffness)
    context.post([a = static_cast<double>(state.rayleigh_mass),
                  b = static_cast<double>(state.rayleigh_stiffness)](Session& session) { session.set_damping(a, b); });
  if (ImGui::DragFloat3("gravity", state.gravity.data(), 0.05F, -50, 50, "%.2f"))
    context.post([g = state.gravity](Session& session) {
      session.set_gravity({static_cast<double>(g[0]), static_cast<double>(g[1]), static_cast<double>(g[2])});
    });
}

void Panel::draw_materials(const PanelContext& context) {
  if (context.model.region_energy.empty()) {
    ImGui::PushTextWrapPos(280);
    ImGui::TextDisabled("This model's materials are fixed: make one with `quartic reduce --region-parts`.");
    ImGui::PopTextWrapPos();
    return;
  }
  bool changed = false;
  for (std::size_t g = 0; g < state.materials.size(); ++g) {
    Material& material = state.materials[g];
    const Material own = context.model.mesh.regions[g].material.value_or(Material{});
    ImGui::PushID(static_cast<int>(g));
    const std::string& name = context.model.mesh.regions[g].name;
    ImGui::TextUnformatted(name.empty() ? "material" : name.c_str());
    changed |= slider("Young [Pa]", material.youngs_modulus, own.youngs_modulus / 30, own.youngs_modulus * 30, "%.3g");
    changed |= slider("Poisson", material.poissons_ratio, 0, 0.49, "%.3f", 0);
    changed |= slider("density", material.density, own.density / 10, own.density * 10, "%.4g");
    ImGui::PopID();
  }
  if (ImGui::Button("As they were")) {
    for (std::size_t g = 0; g < state.materials.size(); ++g)
      state.materials[g] = context.model.mesh.regions[g].material.value_or(Material{});
    changed = true;
  }
  if (changed) context.post([materials = state.materials](Session& session) { session.set_materials(materials); });
}

void Panel::draw_coordinates(const PanelContext& context) {
  const int rank = context.model.rank();
  const auto bodies = static_cast<int>(std::ssize(context.frame.q) / rank);
  if (bodies > 1) ImGui::SliderInt("body", &state.body, 0, bodies - 1);
  state.body = std::clamp(state.body, 0, bodies - 1);
  const auto first = static_cast<std::size_t>(state.body) * static_cast<std::size_t>(rank);
  if (ImGui::BeginChild("coordinates", {0, 240})) {
    for (int mode = 0; mode < rank; ++mode) {
      float value = context.frame.q[first + static_cast<std::size_t>(mode)];
      const float range = context.coordinate_range[static_cast<std::size_t>(mode)];
      const std::string label = "q" + std::to_string(mode);
      if (ImGui::SliderFloat(label.c_str(), &value, -range, range, "%.3g"))
        context.post([body = state.body, mode, value](Session& session) {
          session.place(body, mode, static_cast<double>(value));
        });
    }
  }
  ImGui::EndChild();
}

void Panel::draw_view(const PanelContext& context, Scene& scene) {
  draw_colour(scene);
  if (ImGui::Button("Fit (F)")) context.fit_camera();
  if (context.frame.poses.empty()) return;
  ImGui::SameLine();
  ImGui::Checkbox("follow (C)", &state.follow);
}

void Panel::draw_colour(Scene& scene) const {
  auto colour_by = static_cast<int>(scene.colour_by);
  if (ImGui::Combo("colour", &colour_by, "plain\0displacement\0strain\0"))
    scene.colour_by = static_cast<ColourBy>(colour_by);
  if (scene.colour_by == ColourBy::plain)
    ImGui::ColorEdit3("of bodies", scene.colour.data(), ImGuiColorEditFlags_Float | ImGuiColorEditFlags_NoInputs);
  else
    slider(scene.colour_by == ColourBy::strain ? "up to" : "up to [m]", scene.colour_range, 1e-4, 100, "%.3g");
}

}  // namespace quartic::view
