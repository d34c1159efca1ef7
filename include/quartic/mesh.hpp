// Volume meshes: vertices, elements by type, regions with materials; reading, writing and checking them.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quartic/export.hpp"
#include "quartic/material.hpp"
#include "quartic/supports.hpp"

namespace quartic {

/// Element types in the order in which a mesh and a model file hold them. Vertices of an element are in VTK order:
/// corners, then the middles of edges. The triangle 0, 1, 2 of a wedge is wound so that its right-hand normal points to
/// the triangle 3, 4, 5. pyramid5 is read and counted, but can't be simulated yet.
enum class ElementType : std::uint8_t { tet4, tet10, hex8, hex20, wedge6, wedge15, pyramid5 };
inline constexpr int element_type_count = 7;

/// "tet4", "hex8", ...; also the name of the element's tensor in a model file.
[[nodiscard]] QUARTIC_EXPORT std::string_view element_type_name(ElementType type);
/// Number of vertices of one element: 4, 10, 8, 20, 6, 15, 5.
[[nodiscard]] QUARTIC_EXPORT int element_vertex_count(ElementType type);

/// Quadrature rule of a hex8: Gauss's rule with three points per axis, which is exact for the energy of
/// parallelepipeds, or with two, in a third of the time. Stiffness at rest and mass of parallelepipeds are exact with
/// both; on other elements, and for large strains, the rule is part of the model. Many programs use two points.
enum class HexahedronRule : std::uint8_t { gauss_3x3x3, gauss_2x2x2 };

/// All elements of one type.
struct ElementBlock {
  ElementType type = ElementType::tet4;
  std::vector<std::int32_t> vertices;  ///< shape (count, element_vertex_count), 0-based, row per element
  /// For hex8 only; other types ignore it. Used for energy, stiffness and mass. Mesh files don't store it.
  HexahedronRule hexahedron_rule = HexahedronRule::gauss_3x3x3;

  [[nodiscard]] std::int64_t count() const {
    return static_cast<std::int64_t>(vertices.size()) / element_vertex_count(type);
  }
  [[nodiscard]] std::span<const std::int32_t> element(std::int64_t e) const {
    const auto n = static_cast<std::size_t>(element_vertex_count(type));
    return {vertices.data() + static_cast<std::size_t>(e) * n, n};
  }
};

/// A part of the body with one material. Files may leave the material out.
struct Region {
  std::string name;
  std::optional<Material> material;
};

/// A volume mesh. Elements are numbered through all blocks, in the order of `blocks`.
struct VolumeMesh {
  std::vector<double> vertices;              ///< rest positions [m], shape (n, 3), row per vertex
  std::vector<ElementBlock> blocks;          ///< at most one per type, ascending by type
  std::vector<std::int32_t> element_region;  ///< shape (element_count), index into `regions`; -1 = in no region
  std::vector<Region> regions;               ///< in file order
  std::map<std::string, std::vector<std::int32_t>> vertex_sets;  ///< named vertex sets, 0-based, sorted
  /// Supports by name that don't hold whole vertices, as a deck's `boundary` in single directions. Whatever holds the
  /// body: joints, such as ties and equations, masses and springs are part of it.
  std::map<std::string, std::vector<Constraint>> support_sets = {};
  std::vector<Constraint> joints = {};
  std::vector<PointMass> masses = {};
  std::vector<Spring> springs = {};
  std::map<std::string, std::int64_t> skipped;  ///< cells in the file that aren't volume elements, by type
  std::vector<std::string> warnings;            ///< what the reader repaired or skipped, as sentences
  bool names_ignore_case = false;  ///< upper and lower case make no difference in the file's names, as in .inp files
  /// What `read_mesh` opened: the file itself, then those that it includes or that belong to it.
  std::vector<std::filesystem::path> source_files;

