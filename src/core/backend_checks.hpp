// What only one backend can do so far.
#pragma once

#include <string_view>

#include "quartic/backend.hpp"

namespace quartic {

/// @throws BackendUnavailable that names the operation unless `backend` is the CPU
void require_cpu(Backend backend, std::string_view operation);

}  // namespace quartic
