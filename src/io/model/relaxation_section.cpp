// What relaxed the energy. It belongs to these coefficients: a program that doesn't know it keeps it when it edits the
// model. Then it is left out with a notice, and the energy is taken as it is.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fnv1a.hpp"
#include "core/relaxation/relaxation_check.hpp"
#include "io/model/model_sections.hpp"
#include "io/text/text.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"relaxation", "region_relaxation_stiffness", "region_relaxation_forces",
                                        "relaxation_calibration"};
constexpr const char* share_key = "relaxation_share";
constexpr const char* reach_key = "relaxation_reach";
constexpr const char* fingerprint_key = "relaxation_of";
constexpr std::string_view metadata[] = {share_key, reach_key, fingerprint_key};

bool is_present(const ReducedModel& model) {
  return model.relaxation.has_value();
}

void check(const ReducedModel& model) {
  if (!is_present(model)) return;
  require_fit(model.rank() > 0, "a relaxation needs a basis");
  quartic::check(*model.relaxation, model.rank());
  const std::size_t regions = model.relaxation->regions.size();
  require_fit(regions == 0 || regions == model.mesh.regions.size(),
              "the relaxation must have parts of each region or of none");
}

// Of the coefficients.
std::string fingerprint(const QuarticEnergy& energy) {
  return hash_text(fnv1a(std::as_bytes(std::span(energy.coefficients))));
}

// Rows one after the other.
std::vector<double> by_rows(const Matrix& matrix) {
  std::vector<double> values;
  values.reserve(matrix.values.size());
  for (std::int64_t i = 0; i < matrix.rows; ++i)
    for (std::int64_t j = 0; j < matrix.cols; ++j) values.push_back(matrix(i, j));
  return values;
}
Matrix from_rows(std::int64_t rows, std::int64_t cols, const double* values) {
  Matrix matrix(rows, cols);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < cols; ++j) matrix(i, j) = *values++;
  return matrix;
}

void append(const Matrix& matrix, std::vector<double>& values) {
  const std::vector<double> rows = by_rows(matrix);
  values.insert(values.end(), rows.begin(), rows.end());
}

void write_regions(const std::vector<RegionRelaxation>& parts, FileDraft& draft) {
  std::vector<double> stiffness, forces;
  for (const RegionRelaxation& region : parts)
    for (const StrainProducts* part : {&region.lambda_part, &region.mu_part}) {
      append(part->stiffness, stiffness);
      append(part->forces, forces);
    }
  const StrainProducts& first = parts.front().lambda_part;
  draft.add_computed("region_relaxation_stiffness", {std::ssize(parts), 2, first.stiffness.rows, first.stiffness.cols},
                     std::move(stiffness));
  draft.add_computed("region_relaxation_forces", {std::ssize(parts), 2, first.forces.rows, first.forces.cols},
                     std::move(forces));
}

void write_calibration(const std::vector<CalibrationLoad>& loads, FileDraft& draft) {
  std::vector<double> numbers;
  for (const CalibrationLoad& load : loads)
    numbers.insert(numbers.end(), {load.amplitude, load.unrelaxed_error, load.relaxed_error,
                                   static_cast<double>(static_cast<int>(load.use))});
  draft.add_computed("relaxation_calibration", {std::ssize(loads), 4}, std::move(numbers));
}

void write(const ReducedModel& model, FileDraft& draft) {
  const Relaxation& relaxation = *model.relaxation;
  draft.add_computed("relaxation", {relaxation.products.rows, relaxation.products.cols}, by_rows(relaxation.products));
  if (!relaxation.regions.empty()) write_regions(relaxation.regions, draft);
  if (!relaxation.calibration.empty()) write_calibration(relaxation.calibration, draft);
  draft.metadata[share_key] = format_number(relaxation.share);
  draft.metadata[reach_key] = format_number(relaxation.reach);
  draft.metadata[fingerprint_key] = fingerprint(model.energy);
}

double read_number(const SafetensorsFile& file, const char* key) {
  const std::string& text = file.metadata_entry(key);
  const std::optional<double> number = parse_number(text);
  if (!number) file.fail(std::string("the metadata entry '") + key + "' is no number: " + quote(text));
  return *number;
}

std::vector<RegionRelaxation> read_regions(const SafetensorsFile& file, std::int64_t regions, std::int64_t pairs) {
  const std::string stiffness = "region_relaxation_stiffness", forces = "region_relaxation_forces";
  if (file.find(stiffness) == nullptr && file.find(forces) == nullptr) return {};
  const auto k = file.values<double>(stiffness, 4), g = file.values<double>(forces, 4);
  const std::int64_t fields = file.size(stiffness, 3);
  for (const auto& [name, columns] : {std::pair{stiffness, fields}, std::pair{forces, pairs}}) {
    file.require_size(name, 0, regions);
    file.require_size(name, 1, 2);
    file.require_size(name, 2, fields);
    file.require_size(name, 3, columns);
  }
  const auto part = [&](std::int64_t number) {
    return StrainProducts{from_rows(fields, fields, k.data() + number * fields * fields),
                          from_rows(fields, pairs, g.data() + number * fields * pairs)};
  };
  std::vector<RegionRelaxation> parts;
  for (std::int64_t region = 0; region < regions; ++region) parts.push_back({part(2 * region), part(2 * region + 1)});
  return parts;
}

std::vector<CalibrationLoad> read_calibration(const SafetensorsFile& file) {
  if (file.find("relaxation_calibration") == nullptr) return {};
  const auto numbers = file.values<double>("relaxation_calibration", 2);
  file.require_size("relaxation_calibration", 1, 4);
  std::vector<CalibrationLoad> loads;
  for (std::size_t n = 0; n < numbers.size(); n += 4) {
    const double use = numbers[n + 3];
    if (use != 0 && use != 1 && use != 2 && use != 3)
      file.fail("'relaxation_calibration' has a load whose use isn't 0, 1, 2 or 3");
    loads.push_back({numbers[n], numbers[n + 1], numbers[n + 2], static_cast<CalibrationUse>(static_cast<int>(use))});
  }
  return loads;
}

void read(const SafetensorsFile& file, ReducedModel& model) {
  if (model.rank() < 1) file.fail("there is 'relaxation', but no 'basis'");
  const auto t = file.values<double>("relaxation", 2);
  const std::int64_t pairs = pair_count(model.rank());
  file.require_size("relaxation", 1, pairs);
  Relaxation relaxation{.products = from_rows(file.size("relaxation", 0), pairs, t.data()),
                        .share = read_number(file, share_key),
                        .reach = read_number(file, reach_key),
                        .regions = read_regions(file, std::ssize(model.mesh.regions), pairs),
                        .calibration = read_calibration(file)};
  if (file.metadata_entry(fingerprint_key) != fingerprint(model.energy)) {
    model.notices.emplace_back(
        "the file's relaxed strains aren't those of its energy and were left out: another program has changed the "
        "energy; reduce the mesh anew to relax it");
    return;
  }
  model.relaxation = std::move(relaxation);
}

}  // namespace

const ModelSection relaxation_section = {.name = "relaxation",
                                         .tensors = tensors,
                                         .metadata = metadata,
                                         .key_tensor = "relaxation",
                                         .is_present = is_present,
                                         .check = check,
                                         .write = write,
                                         .read = read};

}  // namespace quartic::io
