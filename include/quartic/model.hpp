// The reduced model: everything that simulating and drawing a body needs, in memory and in a `.qrt` file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quartic/basis.hpp"
#include "quartic/bound_tree.hpp"
#include "quartic/chambers.hpp"
#include "quartic/cubature.hpp"
#include "quartic/cubature_training.hpp"
#include "quartic/energy.hpp"
#include "quartic/export.hpp"
#include "quartic/fem.hpp"
#include "quartic/force_model.hpp"
#include "quartic/frame_moments.hpp"
#include "quartic/matrix.hpp"
#include "quartic/mesh.hpp"
#include "quartic/modes.hpp"
#include "quartic/relaxation.hpp"
#include "quartic/supports.hpp"
#include "quartic/surface_embedding.hpp"
#include "quartic/symmetry.hpp"

namespace quartic {

/// A tensor that a model file holds and this version doesn't know; kept when the file is rewritten.
struct UnknownTensor {
  std::string dtype;  ///< safetensors' name: "F64", "I32", ...
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data;  ///< little-endian
};

/// Whether a model file also holds the basis of its surface, for engines that don't compute it themselves: `half`
/// with errors of 2^-11 of each entry, or 2^-24 of its mode's largest one (whichever is larger), `single` of 2^-24 of
/// each entry.
enum class SurfaceBasis : std::uint8_t { none, half, single };

/// A reduced model (docs/format.md). `basis` and `energy` are empty after `quartic modes`.
struct ReducedModel {
  VolumeMesh mesh;                           ///< every region has a material
  std::vector<std::int32_t> fixed_vertices;  ///< 0-based, sorted
  std::vector<Constraint> constraints = {};  ///< that support it in single directions
  MassMatrix mass_matrix = MassMatrix::consistent;
  int rigid_modes = 0;
  std::vector<double> eigenvalues;  ///< omega^2 [rad^2/s^2], shape (k), ascending
  Matrix linear_modes;              ///< shape (3n, k)
  Matrix basis;                     ///< U, shape (3n, r)
  Matrix unit_acceleration;  ///< U^T M by the unit x, y, z fields, (r, 3); without a basis, of linear_modes (k, 3)
  /// About the mass centre at rest. Optional: `frame_moments(model)` makes them anew where a file has none.
  std::optional<FrameMoments> frame_moments;
  QuarticEnergy energy;                          ///< V_beta where there is a relaxation, else V
  std::optional<Relaxation> relaxation;          ///< optional: what relaxed the energy
  std::vector<RegionEnergy> region_energy;       ///< optional: empty or one per region, of V
  std::vector<Matrix> region_mass;               ///< optional: U^T M U of each region at rho = 1, shape (r, r) each
  std::vector<Matrix> region_unit_acceleration;  ///< optional: unit_acceleration of each region at rho = 1, (r, 3) each
  std::vector<FrameMoments>
      region_moments;  ///< optional: frame_moments of each region at rho = 1, about the same origin
  std::vector<ModelChamber> chambers = {};          ///< that pressures act in, each of a name of its own
  std::optional<SurfaceEmbedding> surface;          ///< optional: what is drawn, embedded in `mesh`
  SurfaceBasis surface_basis = SurfaceBasis::none;  ///< computed from `surface` and `basis` whenever a file is written
  /// Optional: contact points of the surface above, or of the boundary, in a tree. An edit that changes the basis makes
  /// its numbers anew; whoever changes basis or surface himself calls `refitted`, or makes another tree.
  std::optional<BoundTree> bound_tree;
  /// Of models whose laws aren't all StVK, or that asked for it: in place of `energy`, which is empty then.
  std::optional<Cubature> cubature;
  std::string created_by;            ///< the command line or call that made it
  std::vector<std::string> notices;  ///< what a file held and was left out, a sentence each; not saved
  /// What a file holds besides. Tensors and entries under a name that the format has itself, such as `energy` or
  /// `requires`, aren't written.
  std::map<std::string, UnknownTensor> unknown_tensors;
  std::map<std::string, std::string> unknown_metadata;

