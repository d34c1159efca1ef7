// Options that a way of running a command knows nothing of.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "cli/options/arguments.hpp"

namespace quartic::cli {

/// @param reason what follows the option's name. @throws UsageError for those that are given
inline void refuse_options(const CLI::App& command, std::span<const char* const> names, const std::string& reason) {
  for (const char* name : names)
    if (command.get_option_no_throw(name) != nullptr && command.count(name) > 0)
      throw UsageError(std::string(name) + reason);
}

/// The same for all options of some groups, but for `allowed`.
inline void refuse_groups(const CLI::App& command, std::span<const std::string_view> groups, std::string_view allowed,
                          const std::string& reason) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() > 0 && name != allowed && std::ranges::count(groups, option->get_group()) > 0)
      throw UsageError(name + reason);
  }
}

}  // namespace quartic::cli
