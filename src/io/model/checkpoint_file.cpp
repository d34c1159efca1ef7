// Files of a batch's state: .qstate (safetensors).
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/fnv1a.hpp"
#include "core/batch/batch_checks.hpp"
#include "core/batch/batch_impl.hpp"
#include "io/model/file_draft.hpp"
#include "io/model/safetensors.hpp"
#include "io/model/schema.hpp"
#include "quartic/checkpoint.hpp"
#include "quartic/error.hpp"
#include "quartic/version.hpp"

namespace quartic {
namespace {

constexpr io::FileKind checkpoint_kind = {.noun = "checkpoint",
                                          .schema_key = "quartic_checkpoint",
                                          .foreign = "this is a safetensors file, but no checkpoint of a batch"};

/// Everything in a file, checked against the batch that it is for.
template <class T>
struct Checkpoint {
  std::vector<std::vector<T>> state;  // by block of the batch's layout, shape (B, rows), C order
  std::vector<BodyStatus> status;
  std::vector<double> rayleigh_mass, rayleigh_stiffness;
  std::vector<LoadCurve> curves;
  std::vector<std::int32_t> curve_of_body;
  double time = 0;
};

// Tells energies apart, no more.
std::int64_t fingerprint(const QuarticEnergy& energy) {
  return std::bit_cast<std::int64_t>(fnv1a(std::as_bytes(std::span(energy.coefficients))));
}

struct GroupTable {
  std::vector<std::int64_t> bodies, fingerprint;
  std::vector<std::int32_t> rank;
};

template <class T>
GroupTable groups_of(const Batch<T>& batch) {
  GroupTable table;
  for (int g = 0; g < batch.group_count(); ++g) {
    table.bodies.push_back(batch.group(g).bodies);
    table.rank.push_back(static_cast<std::int32_t>(batch.group(g).rank));
    table.fingerprint.push_back(fingerprint(batch.energy(g)));
  }
  return table;
}

template <class T>
std::vector<T> rows_by_body(StateView<const T> view) {
  std::vector<T> rows(static_cast<std::size_t>(view.rank * view.bodies));
  copy_state<T>(view, {rows.data(), view.rank, view.bodies, 1, view.rank});
  return rows;
}

/// Load curves one behind the other.
struct CurveTable {
  std::vector<std::int64_t> offsets = {0};  // shape (curves + 1)
  std::vector<double> times, scales;
};

CurveTable concatenated(std::span<const LoadCurve> curves) {
  CurveTable table;
  for (const LoadCurve& curve : curves) {
    table.times.insert(table.times.end(), curve.times.begin(), curve.times.end());
    table.scales.insert(table.scales.end(), curve.scales.begin(), curve.scales.end());
    table.offsets.push_back(std::ssize(table.times));
  }
  return table;
}

std::vector<LoadCurve> read_curves(const io::SafetensorsFile& file) {
  const auto offsets = file.values<std::int64_t>("curve_offsets", 1);
  const auto times = file.values<double>("curve_times", 1), scales = file.values<double>("curve_scales", 1);
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != std::ssize(times) || times.size() != scales.size() ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    file.fail("'curve_offsets' doesn't fit 'curve_times' and 'curve_scales'");
  std::vector<LoadCurve> curves;
  for (std::size_t c = 0; c + 1 < offsets.size(); ++c)
    curves.push_back({{times.begin() + offsets[c], times.begin() + offsets[c + 1]},
                      {scales.begin() + offsets[c], scales.begin() + offsets[c + 1]}});
  return curves;
}

std::string text(const std::vector<std::int64_t>& numbers) {
  std::string list;
  for (const auto n : numbers) list += (list.empty() ? "" : ", ") + std::to_string(n);
  return list;
}

// Models and precision have to be those that the batch has.
template <class T>
void require_same_batch(const io::SafetensorsFile& file, const Batch<T>& batch, const std::string& name) {
  const io::SafetensorsFile::Tensor* q = file.find("q");
  if (q != nullptr && q->dtype != io::dtype_of<T> && (q->dtype == "F32" || q->dtype == "F64"))
    throw InputError(name + ": the checkpoint is of a batch of precision " + (q->dtype == "F32" ? "float" : "double") +
                     ", this batch isn't");
  const GroupTable own = groups_of(batch);
  const auto bodies = file.values<std::int64_t>("group_bodies", 1);
  if (bodies != own.bodies)
    throw InputError(name + ": the checkpoint has groups of " + text(bodies) + " bodies, but this batch has " +
                     text(own.bodies));
  const auto rank = file.values<std::int32_t>("group_rank", 1);
  if (rank != own.rank)
    throw InputError(name + ": the checkpoint has groups of rank " + text({rank.begin(), rank.end()}) +
                     ", but this batch has " + text({own.rank.begin(), own.rank.end()}));
  if (file.values<std::int64_t>("energy_fingerprint", 1) != own.fingerprint)
    throw InputError(name +
                     ": the checkpoint belongs to other energies than this batch has; make the batch of the "
                     "same models, with the same edits of their materials");
}

template <class T>
std::vector<T> read_state(const io::SafetensorsFile& file, const StateBlock& block, const Batch<T>& batch) {
  std::vector<T> values = file.stored_values<T>(block.name, 2);
  if (file.size(block.name, 0) != batch.bodies() || file.size(block.name, 1) != block.rows(batch.rank()))
    file.fail("'" + std::string(block.name) + "' must have a row per body and a column per coordinate");
  return values;
}

template <class T>
std::vector<double> read_damping(const io::SafetensorsFile& file, const char* tensor) {
  const std::vector<T> values = file.values<T>(tensor, 1);
  return {values.begin(), values.end()};
}

template <class T>
Checkpoint<T> read_checkpoint(const io::SafetensorsFile& file, const Batch<T>& batch) {
  Checkpoint<T> checkpoint;
  for (const StateBlock& block : batch.impl().layout()) checkpoint.state.push_back(read_state(file, block, batch));
  for (const auto s : file.values<std::int32_t>("status", 1)) checkpoint.status.push_back(static_cast<BodyStatus>(s));
  checkpoint.rayleigh_mass = read_damping<T>(file, "rayleigh_mass");
  checkpoint.rayleigh_stiffness = read_damping<T>(file, "rayleigh_stiffness");
  checkpoint.curves = read_curves(file);
  checkpoint.curve_of_body = file.values<std::int32_t>("curve_of_body", 1);
  const auto time = file.values<double>("time", 1);
  if (time.size() != 1) file.fail("'time' must be one number");
  checkpoint.time = time.front();
  try {
    check_status(checkpoint.status, batch.bodies());
    check_damping<T>(checkpoint.rayleigh_mass, "rayleigh_mass", batch.bodies());
    check_damping<T>(checkpoint.rayleigh_stiffness, "rayleigh_stiffness", batch.bodies());
    check_curves<T>(checkpoint.curves, checkpoint.curve_of_body, batch.bodies());
  } catch (const InputError& error) {
    file.fail(error.what());
  }
  return checkpoint;
}

}  // namespace

template <class T>
void save_checkpoint(const Batch<T>& batch, const std::filesystem::path& path) {
  const std::int64_t bodies = batch.bodies();
  const auto groups = groups_of(batch);
  const auto count = std::ssize(groups.bodies);
  std::vector<std::vector<T>> state;
  for (std::size_t n = 0; n < batch.impl().layout().size(); ++n)
    state.push_back(rows_by_body(batch.impl().read_state(array_at(n))));
  std::vector<std::int32_t> status;
  for (const BodyStatus s : batch.status()) status.push_back(static_cast<std::int32_t>(s));
  const std::vector<T> mass(batch.rayleigh_mass().begin(), batch.rayleigh_mass().end());
  const std::vector<T> stiffness(batch.rayleigh_stiffness().begin(), batch.rayleigh_stiffness().end());
  const CurveTable curves = concatenated(batch.load_curves());
  const std::vector<std::int32_t> curve_of_body(batch.curve_of_body().begin(), batch.curve_of_body().end());
  const std::vector<double> time = {batch.time()};
  io::FileDraft draft;
  for (std::size_t n = 0; n < state.size(); ++n) {
    const StateBlock& block = batch.impl().layout()[n];
    draft.add(block.name, {bodies, block.rows(batch.rank())}, state[n]);
  }
  draft.add("status", {bodies}, status);
  draft.add("time", {1}, time);
  draft.add("rayleigh_mass", {bodies}, mass);
  draft.add("rayleigh_stiffness", {bodies}, stiffness);
  draft.add("curve_of_body", {std::ssize(curve_of_body)}, curve_of_body);
  draft.add("curve_offsets", {std::ssize(curves.offsets)}, curves.offsets);
  draft.add("curve_times", {std::ssize(curves.times)}, curves.times);
  draft.add("curve_scales", {std::ssize(curves.scales)}, curves.scales);
  draft.add("group_bodies", {count}, groups.bodies);
  draft.add("group_rank", {count}, groups.rank);
  draft.add("energy_fingerprint", {count}, groups.fingerprint);
  io::set_schema(draft.metadata, checkpoint_kind, {});
  draft.metadata["quartic_version"] = version;
  draft.write(path);
}

template <class T>
void load_checkpoint(Batch<T>& batch, const std::filesystem::path& path) {
  const io::SafetensorsFile file(path);
  io::require_known_schema(file, checkpoint_kind, {});
  require_same_batch(file, batch, path.string());
  Checkpoint<T> checkpoint = read_checkpoint(file, batch);
  batch.set_rayleigh_damping(checkpoint.rayleigh_mass, checkpoint.rayleigh_stiffness);
  batch.set_load_curves(checkpoint.curves, checkpoint.curve_of_body);
  batch.set_status(checkpoint.status);
  batch.set_time(checkpoint.time);
  for (std::size_t n = 0; n < checkpoint.state.size(); ++n) {
    const StateView<T> view = batch.impl().state(array_at(n));
    copy_state<T>(StateView<T>{checkpoint.state[n].data(), view.rank, view.bodies, 1, view.rank}, view);
  }
}

template QUARTIC_EXPORT void save_checkpoint(const Batch<float>&, const std::filesystem::path&);
template QUARTIC_EXPORT void save_checkpoint(const Batch<double>&, const std::filesystem::path&);
template QUARTIC_EXPORT void load_checkpoint(Batch<float>&, const std::filesystem::path&);
template QUARTIC_EXPORT void load_checkpoint(Batch<double>&, const std::filesystem::path&);

}  // namespace quartic