  [[nodiscard]] int rank() const { return static_cast<int>(basis.cols); }
  [[nodiscard]] Supports supports() const { return {fixed_vertices, constraints}; }
};

/// What a model says of a state.
struct ModelForces : ReducedForces {
  std::optional<StateTrust> trust;  ///< of models that know what could be relaxed
};
/// Evaluates the model's energy as the function of the same name for QuarticEnergy, and tells how far to trust the
/// state. @param q reduced coordinates, shape (r) @throws InputError as that and as state_trust
[[nodiscard]] QUARTIC_EXPORT ModelForces evaluate(const ReducedModel& model, std::span<const double> q);

/// What the model's forces are computed from: its cubature, or its energy. For BodyGroup::force_model; without
/// chambers.
[[nodiscard]] QUARTIC_EXPORT ForceModel force_model(const ReducedModel& model);

/// Adds a chamber of the model's mesh: its volume on the basis, at the cost of `reduce_volume`. In a relaxed model a
/// pressure acts on the basis alone, as all forces do.
/// @throws InputError if the model has no basis, or a chamber of this name, or as enclosed_volume
QUARTIC_EXPORT void add_chamber(ReducedModel& model, Chamber chamber);

/// The number of the model's chamber of this name. @throws InputError, which lists the chambers, if there is none
[[nodiscard]] QUARTIC_EXPORT int find_chamber(const ReducedModel& model, std::string_view name);

/// The volumes of all chambers, for BodyGroup::chambers.
[[nodiscard]] QUARTIC_EXPORT std::vector<EnclosedVolume> chamber_volumes(const ReducedModel& model);

/// Writes a model (to a temporary name, then renamed). @throws FileError, InputError if the parts don't fit together
QUARTIC_EXPORT void save_model(const ReducedModel& model, const std::filesystem::path& path);

/// Reads and checks a model. @throws FileError, ParseError; a newer schema, or a capability that this version doesn't
/// know, is refused with a message that names it
[[nodiscard]] QUARTIC_EXPORT ReducedModel load_model(const std::filesystem::path& path);

/// Writes the model's mesh for ParaView (.vtu, see mesh.hpp) with linear modes (`mode_01 (12.3 Hz)`, ...), basis
/// (`basis_01`, ...) and the set of fixed vertices (`fixed`) as point data, and `frequencies` [Hz] as field data. The
/// fields are mass-orthonormal: scale them to see them.
/// @throws InputError if the parts don't fit together, FileError if the file can't be written
QUARTIC_EXPORT void write_vtu(const ReducedModel& model, const std::filesystem::path& path);

/// The defaults of `reduce`.
inline constexpr int default_modes = 20, default_rank = 30;

struct ReduceOptions {
  std::optional<int> modes = {};  ///< k, linear modes; unset: 20, or fewer with a warning where the body has fewer
  std::optional<int> rank = {};   ///< r; unset: 30, or the numerical rank with a warning where that is less
  bool derivatives = true;        ///< false: a basis of linear modes only
  bool energy = true;             ///< false: linear modes only, no basis, no energy
  DerivativeKind derivative_kind = DerivativeKind::statics;
  /// In [0, 1): the share of the basis whose vectors, the last ones, are chosen by energy instead of mass-PCA: the
  /// first of a PCA in the norm of K of modes and derivatives at natural amplitudes. Thin bodies lock less with 1/6.
  /// The fields are on the host then, whatever the backend.
  double stiff_share = 0;
  /// Look for planes that mirror the body, and make each vector of the basis even or odd in them, so that half of the
  /// energy's coefficients, or three quarters, are zero, and steps save as much work (symmetry.hpp).
  bool mirror_planes = true;
  bool region_parts = false;  ///< keep the parts of energy, relaxation and mass per region, for editing.hpp
  /// Makes a cubature in place of the energy; so do laws other than StVK, by the default options where these aren't
  /// set. Without region parts and relaxed strains. On the CPU, whatever the backend; its `progress` is `progress`.
  std::optional<CubatureOptions> cubature = {};
  RelaxOptions relax = {};  ///< relaxed strains; an automatic share's loads are solved for on the CPU
  MassMatrix mass_matrix = MassMatrix::consistent;
  ModesMethod modes_method = ModesMethod::automatic;
  Backend backend = Backend::cpu;  ///< of all stages; cuda: the current device
  Progress progress = {};
};

/// Details of a run of `reduce`.
struct ReduceReport {
  std::vector<double> residuals;                       ///< of the linear modes
  std::vector<std::pair<std::string, double>> stages;  ///< name, seconds
  std::vector<std::string> warnings;
  std::string factorization;                    ///< the solver that factorised K
  std::vector<MirrorPlane> mirror_planes = {};  ///< that were found
};

/// The vertices of a mesh after `prepare_mesh`.
struct PreparedVertices {
  std::vector<std::int32_t> fixed;      ///< the fixed ones in the new numbering, sorted
  std::vector<Constraint> constraints;  ///< the supports' others, likewise
  std::vector<std::int32_t> kept;       ///< the old number of each vertex, ascending
};

/// The first stage of `reduce`: reorients elements of negative volume, drops vertices that belong to no element, and
/// checks geometry and materials.
/// @param warnings receives a sentence for each change
/// @throws InputError for a mesh that can't be used, a vertex of supports out of range, or a support or joint between
///         vertices of which one is dropped
[[nodiscard]] QUARTIC_EXPORT PreparedVertices prepare_mesh(VolumeMesh& mesh, const Supports& supports,
                                                           std::vector<std::string>& warnings);

/// Mesh to reduced model, all stages: K and M, linear modes, modal derivatives, mass-PCA basis, quartic energy.
/// Elements are reoriented and unreferenced vertices are dropped first, with a warning.
/// @param supports a list of fixed vertices (0-based), or others (supports.hpp); none means a free body
/// @throws InputError for geometry or material that can't be used, NumericalError if modes don't converge,
///         BackendUnavailable, DeviceError if the device fails or has too little memory
[[nodiscard]] QUARTIC_EXPORT ReducedModel reduce(VolumeMesh mesh, const Supports& supports,
                                                 const ReduceOptions& options = {}, ReduceReport* report = nullptr);

/// The cost of `reduce` on two processors of 2020, to the order of magnitude: most runs were within a third of it.
struct ReductionEstimate {
  double seconds = 0;
  double bytes = 0;  ///< peak memory
};

/// An estimate from the counts of vertices, quadrature points, modes and coordinates; nothing is computed. O(elements)
/// @throws InputError for an element type that this version doesn't support, a vertex number out of range, no mode, or
/// a rank out of range
[[nodiscard]] QUARTIC_EXPORT ReductionEstimate estimate_reduction(const VolumeMesh& mesh, int modes = default_modes,
                                                                  int rank = default_rank);

/// A reduced model with the caller's own basis (made M-orthonormal): energy and the rest are computed.
/// @throws InputError for a mesh or basis that can't be used, or a basis that doesn't obey supports and joints,
/// BackendUnavailable and DeviceError as `reduce`
[[nodiscard]] QUARTIC_EXPORT ReducedModel reduce_with_basis(VolumeMesh mesh, const Supports& supports, MatrixRef basis,
                                                            const ReduceOptions& options = {},
                                                            ReduceReport* report = nullptr);

}  // namespace quartic
