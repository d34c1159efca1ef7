#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#include <stb_image_write.h>

#include <string>

#include "io/files/atomic_file.hpp"
#include "quartic/error.hpp"
#include "view/gl/offscreen.hpp"

namespace quartic::view {

void write_png(std::span<const std::uint8_t> rgb, int width, int height, const std::filesystem::path& path) {
  std::string bytes;
  const auto append = [](void* target, void* data, int size) {
    static_cast<std::string*>(target)->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
  };
  if (stbi_write_png_to_func(append, &bytes, width, height, 3, rgb.data(), 3 * width) == 0)
    throw FileError(path.string() + ": the picture can't be made into a PNG file");
  io::AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace quartic::view
