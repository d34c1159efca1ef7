#include "cli/reports/motion_report.hpp"

#include <array>
#include <string>

#include "cli/reports/report.hpp"
#include "cli/values/numbers.hpp"

namespace quartic::cli {

namespace {

std::string vector_text(const std::array<double, 3>& v) {
  return "(" + significant(v[0]) + ", " + significant(v[1]) + ", " + significant(v[2]) + ")";
}

}  // namespace

nlohmann::json momentum_json(const SimulationResult& result) {
  return {{"linear", {{"first", result.first.linear_momentum}, {"last", result.last.linear_momentum}}},
          {"angular", {{"first", result.first.angular_momentum}, {"last", result.last.angular_momentum}}}};
}

void print_momenta(const SimulationResult& result) {
  print_line("momentum", vector_text(result.first.linear_momentum) + " kg m/s at first, " +
                             vector_text(result.last.linear_momentum) + " at last (all bodies)");
  print_line("angular", vector_text(result.first.angular_momentum) + " kg m^2/s at first, " +
                            vector_text(result.last.angular_momentum) +
                            " at last (each about its mass centre, summed)");
}

nlohmann::json contacts_json(const ContactFindings& found) {
  return {{"points", found.points},
          {"bodies", found.bodies},
          {"force", found.force},
          {"since", time_or_null(found.since)},
          {"deepest_gap", found.deepest_gap},
          {"deepest_time", time_or_null(found.deepest)}};
}

void print_contacts(const ContactFindings& found) {
  if (!found.since) return print_line("contacts", "none in any frame");
  print_line("contacts", counted(found.points, "point", "points") + " of " + counted(found.bodies, "body", "bodies") +
                             " at last, with " + vector_text(found.force) + " N in all; deepest " +
                             significant(-found.deepest_gap) + " m at " + significant(*found.deepest) +
                             " s, the first at " + significant(*found.since) + " s");
}

}  // namespace quartic::cli
