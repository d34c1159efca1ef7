// What holds a body and hangs on it, as the command line says it: --fix-set, --fix-box, --fix-normal, --mass-set,
// --area-mass-set, --body-set, --spring-set.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <vector>

#include "cli/options/body_options.hpp"

namespace quartic::cli {

void add_support_options(CLI::App& command, BodyOptions& options);

/// True if an option says what holds the body.
[[nodiscard]] bool fixes(const BodyOptions& options);

/// Finds mistakes in the options that need no mesh. @throws UsageError
void check_support_options(const BodyOptions& options);

/// Adds vertices to a sorted list that has each once.
void unite(std::vector<std::int32_t>& fixed, const std::vector<std::int32_t>& more);

/// Holds what the options select, and gives the body's mesh their masses and springs. @throws InputError
void apply_supports(Body& body, const BodyOptions& options);

}  // namespace quartic::cli
