// What is told of momenta of bodies that fly, and of contacts.
#pragma once

#include <nlohmann/json.hpp>

#include "cli/runs/simulation.hpp"

namespace quartic::cli {

[[nodiscard]] nlohmann::json momentum_json(const SimulationResult& result);
void print_momenta(const SimulationResult& result);

[[nodiscard]] nlohmann::json contacts_json(const ContactFindings& found);
void print_contacts(const ContactFindings& found);

}  // namespace quartic::cli
