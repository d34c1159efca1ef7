// Tests that are run for cuDSS' sake fail without it.
#pragma once

#include <cstdlib>

#include "quartic/backend.hpp"

namespace quartic::test {

/// True if QUARTIC_TEST_CUDSS is set and there is a device.
inline bool cudss_must_be_there() {
  return std::getenv("QUARTIC_TEST_CUDSS") != nullptr && backend_available(Backend::cuda);
}

}  // namespace quartic::test
