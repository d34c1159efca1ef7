// VTK's unstructured grids in XML (.vtu). VTK File Formats, "XML File Formats".
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "io/text/text.hpp"
#include "io/vtk/vtk_data.hpp"
#include "io/vtk/vtk_formats.hpp"
#include "io/vtk/vtk_types.hpp"
#include "io/vtk/vtu_bytes.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

constexpr std::pair<std::string_view, VtkType> xml_types[] = {
    {"Int8", VtkType::int8},       {"UInt8", VtkType::uint8},    {"Int16", VtkType::int16}, {"UInt16", VtkType::uint16},
    {"Int32", VtkType::int32},     {"UInt32", VtkType::uint32},  {"Int64", VtkType::int64}, {"UInt64", VtkType::uint64},
    {"Float32", VtkType::float32}, {"Float64", VtkType::float64}};

std::optional<VtkType> find_type(std::string_view name) {
  for (const auto& [known, type] : xml_types)
    if (known == name) return type;
  return std::nullopt;
}

std::string_view attribute(const pugi::xml_node& node, const char* name) {
  return node.attribute(name).value();
}

/// The next word of a text, which is shortened by it; empty at the end.
std::string_view next_word(std::string_view& text) {
  std::size_t begin = 0;
  while (begin < text.size() && is_white(text[begin])) ++begin;
  std::size_t end = begin;
  while (end < text.size() && !is_white(text[end])) ++end;
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

class VtuReader {
 public:
  explicit VtuReader(const MeshFile& file) : name_(file.path.string()), content_(file.content), mesh_(name_) {}

  VolumeMesh read();

 private:
  void parse();
  std::string cut_appended_data();
  void read_encoding(const pugi::xml_node& file);
  void require_unstructured_grid(const pugi::xml_node& file) const;
  void read_piece(const pugi::xml_node& piece);
  void read_cells(const pugi::xml_node& piece, std::uint64_t count, VtkGrid& grid) const;
  void read_arrays(const pugi::xml_node& piece, VtkGrid& grid) const;

  [[nodiscard]] std::uint64_t count(const pugi::xml_node& piece, const char* name) const;
  [[nodiscard]] pugi::xml_node find_array(const pugi::xml_node& section, std::string_view name) const;
  template <class Out>
  [[nodiscard]] std::vector<Out> numbers(const pugi::xml_node& array, std::uint64_t count) const;
  template <class Out>
  [[nodiscard]] std::vector<Out> numbers_of_text(const pugi::xml_node& array, std::uint64_t count) const;
  [[nodiscard]] EncodedBytes bytes_of(const pugi::xml_node& array) const;

  [[nodiscard]] std::int64_t line(std::ptrdiff_t offset) const;
  [[noreturn]] void fail(const pugi::xml_node& node, const std::string& what) const {
    throw ParseError(name_, line(node.offset_debug()), what);
  }
  [[noreturn]] void fail_array(const pugi::xml_node& array, const std::string& what) const {
    const std::string_view name = attribute(array, "Name");
    fail(array, "array " + quote(name.empty() ? "Points" : name) + " " + what);
  }

  std::string name_;
  std::string_view content_;
  VtkMesh mesh_;
  pugi::xml_document document_;
  VtuEncoding encoding_;
  std::string foreign_compressor_;            // empty if there is none
  std::optional<std::string_view> appended_;  // what follows the underscore
  mutable std::size_t counted_to_ = 0;        // how far lines have been counted: of many pieces, not from the start
  mutable std::int64_t counted_lines_ = 1;
  mutable std::uint64_t decoded_bytes_ = 0;
  bool appended_base64_ = false;
};

std::int64_t VtuReader::line(std::ptrdiff_t offset) const {
  if (offset < 0) return 0;
  const auto end = std::min(static_cast<std::size_t>(offset), content_.size());
  if (end < counted_to_) counted_to_ = 0, counted_lines_ = 1;
  const std::string_view since = content_.substr(counted_to_, end - counted_to_);
  counted_to_ = end;
  return counted_lines_ += std::count(since.begin(), since.end(), '\n');
}

// ---- the document -------------------------------------------------------------------------------------------------

// Raw data are no XML. Returns the text without what is appended, its tags closed.
std::string VtuReader::cut_appended_data() {
  const auto tag = content_.find("<AppendedData");
  if (tag == std::string_view::npos) return {};
  const auto tag_end = content_.find('>', tag);
  const auto close = content_.rfind("</AppendedData");
  if (tag_end == std::string_view::npos || close == std::string_view::npos || close <= tag_end ||
      content_.find("</VTKFile", close) == std::string_view::npos)
    throw ParseError(name_, 0, "the file ends without </AppendedData> and </VTKFile> (is it cut short?)");
  const auto begin = content_.find_first_not_of(" \t\r\n", tag_end + 1);
  if (content_[begin] != '_')
    throw ParseError(name_, line(static_cast<std::ptrdiff_t>(begin)),
                     "<AppendedData> should go on with an underscore, not " + quote(content_.substr(begin, 1)));
  appended_ = content_.substr(begin + 1, close - begin - 1);
  appended_base64_ = content_.substr(tag, tag_end - tag).find("raw") == std::string_view::npos;
  return std::string(content_.substr(0, tag_end + 1)) + "</AppendedData></VTKFile>";
}

void VtuReader::parse() {
  const std::string cut = cut_appended_data();
  const std::string_view text = cut.empty() ? content_ : cut;
  const auto result = document_.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result)
    throw ParseError(name_, line(result.offset),
                     "this is no well-formed XML: " + std::string(result.description()) + " (is the file cut short?)");
}

