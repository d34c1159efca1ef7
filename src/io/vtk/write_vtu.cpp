// VTK's XML unstructured grids (.vtu), writing: XML that describes arrays, whose bytes follow in the same file, raw.
// VTK File Formats, "XML File Formats".
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/mesh/lost_laws.hpp"
#include "io/mesh/writable_mesh.hpp"
#include "io/text/text.hpp"
#include "io/text/unique_names.hpp"
#include "io/vtk/vtk_formats.hpp"
#include "io/vtk/vtk_xml.hpp"
#include "io/vtk/vtu_file.hpp"
#include "quartic/error.hpp"
#include "quartic/mesh.hpp"

namespace quartic {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");

// VTK's numbers of cell types, in the order of ElementType.
constexpr std::array<std::uint8_t, element_type_count> vtk_cells = {10, 24, 12, 25, 13, 26, 14};

template <class T>
constexpr std::string_view type_name();
template <>
constexpr std::string_view type_name<double>() {
  return "Float64";
}
template <>
constexpr std::string_view type_name<std::int64_t>() {
  return "Int64";
}
template <>
constexpr std::string_view type_name<std::int32_t>() {
  return "Int32";
}
template <>
constexpr std::string_view type_name<std::uint8_t>() {
  return "UInt8";
}

/// The file's two halves: text that grows by a line per array, and what writes the arrays' bytes once it is complete.
class VtuFile {
 public:
  void text(std::string_view more) { text_ += more; }

  /// An array of `count` numbers that `write` hands over one by one.
  template <class T, class Write>
  void array(const std::string& name, int components, std::size_t count, Write write) {
    add<T>(name, components, count, [write](io::AtomicFile& file) {
      write([&file](T value) { file.write(std::as_bytes(std::span(&value, 1))); });
    });
  }

  /// The same for numbers that lie in memory, and stay there until the file is written.
  void array(const std::string& name, int components, std::span<const double> values) {
    add<double>(name, components, values.size(), [values](io::AtomicFile& file) { file.write(std::as_bytes(values)); });
  }

  void write(const std::filesystem::path& path) const {
    io::AtomicFile file(path);
    file.write(text_);
    file.write("  <AppendedData encoding=\"raw\">\n   _");
    for (const auto& write_array : arrays_) write_array(file);
    file.write("\n  </AppendedData>\n</VTKFile>\n");
    file.commit();
  }

 private:
  template <class T>
  void add(const std::string& name, int components, std::size_t count, std::function<void(io::AtomicFile&)> write) {
    text_ += "        <DataArray type=\"" + std::string(type_name<T>()) + "\" Name=\"" + io::xml_attribute(name) + '"';
    if (components > 1) text_ += " NumberOfComponents=\"" + std::to_string(components) + '"';
    text_ += " format=\"appended\" offset=\"" + std::to_string(offset_) + "\"/>\n";
    const std::uint64_t bytes = count * sizeof(T);
    offset_ += sizeof(bytes) + bytes;
    arrays_.push_back([bytes, write = std::move(write)](io::AtomicFile& file) {
      file.write(std::as_bytes(std::span(&bytes, 1)));
      write(file);
    });
  }

