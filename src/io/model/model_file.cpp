// Model files (.qrt), schema 1: what the tensors are called and how their shapes hang together.
//
// A matrix of displacement fields, shape (3n, k) column by column, is the tensor [k, n, 3] byte for byte.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "core/energy/quartic_polynomial.hpp"
#include "core/surface/embedding_check.hpp"
#include "io/model/safetensors.hpp"
#include "io/model/surface_tensors.hpp"
#include "io/text/text.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/version.hpp"

namespace quartic {
namespace {

constexpr int schema = 1;

const char* const known_tensors[] = {"vertices",
                                     "tet4",
                                     "tet10",
                                     "hex8",
                                     "hex20",
                                     "wedge6",
                                     "wedge15",
                                     "pyramid5",
                                     "element_region",
                                     "region_material",
                                     "fixed_vertices",
                                     "eigenvalues",
                                     "linear_modes",
                                     "basis",
                                     "unit_acceleration",
                                     "energy",
                                     "region_energy",
                                     "region_mass",
                                     "region_unit_acceleration",
                                     "surface_vertices",
                                     "surface_triangles",
                                     "surface_volume_vertices",
                                     "surface_weights",
                                     "surface_basis",
                                     "surface_basis_scale"};
const char* const known_metadata[] = {"quartic_schema", "quartic_version", "rigid_modes",    "mass_matrix",
                                      "created_by",     "region_names",    "hexahedron_rule"};

template <std::size_t count>
bool is_known(const char* const (&names)[count], const std::string& name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

void require(bool fits, const std::string& what) {
  if (!fits) throw InputError("the model's parts don't fit together: " + what);
}

bool is_sorted_index_list(const std::vector<std::int32_t>& list, std::int64_t count) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i] < (i == 0 ? 0 : list[i - 1] + 1) || list[i] >= count) return false;
  return true;
}

/// What both a model to be written and one just read must fulfil.
void require_consistent(const ReducedModel& model) {
  const VolumeMesh& mesh = model.mesh;
  const auto n = mesh.vertex_count();
  const auto regions = std::ssize(mesh.regions);
  require(mesh.vertices.size() % 3 == 0 && n > 0, "there are no vertices");
  require(mesh.element_count() > 0, "there are no elements");
  for (std::size_t b = 1; b < mesh.blocks.size(); ++b)
    require(mesh.blocks[b - 1].type < mesh.blocks[b].type, "element blocks must ascend by type, each type once");
  for (const ElementBlock& block : mesh.blocks)
    for (const auto v : block.vertices)
      require(v >= 0 && v < n, "an element has vertex " + std::to_string(v) + " of " + std::to_string(n));
  require(std::ssize(mesh.element_region) == mesh.element_count(), "element_region must have one entry per element");
  for (const auto region : mesh.element_region)
    require(region >= 0 && region < regions,
            "an element is in region " + std::to_string(region) + " of " + std::to_string(regions));
  for (const Region& region : mesh.regions) {
    require(region.material.has_value(), "region '" + region.name + "' has no material");
    check_material(*region.material, "region '" + region.name + "'");
  }
  require(is_sorted_index_list(model.fixed_vertices, n), "fixed vertices must be sorted, each once, and in range");
  require(model.rigid_modes >= 0, "rigid_modes is negative");
  const auto k = std::ssize(model.eigenvalues);
  require(model.linear_modes.cols == k && (k == 0 || model.linear_modes.rows == 3 * n),
          "linear_modes must hold one field per eigenvalue and three numbers per vertex");
  const auto r = model.basis.cols;
  require(r >= 0 && r <= rank_limit && (r == 0 || model.basis.rows == 3 * n),
          "basis must hold three numbers per vertex");
  require(model.energy.rank == r,
          "energy is of rank " + std::to_string(model.energy.rank) + ", but basis of " + std::to_string(r));
  const auto coefficients = r == 0 ? 0 : quartic_coefficient_count(r);
  require(std::ssize(model.energy.coefficients) == coefficients,
          "energy must have " + std::to_string(coefficients) + " coefficients");
  require(model.unit_acceleration.rows * model.unit_acceleration.cols == 3 * r &&
              (r == 0 || model.unit_acceleration.rows == r),
          "unit_acceleration must have three numbers per basis vector");
  require(model.region_energy.empty() || std::ssize(model.region_energy) == regions,
          "region_energy must have one entry per region");
  for (const RegionEnergy& part : model.region_energy)
    for (const QuarticEnergy* energy : {&part.lambda_part, &part.mu_part})
      require(energy->rank == r && std::ssize(energy->coefficients) == coefficients,
              "region_energy must have " + std::to_string(coefficients) + " coefficients per part");
  require(model.region_mass.empty() || std::ssize(model.region_mass) == regions,
          "region_mass must have one entry per region");
  for (const Matrix& mass : model.region_mass)
    require(mass.rows == r && mass.cols == r, "region_mass must be of the basis' rank");
  require(model.region_unit_acceleration.empty() || std::ssize(model.region_unit_acceleration) == regions,
          "region_unit_acceleration must have one entry per region");
  for (const Matrix& part : model.region_unit_acceleration)
    require(part.rows == r && part.cols == 3, "region_unit_acceleration must have three numbers per basis vector");
  if (model.surface) require_sound_embedding(*model.surface, n);
  require(model.surface_basis == SurfaceBasis::none || (model.surface && r > 0),
          "a surface_basis needs a surface and a basis");
}

