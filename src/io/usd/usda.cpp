// USD's text files (.usda): the tetrahedral meshes (UsdGeomTetMesh) of one stage, as it is in this one file. What comes
// from other files, or depends on a choice, is named, and refused where it could change a mesh.
//
// OpenUSD, UsdGeomTetMesh, UsdGeomXformable, UsdGeomGetStageMetersPerUnit.
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/mesh/mesh_builder.hpp"
#include "io/text/text.hpp"
#include "io/usd/usd_transform.hpp"
#include "io/usd/usda_format.hpp"
#include "io/usd/usda_materials.hpp"
#include "io/usd/usda_parser.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view flatten = "`usdcat --flatten IN.usda -o OUT.usda` writes all into one file";

bool is_of_a_mesh(std::string_view attribute) {
  return attribute == "points" || attribute == "tetVertexIndices" || attribute == "orientation" ||
         attribute == "purpose" || attribute == "visibility" || attribute.starts_with("xformOp");
}

bool has_tetrahedra(const UsdPrim& prim) {
  if (prim.type == "TetMesh") return true;
  for (const UsdPrim& child : prim.children)
    if (has_tetrahedra(child)) return true;
  return false;
}

bool is_wanted(std::string_view property) {
  return is_of_a_mesh(property) || is_of_a_usd_material(property);
}

/// A variant that may make a difference to a mesh.
bool concerns_meshes(const UsdPrim& variant) {
  if (variant.type == "TetMesh") return true;
  for (const UsdAttribute& attribute : variant.attributes)
    if (is_of_a_mesh(attribute.name)) return true;
  for (const UsdPrim& child : variant.children)
    if (concerns_meshes(child)) return true;
  return false;
}

/// A variant that may make a difference to a material, for rendering alone aside.
bool concerns_materials(const UsdPrim& variant) {
  for (const UsdAttribute& attribute : variant.attributes)
    if (changes_a_usd_material(attribute.name)) return true;
  for (const UsdPrim& child : variant.children)
    if (concerns_materials(child)) return true;
  return false;
}

class UsdaReader {
 public:
  explicit UsdaReader(const MeshFile& file) : name_(file.path.string()), stage_(parse_usda(file, is_wanted)) {}

  VolumeMesh read();

 private:
  struct TetMesh {
    const UsdPrim* prim = nullptr;
    std::string path;
    UsdTransform to_world;
    UsdBindings bindings;
  };

  void find_meshes(const UsdPrim& prim, const std::string& path, const UsdTransform& parent, const UsdBindings& outer);
  bool is_on_stage(const UsdPrim& prim, const std::string& path);
  void check_compositions(const UsdPrim& prim, const std::string& path);
  void check_variants(const UsdPrim& prim, const std::string& path);
  [[nodiscard]] double meters_per_unit();
  [[nodiscard]] double kilograms_per_unit();
  /// @return index of its region
  std::int32_t add_mesh(const TetMesh& mesh, const std::string& region);
  void set_materials(const std::vector<std::int32_t>& regions);
  [[nodiscard]] const UsdValue& numbers(const TetMesh& mesh, std::string_view attribute, std::size_t width);
  [[noreturn]] void fail_without_meshes() const;
  [[noreturn]] void fail(std::int64_t line, const std::string& what) const { throw ParseError(name_, line, what); }
  void warn(std::int64_t line, const std::string& what) { builder_.warn("line " + std::to_string(line) + ": " + what); }

  std::string name_;
  UsdPrim stage_;
  MeshBuilder builder_;
  std::vector<TetMesh> meshes_;
  double scale_ = 1;
  std::int64_t surfaces_ = 0;
  bool is_composed_ = false;
};

// ---- what is on the stage ---------------------------------------------------------------------------------------

bool UsdaReader::is_on_stage(const UsdPrim& prim, const std::string& path) {
  const UsdMetadata* active = prim.find_metadata("active");
  const bool is_inactive = active != nullptr && (active->value.words == std::vector<std::string>{"false"} ||
                                                 active->value.numbers == std::vector<double>{0});
  if (prim.specifier == UsdSpecifier::define && !is_inactive) return true;
  if (has_tetrahedra(prim))
    warn(prim.line, "prim <" + path + "> is " +
                        (is_inactive                                ? "inactive"
                         : prim.specifier == UsdSpecifier::abstract ? "a class"
                                                                    : "an over without a def") +
                        ", so the TetMesh in it is no part of the stage");
  return false;
}

