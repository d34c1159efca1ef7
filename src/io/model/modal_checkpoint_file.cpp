// Files of a modal batch's state: .qstate (safetensors), which require the capability "modal".
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/fnv1a.hpp"
#include "core/batch/batch_checks.hpp"
#include "io/model/checkpoint_kind.hpp"
#include "io/tensors/file_section.hpp"
#include "io/tensors/schema.hpp"
#include "quartic/checkpoint.hpp"
#include "quartic/error.hpp"
#include "quartic/version.hpp"

namespace quartic {
namespace {

constexpr const char* backend_key = "backend";

/// What a file says of a batch. All of it is read and checked before the batch gets any.
template <class T>
struct ModalCheckpoint {
  std::int64_t bodies = 0, modes = 0;
  std::vector<T> q, velocity, force, force_before;  // shape (B, k) each, C order
  std::vector<double> eigenvalues, damping;         // shape (k)
  std::vector<BodyStatus> status;
  double time = 0;

  [[nodiscard]] std::vector<std::pair<const char*, std::vector<T>*>> blocks() {
    return {
        {"modal_q", &q}, {"modal_velocity", &velocity}, {"modal_force", &force}, {"modal_force_before", &force_before}};
  }
};

template <class T>
std::vector<T> by_body(const StateView<const T>& view) {
  std::vector<T> values(static_cast<std::size_t>(view.rank * view.bodies));
  copy_state<T>(view, {values.data(), view.rank, view.bodies, 1, view.rank});
  return values;
}

template <class T>
ModalCheckpoint<T> checkpoint_of(const ModalBatch<T>& batch) {
  return {.bodies = batch.bodies(),
          .modes = batch.rank(),
          .q = by_body(batch.q()),
          .velocity = by_body(batch.velocity()),
          .force = by_body(batch.force()),
          .force_before = by_body(batch.force_before()),
          .eigenvalues = {batch.eigenvalues().begin(), batch.eigenvalues().end()},
          .damping = {batch.damping().begin(), batch.damping().end()},
          .status = {batch.status().begin(), batch.status().end()},
          .time = batch.time()};
}

template <class T>
ModalCheckpoint<T> read(const io::SafetensorsFile& file) {
  if (file.find("modal_q") == nullptr) file.fail("the checkpoint is of a Batch, and not of a ModalBatch");
  ModalCheckpoint<T> checkpoint;
  for (const auto& [name, values] : checkpoint.blocks()) {
    *values = file.stored_values<T>(name, 2);  // frozen bodies may hold what isn't finite
    file.require_size(name, 0, file.size("modal_q", 0));
    file.require_size(name, 1, file.size("modal_q", 1));
  }
  checkpoint.bodies = file.size("modal_q", 0);
  checkpoint.modes = file.size("modal_q", 1);
  checkpoint.eigenvalues = file.values<double>("eigenvalues", 1);
  checkpoint.damping = file.values<double>("damping", 1);
  for (const auto s : file.values<std::int32_t>("status", 1)) checkpoint.status.push_back(static_cast<BodyStatus>(s));
  const auto time = file.values<double>("time", 1);
  if (time.size() != 1) file.fail("'time' must be one number");
  checkpoint.time = time.front();
  try {
    check_status(checkpoint.status, checkpoint.bodies);
  } catch (const InputError& error) {
    file.fail(error.what());
  }
  return checkpoint;
}

template <class T>
void require_same_bodies(const ModalCheckpoint<T>& saved, const ModalBatch<T>& batch, const std::string& name) {
  if (saved.bodies != batch.bodies() || saved.modes != batch.rank())
    throw InputError(name + ": the checkpoint has " + std::to_string(saved.bodies) + " bodies of " +
                     std::to_string(saved.modes) + " modes, but this batch has " + std::to_string(batch.bodies()) +
                     " of " + std::to_string(batch.rank()));
  if (!std::ranges::equal(saved.eigenvalues, batch.eigenvalues()))
    throw InputError(name + ": the checkpoint belongs to other modes than this batch has; take the same model");
  if (!std::ranges::equal(saved.damping, batch.damping()))
    throw InputError(name + ": the checkpoint's bodies are damped otherwise than this batch's; give the same damping");
}

}  // namespace

template <class T>
void save_checkpoint(const ModalBatch<T>& batch, const std::filesystem::path& path) {
  if (batch.waiting_impulses() > 0)
    throw InputError("a checkpoint holds no impulses that wait (" + std::to_string(batch.waiting_impulses()) +
                     " do); step until they have acted, or give them after the checkpoint");
  ModalCheckpoint<T> checkpoint = checkpoint_of(batch);
  io::FileDraft draft;
  for (const auto& [name, values] : checkpoint.blocks())
    draft.add(name, {checkpoint.bodies, checkpoint.modes}, *values);
  draft.add("eigenvalues", {checkpoint.modes}, checkpoint.eigenvalues);
  draft.add("damping", {checkpoint.modes}, checkpoint.damping);
  std::vector<std::int32_t> status;
  for (const BodyStatus s : checkpoint.status) status.push_back(static_cast<std::int32_t>(s));
  draft.add_computed("status", {checkpoint.bodies}, std::move(status));
  draft.add_computed("time", {1}, std::vector<double>{checkpoint.time});
  io::set_schema(draft.metadata, io::checkpoint_kind, {"modal"});
  draft.metadata["quartic_version"] = version;
  draft.metadata[backend_key] = backend_name(batch.options().backend);
  draft.metadata[io::checksum_key] = hash_text(draft.data_hash());
  draft.write(path);
}

template <class T>
std::vector<std::string> load_checkpoint(ModalBatch<T>& batch, const std::filesystem::path& path) {
  const io::SafetensorsFile file(path);
  constexpr std::string_view known[] = {"modal"};
  (void)io::require_known_schema(file, io::checkpoint_kind, known);
  if (file.metadata_entry(io::checksum_key) != hash_text(file.data_hash()))
    file.fail("the data don't have the checksum that was written with them: the file was damaged");
  io::require_same_precision<T>(file, "modal_q", path.string());
  ModalCheckpoint<T> checkpoint = read<T>(file);
  require_same_bodies(checkpoint, batch, path.string());
  const auto restore = [&](const std::vector<T>& values, StateView<T> view) {
    copy_state<T>({values.data(), view.rank, view.bodies, 1, view.rank}, view);
  };
  restore(checkpoint.q, batch.q());
  restore(checkpoint.velocity, batch.velocity());
  restore(checkpoint.force, batch.force());
  restore(checkpoint.force_before, batch.force_before());
  batch.set_status(checkpoint.status);
  batch.set_time(checkpoint.time);
  const std::string own(backend_name(batch.options().backend));
  if (file.metadata_entry(backend_key) == own) return {};
  return {path.string() + ": the checkpoint was made with another backend than this batch's '" + own +
          "': the motion goes on, but not with the same bits"};
}

template QUARTIC_EXPORT void save_checkpoint(const ModalBatch<float>&, const std::filesystem::path&);
template QUARTIC_EXPORT void save_checkpoint(const ModalBatch<double>&, const std::filesystem::path&);
template QUARTIC_EXPORT std::vector<std::string> load_checkpoint(ModalBatch<float>&, const std::filesystem::path&);
template QUARTIC_EXPORT std::vector<std::string> load_checkpoint(ModalBatch<double>&, const std::filesystem::path&);

}  // namespace quartic
