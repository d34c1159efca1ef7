// Other materials for a reduced model, from its parts per region.
#include "quartic/editing.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "core/algebra/blas.hpp"
#include "core/algebra/dense.hpp"
#include "core/fem/masses_and_springs.hpp"
#include "core/reduction/mesh_moments.hpp"
#include "core/reduction/region_mass.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

const Material& material_of(const ReducedModel& model, std::size_t region) {
  const auto& material = model.mesh.regions[region].material;
  if (!material) throw InputError("region '" + model.mesh.regions[region].name + "' of the model has no material");
  return *material;
}

template <class Differs>
bool any_region(const ReducedModel& model, std::span<const Material> materials, const Differs& differs) {
  for (std::size_t g = 0; g < materials.size(); ++g)
    if (differs(material_of(model, g), materials[g])) return true;
  return false;
}

bool densities_change(const ReducedModel& model, std::span<const Material> materials) {
  return any_region(model, materials, [](const Material& a, const Material& b) { return a.density != b.density; });
}

bool materials_change(const ReducedModel& model, std::span<const Material> materials) {
  return any_region(model, materials, [](const Material& a, const Material& b) {
    return a.density != b.density || a.youngs_modulus != b.youngs_modulus || a.poissons_ratio != b.poissons_ratio;
  });
}

template <class Part, class Fits>
void require_per_region(const ReducedModel& model, const std::vector<Part>& parts, const Fits& fits, const char* what) {
  if (parts.size() != model.mesh.regions.size() || !std::all_of(parts.begin(), parts.end(), fits))
    throw InputError(std::string("the model has no ") + what +
                     " per region; reduce it with region_parts (quartic reduce --region-parts)");
}

void require_editable(const ReducedModel& model, std::span<const Material> materials) {
  const auto regions = std::ssize(model.mesh.regions);
  if (std::ssize(materials) != regions)
    throw InputError("the model has " + std::to_string(regions) + " regions, but " + std::to_string(materials.size()) +
                     " materials were given");
  for (std::size_t g = 0; g < materials.size(); ++g) {
    const std::string region = "region '" + model.mesh.regions[g].name + "'";
    check_material(materials[g], region);
    if (materials[g].law != MaterialLaw::stvk)
      throw InputError(region + ": edits are of the law stvk alone, not of " +
                       std::string(material_law_name(materials[g].law)) + "; reduce the mesh with the other material");
  }
  if (model.cubature)
    throw InputError(
        "the model's forces come from a cubature, whose weights belong to its materials; reduce the mesh "
        "with the other ones");
  const int r = model.rank();
  if (r < 1) throw InputError("the model has no basis: there is no energy to edit");
  require_per_region(
      model, model.region_energy,
      [r](const RegionEnergy& part) { return part.lambda_part.rank == r && part.mu_part.rank == r; }, "energy");
  if (densities_change(model, materials))
    require_per_region(
        model, model.region_mass, [r](const Matrix& part) { return part.rows == r && part.cols == r; }, "mass");
}

// Files of older programs don't hold these: their price is paid here then.
std::vector<Matrix> region_unit_accelerations(const ReducedModel& model) {
  if (!model.region_unit_acceleration.empty()) {
    const auto fits = [&](const Matrix& part) { return part.rows == model.rank() && part.cols == 3; };
    require_per_region(model, model.region_unit_acceleration, fits, "unit accelerations");
    return model.region_unit_acceleration;
  }
  std::vector<Matrix> parts;
  for (std::size_t g = 0; g < model.mesh.regions.size(); ++g)
    parts.push_back(unit_acceleration_of_region(model, static_cast<std::int32_t>(g)));
  return parts;
}

// The sum over regions of density times part.
MatrixXd weigh(std::span<const Matrix> parts, std::span<const Material> materials) {
  MatrixXd sum = MatrixXd::Zero(parts.front().rows, parts.front().cols);
  for (std::size_t g = 0; g < parts.size(); ++g) sum += materials[g].density * parts[g].map();
  return sum;
}

// What is linear in densities, but for the mass.
template <class Moments, class Number>
std::array<std::span<Number>, 5> linear_parts(Moments& moments) {
  return {std::span<Number>(moments.first_moment), std::span<Number>(moments.unit_acceleration.values),
          std::span<Number>(moments.moment0.values), std::span<Number>(moments.moment1.values),
          std::span<Number>(moments.moment2.values)};
}

