// How strains are relaxed: options of `reduce`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "quartic/relaxation.hpp"

namespace quartic::cli {

struct RelaxArguments {
  std::string relax = "off";  ///< or a share, or "automatic"
  std::string loads;          ///< recorded forces (.csv) for "automatic"
};

/// --relax, --relax-loads
void add_relax_options(CLI::App& command, RelaxArguments& arguments);

/// Reads the loads, too. @param vertices of the mesh, as its file has them
/// @throws UsageError for what is neither a share nor a word, FileError, ParseError
[[nodiscard]] RelaxOptions parse_relax(const RelaxArguments& arguments, std::int64_t vertices);

}  // namespace quartic::cli
