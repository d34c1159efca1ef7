// Sections of files: a capability that brings one, as a program reads it that has it, and one that hasn't.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <set>
#include <string>

#include "core/base/fnv1a.hpp"
#include "core/embedding/basis_fingerprint.hpp"
#include "io/model/model_sections.hpp"
#include "io/model/trajectory_sections.hpp"
#include "io/tensors/file_section.hpp"
#include "quartic/error.hpp"
#include "support/files.hpp"
#include "support/safetensors_header.hpp"
#include "support/small_model.hpp"
#include "support/support.hpp"

namespace quartic::io {
namespace {

using test::file_text;
using test::with_header;
using test::with_metadata;

// ---- models: a capability that a later version might have, a tint of each vertex that goes with the basis ----

constexpr std::string_view tint_tensors[] = {"tint", "tint_names"};
constexpr std::string_view tint_metadata[] = {"tint_basis"};

// The model has no member for it: here it is under the name of an unknown tensor.
const UnknownTensor* tint_of(const ReducedModel& model) {
  const auto found = model.unknown_tensors.find("tint");
  return found == model.unknown_tensors.end() ? nullptr : &found->second;
}

const ModelSection tint_section = {
    .name = "tint",
    .is_required = true,
    .tensors = tint_tensors,
    .metadata = tint_metadata,
    .key_tensor = "tint",
    .is_present = [](const ReducedModel& model) { return tint_of(model) != nullptr; },
    .check =
        [](const ReducedModel& model) {
          const auto* tint = tint_of(model);
          require_fit(tint == nullptr || tint->shape.at(0) == model.mesh.vertex_count(), "tint must be per vertex");
        },
    .write =
        [](const ReducedModel& model, FileDraft& draft) {
          std::vector<float> values(tint_of(model)->data.size() / sizeof(float));
          std::memcpy(values.data(), tint_of(model)->data.data(), tint_of(model)->data.size());
          draft.add_computed("tint", tint_of(model)->shape, std::move(values));
          set_basis_fingerprint(draft, "tint_basis", model);
        },
    .read =
        [](const SafetensorsFile& file, ReducedModel& model) {
          require_basis_fingerprint(file, "tint_basis", model);
          const auto values = file.values<float>("tint", 1);
          const auto bytes = std::as_bytes(std::span(values));
          model.unknown_tensors["tint"] = {"F32", {std::ssize(values)}, {bytes.begin(), bytes.end()}};
        }};

std::vector<const ModelSection*> sections_with_tint() {
  std::vector<const ModelSection*> sections(model_sections().begin(), model_sections().end());
  sections.push_back(&tint_section);
  return sections;
}

ReducedModel tinted_model() {
  ReducedModel model = test::small_model(3);
  model.unknown_tensors["tint"] = {"F32", {model.mesh.vertex_count()}, std::vector<std::byte>(40, std::byte{64})};
  return model;
}

class Sections : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& content) {
    std::ofstream(folder_ / "changed", std::ios::binary) << content;
    return folder_ / "changed";
  }
  std::string tinted_file() {
    write_model(tinted_model(), folder_ / "tinted", sections_with_tint());
    return file_text(folder_ / "tinted");
  }
  void expect_refused(const std::string& content, const std::string& part) {
    try {
      (void)read_model(write(content), sections_with_tint());
      ADD_FAILURE() << "accepted; expected: " << part;
    } catch (const ParseError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << "\nlacks: " << part;
    }
  }
  test::TemporaryFolder folder_;
};

TEST_F(Sections, AModelWithoutTheCapabilityIsTheSameFile) {
  save_model(test::small_model(3), folder_ / "known");
  write_model(test::small_model(3), folder_ / "more", sections_with_tint());
  EXPECT_EQ(file_text(folder_ / "more"), file_text(folder_ / "known"));
}