void VtuReader::require_unstructured_grid(const pugi::xml_node& file) const {
  const std::string type(attribute(file, "type"));
  if (type == "UnstructuredGrid") return;
  if (type == "PUnstructuredGrid")
    fail(file,
         "this file only lists pieces of a mesh, which are in files of their own: read them, or save the whole "
         "as one .vtu (ParaView: File > Save Data)");
  if (type == "Collection") fail(file, "this file only lists the .vtu files of a series (.pvd): give one of these");
  fail(file, "the file holds " + quote(type) + ", not 'UnstructuredGrid', which volume meshes are saved as" +
                 (type == "PolyData" ? " (it is a surface: make a volume mesh of it, with Gmsh or TetGen)"
                                     : " (ParaView: Append Datasets makes one)"));
}

void VtuReader::read_encoding(const pugi::xml_node& file) {
  const std::string_view order = attribute(file, "byte_order"), header = attribute(file, "header_type");
  const std::string_view compressor = attribute(file, "compressor");
  if (!order.empty() && order != "LittleEndian" && order != "BigEndian")
    fail(file, "byte_order should be LittleEndian or BigEndian, not " + quote(order));
  if (!header.empty() && header != "UInt32" && header != "UInt64")
    fail(file, "header_type should be UInt32 or UInt64, not " + quote(header));
  encoding_.swap_bytes = (order == "BigEndian") != (std::endian::native == std::endian::big);
  encoding_.wide_header = header == "UInt64";
  encoding_.deflated = compressor == "vtkZLibDataCompressor";
  if (!encoding_.deflated) foreign_compressor_ = compressor;
}

VolumeMesh VtuReader::read() {
  parse();
  const pugi::xml_node file = document_.child("VTKFile"), grid = file.child("UnstructuredGrid");
  if (!file) throw ParseError(name_, 0, "the file has no <VTKFile>");
  require_unstructured_grid(file);
  if (!grid) fail(file, "the file has no <UnstructuredGrid>");
  read_encoding(file);
  for (const pugi::xml_node& array : grid.child("FieldData")) mesh_.add_field_data(attribute(array, "Name"));
  if (!grid.child("Piece")) fail(grid, "the grid has no <Piece>");
  for (const pugi::xml_node& piece : grid.children("Piece")) read_piece(piece);
  return mesh_.finish();
}

