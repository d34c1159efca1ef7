// What an error says.
#pragma once

#include <string>

#include "quartic/error.hpp"

namespace quartic::test {

/// Of the InputError that an action throws; empty if it throws none.
template <class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace quartic::test
