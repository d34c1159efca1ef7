#include "io/model/model_sections.hpp"

#include "core/base/fnv1a.hpp"
#include "core/embedding/basis_fingerprint.hpp"
#include "io/text/text.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

std::string fingerprint_text(const ReducedModel& model) {
  return hash_text(basis_fingerprint(model.mesh.vertices, model.basis));
}

}  // namespace

void require_fit(bool fits, const std::string& what) {
  if (!fits) throw InputError("the model's parts don't fit together: " + what);
}

Matrix read_fields(const SafetensorsFile& file, const std::string& tensor, const ReducedModel& model) {
  Matrix matrix;
  matrix.values = file.values<double>(tensor, 3);
  file.require_size(tensor, 1, model.mesh.vertex_count());
  file.require_size(tensor, 2, 3);
  matrix.rows = 3 * model.mesh.vertex_count();
  matrix.cols = file.size(tensor, 0);
  return matrix;
}

void set_basis_fingerprint(FileDraft& draft, const std::string& key, const ReducedModel& model) {
  draft.metadata[key] = fingerprint_text(model);
}

bool is_basis_fingerprint(const std::string& text, const ReducedModel& model) {
  return text == fingerprint_text(model);
}

void require_basis_fingerprint(const SafetensorsFile& file, const std::string& key, const ReducedModel& model) {
  const std::string own = fingerprint_text(model);
  if (const std::string& found = file.metadata_entry(key); found != own)
    file.fail(key + " is " + quote(found) + ", but the file's basis and rest positions have " + quote(own) +
              ": this section was computed for another basis; compute it again");
}

}  // namespace quartic::io
