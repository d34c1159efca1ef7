#include <GLFW/glfw3.h>

#include <algorithm>
#include <chrono>

#include "quartic/error.hpp"
#include "view/gl/gl_context.hpp"
#include "view/session/motion_frame.hpp"
#include "view/window/interaction.hpp"
#include "view/window/panel.hpp"
#include "view/window/viewer.hpp"

namespace quartic::view {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class WindowLoop {
 public:
  WindowLoop(const ReducedModel& model, const ViewOptions& options)
      : model_(model),
        options_(options),
        surface_(view_surface(model)),
        places_(shown_places(surface_, options)),
        window_(options.width, options.height, options.title),
        bodies_(surface_, shading_corners(surface_, options.scene.crease_angle), options.scene.basis_precision,
                std::ssize(places_)),
        interaction_(surface_, places_),
        panel_(model, options.session, options.speed),
        coordinate_range_(coordinate_ranges(surface_)),
        show_panel_(options.panel) {
    if (options.motion != nullptr) {
      motion_.emplace(model, surface_, *options.motion);
      frame_ = motion_->at(0);
    } else {
      session_.emplace(model, surface_, options.session);
      physics_.emplace(*session_, options.speed);
      if (!options.recording.empty()) {
        panel_.state.recording = true;
        physics_->post([](Session& session) { session.set_recording(true); });
      }
    }
    fit_camera();
  }

  ViewReport run() {
    double last = seconds_now();
    for (std::int64_t drawn = 0; !window_.closing() && (options_.frames == 0 || drawn < options_.frames); ++drawn) {
      const double now = seconds_now();
      try {
        update(now - last);
        draw();
      } catch (...) {
        save_recording();  // may be minutes of somebody's work
        throw;
      }
      last = now;
    }
    return finish();
  }

 private:
  void fit_camera() {
    const Frame& now = frame();
    const int width = fitted_once_ ? window_.width() : options_.width;
    const int height = fitted_once_ ? window_.height() : options_.height;
    SceneOptions from_here = options_.scene;
    if (fitted_once_) {
      from_here.azimuth = scene_.camera.azimuth;
      from_here.elevation = scene_.camera.elevation;
      from_here.distance.reset();
    }
    Scene fitted = make_scene(surface_, places_, {&now, 1}, from_here, static_cast<double>(width) / std::max(height, 1),
                              panel_shift(show_panel_, width));
    fitted.colour_by = scene_.colour_by;
    fitted.colour = scene_.colour;
    if (fitted_once_) {
      fitted.colour_range = scene_.colour_range;
    } else {
      fitted.colour_by = options_.scene.colour_by;
      // Bodies will sag and swing: more room than a still picture needs.
      fitted.camera.distance *= 1.15;
      fitted.ground_height -= 0.06 * box_of(surface_.rest).diagonal();
    }
    fitted_once_ = true;
    scene_ = fitted;
    if (!now.poses.empty()) keep_in_scene(scene_, surface_, standing(now, places_), false);
  }

  [[nodiscard]] const Frame& frame() { return physics_ ? physics_->latest() : frame_; }

  void update(double seconds) {
    seconds_ = seconds_ == 0 ? seconds : 0.9 * seconds_ + 0.1 * seconds;
    const WindowInput input = window_.begin_frame();
    for (const int key : input.keys) press(key);
    if (physics_) {
      // A step that fails pauses on its own, and the panel has to follow.
      if (panel_.state.paused != asked_to_pause_)
        physics_->set_paused(panel_.state.paused);
      else
        panel_.state.paused = physics_->paused();
      asked_to_pause_ = panel_.state.paused;
      physics_->set_speed(panel_.state.speed);
    } else {
      play(seconds);
    }
    const Frame& now = frame();
    const auto pull = interaction_.update(input, window_.width(), std::max(window_.height(), 1), scene_.camera, now,
                                          physics_.has_value());
    if (pull) physics_->post([pull = *pull](Session& session) { session.set_pull(pull); });
    scene_.arrows.clear();
    if (const auto arrow = pull_arrow(now, places_)) scene_.arrows.push_back(*arrow);
    const std::vector<Eigen::Isometry3d> poses = standing(now, places_);
    // Not while something is pulled, which would run after the mouse as the mouse runs after it.
    if (!now.poses.empty()) keep_in_scene(scene_, surface_, poses, panel_.state.follow && !now.pull);
    bodies_.move(now.q, poses);
    if (show_panel_) panel_.draw(context(now), scene_);
  }

