// A batch that is saved, loaded and goes on, against one that was never stopped.
#include "quartic/checkpoint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/error.hpp"
#include "quartic/trajectory.hpp"
#include "support/batch_states.hpp"
#include "support/files.hpp"
#include "support/free_body.hpp"
#include "support/moving_base.hpp"
#include "support/safetensors_header.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

template <class T>
class CheckpointTest : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(CheckpointTest, Precisions);

std::vector<BodyGroup> sample_groups() {
  return {{random_squares(5, 1).energy(), 19}, {random_squares(7, 2).energy(), 3}};
}

BatchOptions sample_options(Integrator integrator, int threads) {
  return {.integrator = integrator, .newton_iterations = 2, .threads = threads};
}

// Groups, damping, curves, a body that is frozen and one whose force is not a number.
template <class T>
Batch<T> sample_batch(Integrator integrator) {
  Batch<T> batch(sample_groups(), sample_options(integrator, 2));
  std::vector<double> mass, stiffness;
  std::vector<std::int32_t> curve_of_body;
  for (unsigned b = 0; b < 22; ++b) {
    set_random_body(batch, b, b);
    mass.push_back(0.1 * b);
    stiffness.push_back(1e-4 * b);
    curve_of_body.push_back(static_cast<std::int32_t>(b % 3) - 1);
  }
  batch.set_rayleigh_damping(mass, stiffness);
  const LoadCurve curves[] = {{.times = {0, 0.1}, .scales = {0, 1}}, {.times = {0.05, 0.05, 0.3}, .scales = {1, 2, 3}}};
  batch.set_load_curves(curves, curve_of_body);
  batch.force()(1, 4) = std::numeric_limits<T>::quiet_NaN();
  return batch;
}

// Also what isn't finite, hence as bytes.
template <class T>
std::string bytes_of(const Batch<T>& batch) {
  std::string bytes;
  const auto append = [&](const T& x) { bytes.append(reinterpret_cast<const char*>(&x), sizeof x); };
  for (const StateView<const T> view : {batch.q(), batch.velocity(), batch.acceleration(), batch.force()})
    for (std::int64_t b = 0; b < view.bodies; ++b)
      for (std::int64_t i = 0; i < view.rank; ++i) append(view(i, b));
  for (const BodyStatus s : batch.status()) bytes += static_cast<char>(s);
  for (const BodyFlags f : batch.flags()) bytes += static_cast<char>(f);
  return bytes + std::to_string(batch.time());
}

TYPED_TEST(CheckpointTest, GoesOnToTheBit) {
  const TemporaryFolder folder;
  for (const Integrator integrator : all_integrators) {
    SCOPED_TRACE(static_cast<int>(integrator));
    Batch<TypeParam> batch = sample_batch<TypeParam>(integrator);
    batch.step(0.07, 3);
    ASSERT_EQ(batch.status()[4], BodyStatus::diverged);
    save_checkpoint(batch, folder / "a.qstate");
    Batch<TypeParam> resumed(sample_groups(), sample_options(integrator, 1));
    resumed.step(0.01);
    load_checkpoint(resumed, folder / "a.qstate");
    EXPECT_EQ(bytes_of(resumed), bytes_of(batch));
    batch.step(0.1, 5);
    resumed.step(0.1, 5);
    EXPECT_EQ(bytes_of(resumed), bytes_of(batch));
    EXPECT_EQ(resumed.rayleigh_stiffness()[21], batch.rayleigh_stiffness()[21]);
  }
}

