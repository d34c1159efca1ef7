// `quartic view`: a window in which bodies move, or pictures of them without one.
#include <Eigen/Geometry>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/options/arguments.hpp"
#include "cli/options/body_options.hpp"
#include "cli/options/flight_options.hpp"
#include "cli/options/loads.hpp"
#include "cli/options/motion_options.hpp"
#include "cli/reports/outputs.hpp"
#include "cli/reports/progress_display.hpp"
#include "cli/reports/range_report.hpp"
#include "cli/reports/report.hpp"
#include "cli/runs/moving_mode.hpp"
#include "cli/values/numbers.hpp"
#include "cli/values/option_checks.hpp"
#include "core/base/memory.hpp"
#include "quartic/error.hpp"
#include "view/window/frame_name.hpp"
#include "view/window/viewer.hpp"

namespace quartic::cli {

namespace {

struct ViewArguments {
  std::string model, motion, screenshot, record, size = "1280x800", camera, up = "z", precision = "double",
                                                 basis_precision = "half", colour = "plain";
  std::optional<std::int64_t> frames, mode;
  std::optional<double> amplitude;
  double period = 2;
  std::optional<double> colour_range;
  MotionOptions simulation{.frame_time = 0.01, .substeps = 10};
  LoadArguments loads;
  FlightArguments flight;
  double spread = 0, speed = 1, crease = 40;
  bool panel = false, no_panel = false, json = false;
};

constexpr std::int64_t default_frames = 100;

void set_size(view::ViewOptions& options, const std::string& size) {
  const auto cross = size.find('x');
  const auto number = [](const std::string& text) {
    return !text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == std::string::npos
               ? std::stoi(text)
               : 0;
  };
  options.width = number(size.substr(0, cross));
  options.height = cross == std::string::npos ? 0 : number(size.substr(cross + 1));
  if (options.width < 1 || options.height < 1)
    throw UsageError("--size takes WIDTHxHEIGHT in pixels, like 1280x800, not '" + size + "'");
}

void set_camera(view::SceneOptions& options, const std::string& camera) {
  const std::vector<double> numbers = parse_numbers("--camera", camera);
  if ((numbers.size() != 2 && numbers.size() != 3) || std::abs(numbers[1]) > 89 ||
      (numbers.size() == 3 && !(numbers[2] > 0)))
    throw UsageError(
        "--camera takes AZIMUTH,ELEVATION[,DISTANCE]: degrees, the elevation in -89 .. 89, and metres above 0, not '" +
        camera + "'");
  options.azimuth = numbers[0];
  options.elevation = numbers[1];
  if (numbers.size() == 3) options.distance = numbers[2];
}

view::SceneOptions scene_options(const ViewArguments& arguments) {
  view::SceneOptions options;
  if (!arguments.camera.empty()) set_camera(options, arguments.camera);
  options.up = static_cast<view::UpAxis>(arguments.up[0] - 'x');
  options.crease_angle = arguments.crease;
  if (arguments.basis_precision == "single") options.basis_precision = view::BasisPrecision::single;
  if (arguments.colour == "displacement") options.colour_by = view::ColourBy::displacement;
  if (arguments.colour == "strain") options.colour_by = view::ColourBy::strain;
  options.colour_range = arguments.colour_range;
  return options;
}

// Around 1, the first body's being 1: multiples of the golden ratio spread evenly however many there are.
std::vector<double> load_scales(std::int64_t bodies, double spread) {
  std::vector<double> scales;
  scales.reserve(static_cast<std::size_t>(bodies));
  for (std::int64_t body = 0; body < bodies; ++body)
    scales.push_back(1 + spread * (2 * std::fmod(0.5 + 0.6180339887498949 * static_cast<double>(body), 1.0) - 1));
  return scales;
}

void check(const ViewArguments& arguments) {
  if (!arguments.screenshot.empty()) {
    for (const std::int64_t frame : {std::int64_t{0}, arguments.frames.value_or(default_frames)})
      require_output(view::frame_name(arguments.screenshot, frame), {".png"});
    require_distinct({view::frame_name(arguments.screenshot, 0)}, {arguments.model});
  }
  if (!arguments.record.empty()) {
    require_output(arguments.record, {".csv"});
    require_distinct({arguments.record}, {arguments.model});
  }
}

// Frames of a crowd may be large: they are kept, so that all pictures are taken from one place.
void require_memory(const view::ViewOptions& options, int rank, bool all) {
  const double kept = all ? static_cast<double>(options.frames) + 1 : 1;
  quartic::require_memory(16.0 * kept * static_cast<double>(options.session.batch.bodies) * rank, "these frames",
                          "use fewer frames or bodies");
}

void prepare_motion(const ViewArguments& arguments, Trajectory& motion) {
  if (arguments.flight.hold_frame) motion.pose.clear();
  if (motion.frames() < 1 || motion.bodies < 1) throw InputError(arguments.motion + ": there are no frames to show");
  if (!arguments.screenshot.empty() && arguments.frames.value_or(0) >= motion.frames())
    throw InputError(arguments.motion + ": there is no frame " + std::to_string(*arguments.frames) +
                     "; the last one is --frames " + std::to_string(motion.frames() - 1));
}

/// How bodies fly, if they do.
/// @param loads forces on vertices; must outlive the result
std::optional<view::FlightOptions> flight_options(const ViewArguments& arguments, const ReducedModel& model,
                                                  const BatchOptions& options, const std::vector<Load>& loads,
                                                  std::vector<std::string>& warnings) {
  const std::optional<Flight> flight = parse_flight(arguments.flight, model, options, warnings);
  if (!flight) return {};
  const auto& [x, y, z, qx, qy, qz, qw] = flight->pose;
  view::FlightOptions result{.frame = flight->frame};
  result.start.pose = Eigen::Translation3d(x, y, z) * Eigen::Quaterniond(qw, qx, qy, qz);
  result.start.velocity = Eigen::Vector3d::Map(flight->twist.data());
  result.start.spin = Eigen::Vector3d::Map(flight->twist.data() + 3);
  if (!loads.empty())
    result.loads = [&loads, acting = std::vector<VertexForce>()](double time, double step) mutable {
      acting.clear();
      for (const Load& load : loads)
        if (load.acts(time, step))
          for (const PointForce& at : load.forces) acting.push_back({.vertex = at.vertex, .force = at.force});
      return std::span<const VertexForce>(acting);
    };
  return result;
}

RangeFindings findings_of(const ReducedModel& model, const view::ViewReport& result, std::int64_t bodies) {
  return {.bodies = bodies,
          .inverted_bodies = result.range.inverted,
          .strained_bodies = result.range.strained,
          .unconverged_bodies = result.range.not_converged,
          .fast_bodies = result.range.too_fast,
          .lost_contacts_bodies = result.range.contacts_lost,
          .inverted_since = result.range.inverted_since,
          .strained_since = result.range.strained_since,
          .inverted_elements = result.inverted_elements,
          .elements = model.mesh.element_count()};
}

void report(const ViewArguments& arguments, const view::ViewReport& result, const RangeFindings& findings,
            std::vector<std::string> warnings) {
  for (std::string& warning : range_warnings(findings)) {
    print_warnings({warning});
    warnings.push_back(std::move(warning));
  }
  if (arguments.json) {
    nlohmann::json json = {{"renderer", result.renderer}, {"time", result.time},  {"diverged", result.diverged},
                           {"flies", result.flies},       {"warnings", warnings}, {"files", result.files}};
    json.update(range_json(findings));
    print_json(json);
    return;
  }
  std::cout << arguments.model << ": shown until " << significant(result.time) << " s\n";
  print_line("drawn by", result.renderer);
  if (result.diverged > 0) print_line("diverged", counted(result.diverged, "body", "bodies"));
  print_range(findings);
  if (!result.files.empty()) print_line("written", written_text(result.files.front()));
  if (result.files.size() > 1) print_line("", "... to " + written_text(result.files.back()));
}

void require_finite(const view::ViewReport& result) {
  if (result.diverged > 0)
    throw NumericalError(counted(result.diverged, "body", "bodies") +
                         " diverged and stayed at the last finite state. Use another --dt or --substeps, an implicit "
                         "integrator, or a smaller load");
}

void run(const ViewArguments& arguments) {
  view::ViewOptions options;
  check(arguments);
  set_size(options, arguments.size);
  options.scene = scene_options(arguments);
  Scene scene = parse_scene(arguments.loads);
  std::optional<DrawnMotion> drawn;
  if (!arguments.motion.empty()) drawn = load_drawn_motion(arguments.motion, arguments.model);
  ReducedModel model = drawn            ? std::move(drawn->model)
                       : arguments.mode ? load_model(arguments.model)
                                        : load_reduced_model(arguments.model);
  print_warnings(model.notices);
  std::vector<std::string> warnings;
  place_loads(scene, model.mesh, warnings);
  if (!scene.heating.empty())
    throw InputError(
        "--loads-of: this deck has temperatures, which the viewer doesn't know; take simulate"
        " --loads-of, and view --motion");
  std::optional<Trajectory> motion;
  if (drawn) motion = std::move(drawn->motion);
  if (motion) prepare_motion(arguments, *motion);
  if (motion && motion->warp != Warp::none)
    throw InputError(arguments.motion +
                     ": the motion is warped, which the viewer doesn't show yet; write it to .glb, .usda or .pvd by "
                     "`quartic export`");
  if (arguments.mode) {
    MovingMode moving = moving_mode(model, *arguments.mode, arguments.amplitude.value_or(default_amplitude(model.mesh)),
                                    arguments.period);
    model = std::move(moving.model);
    motion = std::move(moving.trajectory);
  }
  options.session.batch = batch_options(arguments.simulation);
  if (!motion) options.session.flight = flight_options(arguments, model, options.session.batch, scene.loads, warnings);
  if (!options.session.flight)
    for (std::string& warning : warnings_of(scene, model)) warnings.push_back(std::move(warning));
  print_warnings(warnings);

  const bool window = arguments.screenshot.empty();
  if (options.session.batch.bodies < 8) {  // for one or a few, and a hand that waits for an answer
    options.session.batch.evaluation = Evaluation::latency;
    options.session.batch.threads = 1;
  }
  if (arguments.precision == "float") options.session.precision = view::Precision::single_precision;
  options.session.step_length = arguments.simulation.step();
  options.session.gravity = scene.gravity;
  options.session.load_scales = load_scales(options.session.batch.bodies, arguments.spread);
  scene.gravity = {};  // the viewer's own, which may be changed
  if (motion) scene = {};
  LoadProgram loads(model.basis.map(), model.unit_acceleration, scene);
  if (!scene.empty())
    options.session.loads = [&](double time, double step) -> std::span<const double> { return loads.at(time, step); };
  options.frame_time = arguments.simulation.frame_time;
  options.substeps = arguments.simulation.substeps;
  options.frames = arguments.frames.value_or(window ? 0 : default_frames);
  options.panel = window ? !arguments.no_panel : arguments.panel;
  options.speed = arguments.speed;
  options.recording = arguments.record;
  options.title = arguments.model + " - quartic";
  if (!warnings.empty()) options.warning = warnings.front();

  if (motion) {
    options.motion = &*motion;
    // A mode is farthest after a quarter of its swing, which ends at rest.
    const std::int64_t last = arguments.mode ? motion->frames() / 4 : motion->frames() - 1;
    if (!window) options.frames = arguments.frames.value_or(last);
  }
  if (!window) require_memory(options, model.rank(), view::has_frame_number(arguments.screenshot));
  ProgressDisplay display;
  if (!motion) {
    display.report("points of the range", 0);
    options.session.range = model_range(model);
    display.finish();
  }
  const view::ViewReport result =
      window ? view::open_window(model, options)
             : view::make_screenshots(model, options, arguments.screenshot, display.callback());
  const RangeFindings findings = motion && !arguments.mode ? find_out(model, *motion, display.callback())
                                                           : findings_of(model, result, options.session.batch.bodies);
  display.finish();
  report(arguments, result, findings, warnings);
  if (!window) require_finite(result);  // in a window, one can go on
}

void add_picture_options(CLI::App& command, ViewArguments& arguments) {
  const auto group = "Picture";
  command.add_option("--size", arguments.size, "WIDTHxHEIGHT of window or picture")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--camera", arguments.camera,
                  "AZIMUTH,ELEVATION[,DISTANCE] in degrees and metres; all bodies fit in without a distance")
      ->group(group);
  command.add_option("--up", arguments.up, "Axis that points up: x, y or z")
      ->check(CLI::IsMember({"x", "y", "z"}))
      ->capture_default_str()
      ->group(group);
  command.add_option("--colour", arguments.colour, "Of bodies: plain, displacement or strain")
      ->check(CLI::IsMember({"plain", "displacement", "strain"}))
      ->capture_default_str()
      ->group(group);
  command.add_option("--colour-range", arguments.colour_range, "Value of the last colour: metres, or a strain")
      ->check(positive_number())
      ->group(group);
  command.add_option("--crease", arguments.crease, "Angle from which on edges are sharp [degrees]")
      ->check(non_negative_number() & CLI::Range(0.0, 180.0))
      ->capture_default_str()
      ->group(group);
  command.add_option("--basis-precision", arguments.basis_precision, "Precision of the basis on the graphics card")
      ->check(CLI::IsMember({"half", "single"}))
      ->capture_default_str()
      ->group(group);
  CLI::Option* panel = command.add_flag("--panel", arguments.panel, "Controls also in pictures")->group(group);
  command.add_flag("--no-panel", arguments.no_panel, "No controls in the window")->excludes(panel)->group(group);
}

}  // namespace

