// Files of a batch's state: .qstate (safetensors).
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/fnv1a.hpp"
#include "core/batch/batch_impl.hpp"
#include "core/frame/moments_fingerprint.hpp"
#include "io/model/checkpoint_kind.hpp"
#include "io/model/checkpoint_sections.hpp"
#include "io/tensors/schema.hpp"
#include "io/text/text.hpp"
#include "quartic/checkpoint.hpp"
#include "quartic/error.hpp"
#include "quartic/gas.hpp"
#include "quartic/strain_damping.hpp"
#include "quartic/version.hpp"
#include "quartic/world.hpp"

namespace quartic {

using io::Checkpoint;
using io::GroupTable;
using io::StateRows;

namespace {

template <class T>
io::FileSections<Checkpoint<T>> checkpoint_sections() {
  static const io::CheckpointSection<T>* const sections[] = {
      &io::state_section<T>(),          &io::checkpoint_flags_section<T>(),
      &io::load_section<T>(),           &io::stiffness_section<T>(),
      &io::group_section<T>(),          &io::frame_section<T>(),
      &io::base_section<T>(),           &io::pressure_section<T>(),
      &io::coordinate_section<T>(),     &io::gas_section<T>(),
      &io::strain_damping_section<T>(), &io::collision_section<T>()};
  return sections;
}

// Tells energies apart, no more.
std::int64_t fingerprint(const QuarticEnergy& energy) {
  return std::bit_cast<std::int64_t>(fnv1a(std::as_bytes(std::span(energy.coefficients))));
}

// The same of a cubature's points, behind its control variate and kinds.
std::int64_t fingerprint(const ForceModel& model) {
  const std::int64_t base = fingerprint(model.energy);
  const Cubature& c = model.cubature;
  if (c.rank == 0) return base;
  std::uint64_t hash = fnv1a(std::as_bytes(std::span(&base, 1)));
  const std::array<std::int64_t, 2> kinds = {static_cast<std::int64_t>(c.base), static_cast<std::int64_t>(c.tangent)};
  hash = fnv1a(std::as_bytes(std::span(kinds)), hash);
  for (const std::vector<double>* values : {&c.weights, &c.volumes, &c.gradients})
    hash = fnv1a(std::as_bytes(std::span(*values)), hash);
  for (const PointMaterial& m : c.materials) {
    const std::array<double, 4> numbers = {static_cast<double>(m.law), m.lambda, m.mu, m.mooney_share};
    hash = fnv1a(std::as_bytes(std::span(numbers)), hash);
  }
  return std::bit_cast<std::int64_t>(hash);
}

// The same of a body's moments; 0 without. On a base they have a first moment and unit accelerations, too.
std::int64_t fingerprint(const FrameMoments* moments, FrameMotion motion) {
  if (moments == nullptr) return 0;
  std::uint64_t hash = moments_fingerprint(*moments);
  if (motion == FrameMotion::prescribed) {
    hash = fnv1a(std::as_bytes(std::span(moments->first_moment)), hash);
    hash = fnv1a(std::as_bytes(std::span(moments->unit_acceleration.values)), hash);
  }
  return std::bit_cast<std::int64_t>(hash);
}

// The same of chambers' volumes; 0 without.
std::int64_t fingerprint(const std::vector<EnclosedVolume>& chambers) {
  if (chambers.empty()) return 0;
  std::uint64_t hash = fnv1a({});
  for (const EnclosedVolume& volume : chambers) hash = fnv1a(std::as_bytes(std::span(volume.coefficients)), hash);
  return std::bit_cast<std::int64_t>(hash);
}

// The same of a constant damping; 0 without.
std::int64_t fingerprint(const Matrix& damping) {
  return damping.rows == 0 ? 0 : std::bit_cast<std::int64_t>(fnv1a(std::as_bytes(std::span(damping.values))));
}

// The same of damping by strain rates; 0 without.
std::int64_t fingerprint(const SharedStrainDamping& form) {
  return form == nullptr ? 0 : fingerprint(form->coefficients);
}

template <class T>
GroupTable groups_of(const Batch<T>& batch) {
  GroupTable table;
  bool all_plain = true;
  for (int g = 0; g < batch.group_count(); ++g) all_plain &= batch.driven(g) == 0 && batch.damping(g).rows == 0;
  for (int g = 0; g < batch.group_count(); ++g) {
    table.bodies.push_back(batch.group(g).bodies);
    table.rank.push_back(static_cast<std::int32_t>(batch.group(g).rank));
    table.fingerprint.push_back(fingerprint(batch.force_model(g)));
    table.chambers_fingerprint.push_back(fingerprint(batch.force_model(g).chambers));
    table.strain_damping_fingerprint.push_back(
        fingerprint(batch.impl().strain_dampings()[static_cast<std::size_t>(g)]));
    if (!all_plain) {
      table.damping_fingerprint.push_back(fingerprint(batch.damping(g)));
      table.driven.push_back(batch.driven(g));
    }
    if (batch.impl().has_frames())
      table.moments_fingerprint.push_back(
          fingerprint(batch.has_frame(g) ? &batch.frame(g) : nullptr, batch.frame_motion(g)));
  }
  const std::vector<FrameMotion>& motions = batch.impl().motions();
  if (std::ranges::find(motions, FrameMotion::prescribed) != motions.end())
    for (const FrameMotion motion : motions) table.frame_motion.push_back(static_cast<std::int32_t>(motion));
  return table;
}

/// A checkpoint that nothing was read into yet.
template <class T>
Checkpoint<T> empty_checkpoint(const Batch<T>& batch) {
  Checkpoint<T> checkpoint;
  checkpoint.layout = batch.impl().layout();
  checkpoint.bodies = batch.bodies();
  checkpoint.rank = batch.rank();
  checkpoint.chambers = batch.chamber_count();
  return checkpoint;
}

template <class T>
StateRows<T> rows_by_body(StateView<const T> view) {
  StateRows<T> rows = {view.rank, std::vector<T>(static_cast<std::size_t>(view.rank * view.bodies))};
  copy_state<T>(view, {rows.values.data(), view.rank, view.bodies, 1, view.rank});
  return rows;
}

template <class T>
Checkpoint<T> checkpoint_of(const Batch<T>& batch) {
  Checkpoint<T> checkpoint = empty_checkpoint(batch);
  for (std::size_t n = 0; n < checkpoint.layout.size(); ++n)
    checkpoint.state.push_back(rows_by_body(batch.impl().read_state(array_at(n))));
  checkpoint.status.assign(batch.status().begin(), batch.status().end());
  checkpoint.flags.assign(batch.flags().begin(), batch.flags().end());
  checkpoint.time = batch.time();
  checkpoint.rayleigh_mass.assign(batch.rayleigh_mass().begin(), batch.rayleigh_mass().end());
  checkpoint.rayleigh_stiffness.assign(batch.rayleigh_stiffness().begin(), batch.rayleigh_stiffness().end());
  checkpoint.stiffness_scale.assign(batch.stiffness_scale().begin(), batch.stiffness_scale().end());
  checkpoint.pressure = batch.impl().parameters().pressure;
  checkpoint.gas = batch.impl().parameters().gas;
  checkpoint.strain_damping = batch.impl().parameters().strain_damping;
  if (!checkpoint.gas.empty()) checkpoint.atmosphere = {batch.impl().parameters().atmosphere};
  checkpoint.curves.assign(batch.load_curves().begin(), batch.load_curves().end());
  checkpoint.curve_of_body.assign(batch.curve_of_body().begin(), batch.curve_of_body().end());
  checkpoint.groups = groups_of(batch);
  return checkpoint;
}

template <class T>
void restore_gas(Batch<T>& batch, const Checkpoint<T>& checkpoint) {
  if (checkpoint.gas.empty() && batch.impl().parameters().gas.empty()) return;
  std::vector<double> amount(static_cast<std::size_t>(batch.bodies()));
  for (int c = 0; c < batch.chamber_count(); ++c) {
    if (!checkpoint.gas.empty())
      std::copy_n(checkpoint.gas.begin() + c * batch.bodies(), amount.size(), amount.begin());
    set_gas(batch, amount, c, checkpoint.atmosphere.empty() ? 0 : checkpoint.atmosphere[0]);
  }
}

template <class T>
void restore(Batch<T>& batch, const Checkpoint<T>& checkpoint) {
  restore_gas(batch, checkpoint);  // first: some backends refuse gases
  const auto& mass = checkpoint.rayleigh_mass;
  const auto& stiffness = checkpoint.rayleigh_stiffness;
  batch.set_rayleigh_damping(std::vector<double>(mass.begin(), mass.end()),
                             std::vector<double>(stiffness.begin(), stiffness.end()));
  std::vector<double> strain_rates(checkpoint.strain_damping.begin(), checkpoint.strain_damping.end());
  strain_rates.resize(static_cast<std::size_t>(batch.bodies()));
  set_strain_damping(batch, strain_rates);
  std::vector<double> scale(checkpoint.stiffness_scale.begin(), checkpoint.stiffness_scale.end());
  if (scale.empty()) scale.assign(static_cast<std::size_t>(batch.bodies()), 1.0);
  batch.set_stiffness_scale(scale);
  for (int c = 0; c < batch.chamber_count(); ++c) {
    const auto first = static_cast<std::size_t>(c * batch.bodies());
    std::vector<double> pressure(static_cast<std::size_t>(batch.bodies()));
    if (!checkpoint.pressure.empty())
      for (std::size_t b = 0; b < pressure.size(); ++b) pressure[b] = double{checkpoint.pressure[first + b]};
    batch.set_pressure(pressure, c);
  }
  batch.set_load_curves(checkpoint.curves, checkpoint.curve_of_body);
  batch.set_status(checkpoint.status);
  if (checkpoint.flags.empty())
    batch.reset_flags();
  else
    batch.set_flags(checkpoint.flags);
  batch.set_time(checkpoint.time);
  for (std::size_t n = 0; n < checkpoint.state.size(); ++n) {
    const StateView<T> view = batch.impl().state(array_at(n));
    copy_state<T>({checkpoint.state[n].values.data(), view.rank, view.bodies, 1, view.rank}, view);
  }
}

// Of older versions' files there is none.
void require_checksum(const io::SafetensorsFile& file) {
  const auto entry = file.metadata().find(io::checksum_key);
  if (entry != file.metadata().end() && entry->second != hash_text(file.data_hash()))
    file.fail("the data don't have the checksum that was written with them: the file was damaged");
}

/// What the bits of a motion depend on beside the models, by the name of its entry in the metadata.
std::vector<std::pair<std::string, std::string>> ways_of_stepping(const BatchOptions& options) {
  return {{"evaluation", std::string(evaluation_name(options.evaluation))},
          {"integrator", std::string(integrator_name(options.integrator))},
          {"backend", std::string(backend_name(options.backend))}};
}

std::vector<std::string> differences(const io::SafetensorsFile& file, const BatchOptions& options,
                                     const std::string& name) {
  std::vector<std::string> sentences;
  for (const auto& [key, own] : ways_of_stepping(options)) {
    const auto entry = file.metadata().find(key);
    if (entry == file.metadata().end() || entry->second == own) continue;
    sentences.emplace_back(name)
        .append(": the checkpoint was made with the " + key + " ")
        .append(io::quote(entry->second) + ", this batch has '")
        .append(own + "': the motion goes on, but not with the same bits");
  }
  return sentences;
}

std::string text(const std::vector<std::int64_t>& numbers) {
  std::string list;
  for (const auto n : numbers) list += (list.empty() ? "" : ", ") + std::to_string(n);
  return list;
}

// Files of batches without any leave such a list out.
template <class Numbers>
bool are_other(const Numbers& saved, const Numbers& own) {
  const auto is_zero = [](auto x) { return x == 0; };
  return saved != own && !(std::ranges::all_of(saved, is_zero) && std::ranges::all_of(own, is_zero));
}

void require_same_groups(const GroupTable& saved, const GroupTable& own, const std::string& name) {
  if (saved.bodies != own.bodies)
    throw InputError(name + ": the checkpoint has groups of " + text(saved.bodies) + " bodies, but this batch has " +
                     text(own.bodies));
  if (saved.rank != own.rank)
    throw InputError(name + ": the checkpoint has groups of rank " + text({saved.rank.begin(), saved.rank.end()}) +
                     ", but this batch has " + text({own.rank.begin(), own.rank.end()}));
  if (saved.fingerprint != own.fingerprint)
    throw InputError(name +
                     ": the checkpoint belongs to other energies than this batch has; make the batch of the "
                     "same models, with the same edits of their materials");
  if (!saved.chambers_fingerprint.empty() && saved.chambers_fingerprint != own.chambers_fingerprint)
    throw InputError(name +
                     ": the checkpoint has pressures in other chambers than this batch's bodies have; make the batch "
                     "with the same BodyGroup::chambers");
  if (are_other(saved.driven, own.driven))
    throw InputError(name +
                     ": the checkpoint's bodies have other driven coordinates than this batch's; make the batch with "
                     "the same BodyGroup::driven");
  if (are_other(saved.damping_fingerprint, own.damping_fingerprint))
    throw InputError(name +
                     ": the checkpoint was made with another constant damping than this batch has; make the batch with "
                     "the same BodyGroup::damping");
  if (are_other(saved.strain_damping_fingerprint, own.strain_damping_fingerprint) &&
      !saved.strain_damping_fingerprint.empty())
    throw InputError(name +
                     ": the checkpoint's bodies are damped by the rates of other strains than this batch's; give the "
                     "batch the same strain forms first (set_strain_damping)");
  if (saved.frame_motion != own.frame_motion)
    throw InputError(name +
                     ": the checkpoint has other groups of prescribed motion than this batch; make the batch with the "
                     "same BodyGroup::motion");
  if (saved.moments_fingerprint != own.moments_fingerprint)
    throw InputError(name +
                     ": the checkpoint belongs to other moments of mass than this batch has; make the batch of the "
                     "same models, with the same edits of their materials");
}

bool has_poses(const io::SafetensorsFile& file) {
  return file.find("moments_fingerprint") != nullptr;
}

void require_no_modal_batch(const io::SafetensorsFile& file, const std::filesystem::path& path) {
  if (file.find("modal_q") != nullptr)
    throw InputError(path.string() + ": the checkpoint is of a ModalBatch, and not of a Batch");
}

io::SafetensorsFile checkpoint_in(const std::filesystem::path& path) {
  io::SafetensorsFile file(path);
  require_no_modal_batch(file, path);
  // Sections are the same for both precisions.
  (void)io::require_known_schema(file, io::checkpoint_kind, io::section_names(checkpoint_sections<double>()));
  return file;
}

// Before the state is read, which has more arrays where bodies have frames.
template <class T>
void require_same_motion(const io::SafetensorsFile& file, const Batch<T>& batch, const std::string& name) {
  const bool saved = has_poses(file);
  if (saved == batch.impl().has_frames()) return;
  throw InputError(name +
                   (saved ? ": the checkpoint has poses, but no group of this batch has a frame"
                          : ": the checkpoint has no poses, but this batch has groups with a frame") +
                   "; make the batch with the same BodyGroup::frame");
}

}  // namespace

bool checkpoint_has_poses(const std::filesystem::path& path) {
  return has_poses(checkpoint_in(path));
}

bool checkpoint_has_pressures(const std::filesystem::path& path) {
  return checkpoint_in(path).find("pressure") != nullptr;
}

bool checkpoint_has_strain_damping(const std::filesystem::path& path) {
  return checkpoint_in(path).find("strain_damping") != nullptr;
}

namespace {

template <class T>
void write_checkpoint(const Batch<T>& batch, std::vector<WarmStart> warm_starts, const std::filesystem::path& path) {
  Checkpoint<T> checkpoint = checkpoint_of(batch);
  checkpoint.warm_starts = std::move(warm_starts);
  io::FileDraft draft;
  io::set_schema(draft.metadata, io::checkpoint_kind, io::write_sections(checkpoint_sections<T>(), checkpoint, draft));
  draft.metadata["quartic_version"] = version;
  for (const auto& [key, value] : ways_of_stepping(batch.options())) draft.metadata[key] = value;
  draft.metadata[io::checksum_key] = hash_text(draft.data_hash());
  draft.write(path);
}

// @param take what is done with forces of contacts before the batch's state changes
template <class T, class Take>
std::vector<std::string> read_checkpoint(Batch<T>& batch, const std::filesystem::path& path, const Take& take) {
  const io::SafetensorsFile file(path);
  require_no_modal_batch(file, path);
  const auto required =
      io::require_known_schema(file, io::checkpoint_kind, io::section_names(checkpoint_sections<T>()));
  require_checksum(file);
  io::require_same_precision<T>(file, "q", path.string());
  require_same_motion(file, batch, path.string());
  Checkpoint<T> checkpoint = empty_checkpoint(batch);
  io::read_sections(checkpoint_sections<T>(), file, required, checkpoint);
  require_same_groups(checkpoint.groups, groups_of(batch), path.string());
  try {
    io::check_sections(checkpoint_sections<T>(), checkpoint);
  } catch (const InputError& error) {
    file.fail(error.what());
  }
  std::vector<std::string> sentences = take(std::move(checkpoint.warm_starts));
  restore(batch, checkpoint);
  for (std::string& sentence : differences(file, batch.options(), path.string()))
    sentences.push_back(std::move(sentence));
  return sentences;
}

}  // namespace

template <class T>
void save_checkpoint(const Batch<T>& batch, const std::filesystem::path& path) {
  write_checkpoint(batch, {}, path);
}
template <class T>
void save_checkpoint(const World<T>& world, const std::filesystem::path& path) {
  write_checkpoint(world.batch(),
                   world.collisions() == nullptr ? std::vector<WarmStart>{} : world.collisions()->warm_starts(), path);
}

template <class T>
std::vector<std::string> load_checkpoint(Batch<T>& batch, const std::filesystem::path& path) {
  return read_checkpoint(batch, path, [&](const std::vector<WarmStart>& starts) -> std::vector<std::string> {
    if (starts.empty()) return {};
    return {path.string() +
            ": the checkpoint is of a world whose bodies collide: give it to a world, or the motion goes on without "
            "the forces that contacts begin with, and not with the same bits"};
  });
}
template <class T>
std::vector<std::string> load_checkpoint(World<T>& world, const std::filesystem::path& path) {
  return read_checkpoint(world.batch(), path, [&](std::vector<WarmStart> starts) -> std::vector<std::string> {
    if (world.collisions() == nullptr && !starts.empty())
      throw InputError(
          path.string() +
          ": the checkpoint is of a world whose bodies collide; let this one's collide first (let_collide)");
    if (world.collisions() != nullptr) world.collisions()->set_warm_starts(std::move(starts));
    return {};
  });
}

template QUARTIC_EXPORT void save_checkpoint(const World<float>&, const std::filesystem::path&);
template QUARTIC_EXPORT void save_checkpoint(const World<double>&, const std::filesystem::path&);
template QUARTIC_EXPORT std::vector<std::string> load_checkpoint(World<float>&, const std::filesystem::path&);
template QUARTIC_EXPORT std::vector<std::string> load_checkpoint(World<double>&, const std::filesystem::path&);
template QUARTIC_EXPORT void save_checkpoint(const Batch<float>&, const std::filesystem::path&);
template QUARTIC_EXPORT void save_checkpoint(const Batch<double>&, const std::filesystem::path&);
template QUARTIC_EXPORT std::vector<std::string> load_checkpoint(Batch<float>&, const std::filesystem::path&);
template QUARTIC_EXPORT std::vector<std::string> load_checkpoint(Batch<double>&, const std::filesystem::path&);

}  // namespace quartic