TEST_F(Sections, AModelWithItRequiresIt) {
  const std::string content = tinted_file();
  const auto header = test::header_of(content);
  EXPECT_EQ(header["__metadata__"]["quartic_schema"], "2");
  EXPECT_EQ(header["__metadata__"]["requires"], R"(["tint"])");
  EXPECT_EQ(header["tint"]["shape"], nlohmann::json({10}));
  EXPECT_EQ(header["__metadata__"]["tint_basis"].get<std::string>().size(), 16U);

  const ReducedModel again = read_model(folder_ / "tinted", sections_with_tint());
  EXPECT_EQ(again.unknown_tensors.at("tint").data, tinted_model().unknown_tensors.at("tint").data);
  EXPECT_EQ(again.unknown_metadata, (std::map<std::string, std::string>{}));
  write_model(again, folder_ / "again", sections_with_tint());
  EXPECT_EQ(file_text(folder_ / "again"), content);

  try {
    (void)load_model(folder_ / "tinted");
    ADD_FAILURE() << "accepted by a program that doesn't know it";
  } catch (const ParseError& error) {
    EXPECT_NE(std::string(error.what()).find("needs 'tint'"), std::string::npos) << error.what();
  }
}

TEST_F(Sections, ChecksAndReadersAreAsked) {
  ReducedModel model = tinted_model();
  model.unknown_tensors["tint"].shape = {2, 5};
  EXPECT_THROW(write_model(model, folder_ / "never", sections_with_tint()), InputError);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "never"));

  const std::string content = tinted_file();
  auto header = test::header_of(content);
  header["tint"]["shape"] = {5, 2};
  expect_refused(with_header(content, header), "'tint' has 2 dimensions instead of 1");
  header = test::header_of(content);
  header["tint_names"] = header["tint"];
  header.erase("tint");
  header["__metadata__"]["requires"] = "[]";
  expect_refused(with_header(content, header), "there is 'tint_names', but no 'tint'");
}

TEST_F(Sections, WhatIsRequiredMustBeThere) {
  const std::string content = tinted_file();
  auto header = test::header_of(content);
  header["unread"] = header["tint"];
  header.erase("tint");
  expect_refused(with_header(content, header), "requires 'tint', but has no 'tint'");
}

/// Of the double that begins there.
void turn_sign(std::string& content, std::size_t place) {
  content[place + 7] = static_cast<char>(content[place + 7] ^ 0x80);
}

TEST_F(Sections, WhatBelongsToAnotherBasisIsRefused) {
  const std::string content = tinted_file();
  const auto header = test::header_of(content);
  const std::size_t data = content.size() - test::tensor_bytes(content).size();
  for (const char* tensor : {"basis", "vertices"}) {
    std::string changed = content;
    turn_sign(changed, data + header[tensor]["data_offsets"][0].get<std::size_t>());
    expect_refused(changed, "tint_basis is '");
    expect_refused(changed, "computed for another basis; compute it again");
  }
  expect_refused(with_metadata(content, "tint_basis", "0123456789abcdef"), "tint_basis is '0123456789abcdef', but");
  expect_refused(with_metadata(content, "tint_basis", nullptr), "the metadata lack 'tint_basis'");
  std::string changed = content;  // what isn't the basis may change
  turn_sign(changed, data + header["region_mass"]["data_offsets"][0].get<std::size_t>());
  EXPECT_NO_THROW((void)read_model(write(changed), sections_with_tint()));
}

// What a caller puts among the unknown can't pass for a section's, or for the schema.
TEST_F(Sections, UnknownEntriesDontReplaceKnownOnes) {
  ReducedModel model = test::small_model(1);
  save_model(model, folder_ / "plain");
  model.unknown_tensors["energy"] = {"U8", {1}, std::vector<std::byte>(1)};
  for (const char* key :
       {"quartic_schema", "requires", "quartic_version", "created_by", "rigid_modes", "hexahedron_rule"})
    model.unknown_metadata[key] = "x";
  save_model(model, folder_ / "other");
  EXPECT_EQ(file_text(folder_ / "other"), file_text(folder_ / "plain"));
}