  [[nodiscard]] std::int64_t vertex_count() const { return static_cast<std::int64_t>(vertices.size()) / 3; }
  [[nodiscard]] std::int64_t element_count() const {
    std::int64_t sum = 0;
    for (const ElementBlock& block : blocks) sum += block.count();
    return sum;
  }
};

/// Reads a volume mesh. The format is recognised by the content, not by the extension: VegaFEM .veg and .vegb, Gmsh
/// .msh, Abaqus and CalculiX .inp, VTK .vtk and .vtu, Medit and MFEM .mesh, Isaac Gym .tet, USD .usda, TetGen
/// .node/.ele. Inverted elements are kept as they are in the file; `repair_orientation` corrects them.
/// @throws FileError if the file can't be read, ParseError with file and line if it is damaged or of no known format
[[nodiscard]] QUARTIC_EXPORT VolumeMesh read_mesh(const std::filesystem::path& path);

/// The vertex set of this name, in whatever case where the mesh's names ignore it.
/// @throws InputError, which lists the mesh's sets, if there is none; or if several differ in case only
[[nodiscard]] QUARTIC_EXPORT const std::vector<std::int32_t>& find_vertex_set(const VolumeMesh& mesh,
                                                                              std::string_view name);

/// The regions' names, told apart: `steel#1`, `steel#2`, ... where several have one.
[[nodiscard]] QUARTIC_EXPORT std::vector<std::string> distinct_region_names(const VolumeMesh& mesh);

/// The regions that a name means, ascending: all that have it, or else the one that has it in `distinct_region_names`.
/// In whatever case where the mesh's names ignore it.
/// @throws InputError, which lists the mesh's regions, if there is none
[[nodiscard]] QUARTIC_EXPORT std::vector<std::int32_t> find_regions(const VolumeMesh& mesh, std::string_view name);

struct VegOptions {
  /// Also write meshes of tet4 and hex8 together, a section each: read_mesh reads that, VegaFEM itself doesn't.
  bool several_types = false;
};

/// Writes a mesh as VegaFEM text (.veg), with materials, regions and the shortest digits that identify every double.
/// One element type only, as the format has it, and only tet4 and hex8. Vertex sets are left out.
/// @throws InputError if the mesh can't be expressed in the format, FileError if it can't be written
QUARTIC_EXPORT void write_veg(const VolumeMesh& mesh, const std::filesystem::path& path,
                              const VegOptions& options = {});

struct MeshFileOptions {
  bool binary = false;  ///< .msh only: binary numbers instead of text
};

/// Writes a mesh in Gmsh's format (.msh, version 4.1), all element types. Regions become physical volumes, vertex sets
/// physical points; names are kept, but for quotation marks and control characters. Materials are left out.
/// @throws InputError for a mesh without elements, with bad numbers or blocks that don't ascend by type, FileError if
/// it can't be written
QUARTIC_EXPORT void write_gmsh(const VolumeMesh& mesh, const std::filesystem::path& path,
                               const MeshFileOptions& options = {});

/// A named field, such as a displacement or a mode.
struct NamedField {
  std::string name;
  std::span<const double> values;  ///< shape (n, 3), C order
};

/// Writes a mesh for ParaView and others that read VTK's XML (.vtu, raw binary), all element types. Point data: the
/// fields, and each vertex set as 0 and 1 per vertex. Cell data: `region` (-1: in none) and, where every element has a
/// material, `youngs_modulus`, `poissons_ratio` and `density`. Field data: `region 0: NAME`, ... with their number.
/// @throws InputError for a mesh without elements, bad numbers or a field of another size, FileError if it can't be
/// written
QUARTIC_EXPORT void write_vtu(const VolumeMesh& mesh, const std::filesystem::path& path,
                              std::span<const NamedField> fields = {});

/// Writes a mesh in the format of the file's extension: .msh, .vtu or .veg (of tet4, hex8, or both).
/// @return a sentence for everything that the format can't hold and that was left out or renamed
/// @throws InputError for another extension or a mesh that the format can't hold, FileError if it can't be written
QUARTIC_EXPORT std::vector<std::string> write_mesh(const VolumeMesh& mesh, const std::filesystem::path& path,
                                                   const MeshFileOptions& options = {});

/// Reads a list of fixed vertices (.bou: 1-based; commas, white space, `a:b` ranges). An empty file is an empty list.
/// @return 0-based indices, sorted, without duplicates
/// @throws ParseError for text that isn't a number or an index outside 1 .. vertex_count
[[nodiscard]] QUARTIC_EXPORT std::vector<std::int32_t> read_fixed_vertices(const std::filesystem::path& path,
                                                                           std::int64_t vertex_count);
QUARTIC_EXPORT void write_fixed_vertices(std::span<const std::int32_t> vertices, const std::filesystem::path& path);

/// Vertices in an axis-aligned box {x0, y0, z0, x1, y1, z1} [m], any corner order, with selection.hpp's tolerance.
[[nodiscard]] QUARTIC_EXPORT std::vector<std::int32_t> vertices_in_box(const VolumeMesh& mesh,
                                                                       const std::array<double, 6>& box);

/// What a check of geometry and material found. `warnings` put the counts into sentences. Elements and vertices are
/// counted from 0.
struct MeshReport {
  std::int64_t inverted = 0;           ///< elements whose Jacobian is nowhere positive (wrong winding)
  std::int64_t degenerate = 0;         ///< elements of zero volume, and folded ones (element_quality.hpp)
  std::int64_t slivers = 0;            ///< elements that are almost flat: quality below 1e-3, not degenerate
  std::int64_t first_inverted = -1;    ///< element number
  std::int64_t first_degenerate = -1;  ///< element number
  std::int64_t worst_element = -1;     ///< the first one of the worst quality; -1 if none could be measured
  double worst_quality = 1;            ///< smallest normalised quality, 1 = regular element, 0 = flat
  std::int64_t repeated_elements = 0;  ///< elements with the same vertices as an earlier one
  std::int64_t unreferenced_vertices = 0;
  std::int64_t coincident_vertices = 0;            ///< vertices of elements at the same place as another
  std::int64_t coincident_between_components = 0;  ///< those of them whose welding would join components
  std::int64_t elements_without_region = 0;
  std::int64_t regions_without_material = 0;
  std::int64_t regions_without_elements = 0;
  std::int64_t interface_triangles = 0;  ///< boundary triangles inside the body: neighbours touch without sharing faces
  std::int64_t components = 0;           ///< parts that share no vertex
  double volume = 0;                     ///< [m^3], sum of the elements' absolute volumes
  std::optional<double> mass;            ///< [kg]; absent if a material is missing
  std::array<double, 6> bounding_box{};  ///< of all vertices: x0, y0, z0, x1, y1, z1 [m]
  std::vector<std::string> warnings;     ///< one sentence per finding, the reader's own warnings first
  std::vector<std::string> hints;        ///< possible mistakes, such as units of length; not defects
};

/// Checks a mesh without changing or rejecting it. Thresholds are relative to the mesh's own size. O(n log n)
[[nodiscard]] QUARTIC_EXPORT MeshReport check_mesh(const VolumeMesh& mesh);

/// Rejects what `reduce` would repair, or accept with a warning: inverted and folded elements, vertices that belong to
/// no element, repeated elements. Needs elements of supported types.
/// @throws InputError that names all of them, with counts and the first; or for a vertex number out of range
QUARTIC_EXPORT void require_no_repairs(const VolumeMesh& mesh);

/// Reorients elements of negative volume (swaps vertices) and returns their number.
/// @throws InputError for a vertex number out of range or an element type that this version doesn't support
QUARTIC_EXPORT std::int64_t repair_orientation(VolumeMesh& mesh);

/// The mesh with tet10 in place of tet4, hex20 of hex8 and wedge15 of wedge6: a new vertex in the middle of each edge,
/// after the old ones; edges stay straight. A new vertex belongs to the vertex sets that have both ends of its edge.
/// @throws InputError for elements of other types or a vertex number out of range
[[nodiscard]] QUARTIC_EXPORT VolumeMesh make_quadratic(VolumeMesh mesh);

/// Drops vertices that no element uses and renumbers elements and vertex sets.
/// @return for each vertex of the new mesh its index in the old one
/// @throws InputError for a vertex number out of range
QUARTIC_EXPORT std::vector<std::int32_t> drop_unreferenced_vertices(VolumeMesh& mesh);

/// The distance within which vertices are coincident by default in `weld_vertices` and `check_mesh` [m]: 1e-9 of the
/// diagonal of the box around all elements, and never less than a few units of round-off of their coordinates.
/// @throws InputError for a vertex number out of range
[[nodiscard]] QUARTIC_EXPORT double default_weld_tolerance(const VolumeMesh& mesh);

/// Welds coincident vertices into one, so that parts that touch are joined; renumbers elements and vertex
/// sets. Vertices are visited in the order of x, then y, then z. Each joins the nearest place so far within the
/// tolerance, or starts a new one at its own position. So no vertex moves by more than the tolerance: of a chain
/// of close vertices about every other one is left. The result doesn't depend on how vertices are numbered, except for
/// its own numbering: places are in the order of their lowest vertices. O(n log n)
/// @param tolerance distance [m], >= 0; `default_weld_tolerance` is for vertices that are meant to be equal
/// @param new_numbers receives for each vertex its number in the new mesh
/// @return the number of vertices removed
/// @throws InputError, before anything is changed, if an element would get the same vertex twice, for a tolerance that
/// isn't a number of 0 or more, or for a vertex number out of range
QUARTIC_EXPORT std::int64_t weld_vertices(VolumeMesh& mesh, double tolerance,
                                          std::vector<std::int32_t>* new_numbers = nullptr);

/// The boundary surface of the mesh: faces that belong to one element only, quadrilaterals split in two.
/// Faces of quadratic elements become flat triangles between their corners and middles: four of a triangle, six of a
/// quadrilateral.
/// @return triangles, shape (t, 3), indices of mesh vertices, wound outwards
/// @throws InputError for a vertex number out of range
[[nodiscard]] QUARTIC_EXPORT std::vector<std::int32_t> boundary_triangles(const VolumeMesh& mesh);

}  // namespace quartic