// sum += factor part.
void add(double factor, const FrameMoments& part, FrameMoments& sum) {
  sum.mass += factor * part.mass;
  const auto sums = linear_parts<FrameMoments, double>(sum);
  const auto added = linear_parts<const FrameMoments, const double>(part);
  for (std::size_t a = 0; a < sums.size(); ++a)
    for (std::size_t n = 0; n < sums[a].size(); ++n) sums[a][n] += factor * added[a][n];
}

FrameMoments weigh(std::span<const FrameMoments> parts, std::span<const Material> materials) {
  FrameMoments sum = parts.front();
  sum.mass = 0;
  const auto sums = linear_parts<FrameMoments, double>(sum);
  for (const std::span<double> numbers : sums) std::ranges::fill(numbers, 0.0);
  for (std::size_t g = 0; g < parts.size(); ++g) add(materials[g].density, parts[g], sum);
  return sum;
}

// Masses at vertices don't change with densities.
void add_point_masses(const ReducedModel& model, MatrixXd& mass, MatrixXd& unit_acceleration) {
  const auto u = model.basis.map();
  for (const PointMass& point : model.mesh.masses) {
    const auto rows = u.middleRows<3>(3 * Index{point.vertex});
    mass += point.mass * rows.transpose() * rows;
    unit_acceleration += point.mass * rows.transpose();
  }
}

// T = L^-T of M = L L^T: T^T M T = I.
MatrixXd orthonormalizing_transform(const MatrixXd& mass) {
  const std::optional<dense::Cholesky> factor = dense::cholesky(mass);
  if (!factor) throw NumericalError("the reduced mass for these densities isn't positive definite");
  MatrixXd transform = MatrixXd::Identity(mass.rows(), mass.cols());
  factor->orthonormalize(transform);
  return transform;
}

Matrix product(const MatrixRef& a, const MatrixRef& b) {
  Matrix c(a.rows(), b.cols());
  blas::multiply(1, a, b, 0, c.map());
  return c;
}

// U - 1 t^T.
Matrix without_translation(const Matrix& basis, const Matrix& translation) {
  Matrix fields = basis;
  for (std::int64_t i = 0; i < basis.cols; ++i)
    for (std::int64_t row = 0; row < basis.rows; ++row) fields(row, i) -= translation(i, row % 3);
  return fields;
}

// The mass centre of other densities, where the model has the parts that tell, and what a free body's fields lose.
void set_frame(const ReducedModel& model, std::span<const Material> materials, const MatrixXd& unit_acceleration,
               MaterialEdit& edit) {
  const bool free = is_free(model);
  if (!free && model.region_moments.empty()) return;
  edit.moments = weigh(region_moments(model), materials);
  if (!model.mesh.masses.empty())
    add(1, moments_about(edit.moments->origin, model.mesh.vertices, model.basis, scalar_point_masses(model.mesh)),
        *edit.moments);
  for (std::size_t c = 0; c < 3; ++c) edit.shift[c] = edit.moments->first_moment[c] / edit.moments->mass;
  if (free) edit.translation = to_matrix(unit_acceleration / edit.moments->mass);
}

std::vector<Material> materials_of(const ReducedModel& model) {
  std::vector<Material> materials;
  for (std::size_t g = 0; g < model.mesh.regions.size(); ++g) materials.push_back(material_of(model, g));
  return materials;
}

bool constants_change(std::span<const Material> before, std::span<const Material> after) {
  return !std::ranges::equal(before, after, [](const Material& a, const Material& b) {
    return a.youngs_modulus == b.youngs_modulus && a.poissons_ratio == b.poissons_ratio;
  });
}

// Relaxes the edit's energy as the model's is, if that is known.
void relax(const ReducedModel& model, std::span<const Material> materials, MaterialEdit& edit) {
  if (!model.relaxation) return;
  const std::vector<Material> before = materials_of(model);
  const bool beside_springs = !model.mesh.springs.empty() && constants_change(before, materials);
  if (!beside_springs) edit.relaxation = edit_relaxation(*model.relaxation, before, materials);
  if (edit.relaxation) {
    edit.energy = relaxed(edit.energy, *edit.relaxation);
    return;
  }
  const std::string lost = model.relaxation->share > 0 ? "the strains aren't relaxed any more"
                                                       : "what could be relaxed isn't known any more";
  edit.notices.push_back(
      lost + (beside_springs
                  ? ": the springs keep their stiffness while that of the regions changes; reduce the body anew"
                  : ": the stiffness of the regions changes by different factors, and the model has no parts of its "
                    "relaxation per region; reduce it anew with region_parts (quartic reduce --region-parts)"));
}

