// Moments of mass: of the body, and of each region at density 1, which edits of densities go by. They belong to one
// basis and one mass: a program that doesn't know them keeps them when it edits the model. Then they are left out with
// a notice, since `frame_moments` makes them anew from the mesh.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/elements/elements.hpp"
#include "core/elements/quadrature.hpp"
#include "core/fem/masses_and_springs.hpp"
#include "core/frame/moment_check.hpp"
#include "core/reduction/mesh_moments.hpp"
#include "io/model/model_sections.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {
    "mass",          "mass_centre",         "moment0",        "moment1",        "moment2",
    "region_volume", "region_first_moment", "region_moment0", "region_moment1", "region_moment2"};
constexpr const char* fingerprint_key = "moments_of";
constexpr std::string_view metadata[] = {fingerprint_key};

bool is_present(const ReducedModel& model) {
  return model.frame_moments.has_value();
}

bool is_zero(const std::array<double, 3>& vector) {
  return vector[0] == 0 && vector[1] == 0 && vector[2] == 0;
}

void check(const ReducedModel& model) {
  require_fit(model.region_moments.empty() || is_present(model), "region_moments need frame_moments");
  if (!is_present(model)) return;
  const FrameMoments& whole = *model.frame_moments;
  require_fit(model.rank() > 0 && are_moments(whole, model.rank()) && whole.mass > 0,
              "frame_moments must be finite and of the basis' rank");
  require_fit(is_zero(whole.first_moment), "frame_moments must be about the mass centre");
  require_fit(whole.unit_acceleration.values == model.unit_acceleration.values,
              "frame_moments must have the model's unit_acceleration");
  if (model.region_moments.empty()) return;
  require_fit(model.region_moments.size() == model.mesh.regions.size() &&
                  model.region_moments.size() == model.region_unit_acceleration.size(),
              "region_moments must have one entry per region, as region_unit_acceleration has");
  for (std::size_t g = 0; g < model.region_moments.size(); ++g) {
    const FrameMoments& part = model.region_moments[g];
    require_fit(are_moments(part, model.rank()) && part.origin == whole.origin,
                "region_moments must be finite, of the basis' rank, and about the mass centre of the body");
    require_fit(part.unit_acceleration.values == model.region_unit_acceleration[g].values,
                "region_moments must have the unit accelerations of region_unit_acceleration");
  }
}

