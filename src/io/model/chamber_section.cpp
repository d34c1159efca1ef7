// Closed chambers: their faces, and their volumes on the basis. A program that doesn't know them may change the basis
// and keep them: the volumes are computed anew then.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/chambers/face_triples.hpp"
#include "core/energy/enclosed_volume.hpp"
#include "io/model/model_sections.hpp"
#include "io/tensors/name_list.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"chamber_offsets", "chamber_faces", "chamber_volumes"};
constexpr const char* names_key = "chamber_names";
constexpr const char* fingerprint_key = "chamber_volumes_basis";
constexpr std::string_view metadata[] = {names_key, fingerprint_key};

bool is_present(const ReducedModel& model) {
  return !model.chambers.empty();
}

void check(const ReducedModel& model) {
  require_fit(std::ssize(model.chambers) <= chamber_limit,
              "there may be up to " + std::to_string(chamber_limit) + " chambers");
  for (std::size_t c = 0; c < model.chambers.size(); ++c) {
    const auto& [chamber, volume] = model.chambers[c];
    check_chamber(model.mesh, chamber);
    for (std::size_t other = 0; other < c; ++other)
      require_fit(chamber.name != model.chambers[other].chamber.name,
                  "two chambers have the name '" + chamber.name + "'");
    require_fit(volume.rank == model.rank() && volume.rank > 0, "chambers need volumes on the basis");
    quartic::check(volume);
  }
}

void write(const ReducedModel& model, FileDraft& draft) {
  std::vector<std::int32_t> offsets = {0}, faces;
  std::vector<double> volumes;
  std::vector<std::string> names;
  for (const auto& [chamber, volume] : model.chambers) {
    faces.insert(faces.end(), chamber.faces.begin(), chamber.faces.end());
    volumes.insert(volumes.end(), volume.coefficients.begin(), volume.coefficients.end());
    offsets.push_back(static_cast<std::int32_t>(std::ssize(faces) / chamber_face_size));
    names.push_back(chamber.name);
  }
  const auto count = std::ssize(names), coefficients = cubic_coefficient_count(model.rank());
  const std::int64_t all_faces = offsets.back();
  draft.add_computed("chamber_offsets", {count + 1}, std::move(offsets));
  draft.add_computed("chamber_faces", {all_faces, chamber_face_size}, std::move(faces));
  draft.add_computed("chamber_volumes", {count, coefficients}, std::move(volumes));
  draft.metadata[names_key] = name_list_text(names);
  set_basis_fingerprint(draft, fingerprint_key, model);
}

std::vector<Chamber> read_chambers(const SafetensorsFile& file) {
  const auto offsets = file.values<std::int32_t>("chamber_offsets", 1);
  const auto faces = file.values<std::int32_t>("chamber_faces", 2);
  file.require_size("chamber_faces", 1, chamber_face_size);
  const auto names = parse_name_list(file.metadata_entry(names_key));
  if (!names || offsets.size() != names->size() + 1)
    file.fail("chamber_names must be a list of as many names as there are chambers");
  if (offsets.front() != 0 || offsets.back() != file.size("chamber_faces", 0) || !std::ranges::is_sorted(offsets))
    file.fail("chamber_offsets must ascend from 0 to the number of faces");
  std::vector<Chamber> chambers;
  for (std::size_t c = 0; c < names->size(); ++c)
    chambers.push_back({(*names)[c],
                        {faces.begin() + std::ptrdiff_t{chamber_face_size} * offsets[c],
                         faces.begin() + std::ptrdiff_t{chamber_face_size} * offsets[c + 1]}});
  return chambers;
}

void read(const SafetensorsFile& file, ReducedModel& model) {
  if (model.rank() < 1) file.fail("there is 'chamber_offsets', but no 'basis'");
  std::vector<Chamber> chambers = read_chambers(file);
  if (!is_basis_fingerprint(file.metadata_entry(fingerprint_key), model)) {
    for (Chamber& chamber : chambers) {
      EnclosedVolume volume = reduce_volume(model.mesh, chamber, model.basis.map());
      model.chambers.push_back({std::move(chamber), std::move(volume)});
    }
    return;
  }
  const auto volumes = file.values<double>("chamber_volumes", 2);
  const auto coefficients = cubic_coefficient_count(model.rank());
  file.require_size("chamber_volumes", 0, std::ssize(chambers));
  file.require_size("chamber_volumes", 1, coefficients);
  for (std::size_t c = 0; c < chambers.size(); ++c) {
    const auto first = volumes.begin() + static_cast<std::ptrdiff_t>(c) * coefficients;
    model.chambers.push_back({std::move(chambers[c]), {model.rank(), {first, first + coefficients}}});
  }
}

}  // namespace

const ModelSection chamber_section = {.name = "chambers",
                                      .tensors = tensors,
                                      .metadata = metadata,
                                      .key_tensor = "chamber_offsets",
                                      .is_present = is_present,
                                      .check = check,
                                      .write = write,
                                      .read = read};

}  // namespace quartic::io