  std::string text_;
  std::uint64_t offset_ = 0;
  std::vector<std::function<void(io::AtomicFile&)>> arrays_;
};

void require_fields(const VolumeMesh& mesh, std::span<const NamedField> fields) {
  for (const NamedField& field : fields) {
    if (field.values.size() != mesh.vertices.size())
      throw InputError("field '" + field.name + "' has " + std::to_string(field.values.size()) +
                       " numbers, but needs three for each of " + std::to_string(mesh.vertex_count()) + " vertices");
    if (!std::all_of(field.values.begin(), field.values.end(), [](double x) { return std::isfinite(x); }))
      throw InputError("field '" + field.name + "' has a value that isn't a finite number");
  }
}

// Strings would be field data of their own kind, but not every reader passes over them.
std::string region_text(const VolumeMesh& mesh, std::size_t region) {
  return "region " + std::to_string(region) + ": " + mesh.regions[region].name;
}

void append_field_data(VtuFile& file, const VolumeMesh& mesh, std::span<const io::FieldData> field_data) {
  if (mesh.regions.empty() && field_data.empty()) return;
  const auto append = [&file](const std::string& type, const std::string& name, std::size_t count,
                              const std::string& values) {
    file.text("      <DataArray type=\"" + type + "\" Name=\"" + io::xml_attribute(name) + "\" NumberOfTuples=\"" +
              std::to_string(count) + "\" format=\"ascii\">" + values + "</DataArray>\n");
  };
  file.text("    <FieldData>\n");
  for (const io::FieldData& data : field_data) {
    std::string values;
    for (const double value : data.values) values += (values.empty() ? "" : " ") + io::format_number(value);
    append("Float64", data.name, data.values.size(), values);
  }
  for (std::size_t r = 0; r < mesh.regions.size(); ++r) append("Int32", region_text(mesh, r), 1, std::to_string(r));
  file.text("    </FieldData>\n");
}

void append_point_data(VtuFile& file, const VolumeMesh& mesh, std::span<const NamedField> fields) {
  io::UniqueNames names;
  file.text(fields.empty() ? std::string("      <PointData>\n")
                           : "      <PointData Vectors=\"" + io::xml_attribute(fields.front().name) + "\">\n");
  for (const NamedField& field : fields) file.array(names.add(io::xml_characters(field.name)), 3, field.values);
  for (const auto& [name, vertices] : mesh.vertex_sets)
    file.array<std::uint8_t>(names.add(io::xml_characters(name)), 1, static_cast<std::size_t>(mesh.vertex_count()),
                             [&mesh, &set = vertices](auto put) {
                               std::vector<std::uint8_t> is_in(static_cast<std::size_t>(mesh.vertex_count()));
                               for (const auto v : set) is_in[static_cast<std::size_t>(v)] = 1;
                               std::for_each(is_in.begin(), is_in.end(), put);
                             });
  file.text("      </PointData>\n");
}

bool every_element_has_material(const VolumeMesh& mesh) {
  return std::all_of(mesh.element_region.begin(), mesh.element_region.end(), [&mesh](std::int32_t region) {
    return region >= 0 && mesh.regions[static_cast<std::size_t>(region)].material.has_value();
  });
}

void append_cell_data(VtuFile& file, const VolumeMesh& mesh) {
  const std::size_t count = mesh.element_region.size();
  file.text("      <CellData Scalars=\"region\">\n");
  file.array<std::int32_t>("region", 1, count, [&mesh](auto put) {
    std::for_each(mesh.element_region.begin(), mesh.element_region.end(), put);
  });
  constexpr std::pair<const char*, double Material::*> values[] = {{"youngs_modulus", &Material::youngs_modulus},
                                                                   {"poissons_ratio", &Material::poissons_ratio},
                                                                   {"density", &Material::density}};
  if (every_element_has_material(mesh))
    for (const auto& [name, value] : values)
      file.array<double>(name, 1, count, [&mesh, member = value](auto put) {
        for (const auto region : mesh.element_region)
          put((*mesh.regions[static_cast<std::size_t>(region)].material).*member);
      });
  file.text("      </CellData>\n");
}

void append_cells(VtuFile& file, const VolumeMesh& mesh) {
  std::size_t corners = 0;
  for (const ElementBlock& block : mesh.blocks) corners += block.vertices.size();
  const auto count = static_cast<std::size_t>(mesh.element_count());
  file.text("      <Cells>\n");
  file.array<std::int64_t>("connectivity", 1, corners, [&mesh](auto put) {
    for (const ElementBlock& block : mesh.blocks) std::for_each(block.vertices.begin(), block.vertices.end(), put);
  });
  file.array<std::int64_t>("offsets", 1, count, [&mesh](auto put) {  // where each element ends
    std::int64_t end = 0;
    for (const ElementBlock& block : mesh.blocks)
      for (std::int64_t e = 0; e < block.count(); ++e) put(end += element_vertex_count(block.type));
  });
  file.array<std::uint8_t>("types", 1, count, [&mesh](auto put) {
    for (const ElementBlock& block : mesh.blocks)
      for (std::int64_t e = 0; e < block.count(); ++e) put(vtk_cells[static_cast<std::size_t>(block.type)]);
  });
  file.text("      </Cells>\n");
}

void write(const VolumeMesh& mesh, const std::filesystem::path& path, const MeshFileOptions&) {
  write_vtu(mesh, path);
}

std::vector<std::string> losses(const VolumeMesh& mesh) {
  std::vector<std::string> sentences;
  const bool some_material = std::any_of(mesh.regions.begin(), mesh.regions.end(),
                                         [](const Region& region) { return region.material.has_value(); });
  if (some_material && !every_element_has_material(mesh))
    sentences.emplace_back("not every element has a material, so that the .vtu file has no materials at all");
  else
    sentences = io::lost_laws(mesh, ".vtu", {MaterialLaw::stvk});
  io::UniqueNames names;
  for (const auto& entry : mesh.vertex_sets) {
    const std::string name = names.add(io::xml_characters(entry.first));
    if (name != entry.first)
      sentences.push_back("vertex set " + io::quote(entry.first) + " is called " + io::quote(name) +
                          " in the .vtu file");
  }
  for (const Region& region : mesh.regions)
    if (const std::string name = io::xml_characters(region.name); name != region.name)
      sentences.push_back("region " + io::quote(region.name) + " is called " + io::quote(name) + " in the .vtu file");
  return sentences;
}

}  // namespace

void io::write_vtu_file(const VolumeMesh& mesh, const std::filesystem::path& path, std::span<const NamedField> fields,
                        std::span<const FieldData> field_data) {
  io::require_writable(mesh);
  require_fields(mesh, fields);
  VtuFile file;
  file.text(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
      "  <UnstructuredGrid>\n");
  append_field_data(file, mesh, field_data);
  file.text("    <Piece NumberOfPoints=\"" + std::to_string(mesh.vertex_count()) + "\" NumberOfCells=\"" +
            std::to_string(mesh.element_count()) + "\">\n");
  append_point_data(file, mesh, fields);
  append_cell_data(file, mesh);
  file.text("      <Points>\n");
  file.array("Points", 3, mesh.vertices);
  file.text("      </Points>\n");
  append_cells(file, mesh);
  file.text("    </Piece>\n  </UnstructuredGrid>\n");
  file.write(path);
}

void write_vtu(const VolumeMesh& mesh, const std::filesystem::path& path, std::span<const NamedField> fields) {
  io::write_vtu_file(mesh, path, fields, {});
}

namespace io {
const MeshWriter vtu_writer = {".vtu", write, losses};
}  // namespace io

}  // namespace quartic