// One array of all parts, one after the other.
template <class Values>
std::vector<double> joined(const std::vector<FrameMoments>& parts, const Values& values_of) {
  std::vector<double> all;
  for (const FrameMoments& part : parts) {
    const auto& values = values_of(part);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

void write_regions(const ReducedModel& model, FileDraft& draft) {
  const std::vector<FrameMoments>& parts = model.region_moments;
  const auto regions = std::ssize(parts), r = model.basis.cols;
  std::vector<double> volumes;
  volumes.reserve(parts.size());
  for (const FrameMoments& part : parts) volumes.push_back(part.mass);
  draft.add_computed("region_volume", {regions}, std::move(volumes));
  draft.add_computed("region_first_moment", {regions, 3}, joined(parts, [](const auto& p) { return p.first_moment; }));
  draft.add_computed("region_moment0", {regions, 3, 3}, joined(parts, [](const auto& p) { return p.moment0.values; }));
  draft.add_computed("region_moment1", {regions, r, 3, 3},
                     joined(parts, [](const auto& p) { return p.moment1.values; }));
  draft.add_computed("region_moment2", {regions, r * (r + 1) / 2, 3, 3},
                     joined(parts, [](const auto& p) { return p.moment2.values; }));
}

void write(const ReducedModel& model, FileDraft& draft) {
  const FrameMoments& moments = *model.frame_moments;
  const auto r = model.basis.cols;
  draft.add_computed("mass", {1}, std::vector<double>{moments.mass});
  draft.add_computed("mass_centre", {3}, std::vector<double>(moments.origin.begin(), moments.origin.end()));
  draft.add("moment0", {3, 3}, moments.moment0.values);
  draft.add("moment1", {r, 3, 3}, moments.moment1.values);
  draft.add("moment2", {r * (r + 1) / 2, 3, 3}, moments.moment2.values);
  if (!model.region_moments.empty()) write_regions(model, draft);
  set_basis_fingerprint(draft, fingerprint_key, model);
}

void require_shape(const SafetensorsFile& file, const std::string& name, std::vector<std::int64_t> shape) {
  for (std::size_t d = 0; d < shape.size(); ++d) file.require_size(name, d, shape[d]);
}

Matrix matrix_of(std::int64_t rows, std::int64_t cols, const double* values) {
  Matrix matrix(rows, cols);
  std::copy_n(values, rows * cols, matrix.values.begin());
  return matrix;
}

FrameMoments read_whole(const SafetensorsFile& file, const ReducedModel& model) {
  const auto r = model.basis.cols, pairs = r * (r + 1) / 2;
  const auto mass = file.values<double>("mass", 1), centre = file.values<double>("mass_centre", 1),
             moment0 = file.values<double>("moment0", 2), moment1 = file.values<double>("moment1", 3),
             moment2 = file.values<double>("moment2", 3);
  require_shape(file, "mass", {1});
  require_shape(file, "mass_centre", {3});
  require_shape(file, "moment0", {3, 3});
  require_shape(file, "moment1", {r, 3, 3});
  require_shape(file, "moment2", {pairs, 3, 3});
  FrameMoments moments;
  moments.mass = mass[0];
  std::copy_n(centre.begin(), 3, moments.origin.begin());
  moments.unit_acceleration = model.unit_acceleration;
  moments.moment0 = matrix_of(3, 3, moment0.data());
  moments.moment1 = matrix_of(9, r, moment1.data());
  moments.moment2 = matrix_of(9, pairs, moment2.data());
  return moments;
}

std::vector<FrameMoments> read_regions(const SafetensorsFile& file, const ReducedModel& model,
                                       const FrameMoments& whole) {
  if (file.find("region_volume") == nullptr) return {};
  const auto regions = std::ssize(model.mesh.regions);
  const auto r = model.basis.cols, pairs = r * (r + 1) / 2;
  if (std::ssize(model.region_unit_acceleration) != regions)
    file.fail("there is 'region_volume', but no 'region_unit_acceleration'");
  const auto volume = file.values<double>("region_volume", 1), first = file.values<double>("region_first_moment", 2),
             moment0 = file.values<double>("region_moment0", 3), moment1 = file.values<double>("region_moment1", 4),
             moment2 = file.values<double>("region_moment2", 4);
  require_shape(file, "region_volume", {regions});
  require_shape(file, "region_first_moment", {regions, 3});
  require_shape(file, "region_moment0", {regions, 3, 3});
  require_shape(file, "region_moment1", {regions, r, 3, 3});
  require_shape(file, "region_moment2", {regions, pairs, 3, 3});
  std::vector<FrameMoments> parts(static_cast<std::size_t>(regions));
  for (std::int64_t g = 0; g < regions; ++g) {
    FrameMoments& part = parts[static_cast<std::size_t>(g)];
    part.mass = volume[static_cast<std::size_t>(g)];
    part.origin = whole.origin;
    std::copy_n(first.begin() + 3 * g, 3, part.first_moment.begin());
    part.unit_acceleration = model.region_unit_acceleration[static_cast<std::size_t>(g)];
    part.moment0 = matrix_of(3, 3, moment0.data() + 9 * g);
    part.moment1 = matrix_of(9, r, moment1.data() + 9 * r * g);
    part.moment2 = matrix_of(9, pairs, moment2.data() + 9 * pairs * g);
  }
  return parts;
}

// Mass, and its first two moments about a point, of the mesh's own mass matrix.
struct MeshMoments {
  double mass = 0;
  double first[3] = {};
  double second[9] = {};  // row by row

  void add(double part, const std::array<double, 3>& x) {
    mass += part;
    for (std::size_t a = 0; a < 3; ++a) {
      first[a] += part * x[a];
      for (std::size_t b = 0; b < 3; ++b) second[3 * a + b] += part * x[a] * x[b];
    }
  }
};

// A consistent mass matrix gives the integral of density times 1, x and x x^T, by the elements' own rule.
MeshMoments integrals(const VolumeMesh& mesh, const std::array<double, 3>& origin) {
  MeshMoments moments;
  std::size_t number = 0;
  for (const ElementBlock& block : mesh.blocks) {
    const TabulatedRule rule(element_table(block.type), mass_rule(block));
    const auto first = number;
    number += static_cast<std::size_t>(block.count());
    for_each_point(mesh, block, rule, 0, block.count(),
                   [&](std::int64_t e, auto vertices, const PointGeometry& geometry, std::size_t p) {
                     std::array<double, 3> x{};
                     for (std::size_t v = 0; v < vertices.size(); ++v)
                       for (std::size_t c = 0; c < 3; ++c)
                         x[c] += rule.values[p][v] *
                                 (mesh.vertices[3 * static_cast<std::size_t>(vertices[v]) + c] - origin[c]);
                     const std::int32_t region = mesh.element_region[first + static_cast<std::size_t>(e)];
                     moments.add(mesh.regions[static_cast<std::size_t>(region)].material->density * geometry.weight, x);
                   });
  }
  for (const PointMass& point : mesh.masses) {
    const double* x = mesh.vertices.data() + 3 * static_cast<std::size_t>(point.vertex);
    moments.add(point.mass, {x[0] - origin[0], x[1] - origin[1], x[2] - origin[2]});
  }
  return moments;
}

MeshMoments sums_of_lumped_masses(const VolumeMesh& mesh, const std::array<double, 3>& origin) {
  MeshMoments moments;
  const SparseMatrix mass = mass_matrix(mesh, MassMatrix::lumped);  // (3n, 3n), diagonal
  for (std::size_t row = 0; row < mesh.vertices.size(); row += 3)
    for (auto entry = static_cast<std::size_t>(mass.row_offsets[row]);
         entry < static_cast<std::size_t>(mass.row_offsets[row + 1]); ++entry)
      moments.add(mass.values[entry], {mesh.vertices[row] - origin[0], mesh.vertices[row + 1] - origin[1],
                                       mesh.vertices[row + 2] - origin[2]});
  return moments;
}

// What is computed from here needs indices in range.
void require_sound(const SafetensorsFile& file, const ReducedModel& model) {
  try {
    mesh_section.check(model);
    material_section.check(model);
    supports_section.check(model);
  } catch (const InputError& error) {
    file.fail(error.what());
  }
}

bool are_near(std::span<const double> a, std::span<const double> b, double tolerance) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= tolerance)) return false;
  return true;
}

