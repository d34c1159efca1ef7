// Arbitrary bytes as a file of one format of triangle meshes (QUARTIC_FUZZ_FORMAT): a sound surface or
// quartic::ParseError, nothing else.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "io/surface/surface_format.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
extern const SurfaceFormat QUARTIC_FUZZ_FORMAT;
}  // namespace quartic::io

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quartic;
  const io::MeshFile file{"input", std::string(reinterpret_cast<const char*>(data), size)};
  if (!io::QUARTIC_FUZZ_FORMAT.recognises(file)) return -1;
  TriangleMesh mesh;
  try {
    mesh = io::QUARTIC_FUZZ_FORMAT.read(file);
  } catch (const ParseError&) {
    return 0;
  }
  for (const double x : mesh.vertices)
    if (!std::isfinite(x)) std::abort();
  (void)check_surface(mesh);  // throws for a vertex number out of range
  return 0;
}
