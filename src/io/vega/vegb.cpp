// VegaFEM's binary meshes (.vegb). The layout was learnt from VegaFEM 4.0, libraries/volumetricMesh/volumetricMesh.cpp
// (loadFromBinaryGeneric, saveToBinary) and volumetricMesh.h:
//
//   double version = 1; int type (1 TET, 2 CUBIC); int count of vertices; 3 doubles each;
//   int count of elements; int vertices per element (4, 8); the vertices of each;
//   int count of materials; of each: int length of its name, the name, int kind, doubles (density first);
//   int count of sets, the first of which, allElements, isn't written; of each other one: int length of its name, the
//   name, int count of elements, the elements;
//   int count of regions; of each: int material, int set.
//
// Numbers count from 0; bytes are in the order of the machine that wrote them.
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/mesh/mesh_builder.hpp"
#include "io/text/binary_values.hpp"
#include "io/text/text.hpp"
#include "io/vega/vega_formats.hpp"
#include "io/vega/vega_materials.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

struct MaterialKind {
  std::string_view name;
  std::size_t numbers;
};
constexpr MaterialKind material_kinds[] = {{"ENU", 3}, {"ORTHOTROPIC", 19}, {"MOONEYRIVLIN", 4}};  // from 1 on

struct FileMaterial {
  std::string name;
  std::string_view kind;
  std::optional<Material> material;  // of the kinds ENU and MOONEYRIVLIN
};

struct ElementSet {
  std::string name;
  std::vector<std::int32_t> elements;
};

class VegbReader {
 public:
  VegbReader(const MeshFile& file, bool swap_bytes) : values_(file.path.string(), file.content, 0, swap_bytes) {}

  VolumeMesh read();

 private:
  void read_vertices();
  void read_elements();
  void read_materials();
  void read_sets();
  void read_regions();
  void assign(const ElementSet& set, std::int32_t region);
  std::int64_t count(std::uint64_t bytes_each, std::string_view what);
  double number(std::string_view what);
  std::string name(std::string_view what);

  BinaryValues values_;
  MeshBuilder builder_;
  ElementType type_ = ElementType::tet4;
  std::vector<FileMaterial> materials_;
  std::vector<ElementSet> sets_;
  std::vector<std::string> region_names_;
  std::int64_t overridden_ = 0;
  std::string overridden_example_;
};

std::int64_t VegbReader::count(std::uint64_t bytes_each, std::string_view what) {
  const auto value = values_.next<std::int32_t>("the number of " + std::string(what));
  values_.require(value, bytes_each, what);
  return value;
}

double VegbReader::number(std::string_view what) {
  const auto value = values_.next<double>(what);
  if (!std::isfinite(value)) values_.fail(std::string(what) + " is not a finite number");
  return value;
}

std::string VegbReader::name(std::string_view what) {
  const auto length = count(1, what);
  return std::string(values_.skip(static_cast<std::uint64_t>(length), what));
}

void VegbReader::read_vertices() {
  const auto vertices = count(3 * sizeof(double), "vertices");
  for (std::int64_t v = 0; v < vertices; ++v) {
    std::array<double, 3> position{};
    for (double& coordinate : position) coordinate = number("a vertex's coordinate");
    builder_.add_vertex(v, position);
  }
}

void VegbReader::read_elements() {
  const auto elements = count(1, "elements");
  const int width = element_vertex_count(type_);
  if (const auto stated = values_.next<std::int32_t>("the number of vertices per element"); stated != width)
    values_.fail("elements should have " + std::to_string(width) + " vertices, but the file says " +
                 std::to_string(stated));
  values_.require(elements, static_cast<std::uint64_t>(width) * sizeof(std::int32_t), "elements");
  std::vector<std::int32_t> vertices(static_cast<std::size_t>(width));
  for (std::int64_t e = 0; e < elements; ++e) {
    for (std::int32_t& vertex : vertices) {
      vertex = values_.next<std::int32_t>("an element's vertex");
      if (vertex < 0 || vertex >= builder_.vertex_count())
        values_.fail("element " + std::to_string(e) + " has vertex " + std::to_string(vertex) + ", but the file has " +
                     std::to_string(builder_.vertex_count()) + " vertices, counted from 0");
    }
    builder_.add_element(type_, vertices);
  }
}

void VegbReader::read_materials() {
  const auto materials = count(2 * sizeof(std::int32_t), "materials");
  for (std::int64_t m = 0; m < materials; ++m) {
    FileMaterial& material = materials_.emplace_back();
    material.name = name("bytes of a material's name");
    const auto kind = values_.next<std::int32_t>("a material's kind");
    if (kind < 1 || kind > std::ssize(material_kinds))
      values_.fail("material " + quote(material.name) + " is of kind " + std::to_string(kind) +
                   ", but VegaFEM's are 1 to 3");
    material.kind = material_kinds[kind - 1].name;
    std::vector<double> numbers(material_kinds[kind - 1].numbers);
    for (double& value : numbers) value = number("a material's number");
    if (kind == 1)
      material.material = {.youngs_modulus = numbers[1], .poissons_ratio = numbers[2], .density = numbers[0]};
    if (material.kind == "MOONEYRIVLIN")
      material.material = vega_mooney_rivlin(numbers, "material " + quote(material.name));
  }
}