// What a prim takes in from other files or prims.
void UsdaReader::check_compositions(const UsdPrim& prim, const std::string& path) {
  for (const UsdMetadata& entry : prim.metadata) {
    if (entry.key != "references" && entry.key != "payload" && entry.key != "inherits" && entry.key != "specializes")
      continue;
    if (entry.value.words.empty() || entry.value.words.front() == "None") continue;
    const std::string what =
        "prim <" + path + "> takes in " + entry.value.words.front() + " (" + entry.key + "), which isn't read";
    if (has_tetrahedra(prim)) fail(entry.line, what + " and may change the mesh; " + std::string(flatten));
    warn(entry.line, what + "; if there are meshes in it, " + std::string(flatten));
    is_composed_ = true;
  }
}

void UsdaReader::check_variants(const UsdPrim& prim, const std::string& path) {
  for (const UsdPrim& child : prim.children) {
    if (child.specifier != UsdSpecifier::variant) continue;
    const std::string variant = "variant " + quote(child.name) + " of prim <" + path + "> changes its ";
    const std::string remedy = "; " + std::string(flatten) + " as the variants are chosen";
    if (concerns_meshes(child)) fail(child.line, variant + "meshes" + remedy);
    if (concerns_materials(child)) warn(child.line, variant + "materials, and isn't read" + remedy);
  }
}

void UsdaReader::find_meshes(const UsdPrim& prim, const std::string& path, const UsdTransform& parent,
                             const UsdBindings& outer) {
  if (!is_on_stage(prim, path)) return;
  check_compositions(prim, path);
  check_variants(prim, path);
  const UsdTransform to_world = usd_transform(prim, path, parent, name_);
  const UsdBindings bindings = usd_bindings(prim, path, outer);
  const bool matters = has_tetrahedra(prim);
  for (const UsdAttribute& attribute : prim.attributes)
    if (attribute.sampled && attribute.name.starts_with("xformOp") && matters)
      warn(attribute.line, "prim <" + path + "> moves; its " + attribute.name + " is that of the first time");
  surfaces_ += prim.type == "Mesh";
  if (prim.type == "TetMesh") {
    for (const auto& [name, usual] : {std::pair("purpose", "default"), std::pair("visibility", "inherited")})
      if (const UsdAttribute* attribute = prim.find_attribute(name);
          attribute != nullptr && !attribute->value.words.empty() && attribute->value.words.front() != usual)
        warn(attribute->line, "TetMesh <" + path + "> has the " + name + " '" + attribute->value.words.front() +
                                  "', and is read all the same");
    meshes_.push_back({&prim, path, to_world, bindings});
  }
  for (const UsdPrim& child : prim.children) {
    if (child.specifier == UsdSpecifier::variant) continue;
    if (child.type == "GeomSubset" && prim.type == "TetMesh")
      warn(child.line, "the GeomSubset <" + path + "/" + child.name + "> was skipped");
    find_meshes(child, path + "/" + child.name, to_world, bindings);
  }
}

double UsdaReader::meters_per_unit() {
  const UsdMetadata* entry = stage_.find_metadata("metersPerUnit");
  if (entry == nullptr) {
    builder_.warn("the stage has no metersPerUnit, so USD's default holds: positions were taken as centimetres");
    return 0.01;
  }
  if (entry->value.numbers.size() != 1 || !(entry->value.numbers[0] > 0))
    fail(entry->line, "metersPerUnit should be a number above 0");
  const double scale = entry->value.numbers[0];
  if (scale != 1)
    builder_.warn("positions were multiplied by " + format_number(scale) + " (metersPerUnit) to make them metres");
  return scale;
}

// Metadata of UsdPhysics, with kilograms where the stage doesn't say.
double UsdaReader::kilograms_per_unit() {
  const UsdMetadata* entry = stage_.find_metadata("kilogramsPerUnit");
  if (entry == nullptr) return 1;
  if (entry->value.numbers.size() != 1 || !(entry->value.numbers[0] > 0))
    fail(entry->line, "kilogramsPerUnit should be a number above 0");
  return entry->value.numbers[0];
}

// ---- meshes -----------------------------------------------------------------------------------------------------

const UsdValue& UsdaReader::numbers(const TetMesh& mesh, std::string_view attribute, std::size_t width) {
  const UsdAttribute* found = mesh.prim->find_attribute(attribute);
  const std::string subject = "TetMesh <" + mesh.path + "> ";
  if (found == nullptr) fail(mesh.prim->line, subject + "has no " + std::string(attribute));
  const UsdValue& value = found->value;
  if (!value.words.empty() || (value.rows > 0 && value.width != width) || value.numbers.size() != value.rows * width)
    fail(found->line,
         subject + "should have " + std::to_string(width) + " numbers in each entry of " + std::string(attribute));
  if (found->sampled)
    warn(found->line, subject + "moves; its " + std::string(attribute) + " are those of the first time");
  return value;
}

