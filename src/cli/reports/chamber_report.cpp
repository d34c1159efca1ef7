#include "cli/reports/chamber_report.hpp"

#include "cli/reports/report.hpp"
#include "cli/values/numbers.hpp"

namespace quartic::cli {

nlohmann::json chambers_json(const std::vector<ChamberFinding>& findings) {
  nlohmann::json list = nlohmann::json::array();
  for (const ChamberFinding& finding : findings) {
    list.push_back({{"name", finding.name}, {"faces", finding.faces}, {"volume", finding.volume}});
    list.back()["answered_share"] = finding.share ? nlohmann::json(*finding.share) : nlohmann::json();
  }
  return list;
}

void print_chambers(const std::vector<ChamberFinding>& findings) {
  for (const ChamberFinding& finding : findings)
    print_line("chamber", finding.name + ", " + significant(finding.volume) + " m^3, " +
                              counted(finding.faces, "face", "faces") +
                              (finding.share ? "; a small pressure adds " + significant(100 * *finding.share, 3) +
                                                   " % of the unreduced body's volume"
                                             : ""));
}

}  // namespace quartic::cli
