#include "cli/reports/cubature_report.hpp"

#include <string>

#include "cli/reports/report.hpp"
#include "cli/values/numbers.hpp"

namespace quartic::cli {

namespace {

nlohmann::json error_json(const CubatureError& error) {
  return {{"median", error.median}, {"ninetieth", error.ninetieth}, {"largest", error.largest}};
}

// "0.0021 / 0.0052 / 0.011".
std::string text(const CubatureError& error) {
  return significant(error.median, 2) + " / " + significant(error.ninetieth, 2) + " / " + significant(error.largest, 2);
}

}  // namespace

nlohmann::json cubature_json(const ReducedModel& model) {
  if (!model.cubature) return {};
  const Cubature& cubature = *model.cubature;
  nlohmann::json json = {{"points", cubature.count()}, {"base", control_variate_name(cubature.base)}};
  if (!cubature.report) return json;
  const CubatureReport& report = *cubature.report;
  json.update({{"states", report.states},
               {"residual", report.residual},
               {"tolerance", report.tolerance},
               {"seed", report.seed},
               {"force_error", error_json(report.force)},
               {"energy_error", error_json(report.energy)},
               {"tangent_error", error_json(report.tangent)},
               {"equilibrium_error", error_json(report.equilibrium)}});
  return json;
}

void print_cubature(const ReducedModel& model) {
  if (!model.cubature) return;
  const Cubature& cubature = *model.cubature;
  print_line("cubature", counted(cubature.count(), "point", "points") + " beside the control variate '" +
                             std::string(control_variate_name(cubature.base)) + "'");
  if (!cubature.report) return;
  const CubatureReport& report = *cubature.report;
  print_line("its errors", "of " + std::to_string(report.states) +
                               " states that it wasn't trained on, median / 90 % / largest: equilibrium " +
                               text(report.equilibrium) + ", force " + text(report.force) + ", energy " +
                               text(report.energy) + ", tangent " + text(report.tangent));
}

}  // namespace quartic::cli
