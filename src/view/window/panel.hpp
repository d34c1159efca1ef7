// Controls and read-outs beside the bodies (Dear ImGui).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "view/gl/scene_renderer.hpp"
#include "view/session/physics_thread.hpp"

namespace quartic::view {

/// What is set in the panel. Starts as the session is.
struct PanelState {
  bool paused = false, recording = false;
  double speed = 1;                                 ///< simulated over real time
  float step_length = 1;                            ///< [ms]
  float rayleigh_mass = 0, rayleigh_stiffness = 0;  ///< [1/s], [s]
  int integrator = 0;
  std::array<float, 3> gravity = {};
  std::vector<Material> materials;  ///< one per region
  int body = 0;                     ///< whose coordinates the sliders are
  bool follow = true;               ///< whether the camera goes along with bodies that fly
  std::int64_t motion_frame = 0;    ///< of a trajectory that is played
};

/// What the panel shows, and whom it tells what is changed.
struct PanelContext {
  const ReducedModel& model;
  const Frame& frame;
  PhysicsReadout physics;
  std::string renderer;
  double frame_seconds = 0;        ///< from one picture to the next; 0: not shown
  std::int64_t motion_frames = 0;  ///< of a trajectory that is played instead of a session; 0: none
  bool can_record = false;
  std::vector<float> coordinate_range;  ///< of the sliders, shape (r)
  std::string warning;                  ///< what the user should know; empty: nothing
  std::function<void(PhysicsThread::Command)> post;
  std::function<void()> step_once, fit_camera;
};

class Panel {
 public:
  Panel(const ReducedModel& model, const SessionOptions& options, double speed);

  /// Puts the controls into ImGui's current frame; changes go to the context at once, and to state and scene.
  void draw(const PanelContext& context, Scene& scene);
  PanelState state;

 private:
  void draw_readout(const PanelContext& context) const;
  void draw_run(const PanelContext& context);
  void draw_motion(const PanelContext& context);
  void draw_dynamics(const PanelContext& context);
  void draw_materials(const PanelContext& context);
  void draw_coordinates(const PanelContext& context);
  void draw_view(const PanelContext& context, Scene& scene);
  void draw_colour(Scene& scene) const;
};

/// Half width of each coordinate's slider: what moves some vertex by a quarter of the body's size.
[[nodiscard]] std::vector<float> coordinate_ranges(const ViewSurface& surface);

/// What the panel takes of a picture's width, from the left [pixels].
inline constexpr int panel_width = 332;
/// How far the camera shifts its target to make room for it: not at all where little would be left.
[[nodiscard]] inline double panel_shift(bool panel, int width) {
  return panel && width > 2 * panel_width ? static_cast<double>(panel_width) / width : 0;
}

/// Colours, corners and sizes of the controls. Call once, after ImGui::CreateContext.
void set_panel_style();

}  // namespace quartic::view
