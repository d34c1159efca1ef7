// Files of displacements of a whole mesh: .qsnap (safetensors).
#include <algorithm>
#include <string>

#include "io/tensors/safetensors.hpp"
#include "quartic/error.hpp"
#include "quartic/snapshots.hpp"
#include "quartic/version.hpp"

namespace quartic {

void save_snapshots(const Snapshots& snapshots, const std::filesystem::path& path) {
  const Matrix& fields = snapshots.displacements;
  if (std::ssize(snapshots.time) != fields.cols)
    throw InputError("snapshots need one time per field: there are " + std::to_string(snapshots.time.size()) +
                     " times and " + std::to_string(fields.cols) + " fields");
  if (fields.rows % 3 != 0)
    throw InputError("snapshots have three rows per vertex, but there are " + std::to_string(fields.rows) + " rows");
  io::write_safetensors(path,
                        {io::tensor_view("time", {fields.cols}, snapshots.time),
                         io::tensor_view("displacements", {fields.cols, fields.rows / 3, 3}, fields.values)},
                        {{"quartic_version", version}});
}

Snapshots load_snapshots(const std::filesystem::path& path) {
  const io::SafetensorsFile file(path);
  const std::string name = "displacements";
  const auto* tensor = file.find(name);
  if (tensor == nullptr)
    file.fail("there is no tensor 'displacements'; snapshots have one of F64 or F32, shape [fields, vertices, 3]");
  if (tensor->shape.size() == 3 && (tensor->shape[0] < 1 || tensor->shape[1] < 1))
    file.fail("'displacements' has no fields or no vertices");
  Snapshots snapshots;
  if (tensor->dtype == "F32") {
    const std::vector<float> values = file.values<float>(name, 3);
    snapshots.displacements.values.assign(values.begin(), values.end());
  } else {
    snapshots.displacements.values = file.values<double>(name, 3);
  }
  if (file.size(name, 2) != 3)
    file.fail("'displacements' has " + std::to_string(file.size(name, 2)) + " numbers per vertex instead of 3");
  snapshots.displacements.rows = 3 * file.size(name, 1);
  snapshots.displacements.cols = file.size(name, 0);
  if (file.find("time") != nullptr) {
    snapshots.time = file.values<double>("time", 1);
    if (std::ssize(snapshots.time) != snapshots.count())
      file.fail("'time' has " + std::to_string(snapshots.time.size()) + " entries for " +
                std::to_string(snapshots.count()) + " fields");
  } else {
    for (std::int64_t i = 0; i < snapshots.count(); ++i) snapshots.time.push_back(static_cast<double>(i));
  }
  return snapshots;
}

}  // namespace quartic
