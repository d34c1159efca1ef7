// The commands of `quartic`. Each function adds one to the application; it runs when the arguments have been parsed.
#pragma once

#include <CLI/CLI.hpp>

namespace quartic::cli {

void add_make(CLI::App& app);
void add_reduce(CLI::App& app);
void add_modes(CLI::App& app);
void add_info(CLI::App& app);
void add_convert(CLI::App& app);
void add_simulate(CLI::App& app);
void add_export(CLI::App& app);
void add_solve(CLI::App& app);
void add_sketch(CLI::App& app);
void add_sound(CLI::App& app);
void add_stream(CLI::App& app);
void add_compare(CLI::App& app);
void add_view(CLI::App& app);
void add_world(CLI::App& app);
void add_bench(CLI::App& app);

/// Exit codes, the same for every command.
enum ExitCode : int { done = 0, input_error = 1, usage_error = 2, numerical_failure = 3, backend_unavailable = 4 };

}  // namespace quartic::cli
