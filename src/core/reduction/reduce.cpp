// The pipeline: mesh -> K, M -> linear modes -> modal derivatives -> basis -> quartic energy.
#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>

#include "core/elements/quadrature.hpp"
#include "core/energy/quartic_polynomial.hpp"
#include "core/fem/fem_backends.hpp"
#include "core/mesh/repeated_elements.hpp"
#include "core/modes/elastic_system.hpp"
#include "core/reduction/mass_orthogonalization.hpp"
#include "core/reduction/region_mass.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"

namespace quartic {

PreparedVertices prepare_mesh(VolumeMesh& mesh, std::span<const std::int32_t> fixed_vertices,
                              std::vector<std::string>& warnings) {
  const auto elements = mesh.element_count();
  if (const auto turned = repair_orientation(mesh); turned > 0)
    warnings.push_back(std::to_string(turned) + " of " + std::to_string(elements) +
                       " elements had negative volume and were reoriented");
  if (const auto repeated = repeated_element_count(mesh); repeated > 0)
    warnings.push_back(std::to_string(repeated) + " of " + std::to_string(elements) +
                       " elements have the same vertices as another one: stiffness and mass count twice there");
  const auto before = mesh.vertex_count();
  for (const auto v : fixed_vertices)
    if (v < 0 || v >= before)
      throw InputError("fixed vertex " + std::to_string(v) + " is outside 0 .. " + std::to_string(before - 1));
  std::vector<std::int32_t> kept = drop_unreferenced_vertices(mesh);
  if (std::ssize(kept) < before)
    warnings.push_back(std::to_string(before - std::ssize(kept)) +
                       " vertices belong to no element and were dropped; vertices are renumbered");
  std::vector<std::int32_t> fixed;
  for (const auto v : fixed_vertices) {
    const auto place = std::lower_bound(kept.begin(), kept.end(), v);
    if (place != kept.end() && *place == v) fixed.push_back(static_cast<std::int32_t>(place - kept.begin()));
  }
  std::sort(fixed.begin(), fixed.end());
  fixed.erase(std::unique(fixed.begin(), fixed.end()), fixed.end());
  require_usable(mesh);
  return {.fixed = std::move(fixed), .kept = std::move(kept)};
}

namespace {

/// Notes the time of each stage in the report.
class StageClock {
 public:
  explicit StageClock(ReduceReport& report) : report_(report) {}
  template <class Work>
  auto time(const char* stage, const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    auto result = work();
    report_.stages.emplace_back(stage, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    return result;
  }

 private:
  ReduceReport& report_;
};

void start_stage(const ReduceOptions& options, const char* stage) {
  if (options.progress) options.progress(stage, 0);
}

// What the stages will work on, at most.
ReductionSizes sizes_of(const ReducedModel& model, const ReduceOptions& options) {
  const std::int64_t free = 3 * (model.mesh.vertex_count() - std::ssize(model.fixed_vertices));
  const std::int64_t k = options.modes.value_or(static_cast<int>(std::min<std::int64_t>(default_modes, free)));
  ReductionSizes sizes{.mass = options.mass_matrix, .modes = k};
  if (!options.energy) return sizes;
  const std::int64_t derivatives = options.derivative_kind == DerivativeKind::statics ? k * (k + 1) / 2 : k * k;
  sizes.fields = k + (options.derivatives ? derivatives : 0);
  sizes.rank = std::min<std::int64_t>(options.rank.value_or(default_rank), sizes.fields);
  return sizes;
}

ElasticSystem make_system(const ReducedModel& model, const ReduceOptions& options, StageClock& clock) {
  if (options.backend == Backend::cuda) {
    const ReductionSizes sizes = sizes_of(model, options);
    auto system = clock.time(
        "assembly", [&] { return assemble_on_device(model.mesh, model.fixed_vertices, options.mass_matrix, &sizes); });
    return clock.time("factorisation", [&] {
      start_stage(options, "factorisation");
      factorize_on_device(*system, model.mesh, model.fixed_vertices, {.backend = options.backend});
      return ElasticSystem(std::move(system));
    });
  }
  ElasticMatrices matrices =
      clock.time("assembly", [&] { return elastic_matrices(model.mesh, options.mass_matrix, options.backend); });
  return clock.time("factorisation", [&] {
    start_stage(options, "factorisation");
    const Matrix rigid = rigid_modes(model.mesh, matrices.mass, model.fixed_vertices);
    ElasticSystem result(matrices.stiffness, matrices.mass, model.fixed_vertices, rigid, {.backend = options.backend});
    matrices = {};
    return result;
  });
}

ModesOptions modes_options(const ElasticSystem& system, const ReduceOptions& options,
                           std::vector<std::string>& warnings) {
  const auto elastic = static_cast<int>(
      std::min<std::int64_t>(system.free_dof_count() - system.rigid_mode_count(), std::numeric_limits<int>::max()));
  ModesOptions result;
  result.count = options.modes.value_or(std::min(default_modes, elastic));
  result.method = options.modes_method;
  result.progress = options.progress;
  if (!options.modes && elastic < default_modes)
    warnings.push_back("the body has only " + std::to_string(elastic) +
                       " elastic degrees of freedom: as many modes are computed");
  return result;
}

void remove_rigid_motions(const ElasticSystem& system, Matrix& fields) {
  if (system.rigid_mode_count() == 0) return;
  Eigen::MatrixXd free = system.impl().restrict_to_free(fields.map());
  system.impl().project_displacements(free);
  system.impl().scatter_from_free(free, fields.map());
}

// Of static derivatives.
std::vector<std::array<int, 2>> pairs_of(int modes) {
  std::vector<std::array<int, 2>> pairs;
  for (int i = 0; i < modes; ++i)
    for (int j = i; j < modes; ++j) pairs.push_back({i, j});
  return pairs;
}

Basis make_basis(const ReducedModel& model, const ElasticSystem& system, const LinearModes& modes,
                 const ReduceOptions& options, StageClock& clock, std::vector<std::string>& warnings) {
  const auto elastic = system.free_dof_count() - system.rigid_mode_count();
  const int most = static_cast<int>(std::min<std::int64_t>(default_rank, elastic));
  const auto start = [&] {
    start_stage(options, "basis");
    if (options.rank && *options.rank > elastic)
      throw InputError("a basis of rank " + std::to_string(*options.rank) + " was requested, but the body has only " +
                       std::to_string(elastic) + " elastic degrees of freedom");
  };
  const auto note_rank = [&](const Basis& basis) {
    if (!options.rank && basis.vectors.cols < default_rank)
      warnings.push_back("the rank is " + std::to_string(basis.vectors.cols) + ": the fields span no more");
  };
  const auto cut = [&](Matrix fields) {
    start();
    Basis basis = mass_pca(std::move(fields), system, options.rank.value_or(most), !options.rank);
    note_rank(basis);
    if (system.rigid_mode_count() > 0) {  // weak fields bring round-off of rigid motions along
      remove_rigid_motions(system, basis.vectors);
      basis.vectors = mass_orthonormalize(basis.vectors.map(), system.mass());
      fix_signs(basis.vectors);
    }
    return basis;
  };
  if (!options.derivatives) {
    if (options.rank && *options.rank > modes.vectors.cols)
      throw InputError("a basis of linear modes only can't have rank " + std::to_string(*options.rank) + " with " +
                       std::to_string(modes.vectors.cols) + " modes; ask for more modes, or use modal derivatives");
    return clock.time("basis", [&] { return cut(scaled_fields(modes, {}, system.mass())); });
  }
  if (DeviceSystem* device = system.impl().device.get();
      device != nullptr && options.derivative_kind == DerivativeKind::statics) {
    const auto pairs = pairs_of(static_cast<int>(modes.vectors.cols));
    const auto fields = clock.time("modal derivatives", [&] {
      return device->derivative_fields(MeshImage(model.mesh), incidences_of(model.mesh), modes.vectors.map(), pairs,
                                       options.progress);
    });
    return clock.time("basis", [&] {
      start();
      Basis basis = mass_pca(*fields, system, modes, pairs, options.rank.value_or(most), !options.rank);
      note_rank(basis);
      return basis;
    });
  }
  Matrix fields = clock.time("modal derivatives", [&] {
    const ModalDerivatives derivatives = modal_derivatives(
        model.mesh, system, modes.vectors.map(), {.kind = options.derivative_kind, .progress = options.progress});
    return scaled_fields(modes, derivatives, system.mass());
  });
  return clock.time("basis", [&] { return cut(std::move(fields)); });
}

void add_energy(ReducedModel& model, const ReduceOptions& options, StageClock& clock) {
  const ReduceEnergyOptions energy_options{.backend = options.backend, .progress = options.progress};
  if (!options.region_parts) {
    model.energy = clock.time("energy", [&] { return reduce_energy(model.mesh, model.basis.map(), energy_options); });
    return;
  }
  model.region_energy =
      clock.time("energy", [&] { return reduce_region_energy(model.mesh, model.basis.map(), energy_options); });
  std::vector<Material> materials;
  for (const Region& region : model.mesh.regions) materials.push_back(*region.material);
  model.energy = combine_region_energy(model.region_energy, materials);
  for (std::size_t g = 0; g < model.mesh.regions.size(); ++g) {
    RegionMass part = region_mass(model, static_cast<std::int32_t>(g));
    model.region_mass.push_back(std::move(part.mass));
    model.region_unit_acceleration.push_back(std::move(part.unit_acceleration));
  }
}

// A support that leaves rigid motions is rarely meant.
void warn_of_rigid_modes(const ReducedModel& model, int rigid, std::vector<std::string>& warnings) {
  if (rigid == 0 || model.fixed_vertices.empty()) return;
  const auto fixed = std::to_string(model.fixed_vertices.size());
  warnings.push_back("the supports (fixed vertices: " + fixed + ") leave " + std::to_string(rigid) +
                     " rigid motions: a part isn't held, or can still rotate; the model leaves them out");
}

ReducedModel start_model(VolumeMesh mesh, std::span<const std::int32_t> fixed_vertices, const ReduceOptions& options,
                         ReduceReport& report, const char* made_by) {
  require_backend(options.backend);
  if (options.rank && (*options.rank < 1 || *options.rank > rank_limit))
    throw InputError("the rank must be 1 .. " + std::to_string(rank_limit) + ", not " + std::to_string(*options.rank));
  ReducedModel model;
  model.created_by = made_by;
  model.fixed_vertices = prepare_mesh(mesh, fixed_vertices, report.warnings).fixed;
  model.mesh = std::move(mesh);
  model.mass_matrix = options.mass_matrix;
  return model;
}

}  // namespace

ReducedModel reduce(VolumeMesh mesh, std::span<const std::int32_t> fixed_vertices, const ReduceOptions& options,
                    ReduceReport* report) {
  ReduceReport own_report;
  ReduceReport& notes = report != nullptr ? *report : own_report;
  StageClock clock(notes);
  start_stage(options, "assembly");
  ReducedModel model = start_model(std::move(mesh), fixed_vertices, options, notes, "quartic::reduce");
  std::optional<ElasticSystem> made = make_system(model, options, clock);
  const ElasticSystem& system = *made;
  notes.factorization = system.factorization_name();
  warn_of_rigid_modes(model, system.rigid_mode_count(), notes.warnings);
  LinearModes modes =
      clock.time("linear modes", [&] { return linear_modes(system, modes_options(system, options, notes.warnings)); });
  notes.residuals = modes.residuals;
  notes.warnings.insert(notes.warnings.end(), modes.warnings.begin(), modes.warnings.end());
  model.rigid_modes = modes.rigid_modes;
  model.eigenvalues = modes.eigenvalues;
  if (options.energy) {
    Basis basis = make_basis(model, system, modes, options, clock, notes.warnings);
    model.basis = std::move(basis.vectors);
    const DeviceMatrices* on_device = system.impl().matrices.get();
    model.unit_acceleration = on_device != nullptr ? unit_acceleration(model.basis, on_device->vertex_masses())
                                                   : unit_acceleration(model.basis, system.mass());
  }
  made.reset();  // the factor's memory is the energy's
  model.linear_modes = std::move(modes.vectors);
  if (options.energy) add_energy(model, options, clock);
  return model;
}

ReducedModel reduce_with_basis(VolumeMesh mesh, std::span<const std::int32_t> fixed_vertices, MatrixRef basis,
                               const ReduceOptions& options) {
  ReduceReport notes;
  StageClock clock(notes);
  const auto vertices = mesh.vertex_count();
  ReducedModel model = start_model(std::move(mesh), fixed_vertices, options, notes, "quartic::reduce_with_basis");
  if (model.mesh.vertex_count() != vertices)
    throw InputError("the mesh has vertices that belong to no element; drop them first, so that the basis fits");
  const SparseMatrix mass = mass_matrix(model.mesh, options.mass_matrix, options.backend);
  if (basis.rows() != mass.rows || basis.cols() < 1 || basis.cols() > rank_limit)
    throw InputError("the basis must have " + std::to_string(mass.rows) + " rows, three per vertex, and 1 .. " +
                     std::to_string(rank_limit) + " columns, not " + std::to_string(basis.rows()) + " and " +
                     std::to_string(basis.cols()));
  for (const auto v : model.fixed_vertices)
    if (basis.middleRows(3 * Eigen::Index{v}, 3).cwiseAbs().maxCoeff() != 0)
      throw InputError("the basis moves the fixed vertex " + std::to_string(v));
  model.basis = mass_orthonormalize(basis, mass);
  fix_signs(model.basis);
  model.unit_acceleration = unit_acceleration(model.basis, mass);
  model.rigid_modes = static_cast<int>(rigid_modes(model.mesh, mass, model.fixed_vertices).cols);
  add_energy(model, options, clock);
  return model;
}

}  // namespace quartic
