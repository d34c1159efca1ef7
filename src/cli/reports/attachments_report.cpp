#include "cli/reports/attachments_report.hpp"

#include "cli/reports/report.hpp"
#include "cli/values/numbers.hpp"

namespace quartic::cli {

double point_mass_of(const VolumeMesh& mesh) {
  double sum = 0;
  for (const PointMass& point : mesh.masses) sum += point.mass;
  return sum;
}

std::string attachments_text(const VolumeMesh& mesh) {
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
  if (!mesh.joints.empty()) add(counted(std::ssize(mesh.joints), "equation of joints", "equations of joints"));
  if (!mesh.springs.empty()) add(counted(std::ssize(mesh.springs), "spring", "springs"));
  if (!mesh.masses.empty()) add(significant(point_mass_of(mesh), 6) + " kg at vertices");
  return text;
}

std::string supports_text(const ReducedModel& model) {
  std::string text = std::to_string(model.fixed_vertices.size()) + " vertices fixed";
  if (!model.constraints.empty())
    text += ", " + counted(std::ssize(model.constraints), "direction held", "directions held");
  const std::string attached = attachments_text(model.mesh);
  return attached.empty() ? text : text + ", " + attached;
}

}  // namespace quartic::cli
