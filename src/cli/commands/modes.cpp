#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options/reduce_options.hpp"

namespace quartic::cli {

void add_modes(CLI::App& app) {
  auto arguments = std::make_shared<ReduceArguments>();
  arguments->modes_only = true;
  CLI::App* command = app.add_subcommand("modes", "Compute linear vibration modes only");
  add_reduce_arguments(*command, *arguments);
  command->footer("Example:\n  quartic modes bridge.veg --fix bridge.bou --modes 10 -o bridge_modes.qrt");
  command->callback([arguments] { run_reduce(*arguments); });
}

}  // namespace quartic::cli