// ---- writing -----------------------------------------------------------------------------------------------

/// Tensors that aren't stored as they are in memory.
struct Assembled {
  std::vector<double> region_material, region_energy, region_mass, region_unit_acceleration;
  io::SurfaceBasisValues surface_basis;
};

Assembled assemble(const ReducedModel& model) {
  Assembled assembled;
  for (const Region& region : model.mesh.regions)
    assembled.region_material.insert(
        assembled.region_material.end(),
        {region.material->youngs_modulus, region.material->poissons_ratio, region.material->density});
  const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (const RegionEnergy& part : model.region_energy) {
    append(assembled.region_energy, part.lambda_part.coefficients);
    append(assembled.region_energy, part.mu_part.coefficients);
  }
  for (const Matrix& mass : model.region_mass) append(assembled.region_mass, mass.values);
  for (const Matrix& part : model.region_unit_acceleration) append(assembled.region_unit_acceleration, part.values);
  return assembled;
}

std::vector<io::TensorView> tensors_of(const ReducedModel& model, Assembled& assembled) {
  const VolumeMesh& mesh = model.mesh;
  const auto n = mesh.vertex_count();
  const auto regions = std::ssize(mesh.regions);
  const auto k = std::ssize(model.eigenvalues);
  const auto r = model.basis.cols;
  const auto coefficients = std::ssize(model.energy.coefficients);
  std::vector<io::TensorView> tensors;
  tensors.push_back(io::tensor_view("vertices", {n, 3}, mesh.vertices));
  for (const ElementBlock& block : mesh.blocks)
    tensors.push_back(io::tensor_view(std::string(element_type_name(block.type)),
                                      {block.count(), element_vertex_count(block.type)}, block.vertices));
  tensors.push_back(io::tensor_view("element_region", {mesh.element_count()}, mesh.element_region));
  tensors.push_back(io::tensor_view("region_material", {regions, 3}, assembled.region_material));
  tensors.push_back(io::tensor_view("fixed_vertices", {std::ssize(model.fixed_vertices)}, model.fixed_vertices));
  tensors.push_back(io::tensor_view("eigenvalues", {k}, model.eigenvalues));
  tensors.push_back(io::tensor_view("linear_modes", {k, n, 3}, model.linear_modes.values));
  if (r > 0) {
    tensors.push_back(io::tensor_view("basis", {r, n, 3}, model.basis.values));
    tensors.push_back(io::tensor_view("unit_acceleration", {3, r}, model.unit_acceleration.values));
    tensors.push_back(io::tensor_view("energy", {coefficients}, model.energy.coefficients));
  }
  if (!model.region_energy.empty())
    tensors.push_back(io::tensor_view("region_energy", {regions, 2, coefficients}, assembled.region_energy));
  if (!model.region_mass.empty())
    tensors.push_back(io::tensor_view("region_mass", {regions, r, r}, assembled.region_mass));
  if (!model.region_unit_acceleration.empty())
    tensors.push_back(io::tensor_view("region_unit_acceleration", {regions, 3, r}, assembled.region_unit_acceleration));
  io::append_surface_tensors(model, assembled.surface_basis, tensors);
  for (const auto& [name, tensor] : model.unknown_tensors)
    if (!is_known(known_tensors, name)) tensors.push_back({name, tensor.dtype, tensor.shape, tensor.data});
  return tensors;
}

std::map<std::string, std::string> metadata_of(const ReducedModel& model) {
  std::map<std::string, std::string> metadata = model.unknown_metadata;
  nlohmann::json names = nlohmann::json::array();
  for (const Region& region : model.mesh.regions) names.push_back(region.name);
  metadata["quartic_schema"] = std::to_string(schema);
  metadata["quartic_version"] = version;
  metadata["rigid_modes"] = std::to_string(model.rigid_modes);
  metadata["mass_matrix"] = model.mass_matrix == MassMatrix::consistent ? "consistent" : "lumped";
  metadata["created_by"] = model.created_by;
  metadata["region_names"] = names.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (const ElementBlock& block : model.mesh.blocks)  // without it, readers assume three points, as older files mean
    if (block.type == ElementType::hex8 && block.hexahedron_rule == HexahedronRule::gauss_2x2x2)
      metadata["hexahedron_rule"] = "2x2x2";
  return metadata;
}

