// Arbitrary bytes as a file of one mesh format (QUARTIC_FUZZ_FORMAT): a sound mesh or quartic::Error, nothing else.
#include <cstddef>
#include <cstdint>
#include <string>

#include "io/text/mesh_format.hpp"
#include "quartic/error.hpp"
#include "sound_mesh.hpp"

namespace quartic::io {
extern const MeshFormat QUARTIC_FUZZ_FORMAT;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto& format = quartic::io::QUARTIC_FUZZ_FORMAT;
  quartic::io::MeshFile file{"input", std::string(reinterpret_cast<const char*>(data), size)};
  if (!format.recognises(file.content)) return -1;  // read_mesh wouldn't give it to this reader
  try {
    quartic::fuzz::require_sound(format.read(file));
  } catch (const quartic::Error&) {
  }
  return 0;
}
