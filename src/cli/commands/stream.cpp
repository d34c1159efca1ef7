// `quartic stream`: a motion as accelerations, sent, received, or both with a line between that loses some.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/commands/refused_options.hpp"
#include "cli/options/arguments.hpp"
#include "cli/options/body_options.hpp"
#include "cli/options/loads.hpp"
#include "cli/options/motion_options.hpp"
#include "cli/options/stream_options.hpp"
#include "cli/reports/output_writer.hpp"
#include "cli/reports/outputs.hpp"
#include "cli/reports/progress_display.hpp"
#include "cli/reports/report.hpp"
#include "cli/reports/stream_report.hpp"
#include "cli/reports/trajectory_output.hpp"
#include "cli/runs/transmission.hpp"
#include "cli/values/numbers.hpp"
#include "cli/values/option_checks.hpp"
#include "io/files/atomic_file.hpp"
#include "quartic/energy.hpp"
#include "quartic/error.hpp"

namespace quartic::cli {

namespace {

struct StreamCommand {
  std::string model, to, from, dynamics = "reduced", t60;
  TrajectoryOutputs outputs;
  LoadArguments loads;
  MotionOptions motion;
  StreamArguments stream;
  bool hold_frame = false, json = false;

  [[nodiscard]] bool is_modal() const { return dynamics == "modal"; }
};

/// What is sent, and what a receiver needs to know of it.
struct StreamedModel {
  ReducedModel model;  ///< of modes, `modal_model`
  BatchOptions options;
  std::uint64_t fingerprint = 0;
  Matrix stiffness;  ///< at rest
};

StreamedModel load(const StreamCommand& arguments) {
  StreamedModel result{arguments.is_modal() ? load_modal_model(arguments.model) : load_reduced_model(arguments.model),
                       batch_options(arguments.motion),
                       0,
                       {}};
  const ReducedModel& model = result.model;
  set_decay(arguments.t60, result.options);
  result.fingerprint = stream_fingerprint(model);
  if (!arguments.is_modal()) {
    result.stiffness = evaluate(model.energy, std::vector<double>(static_cast<std::size_t>(model.rank()))).stiffness;
    return result;
  }
  result.stiffness = Matrix(model.rank(), model.rank());
  for (std::int64_t i = 0; i < model.rank(); ++i)
    result.stiffness(i, i) = model.eigenvalues[static_cast<std::size_t>(i)];
  return result;
}

ReceiverOptions receiver_options(const StreamCommand& arguments, const StreamedModel& streamed, Recovery recovery) {
  return {.recovery = recovery,
          .fingerprint = streamed.fingerprint,
          .window = window_of(arguments.stream, recovery),
          .stiffness = streamed.stiffness,
          .rayleigh_mass = streamed.options.rayleigh_mass,
          .rayleigh_stiffness = streamed.options.rayleigh_stiffness};
}

/// Loads, and the bodies under them.
struct SenderRun {
  LoadProgram loads;
  std::unique_ptr<StreamedMotion> motion;
};

SenderRun sender_run(const StreamCommand& arguments, const StreamedModel& streamed,
                     std::vector<std::string>& warnings) {
  const ReducedModel& model = streamed.model;
  Scene scene = parse_scene(arguments.loads);
  if (model.supports().empty() && !arguments.hold_frame)
    throw InputError(arguments.model +
                     ": the body is free, but what is sent tells of no poses; give --hold-frame for its oscillations "
                     "alone");
  place_loads(scene, model.mesh, warnings);
  if (!scene.heating.empty())
    throw InputError("--loads-of: this deck has temperatures, which quartic stream doesn't take");
  require_held_base(scene, model);
  const Integrator integrator = streamed.options.integrator;
  scene.step_share = arguments.is_modal() ? 0.5 : step_share(integrator);
  for (std::string& warning : warnings_of(scene, model)) warnings.push_back(std::move(warning));
  if (!arguments.is_modal() && integrator == Integrator::central_differences && !scene.is_constant() &&
      !arguments.stream.closed_loop)
    throw InputError(
        "central differences compute the acceleration anew where loads change, which a receiver isn't told of; give "
        "--closed-loop, or another --integrator");
  const double h = arguments.motion.frame_time;
  SenderRun run{LoadProgram(model.basis.map(), model.unit_acceleration, scene), nullptr};
  run.motion = arguments.is_modal() ? streamed_modes(model.eigenvalues, streamed.options, h)
                                    : streamed_bodies(model.energy, streamed.options, h, run.loads.at(0, h));
  return run;
}

TransmissionOptions transmission_options(const StreamCommand& arguments, const StreamedModel& streamed,
                                         const AccelerationRule& rule) {
  TransmissionOptions options{.sender = parse_sender(arguments.stream), .line = arguments.stream.line};
  options.sender.rule = rule;
  options.sender.step = arguments.motion.frame_time;
  options.sender.fingerprint = streamed.fingerprint;
  options.steps = arguments.motion.frames;
  options.bodies = streamed.options.bodies;
  options.rank = streamed.model.rank();
  return options;
}

void require_sound(const TransmissionFindings& findings) {
  if (findings.diverged > 0)
    throw NumericalError(counted(findings.diverged, "body", "bodies") +
                         " diverged and stayed at the last finite state; use another --dt or a smaller load");
}

/// Standard output, at once, or a file that appears when it is whole.
class PacketSink {
 public:
  explicit PacketSink(const std::string& path) {
    if (path != "-") file_.emplace(path);
  }
  void write(const Packet& packet) {
    if (file_) return file_->write(packet);
    if (std::fwrite(packet.data(), 1, packet.size(), stdout) != packet.size() || std::fflush(stdout) != 0)
      throw FileError("standard output: can't be written to");
  }
  void commit() {
    if (file_) file_->commit();
  }