void VegbReader::read_sets() {
  const auto sets = count(0, "sets");
  sets_.push_back({"allElements", {}});
  for (std::int64_t s = 1; s < sets; ++s) {
    ElementSet& set = sets_.emplace_back();
    set.name = name("bytes of a set's name");
    const auto elements = count(sizeof(std::int32_t), "elements of a set");
    for (std::int64_t i = 0; i < elements; ++i) {
      set.elements.push_back(values_.next<std::int32_t>("a set's element"));
      if (set.elements.back() < 0 || set.elements.back() >= builder_.element_count())
        values_.fail("set " + quote(set.name) + " has element " + std::to_string(set.elements.back()) +
                     ", but the file has " + std::to_string(builder_.element_count()) + " elements, counted from 0");
    }
  }
}

// Where two regions claim an element, the later one wins, as it does in VegaFEM.
void VegbReader::assign(const ElementSet& set, std::int32_t region) {
  const auto put = [&](std::int64_t row) {
    const ElementPlace place{type_, row};
    const auto before = builder_.region_of(place);
    if (before >= 0 && before != region && ++overridden_ == 1)
      overridden_example_ = region_names_[static_cast<std::size_t>(before)] + ", then " + set.name;
    builder_.set_region(place, region);
  };
  if (&set == sets_.data()) {
    for (std::int64_t row = 0; row < builder_.element_count(); ++row) put(row);
  } else {
    for (const auto element : set.elements) put(element);
  }
}

void VegbReader::read_regions() {
  const auto regions = count(2 * sizeof(std::int32_t), "regions");
  std::vector<std::pair<std::int64_t, std::int32_t>> last(sets_.size(), {-1, -1});  // record and region of each set
  for (std::int64_t r = 0; r < regions; ++r) {
    const auto material = values_.next<std::int32_t>("a region's material");
    const auto set = values_.next<std::int32_t>("a region's set");
    if (material < 0 || material >= std::ssize(materials_))
      values_.fail("region " + std::to_string(r) + " has material " + std::to_string(material) + ", but the file has " +
                   std::to_string(materials_.size()));
    if (set < 0 || set >= std::ssize(sets_))
      values_.fail("region " + std::to_string(r) + " has set " + std::to_string(set) + ", but the file has " +
                   std::to_string(sets_.size()));
    const ElementSet& elements = sets_[static_cast<std::size_t>(set)];
    const FileMaterial& used = materials_[static_cast<std::size_t>(material)];
    std::int32_t region = last[static_cast<std::size_t>(set)].second;  // two sets may have one name
    if (region < 0) {
      region = builder_.add_region(elements.name);
      region_names_.push_back(elements.name);
    }
    if (used.material) {
      builder_.set_material(region, *used.material);
      if (used.material->law == MaterialLaw::mooney_rivlin)
        builder_.warn("material " + quote(used.name) + vega_mooney_rivlin_note);
    } else {
      builder_.warn("material " + quote(used.name) + " is of kind " + std::string(used.kind) + vega_usable_kinds);
    }
    last[static_cast<std::size_t>(set)] = {r, region};
  }
  // A set that comes again counts once, at its last place.
  std::map<std::int64_t, std::size_t> set_of_record;
  for (std::size_t set = 0; set < last.size(); ++set)
    if (last[set].first >= 0) set_of_record.emplace(last[set].first, set);
  for (const auto& [record, set] : set_of_record) assign(sets_[set], last[set].second);
  if (overridden_ > 0)
    builder_.warn(std::to_string(overridden_) + (overridden_ == 1 ? " element is" : " elements are") +
                  " in more than one region; the last one in the file counts (for example " + overridden_example_ +
                  ")");
}

VolumeMesh VegbReader::read() {
  (void)values_.next<double>("the version");
  type_ = values_.next<std::int32_t>("the element type") == 1 ? ElementType::tet4 : ElementType::hex8;
  read_vertices();
  read_elements();
  read_materials();
  read_sets();
  read_regions();
  if (values_.remaining() > 0)
    builder_.warn(std::to_string(values_.remaining()) + " bytes follow the mesh; they were skipped");
  return builder_.finish();
}

// Version 1.0 and one of two types: twelve bytes that no other format starts with.
bool starts_in_order(std::string_view content, bool swap_bytes) {
  if (content.size() < sizeof(double) + sizeof(std::int32_t)) return false;
  const auto type = read_value<std::int32_t>(content.data() + sizeof(double), swap_bytes);
  return read_value<double>(content.data(), swap_bytes) == 1.0 && (type == 1 || type == 2);
}

bool recognises_vegb(std::string_view content) {
  return starts_in_order(content, false) || starts_in_order(content, true);
}

VolumeMesh read_vegb(const MeshFile& file) {
  return VegbReader(file, !starts_in_order(file.content, false)).read();
}

}  // namespace

const MeshFormat vegb_format = {"VegaFEM binary (.vegb)", recognises_vegb, read_vegb};

}  // namespace quartic::io