void require_valid_unknown_tensors(const ReducedModel& model) {
  for (const auto& [name, tensor] : model.unknown_tensors) {
    auto bytes = static_cast<std::int64_t>(io::dtype_bytes(tensor.dtype));
    if (bytes == 0) continue;  // a dtype that only newer programs know
    bool fits = true;
    for (const auto size : tensor.shape) fits = fits && size >= 0 && !__builtin_mul_overflow(bytes, size, &bytes);
    require(fits && bytes == std::ssize(tensor.data), "tensor '" + name + "' has data that don't fit its shape");
  }
}

// ---- reading -----------------------------------------------------------------------------------------------

/// Reads one model; every shape is checked against the others.
class ModelReader {
 public:
  explicit ModelReader(const std::filesystem::path& path) : file_(path) {}

  ReducedModel read() {
    read_metadata();
    read_mesh();
    read_modes();
    read_reduction();
    io::read_surface_tensors(file_, model_);
    keep_unknown();
    try {
      require_consistent(model_);
    } catch (const ParseError&) {
      throw;
    } catch (const InputError& error) {
      file_.fail(error.what());
    }
    return std::move(model_);
  }

 private:
  const std::string& metadata(const std::string& key) const {
    const auto found = file_.metadata().find(key);
    if (found == file_.metadata().end()) file_.fail("the metadata lack '" + key + "'");
    return found->second;
  }

  void read_metadata() {
    if (!file_.metadata().contains("quartic_schema"))
      file_.fail("this safetensors file is no quartic model (its metadata lack 'quartic_schema'); is it a trajectory?");
    const auto found = io::parse_integer(metadata("quartic_schema"));
    if (!found || *found < 1) file_.fail("quartic_schema is " + io::quote(metadata("quartic_schema")));
    if (*found > schema)
      file_.fail("the model was written by a newer version of quartic (schema " + std::to_string(*found) +
                 "; this version, " + version + ", reads up to " + std::to_string(schema) + "); update quartic");
    const auto rigid_modes = io::parse_integer(metadata("rigid_modes"));
    if (!rigid_modes || *rigid_modes < 0 || *rigid_modes > INT32_MAX)
      file_.fail("rigid_modes is " + io::quote(metadata("rigid_modes")));
    model_.rigid_modes = static_cast<int>(*rigid_modes);
    const std::string& mass_matrix = metadata("mass_matrix");
    if (mass_matrix != "consistent" && mass_matrix != "lumped") file_.fail("mass_matrix is " + io::quote(mass_matrix));
    model_.mass_matrix = mass_matrix == "consistent" ? MassMatrix::consistent : MassMatrix::lumped;
    if (file_.metadata().contains("created_by")) model_.created_by = metadata("created_by");
  }

  void read_mesh() {
    VolumeMesh& mesh = model_.mesh;
    mesh.vertices = file_.values<double>("vertices", 2);
    file_.require_size("vertices", 1, 3);
    for (int t = 0; t < element_type_count; ++t) {
      const auto type = static_cast<ElementType>(t);
      const std::string name(element_type_name(type));
      if (file_.find(name) == nullptr) continue;
      mesh.blocks.push_back({type, file_.values<std::int32_t>(name, 2)});
      if (type == ElementType::hex8) mesh.blocks.back().hexahedron_rule = hexahedron_rule();
      file_.require_size(name, 1, element_vertex_count(type));
    }
    mesh.element_region = file_.values<std::int32_t>("element_region", 1);
    const auto materials = file_.values<double>("region_material", 2);
    file_.require_size("region_material", 1, 3);
    const auto names = region_names(materials.size() / 3);
    for (std::size_t g = 0; g < names.size(); ++g)
      mesh.regions.push_back({names[g], Material{.youngs_modulus = materials[3 * g],
                                                 .poissons_ratio = materials[3 * g + 1],
                                                 .density = materials[3 * g + 2]}});
    model_.fixed_vertices = file_.values<std::int32_t>("fixed_vertices", 1);
  }

  HexahedronRule hexahedron_rule() const {
    const auto found = file_.metadata().find("hexahedron_rule");
    if (found == file_.metadata().end() || found->second == "3x3x3") return HexahedronRule::gauss_3x3x3;
    if (found->second != "2x2x2")
      file_.fail("hexahedron_rule is " + io::quote(found->second) + "; it must be \"3x3x3\" or \"2x2x2\"");
    return HexahedronRule::gauss_2x2x2;
  }

