// Whether CUDA's steps are those of one kernel.
#pragma once

#include <cstdlib>

namespace quartic::test {

/// Sets QUARTIC_CUDA_FUSED while it lives.
class FusedSetting {
 public:
  explicit FusedSetting(const char* value) { setenv(name, value, 1); }
  ~FusedSetting() { unsetenv(name); }
  FusedSetting(const FusedSetting&) = delete;
  FusedSetting& operator=(const FusedSetting&) = delete;

 private:
  static constexpr const char* name = "QUARTIC_CUDA_FUSED";
};

}  // namespace quartic::test
