#include "cli/reports/range_report.hpp"

#include "cli/reports/report.hpp"
#include "cli/runs/unreduced_motion.hpp"
#include "cli/values/numbers.hpp"

namespace quartic::cli {

namespace {

constexpr const char* smaller_load = "; use a smaller load or a stiffer material";

// "from 0.17 s on", or what is known of bodies that came so from a checkpoint.
std::string since_text(const std::optional<double>& since) {
  return since ? "from " + significant(*since) + " s on" : "before the first frame";
}

// ", in 3 of 8 bodies,", where there are several.
std::string bodies_text(std::int64_t some, const RangeFindings& findings) {
  return findings.bodies > 1 ? ", in " + std::to_string(some) + " of " + std::to_string(findings.bodies) + " bodies,"
                             : "";
}

bool is_inverted(const RangeFindings& findings) {
  return findings.inverted_bodies > 0 || findings.inverted_elements > 0;
}

std::string elements_text(const RangeFindings& findings) {
  if (findings.inverted_elements == 0 && findings.counts == 0 && findings.not_finite > 0)
    return "there were (not counted: no displacement is finite where they were) ";
  if (findings.inverted_elements == 0) return "there were ";
  const std::string most =
      std::to_string(findings.inverted_elements) + " of " + std::to_string(findings.elements) + " ";
  if (findings.counts == findings.wanted_counts) return "there are up to " + most;
  return "there are up to " + most + "(counted " + std::to_string(findings.counts) + " times of " +
         std::to_string(findings.wanted_counts) + ") ";
}

}  // namespace

std::vector<std::string> range_warnings(const RangeFindings& findings) {
  std::vector<std::string> warnings;
  if (is_inverted(findings))
    warnings.push_back(since_text(findings.inverted_since) + bodies_text(findings.inverted_bodies, findings) + " " +
                       elements_text(findings) + turned_inside_out + smaller_load);
  else if (findings.strained_bodies > 0)
    warnings.push_back(
        since_text(findings.strained_since) + bodies_text(findings.strained_bodies, findings) +
        " some place is compressed to less than 0.58 of its length or stretched to more than 1.73 of it, beyond what "
        "the StVK material is for" +
        smaller_load);
  if (findings.unconverged_bodies > 0 && findings.touching)
    warnings.push_back(counted(findings.unconverged_bodies, "body", "bodies") +
                       " had steps with contacts that didn't converge: their forces aren't in balance there; use more "
                       "--substeps, or a smaller --contact-stiffness");
  else if (findings.unconverged_bodies > 0)
    warnings.push_back(counted(findings.unconverged_bodies, "body", "bodies") +
                       " had steps of the energy-conserving integrator that didn't converge: their energy isn't kept; "
                       "use a smaller --dt or more --substeps");
  if (findings.fast_bodies > 0)
    warnings.push_back(counted(findings.fast_bodies, "body", "bodies") +
                       " went so far in a step that they may have gone through a shape: contacts are seen at the ends "
                       "of steps alone; use a smaller --dt or more --substeps, or a thicker shape");
  if (findings.lost_contacts_bodies > 0)
    warnings.push_back(counted(findings.lost_contacts_bodies, "body", "bodies") +
                       " had steps on a GPU without contacts, for which there was no room; reserve what "
                       "DeviceContacts::needed tells");
  return warnings;
}

nlohmann::json range_json(const RangeFindings& findings) {
  return {{"inverted_elements", findings.inverted_elements},
          {"inverted_since", time_or_null(findings.inverted_since)},
          {"strained_since", time_or_null(findings.strained_since)},
          {"flags",
           {{"inverted", findings.inverted_bodies},
            {"strained", findings.strained_bodies},
            {"not_converged", findings.unconverged_bodies},
            {"too_fast", findings.fast_bodies},
            {"contacts_lost", findings.lost_contacts_bodies}}}};
}

void print_range(const RangeFindings& findings) {
  if (!is_inverted(findings) && findings.strained_bodies == 0) return;
  std::string text = std::to_string(findings.inverted_bodies) + " turned inside out, " +
                     std::to_string(findings.strained_bodies) + " strained too much";
  if (findings.inverted_elements > 0)
    text += "; up to " + std::to_string(findings.inverted_elements) + " of " + std::to_string(findings.elements) +
            " elements inverted";
  print_line("out of range", text);
}

}  // namespace quartic::cli
