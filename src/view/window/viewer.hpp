// `quartic view`: a window in which bodies move, or pictures of them without one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "quartic/backend.hpp"
#include "quartic/model.hpp"
#include "quartic/trajectory.hpp"
#include "view/session/scene_options.hpp"
#include "view/session/session.hpp"

namespace quartic::view {

struct ViewOptions {
  SessionOptions session;              ///< its step is frame_time / substeps
  const Trajectory* motion = nullptr;  ///< shown instead of a session, if not null
  double frame_time = 0.01;            ///< [s]
  int substeps = 10;
  std::int64_t frames = 100;  ///< after the start; in a window: pictures until it closes, 0: none closes it
  int width = 1280, height = 800;
  bool panel = true;
  SceneOptions scene;
  double speed = 1;                 ///< simulated over real time, in a window
  std::filesystem::path recording;  ///< where pulls go to, in a window; empty: nowhere
  std::string title = "quartic";
  std::string warning;  ///< shown in the window; empty: nothing
};

struct ViewReport {
  std::string renderer = {};            ///< what drew
  std::vector<std::string> files = {};  ///< what was written
  double time = 0;                      ///< of the last frame [s]
  std::int64_t diverged = 0;            ///< bodies
  bool flies = false;                   ///< whether bodies moved as a whole
  RangeReadout range = {};              ///< of a session
  std::int64_t inverted_elements = 0;   ///< of a session: most of a body, in some of the frames that were drawn
};

/// Frames as PNG files, without a display: the last frame, or, where the name has a place for its number
/// (`%d`, `%04d`), all from 0 on. The same on every run: no clock, and threads don't change the result.
/// @throws BackendUnavailable without OpenGL 4.3 or in a build without the viewer, InputError for sizes that this card
/// can't draw, FileError
ViewReport make_screenshots(const ReducedModel& model, const ViewOptions& options, const std::string& name,
                            const Progress& progress);

/// Opens a window and returns when it is closed.
/// @throws BackendUnavailable without a display or OpenGL 4.3, or in a build without the viewer; InputError, FileError
ViewReport open_window(const ReducedModel& model, const ViewOptions& options);

}  // namespace quartic::view