  // Names are for people; a file without usable ones gets "region 0", "region 1", ...
  std::vector<std::string> region_names(std::size_t count) const {
    std::vector<std::string> names;
    if (const auto found = file_.metadata().find("region_names"); found != file_.metadata().end()) {
      const auto json = nlohmann::json::parse(found->second, nullptr, false);
      if (json.is_array())
        for (const auto& name : json)
          if (name.is_string()) names.push_back(name.get<std::string>());
    }
    if (names.size() == count) return names;
    names.clear();
    for (std::size_t g = 0; g < count; ++g) names.push_back("region " + std::to_string(g));
    return names;
  }

  Matrix fields(const std::string& name) const {
    Matrix matrix;
    matrix.values = file_.values<double>(name, 3);
    file_.require_size(name, 1, model_.mesh.vertex_count());
    file_.require_size(name, 2, 3);
    matrix.rows = 3 * model_.mesh.vertex_count();
    matrix.cols = file_.size(name, 0);
    return matrix;
  }

  void read_modes() {
    model_.eigenvalues = file_.values<double>("eigenvalues", 1);
    model_.linear_modes = fields("linear_modes");
  }

  void read_reduction() {
    if (file_.find("basis") == nullptr) {
      for (const char* name :
           {"unit_acceleration", "energy", "region_energy", "region_mass", "region_unit_acceleration"})
        if (file_.find(name) != nullptr) file_.fail(std::string("there is '") + name + "', but no 'basis'");
      return;
    }
    model_.basis = fields("basis");
    const auto r = model_.basis.cols;
    if (r < 1 || r > rank_limit) file_.fail("the basis has " + std::to_string(r) + " vectors");
    model_.unit_acceleration.values = file_.values<double>("unit_acceleration", 2);
    file_.require_size("unit_acceleration", 0, 3);
    file_.require_size("unit_acceleration", 1, r);
    model_.unit_acceleration.rows = r;
    model_.unit_acceleration.cols = 3;
    model_.energy = {static_cast<int>(r), file_.values<double>("energy", 1)};
    file_.require_size("energy", 0, quartic_coefficient_count(r));
    if (file_.find("region_energy") != nullptr) read_region_energy(r);
    model_.region_mass = region_matrices("region_mass", r, r);
    model_.region_unit_acceleration = region_matrices("region_unit_acceleration", 3, r);
  }

  void read_region_energy(std::int64_t r) {
    const auto values = file_.values<double>("region_energy", 3);
    const auto coefficients = quartic_coefficient_count(r);
    file_.require_size("region_energy", 0, std::ssize(model_.mesh.regions));
    file_.require_size("region_energy", 1, 2);
    file_.require_size("region_energy", 2, coefficients);
    const auto part = [&](std::int64_t i) {
      const auto begin = values.begin() + i * coefficients;
      return QuarticEnergy{static_cast<int>(r), {begin, begin + coefficients}};
    };
    for (std::int64_t g = 0; g < std::ssize(model_.mesh.regions); ++g)
      model_.region_energy.push_back({part(2 * g), part(2 * g + 1)});
  }

  // A tensor [regions, cols, rows], if there is one, as a matrix per region.
  std::vector<Matrix> region_matrices(const std::string& name, std::int64_t cols, std::int64_t rows) const {
    std::vector<Matrix> matrices;
    if (file_.find(name) == nullptr) return matrices;
    const auto values = file_.values<double>(name, 3);
    file_.require_size(name, 0, std::ssize(model_.mesh.regions));
    file_.require_size(name, 1, cols);
    file_.require_size(name, 2, rows);
    for (std::int64_t g = 0; g < std::ssize(model_.mesh.regions); ++g)
      std::copy_n(values.begin() + g * rows * cols, rows * cols, matrices.emplace_back(rows, cols).values.begin());
    return matrices;
  }

  void keep_unknown() {
    for (const auto& [name, tensor] : file_.tensors()) {
      if (is_known(known_tensors, name)) continue;
      const auto bytes = file_.data(tensor);
      model_.unknown_tensors[name] = {tensor.dtype, tensor.shape, {bytes.begin(), bytes.end()}};
    }
    for (const auto& [key, value] : file_.metadata())
      if (!is_known(known_metadata, key)) model_.unknown_metadata[key] = value;
  }

  io::SafetensorsFile file_;
  ReducedModel model_;
};

}  // namespace

void save_model(const ReducedModel& model, const std::filesystem::path& path) {
  require_consistent(model);
  require_valid_unknown_tensors(model);
  Assembled assembled = assemble(model);
  io::write_safetensors(path, tensors_of(model, assembled), metadata_of(model));
}

ReducedModel load_model(const std::filesystem::path& path) {
  return ModelReader(path).read();
}

}  // namespace quartic