TYPED_TEST(CheckpointTest, SavesTheSameFileAgain) {
  const TemporaryFolder folder;
  Batch<TypeParam> batch = sample_batch<TypeParam>(Integrator::newmark);
  save_checkpoint(batch, folder / "a.qstate");
  Batch<TypeParam> copy(sample_groups());
  load_checkpoint(copy, folder / "a.qstate");
  save_checkpoint(copy, folder / "b.qstate");
  const auto content = [&](const char* name) {
    std::ifstream file(folder / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_GT(content("a.qstate").size(), 22U * 7 * 4 * sizeof(TypeParam));
  EXPECT_EQ(content("a.qstate"), content("b.qstate"));
}

// Free bodies beside held ones, all that moves and all that pushes.
std::vector<BodyGroup> free_groups() {
  static const ReducedModel model = free_block(2e5, 3, 5);
  return {{.energy = model.energy, .bodies = 9, .frame = free_frame(model)}, {random_squares(7, 2).energy(), 3}};
}

template <class T>
Batch<T> free_batch(Integrator integrator) {
  Batch<T> batch(free_groups(), sample_options(integrator, 2));
  for (std::int64_t b = 0; b < 9; ++b) {
    const auto t = static_cast<T>(b + 1);
    batch.q()(b % 5, b) = t / 64;
    batch.pose()(1, b) = t;
    batch.pose()(4, b) = t / 8;
    for (std::int64_t i = 0; i < 6; ++i) {
      batch.twist()(i, b) = t / 4 + static_cast<T>(i);
      batch.wrench()(i, b) = t * static_cast<T>(i - 2);
    }
  }
  batch.pose()(6, 4) = batch.pose()(4, 4) = 0;  // no rotation: it diverges
  return batch;
}

template <class T>
std::string rigid_bytes_of(const Batch<T>& batch) {
  std::string bytes = bytes_of(batch);
  for (const StateView<const T> view : {batch.pose(), batch.twist(), batch.twist_rate(), batch.wrench()})
    for (std::int64_t b = 0; b < view.bodies; ++b)
      for (std::int64_t i = 0; i < view.rank; ++i) bytes.append(reinterpret_cast<const char*>(&view(i, b)), sizeof(T));
  return bytes;
}

TYPED_TEST(CheckpointTest, FreeBodiesGoOnToTheBit) {
  const TemporaryFolder folder;
  for (const Integrator integrator : {Integrator::newmark, Integrator::backward_euler, Integrator::energy_conserving}) {
    SCOPED_TRACE(static_cast<int>(integrator));
    Batch<TypeParam> batch = free_batch<TypeParam>(integrator);
    batch.step(0.006, 3);
    ASSERT_EQ(batch.status()[4], BodyStatus::diverged);
    save_checkpoint(batch, folder / "a.qstate");
    Batch<TypeParam> resumed(free_groups(), sample_options(integrator, 1));
    load_checkpoint(resumed, folder / "a.qstate");
    EXPECT_EQ(rigid_bytes_of(resumed), rigid_bytes_of(batch));
    batch.step(0.01, 5);
    resumed.step(0.01, 5);
    EXPECT_EQ(rigid_bytes_of(resumed), rigid_bytes_of(batch));
  }
}

// Free, held and mounted bodies together.
std::vector<BodyGroup> mounted_groups() {
  static const ReducedModel model = held_block(2e5, 3, 5);
  std::vector<BodyGroup> groups = free_groups();
  groups.push_back(
      {.energy = model.energy, .bodies = 4, .frame = base_frame(model), .motion = FrameMotion::prescribed});
  return groups;
}

TYPED_TEST(CheckpointTest, MountedBodiesGoOnToTheBit) {
  const TemporaryFolder folder;
  for (const Integrator integrator : {Integrator::newmark, Integrator::backward_euler}) {
    SCOPED_TRACE(static_cast<int>(integrator));
    Batch<TypeParam> batch(mounted_groups(), sample_options(integrator, 2));
    for (std::int64_t b = 0; b < 9; ++b) batch.twist()(3, b) = static_cast<TypeParam>(b);
    for (std::int64_t b = 12; b < 16; ++b) {
      set_base(batch, b, 0.1 * static_cast<double>(b), {0, 0, -9.81});
      batch.q()(1, b) = static_cast<TypeParam>(0.1);
    }
    batch.step(0.006, 3);
    save_checkpoint(batch, folder / "a.qstate");
    const auto header = header_of(file_text(folder / "a.qstate"));
    EXPECT_EQ(header["__metadata__"]["requires"], "[\"frame\",\"base\"]");
    EXPECT_EQ(header["frame_motion"]["shape"], nlohmann::json({3}));
    Batch<TypeParam> resumed(mounted_groups(), sample_options(integrator, 1));
    load_checkpoint(resumed, folder / "a.qstate");
    EXPECT_EQ(rigid_bytes_of(resumed), rigid_bytes_of(batch));
    batch.step(0.01, 5);
    resumed.step(0.01, 5);
    EXPECT_EQ(rigid_bytes_of(resumed), rigid_bytes_of(batch));
  }
}

// A program that doesn't know the factor must not go on without it. One that isn't there is 1.
TYPED_TEST(CheckpointTest, StiffnessScalesGoOnToTheBit) {
  const TemporaryFolder folder;
  std::vector<double> scale;
  for (int b = 0; b < 22; ++b) scale.push_back(1 + 0.1 * b);
  Batch<TypeParam> batch = sample_batch<TypeParam>(Integrator::newmark);
  save_checkpoint(batch, folder / "plain.qstate");
  batch.set_stiffness_scale(scale);
  batch.step(0.07, 3);
  save_checkpoint(batch, folder / "a.qstate");
  const auto header = header_of(file_text(folder / "a.qstate"));
  EXPECT_EQ(header["__metadata__"]["requires"], "[\"stiffness_scale\"]");
  EXPECT_EQ(header["stiffness_scale"]["shape"], nlohmann::json({22}));

  Batch<TypeParam> resumed(sample_groups(), sample_options(Integrator::newmark, 1));
  load_checkpoint(resumed, folder / "a.qstate");
  EXPECT_EQ(resumed.stiffness_scale()[21], static_cast<TypeParam>(scale[21]));
  batch.step(0.1, 5);
  resumed.step(0.1, 5);
  EXPECT_EQ(bytes_of(resumed), bytes_of(batch));
  load_checkpoint(resumed, folder / "plain.qstate");
  EXPECT_EQ(resumed.stiffness_scale()[21], TypeParam{1});

  auto empty = header_of(file_text(folder / "a.qstate"));
  auto& scales = empty["stiffness_scale"];
  empty["spare"] = scales;
  scales["shape"] = nlohmann::json::array({0});
  scales["data_offsets"][1] = scales["data_offsets"][0];
  std::ofstream(folder / "empty.qstate", std::ios::binary) << with_header(file_text(folder / "a.qstate"), empty);
  try {
    load_checkpoint(resumed, folder / "empty.qstate");
    ADD_FAILURE() << "accepted";
  } catch (const ParseError& error) {
    EXPECT_NE(std::string(error.what()).find("stiffness_scale"), std::string::npos) << error.what();
  }
}

// A program that doesn't know frames must not go on without them; files of other batches are as ever.
TYPED_TEST(CheckpointTest, OnlyFreeBodiesNeedTheNewSchema) {
  const TemporaryFolder folder;
  save_checkpoint(free_batch<TypeParam>(Integrator::newmark), folder / "free.qstate");
  save_checkpoint(sample_batch<TypeParam>(Integrator::newmark), folder / "held.qstate");
  const auto header = [&](const char* name) { return header_of(file_text(folder / name)); };
  EXPECT_EQ(header("free.qstate")["__metadata__"]["quartic_checkpoint"], "2");
  EXPECT_EQ(header("free.qstate")["__metadata__"]["requires"], "[\"frame\"]");
  EXPECT_EQ(header("free.qstate")["pose"]["shape"], nlohmann::json({12, 7}));
  EXPECT_EQ(header("held.qstate")["__metadata__"]["quartic_checkpoint"], "1");
  EXPECT_FALSE(header("held.qstate").contains("pose"));
  EXPECT_FALSE(header("held.qstate").contains("moments_fingerprint"));
}

template <class T>
void expect_refusal(Batch<T>& batch, const std::filesystem::path& path, const std::string& word) {
  const std::string before = bytes_of(batch);
  try {
    load_checkpoint(batch, path);
    ADD_FAILURE() << "accepted, not refused for '" << word << "'";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
  EXPECT_EQ(bytes_of(batch), before);
}

TYPED_TEST(CheckpointTest, RefusesOtherBatches) {
  const TemporaryFolder folder;
  const auto path = folder / "a.qstate";
  save_checkpoint(sample_batch<TypeParam>(Integrator::newmark), path);
  using Other = std::conditional_t<std::is_same_v<TypeParam, float>, double, float>;
  Batch<Other> other_precision(sample_groups());
  expect_refusal(other_precision, path, "precision");
  std::vector<BodyGroup> groups = sample_groups();
  groups[1].bodies = 4;
  Batch<TypeParam> more_bodies(groups);
  expect_refusal(more_bodies, path, "19, 3 bodies");
  groups = sample_groups();
  groups[0].energy = random_squares(6, 1).energy();
  Batch<TypeParam> other_rank(groups);
  expect_refusal(other_rank, path, "rank 5, 7");
  Batch<TypeParam> edited(sample_groups());
  edited.set_energy(random_squares(5, 9).energy());
  expect_refusal(edited, path, "other energies");
  edited.set_energy(sample_groups()[0].energy);
  EXPECT_NO_THROW(load_checkpoint(edited, path));
}

// Names of bits that depend on how a batch is stepped. Files of older versions say nothing, nor have they a checksum.
TYPED_TEST(CheckpointTest, TellsWhatTheBatchWasMadeWith) {
  const TemporaryFolder folder;
  const auto path = folder / "a.qstate";
  save_checkpoint(sample_batch<TypeParam>(Integrator::newmark), path);
  Batch<TypeParam> same(sample_groups(), sample_options(Integrator::newmark, 1));
  EXPECT_TRUE(load_checkpoint(same, path).empty());
  BatchOptions options = sample_options(Integrator::backward_euler, 1);
  options.evaluation = Evaluation::latency;
  Batch<TypeParam> other(sample_groups(), options);
  const std::vector<std::string> told = load_checkpoint(other, path);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_NE(told[0].find("the evaluation 'strict', this batch has 'latency'"), std::string::npos) << told[0];
  EXPECT_NE(told[1].find("the integrator 'newmark', this batch has 'backward-euler'"), std::string::npos) << told[1];
  EXPECT_EQ(bytes_of(other), bytes_of(same)) << "it is loaded all the same";
  std::string old = file_text(path);
  for (const char* key : {"evaluation", "integrator", "backend", "checksum"}) {
    ASSERT_TRUE(header_of(old)["__metadata__"].contains(key)) << key;
    old = with_metadata(old, key, nullptr);
  }
  std::ofstream(path, std::ios::binary) << old;
  EXPECT_TRUE(load_checkpoint(other, path).empty());
  std::ofstream(path, std::ios::binary) << with_metadata(old, "checksum", "0123456789abcdef");
  expect_refusal(other, path, "checksum");
}

// The checksum as docs/format.md has it.
TYPED_TEST(CheckpointTest, TheChecksumIsFnv1a) {
  const TemporaryFolder folder;
  const auto path = folder / "a.qstate";
  save_checkpoint(sample_batch<TypeParam>(Integrator::newmark), path);
  const std::string content = file_text(path);
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char byte : tensor_bytes(content)) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  std::ostringstream digits;
  digits << std::hex << std::setw(16) << std::setfill('0') << hash;
  EXPECT_EQ(header_of(content)["__metadata__"]["checksum"], digits.str());
}

TYPED_TEST(CheckpointTest, FlagsAreKept) {
  const TemporaryFolder folder;
  const auto path = folder / "a.qstate";
  Batch<TypeParam> batch = sample_batch<TypeParam>(Integrator::newmark);
  save_checkpoint(batch, path);
  EXPECT_FALSE(header_of(file_text(path)).contains("flags")) << "none is set";
  std::vector<BodyFlags> flags(22, BodyFlags::none);
  flags[3] = BodyFlags::strained | BodyFlags::not_converged, flags[21] = BodyFlags{0x80000000U};
  Batch<TypeParam> resumed(sample_groups());
  resumed.set_flags(flags);
  load_checkpoint(resumed, path);
  EXPECT_EQ(resumed.flags()[3], BodyFlags::none) << "those of the file, which has none";
  batch.set_flags(flags);
  save_checkpoint(batch, path);
  load_checkpoint(resumed, path);
  EXPECT_TRUE(std::equal(flags.begin(), flags.end(), resumed.flags().begin()));
  nlohmann::json header = header_of(file_text(path));
  header["flags"]["shape"] = {2, 11};
  const std::string wrong_shape = with_header(file_text(path), header);
  std::ofstream(path, std::ios::binary) << wrong_shape;
  expect_refusal(resumed, path, "flags");
}

TYPED_TEST(CheckpointTest, RefusesOtherFrames) {
  const TemporaryFolder folder;
  const auto free = folder / "free.qstate", held = folder / "held.qstate";
  save_checkpoint(free_batch<TypeParam>(Integrator::newmark), free);
  std::vector<BodyGroup> groups = free_groups();
  groups[0].frame.reset();
  Batch<TypeParam> without(groups);
  expect_refusal(without, free, "no group of this batch has a frame");
  save_checkpoint(without, held);
  Batch<TypeParam> batch(free_groups());
  expect_refusal(batch, held, "no poses");
  groups = free_groups();
  groups[0].frame->moment0.values[0] *= 1.5;
  Batch<TypeParam> other(groups);
  expect_refusal(other, free, "other moments");
  EXPECT_NO_THROW(load_checkpoint(batch, free));
}

TYPED_TEST(CheckpointTest, TellsWhetherThereArePoses) {
  const TemporaryFolder folder;
  save_checkpoint(free_batch<TypeParam>(Integrator::newmark), folder / "free.qstate");
  EXPECT_TRUE(checkpoint_has_poses(folder / "free.qstate"));
  save_checkpoint(sample_batch<TypeParam>(Integrator::newmark), folder / "held.qstate");
  EXPECT_FALSE(checkpoint_has_poses(folder / "held.qstate"));
  std::ofstream(folder / "no.qstate") << "nothing";
  EXPECT_THROW((void)checkpoint_has_poses(folder / "no.qstate"), ParseError);
}

// A quaternion of zero or NaN is no rotation: such bodies are kept as they are, and diverge.
TYPED_TEST(CheckpointTest, BodiesWithoutRotationDivergeAfterwardsToo) {
  const TemporaryFolder folder;
  Batch<TypeParam> batch = free_batch<TypeParam>(Integrator::newmark), resumed(free_groups());
  for (std::int64_t row = 3; row < 7; ++row) batch.pose()(row, 2) = std::numeric_limits<TypeParam>::quiet_NaN();
  save_checkpoint(batch, folder / "a.qstate");
  load_checkpoint(resumed, folder / "a.qstate");
  resumed.step(0.001);
  for (std::int64_t b = 0; b < 9; ++b)
    EXPECT_EQ(resumed.status()[static_cast<std::size_t>(b)] == BodyStatus::diverged, b == 2 || b == 4) << b;
}

// Free or moved by the caller, of the same moments; and about another origin.
TYPED_TEST(CheckpointTest, RefusesOtherMotions) {
  const TemporaryFolder folder;
  const auto path = folder / "a.qstate";
  static const ReducedModel model = free_block(2e5, 3, 5);
  const auto group = [](FrameMotion motion, double x) {
    FrameMoments frame = free_frame(model);
    if (motion == FrameMotion::prescribed) frame = base_frame(model, {x, 0, 0});
    return std::vector<BodyGroup>{{.energy = model.energy, .frame = frame, .motion = motion}};
  };
  const double centre = free_frame(model).origin[0];
  Batch<TypeParam> mounted(group(FrameMotion::prescribed, centre)), flying(group(FrameMotion::free, 0));
  Batch<TypeParam> elsewhere(group(FrameMotion::prescribed, centre + 1));
  save_checkpoint(mounted, path);
  expect_refusal(flying, path, "BodyGroup::motion");
  expect_refusal(elsewhere, path, "other moments");
  EXPECT_NO_THROW(load_checkpoint(mounted, path));
  save_checkpoint(flying, path);
  expect_refusal(mounted, path, "BodyGroup::motion");
}

TYPED_TEST(CheckpointTest, RefusesOtherFiles) {
  const TemporaryFolder folder;
  Batch<TypeParam> batch = sample_batch<TypeParam>(Integrator::newmark);
  expect_refusal(batch, folder / "missing.qstate", "missing.qstate");
  save_trajectory({.bodies = 1, .rank = 1, .time = {0}, .q = {0}, .status = {BodyStatus::ok}}, folder / "a.qtraj");
  expect_refusal(batch, folder / "a.qtraj", "no checkpoint");
}

// Whatever byte is lost or changed: the batch is as it was, or as a file says that fits it.
TYPED_TEST(CheckpointTest, SurvivesDamage) {
  const TemporaryFolder folder;
  const std::vector<BodyGroup> groups = {{duffing(1, 1), 2}};
  Batch<TypeParam> batch(groups);
  batch.set_load_curves({{LoadCurve{.times = {0, 1}, .scales = {0, 1}}}}, std::vector<std::int32_t>{0, -1});
  save_checkpoint(batch, folder / "a.qstate");
  std::ifstream source(folder / "a.qstate", std::ios::binary);
  const std::string good(std::istreambuf_iterator<char>(source), {});
  const auto load = [&](const std::string& content) {
    std::ofstream(folder / "b.qstate", std::ios::binary) << content;
    const std::string before = bytes_of(batch);
    try {
      load_checkpoint(batch, folder / "b.qstate");
      return true;
    } catch (const Error&) {
      EXPECT_EQ(bytes_of(batch), before);
      return false;
    }
  };
  EXPECT_TRUE(load(good));
  for (std::size_t size = 0; size < good.size(); size += 7) EXPECT_FALSE(load(good.substr(0, size))) << size;
  int refused = 0;
  const std::size_t data_begin = good.size() - tensor_bytes(good).size();
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x15);
    const bool accepted = load(bad);
    refused += accepted ? 0 : 1;
    EXPECT_FALSE(accepted && i >= data_begin) << "the checksum is of all data: " << i;
  }
  EXPECT_GT(refused, 1000);  // most of the header, too
  // Of schema 2: what tells that nothing is required.
  const std::string second = with_metadata(with_metadata(good, "quartic_checkpoint", "2"), "requires", "[]");
  EXPECT_TRUE(load(second));
  const std::string entry = R"("requires":"[]")";
  const std::size_t begin = second.find(entry);
  ASSERT_NE(begin, std::string::npos);
  for (std::size_t i = begin; i < begin + entry.size(); ++i) {
    std::string bad = second;
    bad[i] = static_cast<char>(bad[i] ^ 0x15);
    EXPECT_FALSE(load(bad)) << i - begin;
  }
}

}  // namespace
}  // namespace quartic
