// Energy, mass and unit accelerations of each region, which edits of materials go by. Each of the three may be missing.
#include <algorithm>
#include <string>
#include <vector>

#include "io/model/model_sections.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"region_energy", "region_mass", "region_unit_acceleration"};

bool is_present(const ReducedModel& model) {
  return !model.region_energy.empty() || !model.region_mass.empty() || !model.region_unit_acceleration.empty();
}

void check(const ReducedModel& model) {
  const auto regions = std::ssize(model.mesh.regions);
  const auto r = model.basis.cols;
  const auto coefficients = std::ssize(model.energy.coefficients);
  require_fit(model.region_energy.empty() || std::ssize(model.region_energy) == regions,
              "region_energy must have one entry per region");
  for (const RegionEnergy& part : model.region_energy)
    for (const QuarticEnergy* energy : {&part.lambda_part, &part.mu_part})
      require_fit(energy->rank == r && std::ssize(energy->coefficients) == coefficients,
                  "region_energy must have " + std::to_string(coefficients) + " coefficients per part");
  require_fit(model.region_mass.empty() || std::ssize(model.region_mass) == regions,
              "region_mass must have one entry per region");
  for (const Matrix& mass : model.region_mass)
    require_fit(mass.rows == r && mass.cols == r, "region_mass must be of the basis' rank");
  require_fit(model.region_unit_acceleration.empty() || std::ssize(model.region_unit_acceleration) == regions,
              "region_unit_acceleration must have one entry per region");
  for (const Matrix& part : model.region_unit_acceleration)
    require_fit(part.rows == r && part.cols == 3, "region_unit_acceleration must have three numbers per basis vector");
}

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// A matrix per region as the tensor [regions, cols, rows].
std::vector<double> stacked(const std::vector<Matrix>& matrices) {
  std::vector<double> values;
  for (const Matrix& matrix : matrices) append(values, matrix.values);
  return values;
}

void write(const ReducedModel& model, FileDraft& draft) {
  const auto regions = std::ssize(model.mesh.regions);
  const auto r = model.basis.cols;
  if (!model.region_energy.empty()) {
    std::vector<double> values;
    for (const RegionEnergy& part : model.region_energy) {
      append(values, part.lambda_part.coefficients);
      append(values, part.mu_part.coefficients);
    }
    draft.add_computed("region_energy", {regions, 2, std::ssize(model.energy.coefficients)}, std::move(values));
  }
  if (!model.region_mass.empty()) draft.add_computed("region_mass", {regions, r, r}, stacked(model.region_mass));
  if (!model.region_unit_acceleration.empty())
    draft.add_computed("region_unit_acceleration", {regions, 3, r}, stacked(model.region_unit_acceleration));
}

void read_region_energy(const SafetensorsFile& file, ReducedModel& model) {
  const auto regions = std::ssize(model.mesh.regions);
  const auto coefficients = std::ssize(model.energy.coefficients);
  const auto values = file.values<double>("region_energy", 3);
  file.require_size("region_energy", 0, regions);
  file.require_size("region_energy", 1, 2);
  file.require_size("region_energy", 2, coefficients);
  const auto part = [&](std::int64_t i) {
    const auto begin = values.begin() + i * coefficients;
    return QuarticEnergy{model.energy.rank, {begin, begin + coefficients}};
  };
  for (std::int64_t g = 0; g < regions; ++g) model.region_energy.push_back({part(2 * g), part(2 * g + 1)});
}

// The tensor [regions, cols, rows], if there is one.
std::vector<Matrix> region_matrices(const SafetensorsFile& file, const std::string& name, std::int64_t regions,
                                    std::int64_t cols, std::int64_t rows) {
  std::vector<Matrix> matrices;
  if (file.find(name) == nullptr) return matrices;
  const auto values = file.values<double>(name, 3);
  file.require_size(name, 0, regions);
  file.require_size(name, 1, cols);
  file.require_size(name, 2, rows);
  for (std::int64_t g = 0; g < regions; ++g)
    std::copy_n(values.begin() + g * rows * cols, rows * cols, matrices.emplace_back(rows, cols).values.begin());
  return matrices;
}

void read(const SafetensorsFile& file, ReducedModel& model) {
  const auto regions = std::ssize(model.mesh.regions);
  const auto r = model.basis.cols;
  if (file.find("region_energy") != nullptr) read_region_energy(file, model);
  model.region_mass = region_matrices(file, "region_mass", regions, r, r);
  model.region_unit_acceleration = region_matrices(file, "region_unit_acceleration", regions, 3, r);
}

}  // namespace

const ModelSection region_parts_section = {.name = "region_parts",
                                           .tensors = tensors,
                                           .key_tensor = "basis",
                                           .is_present = is_present,
                                           .check = check,
                                           .write = write,
                                           .read = read};

}  // namespace quartic::io
