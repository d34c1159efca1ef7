#include "io/foreign_formats.hpp"

#include <array>
#include <cstdint>
#include <cstring>

#include "io/text/text.hpp"

namespace quartic::io {
namespace {

struct Signature {
  std::string_view start;  // lower case
  std::string_view name;
};

constexpr Signature signatures[] = {
    {"<?xml", "an XML file (.xdmf?)"},
    {"solid", "an STL surface (text)"},
    {"ply", "a PLY surface"},
    {"off", "an OFF surface"},
    {"v ", "a Wavefront OBJ surface"},
    {"mtllib", "a Wavefront OBJ surface"},
    {"o ", "a Wavefront OBJ surface"},
    {"gltf", "a binary glTF file (.glb)"},
    {"pxr-usdc", "a binary USD file (.usdc); `usdcat MESH.usdc -o MESH.usda` writes it as text"},
    {"begin bulk", "a Nastran deck"},
    {"grid", "a Nastran deck"},
    {"\x89hdf", "an HDF5 file (MED, XDMF or Exodus?)"},
    {"cdf", "a NetCDF file (Exodus?)"},
    {"pk\x03\x04", "a ZIP archive; unpack it first"},
    {"\x1f\x8b", "a gzip archive; unpack it first"},
    {"{", "a JSON file"},
    {"version https://git-lfs", "a pointer of Git LFS; `git lfs pull` fetches the file itself"},
};

template <class Integer>
Integer little_endian(std::string_view content, std::size_t offset) {
  Integer value{};
  std::memcpy(&value, content.data() + offset, sizeof value);
  return value;
}

// Text with signatures behind comment lines, for example an OBJ file.
std::string_view first_carrying_line(std::string_view content) {
  Lines lines(content.substr(0, 4096));
  std::string_view line;
  return lines.next(line) ? line : std::string_view();
}

bool is_binary_stl(std::string_view content) {
  return content.size() >= 84 && content.size() == 84 + 50 * std::uint64_t{little_endian<std::uint32_t>(content, 80)};
}

bool is_safetensors(std::string_view content) {
  return content.size() > 9 && content[8] == '{' && little_endian<std::uint64_t>(content, 0) <= content.size() - 8;
}

// A byte order mark, the version and the keyword "Dimension".
bool is_binary_medit(std::string_view content) {
  if (content.size() < 12) return false;
  std::array<std::uint32_t, 3> head{};
  for (std::size_t i = 0; i < head.size(); ++i) head[i] = little_endian<std::uint32_t>(content, 4 * i);
  if (head[0] == 0x01000000)
    for (auto& number : head)
      number = (number >> 24) | ((number >> 8) & 0xFF00);  // small numbers, most significant first
  return head[0] == 1 && head[1] >= 1 && head[1] <= 4 && head[2] == 3;
}

// A ZIP archive whose first file is a USD layer.
bool is_usdz(std::string_view content) {
  constexpr std::size_t header_size = 30;
  if (!content.starts_with("PK\x03\x04") || content.size() < header_size) return false;
  const auto name = content.substr(header_size, little_endian<std::uint16_t>(content, 26));
  return name.ends_with(".usd") || name.ends_with(".usda") || name.ends_with(".usdc");
}

// The root element comes behind the XML declaration, and perhaps comments.
bool is_febio(std::string_view content) {
  return content.substr(0, 4096).find("<febio_spec") != std::string_view::npos;
}

}  // namespace

std::string_view foreign_format_name(std::string_view content) {
  if (is_safetensors(content)) return "a safetensors file: a quartic model (.qrt) or trajectory (.qtraj)?";
  if (is_binary_stl(content)) return "an STL surface (binary)";
  if (is_binary_medit(content))
    return "a binary Medit mesh (.meshb); `meshio convert MESH.meshb MESH.mesh` writes it as text";
  if (is_usdz(content)) return "a packed USD stage (.usdz); `usdcat MESH.usdz -o MESH.usda` writes it as text";
  if (is_febio(content))
    return "an FEBio model (.feb); export its mesh from FEBio Studio as VTK's .vtk, and give materials by --materials";
  const std::string_view line = first_carrying_line(content);
  for (const Signature& signature : signatures)
    if (starts_with_ignoring_case(content, signature.start) || starts_with_ignoring_case(line, signature.start))
      return signature.name;
  if (content.starts_with("\xFF\xFE") || content.starts_with("\xFE\xFF")) return "UTF-16 text; save it as UTF-8";
  if (content.find('\0') != std::string_view::npos) return "binary data";
  return {};
}

}  // namespace quartic::io