// ---- pieces -------------------------------------------------------------------------------------------------------

// Deflated, a file can hold about a thousand times its size, and never more.
std::uint64_t VtuReader::count(const pugi::xml_node& piece, const char* name) const {
  const std::string_view text = trimmed(attribute(piece, name));
  const auto value = parse_integer(text);
  if (!value || *value < 0) fail(piece, std::string(name) + " should be a number of them, not " + quote(text));
  if (static_cast<std::uint64_t>(*value) / 1100 > content_.size())
    fail(piece, std::string(name) + " is " + std::to_string(*value) + ", more than a file of " +
                    std::to_string(content_.size()) + " bytes can hold (is it cut short?)");
  return static_cast<std::uint64_t>(*value);
}

void VtuReader::read_piece(const pugi::xml_node& piece) {
  const std::uint64_t point_count = count(piece, "NumberOfPoints"), cell_count = count(piece, "NumberOfCells");
  VtkGrid grid;
  grid.line = line(piece.offset_debug());
  if (point_count > 0) {
    const pugi::xml_node points = find_array(piece.child("Points"), {});
    if (!points) fail(piece, "the piece has no array of points");
    if (const auto components = attribute(points, "NumberOfComponents"); !components.empty() && components != "3")
      fail_array(points, "should have three components, not " + quote(components));
    grid.points = numbers<double>(points, 3 * point_count);
  }
  if (cell_count > 0) read_cells(piece, cell_count, grid);
  read_arrays(piece, grid);
  mesh_.add(grid);
}

void VtuReader::read_cells(const pugi::xml_node& piece, std::uint64_t count, VtkGrid& grid) const {
  const pugi::xml_node cells = piece.child("Cells");
  const auto array = [&](const char* name) {
    const pugi::xml_node found = find_array(cells, name);
    if (!found) fail(piece, "the piece has no array " + quote(name) + " in <Cells>");
    return found;
  };
  grid.ends = numbers<std::int64_t>(array("offsets"), count);
  grid.types = numbers<std::int64_t>(array("types"), count);
  const std::int64_t size = grid.ends.back();
  if (size < 0 || static_cast<std::uint64_t>(size) / 1100 > content_.size())
    fail_array(array("offsets"), "ends with " + std::to_string(size) + ", more than the file can hold");
  if (size > 0) grid.nodes = numbers<std::int64_t>(array("connectivity"), static_cast<std::uint64_t>(size));
}

void VtuReader::read_arrays(const pugi::xml_node& piece, VtkGrid& grid) const {
  const auto has_one_component = [](const pugi::xml_node& array) {
    const auto components = attribute(array, "NumberOfComponents");
    return components.empty() || components == "1";
  };
  for (const pugi::xml_node& array : piece.child("CellData").children("DataArray")) {
    const std::string_view name = attribute(array, "Name");
    if (is_kept_cell_array(name) && has_one_component(array) && find_type(attribute(array, "type")))
      grid.cell_arrays.push_back({std::string(name), numbers<double>(array, grid.types.size())});
  }
  for (const pugi::xml_node& array : piece.child("PointData").children("DataArray")) {
    const std::string_view type = attribute(array, "type");
    if ((type == "UInt8" || type == "Int8") && has_one_component(array))
      grid.point_arrays.push_back(
          {std::string(attribute(array, "Name")), numbers<double>(array, grid.points.size() / 3)});
  }
}

// ---- arrays -------------------------------------------------------------------------------------------------------

// The first array of that name, or of any if the name is empty.
pugi::xml_node VtuReader::find_array(const pugi::xml_node& section, std::string_view name) const {
  for (const pugi::xml_node& array : section.children("DataArray"))
    if (name.empty() || equal_ignoring_case(attribute(array, "Name"), name)) return array;
  return {};
}

