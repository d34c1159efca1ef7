#include "cli/reports/relaxation_report.hpp"

#include <algorithm>
#include <cmath>

#include "cli/reports/report.hpp"
#include "cli/values/numbers.hpp"

namespace quartic::cli {

namespace {

const char* use_text(CalibrationUse use) {
  constexpr const char* texts[] = {"used", "no equilibrium", "inverted", "outside of basis"};
  return texts[static_cast<std::size_t>(use)];
}

std::string percent(double share) {
  return significant(100 * share, 3) + " %";
}

// "11 of 16 loads, mean error 3.2 % unrelaxed, 1.9 % relaxed": geometric means.
std::string calibration_text(const std::vector<CalibrationLoad>& loads) {
  double before = 0, after = 0, used = 0;
  for (const CalibrationLoad& load : loads) {
    if (load.use != CalibrationUse::used) continue;
    before += std::log(std::max(load.unrelaxed_error, 1e-12));
    after += std::log(std::max(load.relaxed_error, 1e-12));
    ++used;
  }
  std::string text = significant(used) + " of " + counted(std::ssize(loads), "load", "loads") + " used";
  if (used > 0)
    text += ", mean error " + percent(std::exp(before / used)) + " unrelaxed, " + percent(std::exp(after / used)) +
            " relaxed";
  return text;
}

}  // namespace

nlohmann::json relaxation_json(const ReducedModel& model) {
  if (!model.relaxation) return {};
  nlohmann::json loads = nlohmann::json::array();
  for (const CalibrationLoad& load : model.relaxation->calibration)
    loads.push_back({{"amplitude", load.amplitude},
                     {"unrelaxed_error", load.unrelaxed_error},
                     {"relaxed_error", load.relaxed_error},
                     {"use", use_text(load.use)}});
  return {{"share", model.relaxation->share},
          {"fields", model.relaxation->field_count()},
          {"reach", model.relaxation->reach},
          {"region_parts", !model.relaxation->regions.empty()},
          {"calibration", loads}};
}

void print_relaxation(const ReducedModel& model) {
  if (!model.relaxation) return;
  const Relaxation& relaxation = *model.relaxation;
  print_line("relaxed", percent(relaxation.share) + " of the strains that " +
                            counted(relaxation.field_count(), "field takes", "fields take") + " away, up to " +
                            significant(relaxation.reach, 3) + " J of linear energy");
  if (!relaxation.calibration.empty()) print_line("calibration", calibration_text(relaxation.calibration));
}

nlohmann::json natural_trust_json(const NaturalTrust& trust) {
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t a = 0; a < trust.amplitudes.size(); ++a)
    list.push_back({{"amplitude", trust.amplitudes[a]}, {"median_relaxable_share", trust.median_share[a]}});
  return list;
}

void print_natural_trust(const NaturalTrust& trust) {
  std::string text;
  for (std::size_t a = 0; a < trust.amplitudes.size(); ++a)
    text += (a > 0 ? ", " : "") + percent(trust.median_share[a]);
  text += " of the energy at linear displacements of ";
  for (std::size_t a = 0; a < trust.amplitudes.size(); ++a)
    text += (a > 0 ? ", " : "") + significant(trust.amplitudes[a], 2);
  print_line("relaxable", text + " times the size (medians)");
}

nlohmann::json motion_trust_json(const MotionTrust& trust) {
  return {{"relaxable_share", trust.largest_share},
          {"linear_energy", trust.largest_energy},
          {"reach", trust.reach},
          {"beyond_reach", trust.beyond_reach}};
}

void print_motion_trust(const MotionTrust& trust) {
  const double largest = *std::ranges::max_element(trust.largest_share);
  print_line("relaxable", "at most " + percent(largest) + " of a body's energy; " +
                              counted(std::ssize(trust.beyond_reach), "body", "bodies") + " beyond the model's reach");
}

std::vector<std::string> trust_warnings(const MotionTrust& trust) {
  if (trust.beyond_reach.empty()) return {};
  const double most = *std::ranges::max_element(trust.largest_energy);
  return {counted(std::ssize(trust.beyond_reach), "body", "bodies") + " of " +
          std::to_string(trust.largest_energy.size()) +
          " moved beyond the states that the model's strains were relaxed "
          "for (" +
          significant(most, 3) + " J of linear energy, reach " + significant(trust.reach, 3) +
          " J); use a smaller load, or look by quartic compare"};
}

}  // namespace quartic::cli