MaterialEdit elastic_edit(const ReducedModel& model, std::span<const Material> materials) {
  const int r = model.rank();
  QuarticEnergy energy = combine_region_energy(model.region_energy, materials);
  add_reduced_springs(model.mesh.springs, model.basis.map(), energy);
  MaterialEdit edit{.energy = std::move(energy),
                    .transform = to_matrix(MatrixXd::Identity(r, r)),
                    .unit_acceleration = model.unit_acceleration,
                    .translation = Matrix(r, 3),
                    .moments = model.frame_moments,
                    .chambers = chamber_volumes(model)};
  relax(model, materials, edit);
  return edit;
}

// A region's parts in the edit's coordinates: U^T M_g U and U^T M_g of unit fields, without a translation.
void change_region(const MaterialEdit& edit, double volume, Matrix& mass, Matrix& unit_acceleration) {
  const auto transform = edit.transform.map(), t = edit.translation.map();
  const MatrixXd unit = unit_acceleration.map();
  const MatrixXd fields = mass.map() - unit * t.transpose() - t * unit.transpose() + volume * t * t.transpose();
  mass = to_matrix(transform.transpose() * fields * transform);
  unit_acceleration = to_matrix(transform.transpose() * (unit - volume * t));
}

}  // namespace

MaterialEdit edit_materials(const ReducedModel& model, std::span<const Material> materials) {
  require_editable(model, materials);
  MaterialEdit edit = elastic_edit(model, materials);
  if (!densities_change(model, materials)) return edit;
  MatrixXd mass = weigh(model.region_mass, materials);
  MatrixXd unit = weigh(region_unit_accelerations(model), materials);
  add_point_masses(model, mass, unit);
  set_frame(model, materials, unit, edit);
  const bool free = is_free(model);
  if (free) mass -= unit * edit.translation.map().transpose();
  edit.transform = to_matrix(orthonormalizing_transform(mass));
  edit.energy = transform_energy(edit.energy, edit.transform.map());
  if (edit.relaxation) edit.relaxation = transform_relaxation(*edit.relaxation, edit.transform.map());
  // A translation of the whole, which a free body's fields lose, changes no volume.
  for (EnclosedVolume& volume : edit.chambers) volume = transform_volume(volume, edit.transform.map());
  edit.unit_acceleration = free ? Matrix(model.rank(), 3) : to_matrix(edit.transform.map().transpose() * unit);
  if (edit.moments) {
    *edit.moments = change_frame(*edit.moments, {edit.shift, edit.translation, edit.transform});
    edit.moments->first_moment = {};  // but for round-off
    edit.moments->unit_acceleration = edit.unit_acceleration;
  }
  return edit;
}

ReducedModel with_materials(const ReducedModel& model, std::span<const Material> materials) {
  MaterialEdit edit = edit_materials(model, materials);
  ReducedModel result = model;
  if (!materials_change(model, materials)) return result;
  if (densities_change(model, materials)) {
    const auto t = edit.transform.map();
    const bool free = is_free(model);
    if (free) result.basis = without_translation(model.basis, edit.translation);
    result.basis = product(result.basis.map(), t);
    for (RegionEnergy& part : result.region_energy)
      part = {transform_energy(part.lambda_part, t), transform_energy(part.mu_part, t)};
    result.region_unit_acceleration = region_unit_accelerations(model);
    if (free || !model.region_moments.empty()) result.region_moments = region_moments(model);
    for (std::size_t g = 0; g < result.region_mass.size(); ++g)
      change_region(edit, free ? result.region_moments[g].mass : 0, result.region_mass[g],
                    result.region_unit_acceleration[g]);
    for (std::size_t g = 0; g < result.region_moments.size(); ++g) {
      FrameMoments& part = result.region_moments[g];
      part = change_frame(part, {edit.shift, edit.translation, edit.transform});
      part.origin = edit.moments->origin;
      part.unit_acceleration = result.region_unit_acceleration[g];
    }
    result.frame_moments = std::move(edit.moments);
    if (result.bound_tree) result.bound_tree = refitted(*result.bound_tree, result);
  }
  for (std::size_t g = 0; g < materials.size(); ++g) result.mesh.regions[g].material = materials[g];
  result.energy = std::move(edit.energy);
  result.relaxation = std::move(edit.relaxation);
  for (std::size_t c = 0; c < result.chambers.size(); ++c) result.chambers[c].volume = std::move(edit.chambers[c]);
  result.notices.insert(result.notices.end(), edit.notices.begin(), edit.notices.end());
  result.unit_acceleration = std::move(edit.unit_acceleration);
  result.eigenvalues.clear();
  result.linear_modes = {};
  result.created_by += "; quartic::with_materials";
  return result;
}

}  // namespace quartic
