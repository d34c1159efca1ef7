// Reports of relaxed strains, and of how far states can be trusted.
#pragma once

#include <nlohmann/json.hpp>

#include "cli/runs/relaxation_findings.hpp"
#include "quartic/model.hpp"

namespace quartic::cli {

/// Share, fields, reach and calibration; null for a model without.
[[nodiscard]] nlohmann::json relaxation_json(const ReducedModel& model);

/// Lines of the summary; none for a model without.
void print_relaxation(const ReducedModel& model);

/// How much could be relaxed of the states that a model's own loads bring about.
[[nodiscard]] nlohmann::json natural_trust_json(const NaturalTrust& trust);
void print_natural_trust(const NaturalTrust& trust);

/// The same of a motion.
[[nodiscard]] nlohmann::json motion_trust_json(const MotionTrust& trust);
void print_motion_trust(const MotionTrust& trust);
[[nodiscard]] std::vector<std::string> trust_warnings(const MotionTrust& trust);

}  // namespace quartic::cli