template <class Object>
void expect_names_once(FileSections<Object> sections) {
  std::multiset<std::string_view> names, capabilities;
  for (const auto* section : sections) {
    names.insert(section->tensors.begin(), section->tensors.end());
    names.insert(section->metadata.begin(), section->metadata.end());
    capabilities.insert(section->name);
    EXPECT_FALSE(section->tensors.empty()) << section->name;
  }
  for (const auto name : names) EXPECT_EQ(names.count(name), 1U) << name;
  for (const auto name : capabilities) EXPECT_EQ(capabilities.count(name), 1U) << name;
}

TEST_F(Sections, NamesBelongToOneSection) {
  expect_names_once(model_sections());
  expect_names_once(trajectory_sections());
}

// ---- trajectories ----

constexpr std::string_view pose_tensors[] = {"pose"};

// Bodies of rank 2 stand somewhere: the number of each is its place.
const TrajectorySection pose_section = {
    .name = "frame",
    .is_required = true,
    .tensors = pose_tensors,
    .key_tensor = "pose",
    .is_present = [](const Trajectory& trajectory) { return trajectory.rank == 2; },
    .check = [](const Trajectory&) {},
    .write =
        [](const Trajectory& trajectory, FileDraft& draft) {
          std::vector<double> places;
          for (std::int64_t b = 0; b < trajectory.bodies; ++b) places.push_back(static_cast<double>(b));
          draft.add_computed("pose", {trajectory.bodies}, std::move(places));
        },
    .read =
        [](const SafetensorsFile& file, Trajectory& trajectory) {
          static_cast<void>(file.values<double>("pose", 1));
          file.require_size("pose", 0, trajectory.bodies);
        },
    .cut_to_body = [](const Trajectory&, std::int64_t body, Trajectory& part) { part.time[0] = double(body); }};

const TrajectorySection* const sections_with_pose[] = {&motion_section, &pose_section};

Trajectory two_bodies(std::int64_t rank) {
  Trajectory trajectory{.bodies = 2, .rank = rank, .time = {0}, .status = {BodyStatus::ok, BodyStatus::diverged}};
  trajectory.q = test::random_numbers(static_cast<std::size_t>(2 * rank), 3);
  return trajectory;
}

TEST_F(Sections, OfTrajectories) {
  save_trajectory(two_bodies(1), folder_ / "plain");
  write_trajectory(two_bodies(1), folder_ / "more", sections_with_pose);
  EXPECT_EQ(file_text(folder_ / "more"), file_text(folder_ / "plain"));

  write_trajectory(two_bodies(2), folder_ / "posed", sections_with_pose);
  const auto metadata = test::header_of(file_text(folder_ / "posed"))["__metadata__"];
  EXPECT_EQ(metadata["quartic_trajectory"], "2");
  EXPECT_EQ(metadata["requires"], R"(["frame"])");
  EXPECT_EQ(read_trajectory(folder_ / "posed", sections_with_pose).q, two_bodies(2).q);
  EXPECT_THROW((void)load_trajectory(folder_ / "posed"), ParseError);

  const Trajectory part = cut_to_body(two_bodies(2), 1, sections_with_pose);
  EXPECT_EQ(part.status, std::vector<BodyStatus>{BodyStatus::diverged});
  EXPECT_EQ(part.time[0], 1);
}

TEST_F(Sections, WhatATrajectoryRequiresMustBeThere) {
  write_trajectory(two_bodies(2), folder_ / "posed", sections_with_pose);
  const std::string posed = file_text(folder_ / "posed");
  auto header = test::header_of(posed);
  header["unread"] = header["pose"];
  header.erase("pose");
  try {
    (void)read_trajectory(write(with_header(posed, header)), sections_with_pose);
    ADD_FAILURE() << "accepted";
  } catch (const ParseError& error) {
    EXPECT_NE(std::string(error.what()).find("requires 'frame', but has no 'pose'"), std::string::npos) << error.what();
  }
}

