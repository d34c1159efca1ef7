// The command `quartic`: from a mesh to a reduced model and its motion.
#include <unistd.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <new>

#include "cli/commands/commands.hpp"
#include "cli/options/arguments.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/numbered_files.hpp"
#include "quartic/error.hpp"
#include "quartic/version.hpp"

namespace quartic::cli {

namespace {

extern "C" void leave_on_signal(int signal) {
  io::remove_unfinished_files();
  io::remove_unfinished_series();
  _exit(128 + signal);
}

void install_signal_handlers() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;  // as nohup wants it
    action.sa_handler = leave_on_signal;
    sigaction(signal, &action, nullptr);
  }
  std::signal(SIGXFSZ, SIG_IGN);  // a file above the size limit is then a write error with a message
  std::signal(SIGPIPE, SIG_IGN);  // nobody reads the summary: no reason to leave a file half-written
}

int fail(const std::string& message, ExitCode code) {
  std::cerr << "quartic: " << message << '\n';
  return code;
}

/// The exit code of what went well, if its output got out.
int flushed() {
  std::cout.flush();
  return std::cout ? done : fail("can't write to standard output", input_error);
}

int run(int argument_count, char** arguments) {
  CLI::App app("Reduced-order simulation of deformable bodies: mesh -> reduced model -> motion", "quartic");
  app.set_version_flag("--version", std::string("quartic ") + version);
  app.require_subcommand(1);
  app.footer(
      "Example:\n  quartic make bridge -o bridge.veg\n  quartic reduce bridge.veg --fix bridge.bou -o bridge.qrt\n"
      "  quartic simulate bridge.qrt --gravity 0,0,-9.81 -o bridge.glb\n"
      "Exit codes: 0 done, 1 input error, 2 usage, 3 numerical failure, 4 backend unavailable");
  add_make(app);
  add_reduce(app);
  add_modes(app);
  add_info(app);
  add_convert(app);
  add_simulate(app);
  add_export(app);
  add_solve(app);
  add_sketch(app);
  add_sound(app);
  add_stream(app);
  add_compare(app);
  add_world(app);
  add_view(app);
  add_bench(app);
  try {
    app.parse(argument_count, arguments);
    return flushed();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? flushed() : usage_error;
  } catch (const UsageError& error) {
    return fail(error.what(), usage_error);
  } catch (const InputError& error) {
    return fail(error.what(), input_error);
  } catch (const NumericalError& error) {
    return fail(error.what(), numerical_failure);
  } catch (const BackendUnavailable& error) {
    return fail(error.what(), backend_unavailable);
  } catch (const DeviceError& error) {
    return fail(error.what(), backend_unavailable);
  } catch (const std::bad_alloc&) {
    return fail("not enough memory for this; use a coarser mesh, a smaller rank or fewer bodies", input_error);
  } catch (const std::exception& error) {
    return fail(error.what(), input_error);
  }
}

}  // namespace

}  // namespace quartic::cli

int main(int argument_count, char** arguments) {
  try {
    quartic::cli::install_signal_handlers();
    quartic::cli::remember_command_line(argument_count, arguments);
    return quartic::cli::run(argument_count, arguments);
  } catch (...) {  // not even a message could be put together
    return quartic::cli::input_error;
  }
}
