#include "cli/reports/stream_report.hpp"

#include <iostream>

#include "cli/reports/outputs.hpp"
#include "cli/reports/report.hpp"
#include "cli/values/numbers.hpp"

namespace quartic::cli {

namespace {

nlohmann::json counts_json(const StreamCounts& counts) {
  nlohmann::json packets;
  for (std::size_t n = 0; n < packet_fate_count; ++n)
    packets[std::string(packet_fate_name(static_cast<PacketFate>(n)))] = counts.packets[n];
  return {{"packets", packets}, {"guessed", counts.guessed}};
}

nlohmann::json rule_json(const AccelerationRule& rule) {
  return {
      {"before", rule.before}, {"after", rule.after}, {"gamma", rule.gamma}, {"of_differences", rule.of_differences}};
}

nlohmann::json line_json(const TransmissionFindings& findings) {
  return {{"rule", rule_json(findings.rule)},
          {"steps", findings.steps},
          {"lost", findings.lost},
          {"bytes", findings.bytes},
          {"diverged", findings.diverged}};
}

}  // namespace

nlohmann::json transmission_json(const TransmissionFindings& findings, const SenderOptions& sender,
                                 const std::vector<std::string>& warnings) {
  nlohmann::json json = line_json(findings);
  json["step_length"] = sender.step;
  json["warnings"] = warnings;
  for (const ReceptionFindings& found : findings.receptions) {
    nlohmann::json reception = counts_json(found.counts);
    reception["last_error"] = found.last_error;
    reception["largest_error"] = found.largest_error;
    json["recoveries"][std::string(recovery_name(found.recovery))] = reception;
  }
  json["distortions"] = nlohmann::json::array();
  for (const MeasuredDistortion& found : findings.distortions)
    json["distortions"].push_back({{"steps", found.steps},
                                   {"q", found.measured.q},
                                   {"velocity", found.measured.velocity},
                                   {"expected_q", found.expected.q},
                                   {"expected_velocity", found.expected.velocity}});
  return json;
}

void print_transmission(const std::string& model, const TransmissionFindings& findings, const OutputWriter& writer) {
  std::cout << model << ": " << counted(findings.steps, "step", "steps") << " sent, " << findings.lost << " lost, "
            << findings.bytes << " bytes arrived\n";
  for (const ReceptionFindings& found : findings.receptions)
    print_line(recovery_name(found.recovery),
               "off by " + significant(found.last_error, 3) + " of the motion's root mean square at last, " +
                   significant(found.largest_error, 3) + " at most; " +
                   counted(found.counts.guessed, "acceleration", "accelerations") + " guessed");
  if (!findings.distortions.empty())
    std::cout << "  one lost acceleration, k steps later, in h^2 and h times it (by the theorem in brackets):\n";
  for (const MeasuredDistortion& found : findings.distortions)
    print_line("k = " + std::to_string(found.steps),
               "q " + significant(found.measured.q, 13) + " (" + significant(found.expected.q, 13) + "), velocity " +
                   significant(found.measured.velocity, 13) + " (" + significant(found.expected.velocity, 13) + ")");
  for (const std::string& file : writer.written()) print_line("written", written_text(file));
}

void report_sender(const std::string& model, const std::string& to, const TransmissionFindings& findings,
                   const std::vector<std::string>& warnings, bool json) {
  if (json) {
    nlohmann::json report = line_json(findings);
    report["warnings"] = warnings;
    report["files"] = {to};
    return print_json(report);
  }
  std::cout << model << ": " << counted(findings.steps, "step", "steps") << " sent, " << findings.lost << " lost\n";
  print_line("written", written_text(to));
}

void report_receiver(const std::string& from, const Reception& reception, const OutputWriter& writer,
                     const std::vector<std::string>& warnings, bool json) {
  if (json) {
    nlohmann::json report = counts_json(reception.counts);
    report["frames"] = reception.trajectory.frames();
    report["bodies"] = reception.trajectory.bodies;
    report["skipped_bytes"] = reception.skipped_bytes;
    report["warnings"] = warnings;
    report["files"] = writer.written();
    report["failures"] = writer.failures();
    return print_json(report);
  }
  std::cout << from << ": " << counted(reception.trajectory.frames(), "frame", "frames") << " received of "
            << counted(reception.trajectory.bodies, "body", "bodies") << "\n";
  for (std::size_t n = 0; n < packet_fate_count; ++n)
    if (reception.counts.packets[n] > 0)
      print_line(packet_fate_name(static_cast<PacketFate>(n)),
                 counted(reception.counts.packets[n], "packet", "packets"));
  print_line("guessed", counted(reception.counts.guessed, "acceleration", "accelerations") + " of a body in a step");
  for (const std::string& file : writer.written()) print_line("written", written_text(file));
}

}  // namespace quartic::cli
