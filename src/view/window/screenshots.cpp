#include <algorithm>
#include <bit>

#include "quartic/error.hpp"
#include "view/gl/gl_context.hpp"
#include "view/gl/offscreen.hpp"
#include "view/session/motion_frame.hpp"
#include "view/window/frame_name.hpp"
#include "view/window/interface.hpp"
#include "view/window/stage.hpp"
#include "view/window/viewer.hpp"

namespace quartic::view {
namespace {

// The frames to be shown: all, or the last.
std::vector<Frame> simulated_frames(const ReducedModel& model, const ViewSurface& surface, const ViewOptions& options,
                                    bool all, const Progress& progress) {
  Session session(model, surface, options.session);
  std::vector<Frame> frames;
  if (all) frames.push_back(session.frame());
  for (std::int64_t frame = 0; frame < options.frames; ++frame) {
    progress("simulate", static_cast<double>(frame) / static_cast<double>(options.frames));
    for (int substep = 0; substep < options.substeps; ++substep) session.step();
    if (all || frame + 1 == options.frames)
      frames.push_back(session.frame());
    else
      static_cast<void>(session.look());
  }
  if (frames.empty()) frames.push_back(session.frame());
  return frames;
}

// In a few frames, the last among them: it takes longer than to draw them.
std::int64_t most_inverted_elements(const ReducedModel& model, std::span<const Frame> frames) {
  constexpr std::size_t most = 16;
  const std::size_t every = (frames.size() + most - 1) / most;
  std::int64_t inverted = 0;
  for (std::size_t n = 0; n < frames.size(); n += every)
    inverted = std::max(inverted, most_inverted_elements(model, frames[frames.size() - 1 - n]));
  return inverted;
}

std::vector<Frame> recorded_frames(const ReducedModel& model, const ViewSurface& surface, const ViewOptions& options,
                                   bool all) {
  const Trajectory& motion = *options.motion;
  const MotionFrames recorded(model, surface, motion);
  const std::int64_t last = std::min(options.frames, motion.frames() - 1);
  std::vector<Frame> frames;
  for (std::int64_t number = all ? 0 : last; number <= last; ++number) frames.push_back(recorded.at(number));
  return frames;
}

// The panel as it is drawn into pictures: nobody moves its controls.
PanelContext still_context(const ReducedModel& model, const ViewSurface& surface, const ViewOptions& options,
                           const Frame& frame) {
  return {.model = model,
          .frame = frame,
          .physics = {},
          .renderer = renderer_text(),
          .motion_frames = options.motion != nullptr ? options.motion->frames() : 0,
          .coordinate_range = coordinate_ranges(surface),
          .warning = "",
          .post = [](const PhysicsThread::Command&) {},
          .step_once = [] {},
          .fit_camera = [] {}};
}

}  // namespace

ViewReport make_screenshots(const ReducedModel& model, const ViewOptions& options, const std::string& name,
                            const Progress& progress) {
  const bool all = has_frame_number(name);
  const OffscreenContext context;
  OffscreenTarget target(options.width, options.height);
  const ViewSurface surface = view_surface(model);
  const std::vector<Eigen::Vector3d> places = shown_places(surface, options);
  // Before the long work: whether the card can draw this.
  SurfaceRenderer renderer(surface, shading_corners(surface, options.scene.crease_angle), options.scene.basis_precision,
                           std::ssize(places));
  // About as many pixels as the picture is drawn with.
  SceneRenderer scene_renderer(static_cast<int>(
      std::bit_ceil(static_cast<unsigned>(std::clamp(2 * std::max(options.width, options.height), 512, 4096)))));

  const std::vector<Frame> frames = options.motion != nullptr
                                        ? recorded_frames(model, surface, options, all)
                                        : simulated_frames(model, surface, options, all, progress);
  Scene scene = make_scene(surface, places, frames, options.scene, static_cast<double>(options.width) / options.height,
                           panel_shift(options.panel, options.width));
  if (!options.scene.colour_range && scene.colour_by != ColourBy::plain)
    scene.colour_range = largest_value(surface, frames, scene.colour_by);

  ViewReport report{.renderer = renderer_text(),
                    .time = frames.back().time,
                    .diverged = frames.back().diverged,
                    .flies = !frames.back().poses.empty(),
                    .range = frames.back().range,
                    .inverted_elements = most_inverted_elements(model, frames)};
  std::optional<Interface> interface;
  if (options.panel) interface.emplace(options.width, options.height);
  Panel panel(model, options.session, options.speed);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    progress("draw", static_cast<double>(i) / static_cast<double>(frames.size()));
    renderer.move(frames[i].q, standing(frames[i], places));
    scene_renderer.draw(renderer, scene, target.framebuffer(), target.drawn_width(), target.drawn_height());
    target.resolve();
    if (interface) {
      panel.state.motion_frame = frames[i].steps;
      interface->draw(target.picture_framebuffer(),
                      [&] { panel.draw(still_context(model, surface, options, frames[i]), scene); });
    }
    report.files.push_back(frame_name(name, all ? static_cast<std::int64_t>(i) : options.frames));
    write_png(target.read(), options.width, options.height, report.files.back());
  }
  return report;
}

}  // namespace quartic::view
