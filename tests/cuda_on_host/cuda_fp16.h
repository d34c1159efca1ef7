// Half precision by the compiler's own type.
#pragma once

#include "cuda_runtime.h"

struct __half {
  _Float16 value;
  __half() = default;
  explicit __half(float x) : value(static_cast<_Float16>(x)) {}
  explicit operator float() const { return static_cast<float>(value); }
};
struct alignas(4) __half2 {
  __half x, y;
};
inline float2 __half22float2(__half2 pair) {
  return {static_cast<float>(pair.x), static_cast<float>(pair.y)};
}
