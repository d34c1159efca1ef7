// What became of a motion that was sent.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/reports/output_writer.hpp"
#include "cli/runs/transmission.hpp"

namespace quartic::cli {

[[nodiscard]] nlohmann::json transmission_json(const TransmissionFindings& findings, const SenderOptions& sender,
                                               const std::vector<std::string>& warnings);
void print_transmission(const std::string& model, const TransmissionFindings& findings, const OutputWriter& writer);

void report_sender(const std::string& model, const std::string& to, const TransmissionFindings& findings,
                   const std::vector<std::string>& warnings, bool json);
void report_receiver(const std::string& from, const Reception& reception, const OutputWriter& writer,
                     const std::vector<std::string>& warnings, bool json);

}  // namespace quartic::cli