// Why the mesh and its materials can't have these moments; empty if they can.
std::string contradiction_of_mesh(const ReducedModel& model, const FrameMoments& whole, double tolerance) {
  const MeshMoments mesh = model.mass_matrix == MassMatrix::consistent
                               ? integrals(model.mesh, whole.origin)
                               : sums_of_lumped_masses(model.mesh, whole.origin);
  if (!(std::abs(whole.mass - mesh.mass) <= tolerance * mesh.mass))
    return "the mesh and its materials have another mass";
  const double moment = mesh.second[0] + mesh.second[4] + mesh.second[8], length = std::sqrt(moment / mesh.mass);
  if (!are_near(mesh.first, std::array<double, 3>{}, tolerance * mesh.mass * length))
    return "the mesh and its materials have another mass centre";
  if (!are_near(mesh.second, whole.moment0.values, tolerance * moment))
    return "the mesh and its materials have other second moments";
  return {};
}

// Why regions of these moments can't make up the body with its point masses.
std::string contradiction_of_regions(const ReducedModel& model, const FrameMoments& whole,
                                     const std::vector<FrameMoments>& parts, double tolerance) {
  if (parts.empty()) return {};
  std::vector<std::pair<double, FrameMoments>> terms;
  for (std::size_t g = 0; g < parts.size(); ++g) terms.emplace_back(model.mesh.regions[g].material->density, parts[g]);
  if (!model.mesh.masses.empty())
    terms.emplace_back(1,
                       moments_about(whole.origin, model.mesh.vertices, model.basis, scalar_point_masses(model.mesh)));
  const auto differ = [&](double size, const auto& values_of) {
    std::vector<double> sum(values_of(whole).size());
    for (const auto& [factor, moments] : terms)
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += factor * values_of(moments)[i];
    return !are_near(sum, values_of(whole), tolerance * size);
  };
  // By Schwarz' inequality, fields being mass-orthonormal, no number is larger.
  const double moment = whole.moment0(0, 0) + whole.moment0(1, 1) + whole.moment0(2, 2);
  if (differ(whole.mass, [](const FrameMoments& m) { return std::array{m.mass}; }))
    return "the regions' volumes give another mass";
  if (differ(std::sqrt(whole.mass * moment), [](const FrameMoments& m) { return m.first_moment; }))
    return "the regions have another mass centre";
  if (differ(
          moment, [](const FrameMoments& m) -> const auto& { return m.moment0.values; }) ||
      differ(
          std::sqrt(moment), [](const FrameMoments& m) -> const auto& { return m.moment1.values; }) ||
      differ(
          1, [](const FrameMoments& m) -> const auto& { return m.moment2.values; }))
    return "the regions' moments don't add up to them";
  return {};
}