std::int32_t UsdaReader::add_mesh(const TetMesh& mesh, const std::string& region) {
  const UsdValue& points = numbers(mesh, "points", 3);
  const UsdValue& tetrahedra = numbers(mesh, "tetVertexIndices", 4);
  const std::int64_t first = builder_.vertex_count();
  for (std::size_t p = 0; p < points.numbers.size(); p += 3) {
    auto x = mesh.to_world.apply({points.numbers[p], points.numbers[p + 1], points.numbers[p + 2]});
    for (double& coordinate : x) {
      coordinate *= scale_;
      if (!std::isfinite(coordinate)) fail(mesh.prim->line, "TetMesh <" + mesh.path + "> has points beyond all bounds");
    }
    builder_.add_vertex(builder_.vertex_count(), x);
  }
  const UsdAttribute* orientation = mesh.prim->find_attribute("orientation");
  const bool is_left_handed =
      orientation != nullptr && orientation->value.words == std::vector<std::string>{"leftHanded"};
  const bool swap = is_left_handed != mesh.to_world.mirrors();
  const std::int32_t number = builder_.region(region);
  const auto point_count = static_cast<double>(points.rows);
  for (std::size_t t = 0; t < tetrahedra.rows; ++t) {
    std::array<std::int32_t, 4> vertices{};
    for (std::size_t v = 0; v < 4; ++v) {
      const double index = tetrahedra.numbers[4 * t + v];
      if (!(index >= 0 && index < point_count) || index != static_cast<double>(static_cast<std::int64_t>(index)))
        fail(mesh.prim->find_attribute("tetVertexIndices")->line,
             "TetMesh <" + mesh.path + ">: tetrahedron " + std::to_string(t) + " has point " + format_number(index) +
                 ", but the prim has " + std::to_string(points.rows) + " points, counted from 0");
      vertices[v] = static_cast<std::int32_t>(first + static_cast<std::int64_t>(index));
    }
    if (swap) std::swap(vertices[1], vertices[2]);
    builder_.add_element(ElementType::tet4, vertices, number);
  }
  return number;
}

// Young's moduli are force per area, densities mass per volume, all in the stage's units.
void UsdaReader::set_materials(const std::vector<std::int32_t>& regions) {
  const double kilograms = kilograms_per_unit();
  UsdMaterials materials(stage_, scale_, kilograms,
                         [this](std::int64_t line, const std::string& what) { warn(line, what); });
  bool found = false;
  for (std::size_t m = 0; m < meshes_.size(); ++m)
    if (const auto material = materials.material(meshes_[m].bindings, meshes_[m].path)) {
      builder_.set_material(regions[m], *material);
      found = true;
    }
  if (found && (scale_ != 1 || kilograms != 1))
    builder_.warn("Young's moduli were multiplied by " + format_number(kilograms / scale_) + " and densities by " +
                  format_number(kilograms / (scale_ * scale_ * scale_)) +
                  " (kilogramsPerUnit, metersPerUnit) to make them SI");
}

void UsdaReader::fail_without_meshes() const {
  std::string what = "the stage has no TetMesh";
  if (surfaces_ > 0)
    what += ", only " + std::to_string(surfaces_) +
            " of type Mesh, which are surfaces; fill them with tetrahedra first, with Gmsh, TetGen or fTetWild";
  if (is_composed_) what += "; it takes in other files, which aren't read: " + std::string(flatten);
  fail(0, what);
}

VolumeMesh UsdaReader::read() {
  const UsdMetadata* layers = stage_.find_metadata("subLayers");
  if (layers != nullptr && !layers->value.words.empty())
    fail(layers->line,
         "the stage has the sublayer " + layers->value.words.front() + ", which isn't read; " + std::string(flatten));
  for (const UsdPrim& prim : stage_.children) find_meshes(prim, "/" + prim.name, {}, {});
  if (meshes_.empty()) fail_without_meshes();
  scale_ = meters_per_unit();
  std::map<std::string_view, int> names;
  for (const TetMesh& mesh : meshes_) ++names[mesh.prim->name];
  std::vector<std::int32_t> regions;
  for (const TetMesh& mesh : meshes_)
    regions.push_back(add_mesh(mesh, names[mesh.prim->name] == 1 ? mesh.prim->name : mesh.path));
  set_materials(regions);
  if (builder_.element_count() == 0) fail(0, "the stage's TetMesh prims have no tetrahedra");
  return builder_.finish();
}

bool recognises_usda(std::string_view content) {
  if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  return content.starts_with("#usda");
}

VolumeMesh read_usda(const MeshFile& file) {
  return UsdaReader(file).read();
}

}  // namespace

const MeshFormat usda_format = {"USD (.usda)", recognises_usda, read_usda};

}  // namespace quartic::io