  void play(double seconds) {
    const std::int64_t frames = options_.motion->frames();
    if (!panel_.state.paused) {
      played_ += seconds * panel_.state.speed;
      const std::vector<double>& times = options_.motion->time;
      if (played_ > times.back()) played_ = times.front();
      panel_.state.motion_frame = std::upper_bound(times.begin(), times.end(), played_) - times.begin() - 1;
    }
    panel_.state.motion_frame = std::clamp<std::int64_t>(panel_.state.motion_frame, 0, frames - 1);
    played_ = std::max(played_, options_.motion->time.front());
    if (panel_.state.paused) played_ = options_.motion->time[static_cast<std::size_t>(panel_.state.motion_frame)];
    frame_ = motion_->at(panel_.state.motion_frame);
  }

  void press(int key) {
    if (key == GLFW_KEY_SPACE) panel_.state.paused = !panel_.state.paused;
    if (key == GLFW_KEY_F) fit_camera();
    if (key == GLFW_KEY_C) panel_.state.follow = !panel_.state.follow;
    if (key == GLFW_KEY_TAB) show_panel_ = !show_panel_;
    if (key == GLFW_KEY_ESCAPE || key == GLFW_KEY_Q) window_.close();
    if (!physics_) return;
    if (key == GLFW_KEY_PERIOD) physics_->step_once();
    if (key == GLFW_KEY_R) physics_->post([](Session& session) { session.reset(); });
  }

  PanelContext context(const Frame& now) {
    return {.model = model_,
            .frame = now,
            .physics = physics_ ? physics_->readout() : PhysicsReadout{},
            .renderer = renderer_text(),
            .frame_seconds = seconds_,
            .motion_frames = options_.motion != nullptr ? options_.motion->frames() : 0,
            .can_record = !options_.recording.empty(),
            .coordinate_range = coordinate_range_,
            .warning = options_.warning,
            .post = [this](PhysicsThread::Command command) { physics_->post(std::move(command)); },
            .step_once = [this] { physics_->step_once(); },
            .fit_camera = [this] { fit_camera(); }};
  }

  void draw() {
    if (window_.width() > 0 && window_.height() > 0)  // not while it is an icon
      scene_renderer_.draw(bodies_, scene_, 0, window_.width(), window_.height());
    window_.end_frame();
  }

  ViewReport finish() {
    ViewReport report{.renderer = renderer_text()};
    save_recording();
    const Frame last = session_ ? session_->frame() : frame_;
    report.time = last.time;
    report.diverged = last.diverged;
    report.flies = !last.poses.empty();
    report.range = last.range;
    report.inverted_elements = most_inverted_elements(model_, last);
    if (session_ && !options_.recording.empty()) report.files.push_back(options_.recording.string());
    return report;
  }

  // Ends the physics.
  void save_recording() {
    physics_.reset();
    if (session_ && !options_.recording.empty()) write_recorded_loads(session_->recording(), options_.recording);
  }

  const ReducedModel& model_;
  const ViewOptions& options_;
  ViewSurface surface_;
  std::vector<Eigen::Vector3d> places_;
  Window window_;  // before all that needs its context
  SurfaceRenderer bodies_;
  SceneRenderer scene_renderer_;
  Interaction interaction_;
  Panel panel_;
  std::vector<float> coordinate_range_;
  Scene scene_;
  std::optional<MotionFrames> motion_;
  Frame frame_;  // of a trajectory
  std::optional<Session> session_;
  std::optional<PhysicsThread> physics_;  // after the session that it works on
  double seconds_ = 0, played_ = 0;
  bool show_panel_, fitted_once_ = false, asked_to_pause_ = false;
};

}  // namespace

ViewReport open_window(const ReducedModel& model, const ViewOptions& options) {
  return WindowLoop(model, options).run();
}

}  // namespace quartic::view