 private:
  std::optional<io::AtomicFile> file_;
};

/// Packets to standard output or a file.
void run_sender(const StreamCommand& arguments) {
  const bool to_pipe = arguments.to == "-";
  if (!to_pipe) require_distinct({arguments.to}, {arguments.model});
  const StreamedModel streamed = load(arguments);
  std::vector<std::string> warnings;
  SenderRun run = sender_run(arguments, streamed, warnings);
  print_warnings(warnings);
  const TransmissionOptions options = transmission_options(arguments, streamed, run.motion->rule());
  PacketSink sink(arguments.to);
  const TransmissionFindings findings = send(
      *run.motion,
      [&](double time) -> std::span<const double> { return run.loads.at(time, arguments.motion.frame_time); }, options,
      [&](const Packet& packet) { sink.write(packet); });
  sink.commit();
  if (!to_pipe) report_sender(arguments.model, arguments.to, findings, warnings, arguments.json);
  require_sound(findings);
}

/// Bytes of a file or of standard input, as they come: a pipe's without waiting for more.
class ByteSource {
 public:
  explicit ByteSource(const std::string& path)
      : name_(path), file_(path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) throw FileError(path + ": can't be opened to read packets");
  }
  ~ByteSource() {
    if (file_ != STDIN_FILENO) close(file_);
  }
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  std::vector<std::byte> next() {
    std::vector<std::byte> bytes(1 << 16);
    ssize_t size = -1;
    do size = read(file_, bytes.data(), bytes.size());
    while (size < 0 && errno == EINTR);
    if (size < 0) throw FileError(name_ + ": can't be read");
    bytes.resize(static_cast<std::size_t>(size));
    return bytes;
  }

