// Other materials for a reduced model, from its parts per region.
#include "quartic/editing.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "core/algebra/blas.hpp"
#include "core/algebra/dense.hpp"
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
  for (std::size_t g = 0; g < materials.size(); ++g)
    check_material(materials[g], "region '" + model.mesh.regions[g].name + "'");
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
    parts.push_back(region_mass(model, static_cast<std::int32_t>(g)).unit_acceleration);
  return parts;
}

// The sum over regions of density times part.
MatrixXd weigh(std::span<const Matrix> parts, std::span<const Material> materials) {
  MatrixXd sum = MatrixXd::Zero(parts.front().rows, parts.front().cols);
  for (std::size_t g = 0; g < parts.size(); ++g) sum += materials[g].density * parts[g].map();
  return sum;
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

}  // namespace

MaterialEdit edit_materials(const ReducedModel& model, std::span<const Material> materials) {
  require_editable(model, materials);
  MaterialEdit edit{combine_region_energy(model.region_energy, materials), {}, model.unit_acceleration};
  if (!densities_change(model, materials)) {
    edit.transform = to_matrix(MatrixXd::Identity(model.rank(), model.rank()));
    return edit;
  }
  edit.transform = to_matrix(orthonormalizing_transform(weigh(model.region_mass, materials)));
  edit.energy = transform_energy(edit.energy, edit.transform.map());
  edit.unit_acceleration =
      to_matrix(edit.transform.map().transpose() * weigh(region_unit_accelerations(model), materials));
  return edit;
}

ReducedModel with_materials(const ReducedModel& model, std::span<const Material> materials) {
  MaterialEdit edit = edit_materials(model, materials);
  ReducedModel result = model;
  if (!materials_change(model, materials)) return result;
  if (densities_change(model, materials)) {
    const auto t = edit.transform.map();
    result.basis = product(model.basis.map(), t);
    for (RegionEnergy& part : result.region_energy)
      part = {transform_energy(part.lambda_part, t), transform_energy(part.mu_part, t)};
    for (Matrix& part : result.region_mass) part = to_matrix(t.transpose() * part.map() * t);
    result.region_unit_acceleration = region_unit_accelerations(model);
    for (Matrix& part : result.region_unit_acceleration) part = to_matrix(t.transpose() * part.map());
  }
  for (std::size_t g = 0; g < materials.size(); ++g) result.mesh.regions[g].material = materials[g];
  result.energy = std::move(edit.energy);
  result.unit_acceleration = std::move(edit.unit_acceleration);
  result.eigenvalues.clear();
  result.linear_modes = {};
  result.created_by += "; quartic::with_materials";
  return result;
}

}  // namespace quartic