// ---- fingerprints ----

// Values from the authors' test suite.
TEST(Fnv1a, IsTheHashOfThatName) {
  const auto hash = [](std::string_view text) { return fnv1a(std::as_bytes(std::span(text))); };
  EXPECT_EQ(hash(""), 0xcbf29ce484222325U);
  EXPECT_EQ(hash("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(hash("foobar"), 0x85944171f73967e8U);
  const std::string_view bar = "bar";
  EXPECT_EQ(fnv1a(std::as_bytes(std::span(bar)), hash("foo")), hash("foobar"));
}

TEST(BasisFingerprint, IsThatOfTheTensorsInTheFile) {
  const test::TemporaryFolder folder;
  const ReducedModel model = test::small_model(3);
  save_model(model, folder / "m.qrt");
  const SafetensorsFile file(folder / "m.qrt");
  const std::array<std::int64_t, 2> shape = {10, 3};
  std::string bytes(reinterpret_cast<const char*>(shape.data()), sizeof shape);
  for (const char* name : {"vertices", "basis"}) {
    const auto data = file.data(*file.find(name));
    bytes.append(reinterpret_cast<const char*>(data.data()), data.size());
  }
  EXPECT_EQ(basis_fingerprint(model.mesh.vertices, model.basis), fnv1a(std::as_bytes(std::span(bytes))));
  const ReducedModel again = load_model(folder / "m.qrt");
  EXPECT_EQ(basis_fingerprint(again.mesh.vertices, again.basis), basis_fingerprint(model.mesh.vertices, model.basis));
}

// Computed with the Python of docs/format.md.
TEST(BasisFingerprint, IsTheSameInOtherLanguages) {
  Matrix basis(6, 1);
  for (std::size_t i = 0; i < 6; ++i) basis.values[i] = 0.125 * static_cast<double>(i);
  EXPECT_EQ(basis_fingerprint({0, 0, 0, 1, 0, 0}, basis), 0x725141775ff86942U);
}

TEST(BasisFingerprint, TellsBasesApart) {
  const std::vector<double> vertices = {0, 0, 0, 1, 0, 0};
  Matrix basis(6, 2);
  for (std::size_t i = 0; i < basis.values.size(); ++i) basis.values[i] = 0.125 * static_cast<double>(i);
  const std::function<void(std::vector<double>&, Matrix&)> changes[] = {
      [](auto&, Matrix&) {}, [](auto&, Matrix& u) { u.values[0] = -0.0; },
      [](auto&, Matrix& u) { u.values[11] = std::nextafter(u.values[11], 2); },
      [](auto&, Matrix& u) {
        for (double& x : u.values) x = -x;
      },
      [](auto&, Matrix& u) {
        for (const std::size_t i : {3, 9}) u.values[i] = -u.values[i];
      },
      [](auto&, Matrix& u) { std::rotate(u.values.begin(), u.values.begin() + 6, u.values.end()); },
      [](auto&, Matrix& u) {
        u.values.resize(6);
        u.cols = 1;
      },
      [](auto& v, Matrix&) { v[3] = 2; },
      // The same numbers in the same order, of which three have gone from the positions to the basis.
      [](auto& v, Matrix& u) {
        v.resize(3);
        u.values.insert(u.values.begin(), {1, 0, 0});
        u.rows = 3;
        u.cols = 5;
      }};
  std::set<std::uint64_t> fingerprints;
  for (const auto& change : changes) {
    std::vector<double> v = vertices;
    Matrix u = basis;
    change(v, u);
    fingerprints.insert(basis_fingerprint(v, u));
  }
  EXPECT_EQ(fingerprints.size(), std::size(changes));
}

}  // namespace
}  // namespace quartic::io
