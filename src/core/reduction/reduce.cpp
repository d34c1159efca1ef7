// The pipeline: mesh -> K, M -> linear modes -> modal derivatives -> basis -> quartic energy.
#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "core/algebra/sparse_product.hpp"
#include "core/base/memory.hpp"
#include "core/base/number_text.hpp"
#include "core/energy/quartic_polynomial.hpp"
#include "core/fem/fem_operations.hpp"
#include "core/fem/masses_and_springs.hpp"
#include "core/fem/rigid_motions.hpp"
#include "core/fem/scalar_mass.hpp"
#include "core/fem/unit_acceleration.hpp"
#include "core/mesh/attachments.hpp"
#include "core/mesh/folded_elements.hpp"
#include "core/mesh/repeated_elements.hpp"
#include "core/modes/elastic_system.hpp"
#include "core/modes/modes_operations.hpp"
#include "core/reduction/basis_fields.hpp"
#include "core/reduction/mesh_energy.hpp"
#include "core/reduction/mesh_moments.hpp"
#include "core/reduction/region_mass.hpp"
#include "core/reduction/stiff_vectors.hpp"
#include "core/relaxation/mesh_relaxation.hpp"
#include "core/relaxation/relaxation_check.hpp"
#include "core/supports/freedom_map.hpp"
#include "core/symmetry/mirrors.hpp"
#include "core/symmetry/pure_parity.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"

namespace quartic {
namespace {

// All that prepare_mesh does but the check.
PreparedVertices repair_mesh(VolumeMesh& mesh, const Supports& supports, std::vector<std::string>& warnings) {
  const auto elements = mesh.element_count();
  if (const auto turned = repair_orientation(mesh); turned > 0)
    warnings.push_back(std::to_string(turned) + " of " + std::to_string(elements) +
                       " elements had negative volume and were reoriented");
  if (const auto repeated = repeated_element_count(mesh); repeated > 0)
    warnings.push_back(std::to_string(repeated) + " of " + std::to_string(elements) +
                       " elements have the same vertices as another one: stiffness and mass count twice there");
  const auto before = mesh.vertex_count();
  for (const auto v : supports.fixed_vertices)
    if (v < 0 || v >= before)
      throw InputError("fixed vertex " + std::to_string(v) + " is outside 0 .. " + std::to_string(before - 1));
  std::vector<std::int32_t> kept = drop_unreferenced_vertices(mesh);
  if (std::ssize(kept) < before)
    warnings.push_back(std::to_string(before - std::ssize(kept)) +
                       " vertices belong to no element and were dropped; vertices are renumbered");
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(before), -1), fixed;
  for (std::size_t v = 0; v < kept.size(); ++v)
    numbers[static_cast<std::size_t>(kept[v])] = static_cast<std::int32_t>(v);
  for (const auto v : supports.fixed_vertices)
    if (const std::int32_t number = numbers[static_cast<std::size_t>(v)]; number >= 0) fixed.push_back(number);
  std::vector<Constraint> constraints = supports.constraints;
  renumber(constraints, numbers);
  std::sort(fixed.begin(), fixed.end());
  fixed.erase(std::unique(fixed.begin(), fixed.end()), fixed.end());
  if (fixed.empty() && constraints.empty() && !supports.empty())
    throw InputError(
        "all supports are at vertices that belong to no element, so that they hold nothing: name vertices of "
        "the body, or give none for a free body");
  return {.fixed = std::move(fixed), .constraints = std::move(constraints), .kept = std::move(kept)};
}

// Of a mesh that has been prepared: no quadrature point is at a place that is folded.
void warn_of_folded(const VolumeMesh& mesh, std::vector<std::string>& warnings) {
  for (std::string& warning : folded_warnings(folded_elements(mesh), mesh.element_count()))
    warnings.push_back(std::move(warning));
}

}  // namespace