void add_view(CLI::App& app) {
  auto arguments = std::make_shared<ViewArguments>();
  CLI::App* command = app.add_subcommand("view", "Show bodies of a model, pull at them, take pictures");
  command->add_option("MODEL", arguments->model, "Reduced model (.qrt)")->required();
  CLI::Option* screenshot =
      command
          ->add_option("--screenshot", arguments->screenshot,
                       "Picture (.png) of the last frame, without a display; with %04d in the name, of every frame")
          ->check([](const std::string& name) { return name.empty() ? "needs a name" : ""; });
  command
      ->add_option("--frames", arguments->frames,
                   "Frames N after the start, 100 for pictures; a window closes after so many frames, with 0 never")
      ->check(non_negative_number() & CLI::Range(0.0, 1e9));
  CLI::Option* motion =
      command->add_option("--motion", arguments->motion, "Saved trajectory (.qtraj) to show instead of a simulation");
  CLI::Option* record = command->add_option(
      "--record", arguments->record,
      "Record the forces of the mouse (.csv) for `quartic sketch`; vertices numbered as in the model");
  CLI::Option* mode =
      command->add_option("--mode", arguments->mode, "Linear mode K of the model in place of a motion, counted from 1")
          ->check(positive_number())
          ->excludes(motion);
  command
      ->add_option("--amplitude", arguments->amplitude,
                   "How far the mode moves the vertex that it moves most [m] (a tenth of the body's size)")
      ->check(positive_number())
      ->needs(mode);
  command->add_option("--period", arguments->period, "How long one swing of the mode takes [s]")
      ->check(positive_number())
      ->capture_default_str()
      ->needs(mode);
  record->excludes(screenshot)->excludes(motion)->excludes(mode);
  MotionOptions& simulation = arguments->simulation;
  std::vector<CLI::Option*> simulated;
  simulated.push_back(command->add_option("--bodies", simulation.batch.bodies, "Bodies B")
                          ->check(positive_number() & CLI::Range(1.0, 1e7))
                          ->capture_default_str());
  simulated.push_back(command
                          ->add_option("--spread", arguments->spread,
                                       "How much the bodies' loads differ: from 1 - SPREAD to 1 + SPREAD times")
                          ->check(non_negative_number())
                          ->capture_default_str());
  simulated.push_back(command->add_option("--dt", simulation.frame_time, "Time between frames [s]")
                          ->check(positive_number())
                          ->capture_default_str());
  simulated.push_back(command->add_option("--substeps", simulation.substeps, "Steps from one frame to the next")
                          ->check(positive_number())
                          ->capture_default_str());
  command->add_option("--speed", arguments->speed, "Simulated over real time in the window")
      ->check(positive_number() & CLI::Range(0.001, 1000.0))
      ->capture_default_str()
      ->excludes(screenshot);
  add_load_options(*command, arguments->loads);
  add_flight_options(*command, arguments->flight);
  for (const char* name : {"--gravity", "--force", "--pose", "--velocity", "--spin"})
    simulated.push_back(command->get_option(name));
  add_integration_options(*command, simulation);
  for (CLI::Option* option : simulated) option->excludes(motion)->excludes(mode);
  command->add_option("--precision", arguments->precision, "Numbers at run time")
      ->check(CLI::IsMember({"float", "double"}))
      ->capture_default_str()
      ->group("Integration");
  add_picture_options(*command, *arguments);
  command->add_flag("--json", arguments->json, "Print one machine-readable report");
  command->footer(
      "Mouse: left on a body pulls, elsewhere turns; right turns, middle or shift moves, the wheel zooms.\n"
      "Keys: space pause, . step, R reset, F fit, C follow bodies that fly, Tab panel, Q quit.\n"
      "Example:\n  quartic view bridge.qrt --gravity 0,0,-9.81\n"
      "  quartic view bridge.qrt --gravity 0,0,-9.81 --screenshot bridge.png --frames 60");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace quartic::cli