template <class Out>
std::vector<Out> VtuReader::numbers(const pugi::xml_node& array, std::uint64_t count) const {
  const auto type = find_type(attribute(array, "type"));
  if (!type || (!is_integer(*type) && std::is_integral_v<Out>))
    fail_array(array, "can't be of type " + quote(attribute(array, "type")));
  if (count == 0) return {};
  const std::string_view format = attribute(array, "format");
  if (format.empty() || equal_ignoring_case(format, "ascii")) return numbers_of_text<Out>(array, count);
  if (!foreign_compressor_.empty())
    fail_array(array, "is compressed by " + quote(foreign_compressor_) +
                          ", which can't be read; save the file with zlib or without compression");
  // Arrays may share their bytes. A file can still not hold more than it has, or a thousand times that when deflated.
  decoded_bytes_ += count * size_of(*type);
  if (decoded_bytes_ / (encoding_.deflated ? 1100 : 1) > content_.size())
    fail_array(array, "is one too many: all arrays together are larger than the file can hold");
  std::vector<Out> result;
  try {
    EncodedBytes source = bytes_of(array);
    append_numbers(array_bytes(source, encoding_, count * size_of(*type)), *type, encoding_.swap_bytes, result);
  } catch (const VtuDamage& damage) {
    fail_array(array, damage.what);
  }
  return result;
}

EncodedBytes VtuReader::bytes_of(const pugi::xml_node& array) const {
  const std::string_view format = attribute(array, "format");
  if (format == "binary") return {array.text().get(), true};
  if (format != "appended") fail_array(array, "has the format " + quote(format) + ", which isn't known");
  if (!appended_) fail_array(array, "should be in <AppendedData>, which isn't there");
  const std::string_view text = trimmed(attribute(array, "offset"));
  const auto offset = parse_integer(text);
  if (!offset || *offset < 0 || *offset > std::ssize(*appended_))
    fail_array(array, "should begin at byte " + quote(text) + " of " + std::to_string(appended_->size()) +
                          " appended ones (is the file cut short?)");
  return {appended_->substr(static_cast<std::size_t>(*offset)), appended_base64_};
}

template <class Out>
std::vector<Out> VtuReader::numbers_of_text(const pugi::xml_node& array, std::uint64_t count) const {
  std::string_view text = array.text().get();
  std::vector<Out> result;
  result.reserve(std::min<std::uint64_t>(count, text.size() / 2 + 1));
  for (auto word = next_word(text); !word.empty(); word = next_word(text)) {
    if (result.size() == count) fail_array(array, "has more than " + std::to_string(count) + " numbers");
    if constexpr (std::is_integral_v<Out>) {
      const auto value = parse_integer(word);
      if (!value) fail_array(array, "should have integers, not " + quote(word));
      result.push_back(*value);
    } else {
      const auto value = parse_number(word);
      if (!value && !equal_ignoring_case(word, "nan")) fail_array(array, "should have numbers, not " + quote(word));
      result.push_back(value.value_or(std::numeric_limits<double>::quiet_NaN()));
    }
  }
  if (result.size() < count)
    fail_array(array, "has " + std::to_string(result.size()) + " numbers, but should have " + std::to_string(count));
  return result;
}

// Behind the declaration and comments, the first element is <VTKFile>.
bool recognises_vtu(std::string_view content) {
  if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  while (true) {
    const auto begin = content.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return false;
    content.remove_prefix(begin);
    if (content.starts_with("<VTKFile")) return true;
    const bool is_comment = content.starts_with("<!--");
    if (!is_comment && !content.starts_with("<?") && !content.starts_with("<!DOCTYPE")) return false;
    const std::string_view stop = is_comment ? "-->" : ">";
    const auto end = content.find(stop);
    if (end == std::string_view::npos) return false;
    content.remove_prefix(end + stop.size());
  }
}

VolumeMesh read_vtu(const MeshFile& file) {
  return VtuReader(file).read();
}

}  // namespace

const MeshFormat vtu_format = {"VTK XML (.vtu)", recognises_vtu, read_vtu};

}  // namespace quartic::io