PreparedVertices prepare_mesh(VolumeMesh& mesh, const Supports& supports, std::vector<std::string>& warnings) {
  PreparedVertices vertices = repair_mesh(mesh, supports, warnings);
  const PreparedMesh checked(mesh);
  warn_of_folded(mesh, warnings);
  return vertices;
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

// What the stages will work on with k modes, at most.
ReductionSizes sizes_of(std::int64_t k, const ReduceOptions& options) {
  ReductionSizes sizes{.modes = k};
  if (!options.energy) return sizes;
  const std::int64_t derivatives = options.derivative_kind == DerivativeKind::statics ? k * (k + 1) / 2 : k * k;
  sizes.fields = k + (options.derivatives ? derivatives : 0);
  sizes.rank = std::min<std::int64_t>(options.rank.value_or(default_rank), sizes.fields);
  return sizes;
}

// Fields are the most by far that a reduction keeps: as found, scaled, and in the decomposition. A device is asked for
// its memory where they are made.
void require_memory_for_fields(const ReducedModel& model, const ReductionSizes& sizes, const ReduceOptions& options) {
  if (options.backend != Backend::cpu || !options.energy) return;
  const double copies = options.stiff_share == 0 ? 3 : 4;
  const double field = copies * 24 * static_cast<double>(model.mesh.vertex_count());
  const auto fields_of = [&](std::int64_t modes) { return sizes_of(modes, options).fields; };
  const double available = available_memory_bytes();
  std::int64_t fitting = sizes.modes;
  while (fitting > 0 && field * static_cast<double>(fields_of(fitting)) > available) fitting = fitting * 9 / 10;
  if (fitting == sizes.modes) return;
  require_memory(field * static_cast<double>(sizes.fields),
                 "the " + std::to_string(sizes.fields) + " displacement fields of " + std::to_string(sizes.modes) +
                     " modes" + (options.derivatives ? " and their derivatives" : ""),
                 fitting == 0
                     ? "use a coarser mesh"
                     : "ask for fewer modes (some " + std::to_string(fitting) + " fit)" +
                           (options.derivatives ? ", or leave the derivatives out" : ", or use a coarser mesh"));
}

// Prepares the model's mesh, too.
ElasticSystem make_system(std::optional<PreparedMesh>& mesh, const ReducedModel& model, const ReduceOptions& options,
                          StageClock& clock) {
  const std::int64_t free = 3 * (model.mesh.vertex_count() - std::ssize(model.fixed_vertices));  // or fewer
  const ReductionSizes sizes =
      sizes_of(options.modes.value_or(static_cast<int>(std::min<std::int64_t>(default_modes, free))), options);
  require_memory_for_fields(model, sizes, options);
  auto system = clock.time("assembly", [&] {
    mesh.emplace(model.mesh);
    return assemble_system(*mesh, model.supports(), options.mass_matrix, options.backend, &sizes);
  });
  return clock.time("factorisation", [&] {
    start_stage(options, "factorisation");
    factorize_system(*system, *mesh, {.backend = options.backend});
    return ElasticSystem(std::move(system));
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

Basis make_basis(const PreparedMesh& mesh, const ElasticSystem& system, const LinearModes& modes,
                 const ReduceOptions& options, StageClock& clock, std::vector<std::string>& warnings) {
  const auto elastic = system.free_dof_count() - system.rigid_mode_count();
  const int most = static_cast<int>(std::min<std::int64_t>(default_rank, elastic));
  const auto cut = [&](BasisFields& fields) {
    start_stage(options, "basis");
    if (options.rank && *options.rank > elastic)
      throw InputError("a basis of rank " + std::to_string(*options.rank) + " was requested, but the body has only " +
                       std::to_string(elastic) + " elastic degrees of freedom");
    Basis basis = fields.cut(options.rank.value_or(most), !options.rank);
    if (!options.rank && basis.vectors.cols < default_rank)
      warnings.push_back("the rank is " + std::to_string(basis.vectors.cols) + ": the fields span no more");
    return basis;
  };
  if (!options.derivatives) {
    if (options.rank && *options.rank > modes.vectors.cols)
      throw InputError("a basis of linear modes only can't have rank " + std::to_string(*options.rank) + " with " +
                       std::to_string(modes.vectors.cols) + " modes; ask for more modes, or use modal derivatives");
    return clock.time("basis", [&] { return cut(*mode_fields(mesh, system, modes, options.stiff_share)); });
  }
  const auto fields = clock.time("modal derivatives", [&] {
    return derivative_fields(mesh, system, modes, {.kind = options.derivative_kind, .progress = options.progress},
                             options.stiff_share);
  });
  return clock.time("basis", [&] { return cut(*fields); });
}

bool takes_cubature(const VolumeMesh& mesh, const ReduceOptions& options) {
  return options.cubature || std::ranges::any_of(mesh.regions, [](const Region& region) {
           return region.material && region.material->law != MaterialLaw::stvk;
         });
}

// Before anything is computed.
void check_cubature_options(const VolumeMesh& mesh, const ReduceOptions& options) {
  if (!options.energy || !takes_cubature(mesh, options)) return;
  if (options.region_parts)
    throw InputError(
        "parts per region are of the law stvk's quartic energy; leave region_parts (--region-parts) out, or give all "
        "regions the law stvk");
  if (options.relax.share || options.relax.automatic)
    throw InputError(
        "strains are relaxed in the law stvk's quartic energy; leave the relaxation (--relax) out, or give all regions "
        "the law stvk");
}

// Above this median the report's errors are warned about.
constexpr double large_shift = 0.05;

void add_cubature(ReducedModel& model, const ReduceOptions& options, StageClock& clock,
                  std::vector<std::string>& warnings) {
  CubatureOptions training = options.cubature.value_or(CubatureOptions{});
  training.progress = options.progress;
  model.cubature = clock.time("cubature", [&] { return train_cubature(model.mesh, model.basis.map(), training); });
  if (model.cubature->count() < training.points)
    warnings.push_back("the cubature has " + std::to_string(model.cubature->count()) + " points, not " +
                       std::to_string(training.points) + ": no other point lowers its error in training");
  const double shift = model.cubature->report->equilibrium.median;
  if (shift <= large_shift) return;
  warnings.push_back("equilibria of the cubature's " + std::to_string(model.cubature->count()) + " points are off by " +
                     std::to_string(std::lround(100 * shift)) +
                     " % of their displacement (median of fresh states); take more points, or a smaller tolerance");
}

void add_energy(const PreparedMesh& mesh, ReducedModel& model, const ReduceOptions& options, StageClock& clock,
                std::vector<std::string>& warnings) {
  if (takes_cubature(model.mesh, options)) {
    add_cubature(model, options, clock, warnings);
    return;
  }
  const ReduceEnergyOptions energy_options{.backend = options.backend, .progress = options.progress};
  if (!options.region_parts) {
    model.energy = clock.time("energy", [&] { return reduce_energy(mesh, model.basis.map(), energy_options); });
    return;
  }
  model.region_energy =
      clock.time("energy", [&] { return reduce_region_energy(mesh, model.basis.map(), energy_options); });
  std::vector<Material> materials;
  for (const Region& region : model.mesh.regions) materials.push_back(*region.material);
  model.energy = combine_region_energy(model.region_energy, materials);
  add_reduced_springs(model.mesh.springs, model.basis.map(), model.energy);
  for (std::size_t g = 0; g < model.mesh.regions.size(); ++g) {
    RegionMass part = region_mass(model, static_cast<std::int32_t>(g), model.frame_moments->origin);
    model.region_mass.push_back(std::move(part.mass));
    model.region_unit_acceleration.push_back(std::move(part.unit_acceleration));
    model.region_moments.push_back(std::move(part.moments));
  }
}

StaticEnergy static_energy(const ElasticSystem& system) {
  return [&system](const Eigen::VectorXd& u) {
    const Eigen::MatrixXd free = system.impl().restrict_displacements(u);
    return free.col(0).dot(sparse_times(system.impl().stiffness_free(), free).col(0));
  };
}

// Fields that are even or odd in each plane, unless that costs orthonormality; no parities then.
Parities make_pure_basis(Basis& basis, const ElasticSystem& system, std::span<const Mirror> mirrors) {
  if (mirrors.empty()) return {};
  constexpr double orthonormal = 1e-12;
  Matrix pure = basis.vectors;
  Parities parities = make_pure(pure, system.mass(), static_energy(system), mirrors);
  if (orthonormality_error(pure.map(), system.mass()) > orthonormal) return {};
  basis.vectors = std::move(pure);
  return parities;
}

// What mirror planes forbid, of the energy and of its parts.
void set_zeros(ReducedModel& model, const Parities& parities, std::vector<std::string>& warnings) {
  if (parities.count == 0 || model.energy.rank == 0) return;
  const std::vector<double> scale = rest_stiffness(model.energy);
  for (RegionEnergy& part : model.region_energy)
    for (QuarticEnergy* energy : {&part.lambda_part, &part.mu_part})
      static_cast<void>(set_zeros(*energy, parities, scale));  // a region alone may have fewer planes
  if (const double forbidden = set_zeros(model.energy, parities, scale); forbidden > entry_round_off)
    warnings.push_back("the body has mirror planes, but coefficients that they forbid are " +
                       number_text(forbidden, 2) + " of the largest: all are kept, so that a step saves no work");
}

bool relaxes(const ReduceOptions& options) {
  return options.energy && (options.relax.share || options.relax.automatic);
}

// Of the model's energy, which is still V.
void relax_energy(const PreparedMesh& mesh, const ElasticSystem& system, ReducedModel& model,
                  const ReduceOptions& options, StageClock& clock, std::vector<std::string>& warnings) {
  Relaxation relaxation = clock.time("relaxed strains", [&] {
    return relax_strains(mesh, system, model.basis.map(), model.energy,
                         {.share = options.relax.share.value_or(0),
                          .region_parts = options.region_parts,
                          .backend = options.backend,
                          .progress = options.progress},
                         {.progress = options.progress});
  });
  if (options.region_parts && !model.mesh.springs.empty())
    warnings.emplace_back(
        "no parts per region are kept of the relaxed strains of a body with springs: with other elastic constants they "
        "aren't relaxed any more");
  if (options.relax.automatic && system.rigid_mode_count() > 0)
    warnings.emplace_back(
        "strains aren't relaxed: a free body has no equilibria to calibrate the share with; give one (--relax 0.75)");
  else if (options.relax.automatic) {
    if (options.backend != Backend::cpu)
      warnings.emplace_back(
          "the share of relaxed strains was calibrated on the CPU, as the unreduced body is the CPU's");
    relaxation = clock.time("calibration", [&] {
      return choose_share(model.mesh, model.supports(), system.mass(), model.basis.map(), model.energy,
                          std::move(relaxation), {.loads = options.relax.loads, .progress = options.progress},
                          warnings);
    });
  }
  model.energy = relaxed(model.energy, relaxation);
  model.relaxation = std::move(relaxation);
}

// A support that leaves rigid motions is rarely meant.
void warn_of_rigid_modes(const ReducedModel& model, int rigid, std::vector<std::string>& warnings) {
  if (rigid == 0 || model.supports().empty()) return;
  const auto fixed = std::to_string(model.fixed_vertices.size());
  const std::string others =
      model.constraints.empty() ? "" : ", held in directions: " + std::to_string(model.constraints.size());
  warnings.push_back("the supports (fixed vertices: " + fixed + others + ") leave " + std::to_string(rigid) +
                     " rigid motions: a part isn't held, or can still rotate; the model leaves them out");
}

// For bases that came without it.
ElasticSystem factorized_system(const PreparedMesh& mesh, const ReducedModel& model, const ReduceOptions& options) {
  auto system = assemble_system(mesh, model.supports(), options.mass_matrix, options.backend, nullptr);
  factorize_system(*system, mesh, {.backend = options.backend});
  return ElasticSystem(std::move(system));
}

// Fields that don't obey supports and joints would be another body's. Their own rounding is let pass.
void require_obedient(MatrixRef basis, const FreedomMap& map) {
  if (map.holds_whole_vertices()) return;
  constexpr double rounding = 1e-6;
  Eigen::MatrixXd obedient(basis.rows(), 1);
  for (Eigen::Index j = 0; j < basis.cols(); ++j) {
    map.expand(map.restrict_displacements(basis.col(j)), obedient);
    Eigen::Index row = 0;
    if ((obedient.col(0) - basis.col(j)).cwiseAbs().maxCoeff(&row) > rounding * basis.col(j).cwiseAbs().maxCoeff())
      throw InputError("field " + std::to_string(j) + " of the basis moves vertex " + std::to_string(row / 3) +
                       " as its supports and joints don't let it");
  }
}

// A model of the repaired mesh, which is still to be checked.
ReducedModel start_model(VolumeMesh mesh, const Supports& supports, const ReduceOptions& options, ReduceReport& report,
                         const char* made_by) {
  require_backend(options.backend);
  static_cast<void>(stiff_count(options.stiff_share, options.rank.value_or(default_rank)));
  if (options.relax.share) check_relaxed_share(*options.relax.share);
  if (options.rank && (*options.rank < 1 || *options.rank > rank_limit))
    throw InputError("the rank must be 1 .. " + std::to_string(rank_limit) + ", not " + std::to_string(*options.rank));
  check_cubature_options(mesh, options);
  ReducedModel model;
  model.created_by = made_by;
  PreparedVertices vertices = repair_mesh(mesh, supports, report.warnings);
  model.fixed_vertices = std::move(vertices.fixed);
  model.constraints = std::move(vertices.constraints);
  if (const Matrix& loads = options.relax.loads; loads.cols > 0 && loads.rows != std::ssize(mesh.vertices))
    throw InputError("the loads of relaxed strains have " + std::to_string(loads.rows) + " rows, but the mesh has " +
                     std::to_string(mesh.vertex_count()) +
                     " vertices that belong to elements, three rows each; drop others first");
  model.mesh = std::move(mesh);
  model.mass_matrix = options.mass_matrix;
  return model;
}

}  // namespace

ModelForces evaluate(const ReducedModel& model, std::span<const double> q) {
  if (model.cubature) return {evaluate(*model.cubature, q), {}};
  ModelForces forces{evaluate(model.energy, q), {}};
  if (model.relaxation) forces.trust = state_trust(model.energy, *model.relaxation, q);
  return forces;
}

ForceModel force_model(const ReducedModel& model) {
  return model.cubature ? ForceModel(*model.cubature) : ForceModel(model.energy);
}

ReducedModel reduce(VolumeMesh mesh, const Supports& supports, const ReduceOptions& options, ReduceReport* report) {
  ReduceReport own_report;
  ReduceReport& notes = report != nullptr ? *report : own_report;
  StageClock clock(notes);
  start_stage(options, "assembly");
  ReducedModel model = start_model(std::move(mesh), supports, options, notes, "quartic::reduce");
  std::optional<PreparedMesh> prepared;
  std::optional<ElasticSystem> made = make_system(prepared, model, options, clock);
  const ElasticSystem& system = *made;
  warn_of_folded(model.mesh, notes.warnings);
  notes.factorization = system.factorization_name();
  warn_of_rigid_modes(model, system.rigid_mode_count(), notes.warnings);
  LinearModes modes =
      clock.time("linear modes", [&] { return linear_modes(system, modes_options(system, options, notes.warnings)); });
  const std::vector<Mirror> mirrors =
      options.mirror_planes ? find_mirrors(model.mesh, model.supports()) : std::vector<Mirror>{};
  for (const Mirror& mirror : mirrors) notes.mirror_planes.push_back(mirror.plane);
  if (!mirrors.empty()) static_cast<void>(make_pure(modes.vectors, system.mass(), static_energy(system), mirrors));
  notes.residuals = modes.residuals;
  notes.warnings.insert(notes.warnings.end(), modes.warnings.begin(), modes.warnings.end());
  model.rigid_modes = modes.rigid_modes;
  model.eigenvalues = modes.eigenvalues;
  if (!options.energy) model.unit_acceleration = system.impl().matrices->unit_acceleration(modes.vectors);
  Parities parities;
  if (options.energy) {
    Basis basis = make_basis(*prepared, system, modes, options, clock, notes.warnings);
    parities = make_pure_basis(basis, system, mirrors);
    model.basis = std::move(basis.vectors);
    model.unit_acceleration = system.impl().matrices->unit_acceleration(model.basis);
    if (parities.count > 0) make_pure(model.unit_acceleration, parities, mirrors);
    model.frame_moments =
        clock.time("moments", [&] { return centred_moments(model, system.impl().matrices->scalar_mass()); });
  }
  if (!relaxes(options)) made.reset();  // the factor's memory is the energy's
  model.linear_modes = std::move(modes.vectors);
  if (options.energy) add_energy(*prepared, model, options, clock, notes.warnings);
  set_zeros(model, parities, notes.warnings);
  if (relaxes(options)) {
    relax_energy(*prepared, system, model, options, clock, notes.warnings);
    // Relaxed strains come from states that planes needn't map onto each other: a parity that is lost costs no more
    // than time.
    if (parities.count > 0) static_cast<void>(set_zeros(model.energy, parities, rest_stiffness(model.energy)));
  }
  return model;
}

ReducedModel reduce_with_basis(VolumeMesh mesh, const Supports& supports, MatrixRef basis, const ReduceOptions& options,
                               ReduceReport* report) {
  ReduceReport own_report;
  ReduceReport& notes = report != nullptr ? *report : own_report;
  StageClock clock(notes);
  const auto vertices = mesh.vertex_count();
  if (options.stiff_share != 0)
    throw InputError("a basis of the caller's own is taken as it is: none of its vectors can be chosen by energy");
  ReducedModel model = start_model(std::move(mesh), supports, options, notes, "quartic::reduce_with_basis");
  const PreparedMesh prepared(model.mesh);
  if (model.mesh.vertex_count() != vertices)
    throw InputError("the mesh has vertices that belong to no element; drop them first, so that the basis fits");
  const SparseMatrix mass = fem_operations(options.backend).mass(prepared, options.mass_matrix);
  if (basis.rows() != mass.rows || basis.cols() < 1 || basis.cols() > rank_limit)
    throw InputError("the basis must have " + std::to_string(mass.rows) + " rows, three per vertex, and 1 .. " +
                     std::to_string(rank_limit) + " columns, not " + std::to_string(basis.rows()) + " and " +
                     std::to_string(basis.cols()));
  for (const auto v : model.fixed_vertices)
    if (basis.middleRows(3 * Eigen::Index{v}, 3).cwiseAbs().maxCoeff() != 0)
      throw InputError("the basis moves the fixed vertex " + std::to_string(v));
  require_obedient(basis, FreedomMap(model.mesh, model.supports()));
  model.basis = mass_orthonormalize(basis, mass);
  fix_signs(model.basis);
  model.unit_acceleration = unit_acceleration(model.basis, mass);
  model.frame_moments = centred_moments(model, scalar_mass(mass));
  model.rigid_modes = static_cast<int>(rigid_modes(prepared, mass, model.supports()).cols);
  add_energy(prepared, model, options, clock, notes.warnings);
  if (relaxes(options))
    relax_energy(prepared, factorized_system(prepared, model, options), model, options, clock, notes.warnings);
  return model;
}

}  // namespace quartic
