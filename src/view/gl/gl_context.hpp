// What the viewer asks of any OpenGL context, and what went wrong in it.
#pragma once

#include <string>

namespace quartic::view {

/// @throws BackendUnavailable that says which version there is, unless the current context has OpenGL 4.3
void require_version();

/// Remembers errors that the current context reports by KHR_debug, for `check_gl`.
void watch_errors();

/// @throws DeviceError with the first error since the last call, and what was being done
void check_gl(const std::string& doing);

/// Forgets what `check_gl` would throw, where it is told otherwise.
void forget_gl_errors();

/// "llvmpipe (LLVM 15.0.6, 256 bits), OpenGL 4.5".
[[nodiscard]] std::string renderer_text();

}  // namespace quartic::view