 private:
  std::string name_;
  int file_;
};

void require_received(const Reception& reception, const std::string& from) {
  const auto count = [&](PacketFate fate) { return reception.counts.packets[static_cast<std::size_t>(fate)]; };
  if (!reception.trajectory.time.empty()) return;
  if (count(PacketFate::foreign) > 0)
    throw InputError(from +
                     ": no packet is of this model's bodies; give the model, --dynamics and --bodies that they "
                     "were sent with");
  throw InputError(from + ": there is no whole state of all bodies in it, with which a receiver could begin");
}

void run_receiver(const StreamCommand& arguments) {
  require_outputs(arguments.outputs, {".glb", ".usda", ".pc2", ".mdd", ".pvd", ".qtraj", ".csv"});
  require_distinct(written_files(arguments.outputs), {arguments.model, arguments.from});
  if (arguments.outputs.files.empty())
    throw UsageError("say where the received motion goes: -o FILE.qtraj or FILE.glb");
  const std::vector<Recovery> recoveries = parse_recoveries(arguments.stream);
  const Recovery recovery = recoveries.size() == 1 ? recoveries.front() : Recovery::hold;
  const StreamedModel streamed = load(arguments);
  AccelerationReceiver receiver(streamed.model.rank(), streamed.options.bodies,
                                receiver_options(arguments, streamed, recovery));
  ByteSource source(arguments.from);
  Reception reception = receive(receiver, delay_of(arguments.stream, recovery), [&] { return source.next(); });
  require_received(reception, arguments.from);
  if (arguments.is_modal()) reception.trajectory.coordinates = Coordinates::linear_modes;
  ProgressDisplay display;
  OutputWriter writer;
  const std::vector<std::string> losses =
      write_outputs(arguments.outputs, streamed.model, reception.trajectory, writer, display);
  display.finish();
  print_warnings(losses);
  report_receiver(arguments.from, reception, writer, losses, arguments.json);
  writer.require_all();
}

void run_report(const StreamCommand& arguments) {
  for (const std::string& file : arguments.outputs.files) require_output(file, {".json"});
  require_distinct(arguments.outputs.files, {arguments.model});
  const StreamedModel streamed = load(arguments);
  std::vector<std::string> warnings;
  SenderRun run = sender_run(arguments, streamed, warnings);
  if (std::string warning = warning_of_late(arguments.stream); !warning.empty()) warnings.push_back(std::move(warning));
  print_warnings(warnings);
  TransmissionOptions options = transmission_options(arguments, streamed, run.motion->rule());
  for (const Recovery recovery : parse_recoveries(arguments.stream)) {
    options.receivers.push_back(receiver_options(arguments, streamed, recovery));
    if (run.loads.constant()) options.receivers.back().force = run.loads.at(0, options.sender.step);
    options.delays.push_back(delay_of(arguments.stream, recovery));
  }
  const TransmissionFindings findings = transmit(
      *run.motion,
      [&](double time) -> std::span<const double> { return run.loads.at(time, arguments.motion.frame_time); }, options);
  const nlohmann::json json = transmission_json(findings, options.sender, warnings);
  OutputWriter writer;
  for (const std::string& name : arguments.outputs.files)
    writer.write(name, [&] {
      io::AtomicFile file(name);
      file.write(json.dump(2) + "\n");
      file.commit();
    });
  arguments.json ? print_json(json) : print_transmission(arguments.model, findings, writer);
  writer.require_all();
  require_sound(findings);
}

/// @throws UsageError for options that the command's present way of running knows nothing of
void refuse_others(const CLI::App& command, const StreamCommand& arguments) {
  constexpr std::array<std::string_view, 3> of_senders = {"Loads (added up)", "Coding", "Line"};
  constexpr std::array<std::string_view, 1> of_receivers = {"Receiver"};
  constexpr const char* steps[] = {"--steps", "--dt", "--integrator", "--newton", "--hold-frame"};
  constexpr const char* integrators[] = {"--integrator", "--newton"};
  constexpr const char* damping[] = {"--rayleigh-mass", "--rayleigh-stiffness", "--damping-ratios", "--t60"};
  if (!arguments.from.empty()) {
    const std::string reason = " is for the sender: a receiver takes what it sends";
    refuse_groups(command, of_senders, "--resend", reason);
    refuse_options(command, steps, reason);
    if (arguments.stream.recovery != recovery_name(Recovery::model))
      refuse_options(command, damping, " is for the sender, and for receivers with --recovery model");
    return;
  }
  if (!arguments.to.empty()) refuse_groups(command, of_receivers, "", " is for --receive, or for a report of both");
  if (arguments.is_modal())
    refuse_options(command, integrators, " is for --dynamics reduced; linear modes are stepped exactly");
}

void run(const CLI::App& command, const StreamCommand& arguments) {
  if (!arguments.to.empty() && !arguments.from.empty())
    throw UsageError("--send and --receive are for two processes; without both, one process does either");
  if (arguments.motion.substeps != 1) throw UsageError("--substeps: each step is sent; take a smaller --dt instead");
  if (!arguments.to.empty() && !arguments.outputs.files.empty())
    throw UsageError("-o is for --receive, or for the report of a run without --send");
  refuse_others(command, arguments);
  check_line(arguments.stream.line);
  if (!arguments.from.empty()) return run_receiver(arguments);
  if (arguments.is_modal() && !arguments.stream.closed_loop)
    throw UsageError(
        "--dynamics modal: the accelerations of exact steps don't give their motion back; give --closed-loop");
  arguments.to.empty() ? run_report(arguments) : run_sender(arguments);
}

}  // namespace

void add_stream(CLI::App& app) {
  auto arguments = std::make_shared<StreamCommand>();
  CLI::App* command =
      app.add_subcommand("stream", "Send a motion as accelerations, receive it, or see what losses do to it");
  command->add_option("MODEL", arguments->model, "Reduced model (.qrt)")->required();
  command->add_option("--send", arguments->to, "Simulate, and write packets to a file, or - for standard output");
  command->add_option("--receive", arguments->from, "Read packets from a file, or - for standard input");
  add_output_options(*command, arguments->outputs,
                     "With --receive the motion, as simulate's; without --send and --receive a report (.json)");
  command->add_option("--bodies", arguments->motion.batch.bodies, "Bodies B; all carry the same load")
      ->check(positive_number())
      ->capture_default_str();
  command
      ->add_option("--dynamics", arguments->dynamics,
                   "reduced: the model's nonlinear energy; modal: its linear modes, with --closed-loop")
      ->check(CLI::IsMember({"reduced", "modal"}))
      ->capture_default_str();
  command->add_flag("--hold-frame", arguments->hold_frame, "Let a free body oscillate in a frame at rest");
  command->add_flag("--json", arguments->json, "Print one machine-readable report");
  add_frame_options(*command, arguments->motion);
  add_load_options(*command, arguments->loads);
  add_changing_load_options(*command, arguments->loads);
  add_integration_options(*command, arguments->motion);
  command->add_option("--t60", arguments->t60, "F1,T1[,F2,T2,...]: damping by the times [s] in which modes lose 60 dB")
      ->excludes("--rayleigh-mass")
      ->excludes("--rayleigh-stiffness")
      ->excludes("--damping-ratios")
      ->group("Integration");
  add_stream_options(*command, arguments->stream);
  command->footer(
      "Examples:\n  quartic stream bridge.qrt --force 4542,0,0,-500,0,0.1 --steps 1000 --loss 0.02 --burst 2\n"
      "  quartic stream bridge.qrt --gravity 0,0,-9.81 --loss 0.02 --resend 3 --send - | quartic stream bridge.qrt "
      "--receive - --recovery late -o received.qtraj");
  command->callback([command, arguments] { run(*command, *arguments); });
}

}  // namespace quartic::cli