// Why moments can't be this model's; empty if they can. An edit that matters changes far more than this.
std::string contradiction(const SafetensorsFile& file, const ReducedModel& model, const FrameMoments& whole,
                          const std::vector<FrameMoments>& parts) {
  constexpr double tolerance = 1e-4;
  const auto entry = file.metadata().find(fingerprint_key);
  if (entry == file.metadata().end()) return std::string("the metadata lack '") + fingerprint_key + "'";
  if (!is_basis_fingerprint(entry->second, model)) return "they were computed for another basis";
  for (const ElementBlock& block : model.mesh.blocks)
    if (!element_supported(block.type)) return "the mesh has elements whose mass this version doesn't know";
  if (std::string reason = contradiction_of_mesh(model, whole, tolerance); !reason.empty()) return reason;
  if (std::string reason = contradiction_of_regions(model, whole, parts, tolerance); !reason.empty()) return reason;
  return is_gram_matrix(whole) ? "" : "no body has such moments";
}

void read(const SafetensorsFile& file, ReducedModel& model) {
  if (model.rank() < 1) file.fail("there is 'mass', but no 'basis'");
  require_sound(file, model);
  FrameMoments whole = read_whole(file, model);
  std::vector<FrameMoments> parts = read_regions(file, model, whole);
  std::string reason;
  try {
    reason = contradiction(file, model, whole, parts);
  } catch (const InputError& error) {  // of a mesh that can't be used
    reason = error.what();
  }
  if (!reason.empty()) {
    model.notices.push_back("the file's moments of mass aren't those of its model and were left out: " + reason +
                            "; what needs them computes them anew from the mesh");
    return;
  }
  model.frame_moments = std::move(whole);
  model.region_moments = std::move(parts);
}

}  // namespace

const ModelSection moments_section = {.name = "moments",
                                      .tensors = tensors,
                                      .metadata = metadata,
                                      .key_tensor = "mass",
                                      .is_present = is_present,
                                      .check = check,
                                      .write = write,
                                      .read = read};

}  // namespace quartic::io
