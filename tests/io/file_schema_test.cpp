// Schemas of quartic's own files: schema 1 is written as ever, and what a program doesn't know is refused by name.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <string>

#include "quartic/checkpoint.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/trajectory.hpp"
#include "quartic/version.hpp"
#include "support/files.hpp"
#include "support/safetensors_header.hpp"
#include "support/small_model.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using test::file_text;
using test::with_metadata;

/// A kind of file: an example, and its reader.
struct Kind {
  const char* name;
  const char* noun;
  const char* schema_key;
  std::function<void(const std::filesystem::path&)> write;
  /// Reads the first file and writes what it read.
  std::function<void(const std::filesystem::path&, const std::filesystem::path&)> rewrite;
};

template <class T>
Batch<T> small_batch() {
  return Batch<T>(std::vector<BodyGroup>{{QuarticEnergy{1, {0, 0, 4, 0, 24}}, 2}});
}

template <class T>
Kind checkpoint_kind(const char* name) {
  return {name, "checkpoint", "quartic_checkpoint",
          [](const auto& path) {
            Batch<T> batch = small_batch<T>();
            batch.q()(0, 1) = T{0.5};
            batch.step(0.01);
            save_checkpoint(batch, path);
          },
          [](const auto& from, const auto& to) {
            Batch<T> batch = small_batch<T>();
            try {
              load_checkpoint(batch, from);
            } catch (const Error&) {
              EXPECT_EQ(batch.time(), 0);  // nothing is changed then
              throw;
            }
            save_checkpoint(batch, to);
          }};
}

std::vector<Kind> kinds() {
  return {{"model", "model", "quartic_schema",  //
           [](const auto& path) { save_model(test::small_model(2), path); },
           [](const auto& from, const auto& to) { save_model(load_model(from), to); }},
          {"trajectory", "trajectory", "quartic_trajectory",
           [](const auto& path) {
             save_trajectory({.bodies = 1, .rank = 2, .time = {0}, .q = {1, 2}, .status = {BodyStatus::ok}}, path);
           },
           [](const auto& from, const auto& to) { save_trajectory(load_trajectory(from), to); }},
          checkpoint_kind<float>("checkpoint_float"),
          checkpoint_kind<double>("checkpoint_double")};
}

class FileSchemas : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    GetParam().write(folder_ / "good");
    good_ = file_text(folder_ / "good");
  }

  void write(const std::string& content) { std::ofstream(folder_ / "changed", std::ios::binary) << content; }
  std::string rewritten(const std::string& content) {
    write(content);
    GetParam().rewrite(folder_ / "changed", folder_ / "again");
    return file_text(folder_ / "again");
  }
  void expect_refused(const std::string& content, const std::string& part) {
    write(content);
    try {
      GetParam().rewrite(folder_ / "changed", folder_ / "never");
      ADD_FAILURE() << "accepted; expected: " << part;
    } catch (const ParseError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << "\nlacks: " << part;
    }
    EXPECT_FALSE(std::filesystem::exists(folder_ / "never"));
  }

  /// The example as a file of schema 2 that requires this.
  std::string second_schema(const nlohmann::json& required) const {
    return with_metadata(with_metadata(good_, GetParam().schema_key, "2"), "requires", required);
  }
  std::string message(const std::string& verb) const { return std::string("the ") + GetParam().noun + " " + verb; }

  test::TemporaryFolder folder_;
  std::string good_;
};

TEST_P(FileSchemas, WhatNeedsNothingIsOfSchemaOne) {
  const auto metadata = test::header_of(good_)["__metadata__"];
  EXPECT_EQ(metadata["quartic_version"], version);
  EXPECT_FALSE(metadata.contains("requires"));
  if (metadata.contains(GetParam().schema_key)) {
    EXPECT_EQ(metadata[GetParam().schema_key], "1");
  } else {
    EXPECT_STREQ(GetParam().name, "trajectory");  // the one that has never said
  }
  EXPECT_EQ(rewritten(good_), good_);
}

TEST_P(FileSchemas, SchemaTwoThatRequiresNothingIsRead) {
  EXPECT_EQ(rewritten(second_schema("[]")), good_);
}

TEST_P(FileSchemas, UnknownCapabilitiesAreRefusedByName) {
  expect_refused(second_schema(R"(["weather"])"), message("needs 'weather', which this version of quartic (" +
                                                          std::string(version) + ") doesn't know; update quartic"));
  expect_refused(second_schema(R"(["hail","weather"])"), message("needs 'hail', 'weather', which"));
  expect_refused(second_schema(R"(["a","b","c","d","e","f","g"])"),
                 message("needs 'a', 'b', 'c', 'd', 'e', ..., which"));
  expect_refused(second_schema(R"([""])"), message("needs '', which"));
  // A writer that forgot the schema is no reason to misread a file.
  expect_refused(with_metadata(good_, "requires", R"(["weather"])"), message("needs 'weather', which"));
}

TEST_P(FileSchemas, ListsThatAreNoneAreRefused) {
  for (const std::string text : {"", "weather", "\"weather\"", "null", "1", "{}", R"({"weather":1})", "[1]",
                                 R"(["weather",null])", R"([["weather"]])", "[", R"(["weather")", R"(["weather"] ])"})
    expect_refused(second_schema(text), "'requires' is no list of names: '" + text);
  expect_refused(second_schema(std::string(100000, '[')), "'requires' is no list of names: '[[[");
  expect_refused(second_schema(std::string(100000, '[') + std::string(100000, ']')), "no list of names: '[[[");
  expect_refused(second_schema(1), "'requires' isn't text");
  expect_refused(second_schema(nullptr), "lack 'requires', which schema 2 has");
}

TEST_P(FileSchemas, OtherSchemasAreRefused) {
  const auto of_schema = [&](const std::string& text) { return with_metadata(good_, GetParam().schema_key, text); };
  const std::string key = GetParam().schema_key;
  expect_refused(of_schema("3"), message("was written by a newer version of quartic (schema 3; this version, " +
                                         std::string(version) + ", reads up to 2); update quartic"));
  expect_refused(with_metadata(of_schema("3"), "requires", R"(["weather"])"), "(schema 3;");
  for (const std::string text : {"0", "-1", "two", "", "2.0", "1 "})
    expect_refused(of_schema(text), key + " is '" + text + "'");
  expect_refused(of_schema("99999999999999999999"), key + " is '9999");
}

INSTANTIATE_TEST_SUITE_P(Kinds, FileSchemas, testing::ValuesIn(kinds()),
                         [](const auto& instance) { return std::string(instance.param.name); });

// Headers as older versions wrote them.
TEST(FilesOfSchemaOne, HaveTheHeadersThatTheyHad) {
  const test::TemporaryFolder folder;
  const std::string v = "\"quartic_version\":\"" + std::string(version) + "\"}";
  const auto header = [&](const Kind& kind) {
    kind.write(folder / "file");
    const std::string text = test::header_text(file_text(folder / "file"));
    return text.substr(0, text.find_last_not_of(' ') + 1);
  };
  const auto all = kinds();
  EXPECT_EQ(header(all[1]), "{\"__metadata__\":{" + v +
                                R"(,"time":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},)"
                                R"("q":{"dtype":"F64","shape":[1,1,2],"data_offsets":[8,24]},)"
                                R"("status":{"dtype":"I32","shape":[1],"data_offsets":[24,28]}})");
  EXPECT_EQ(header(all[3]), R"({"__metadata__":{"backend":"cpu","checksum":"d85b2dbd9b6fe217","evaluation":"strict",)"
                            R"("integrator":"newmark","quartic_checkpoint":"1",)" +
                                v +
                                R"(,"q":{"dtype":"F64","shape":[2,1],"data_offsets":[0,16]},)"
                                R"("velocity":{"dtype":"F64","shape":[2,1],"data_offsets":[16,32]},)"
                                R"("acceleration":{"dtype":"F64","shape":[2,1],"data_offsets":[32,48]},)"
                                R"("force":{"dtype":"F64","shape":[2,1],"data_offsets":[48,64]},)"
                                R"("status":{"dtype":"I32","shape":[2],"data_offsets":[128,136]},)"
                                R"("time":{"dtype":"F64","shape":[1],"data_offsets":[64,72]},)"
                                R"("rayleigh_mass":{"dtype":"F64","shape":[2],"data_offsets":[72,88]},)"
                                R"("rayleigh_stiffness":{"dtype":"F64","shape":[2],"data_offsets":[88,104]},)"
                                R"("curve_of_body":{"dtype":"I32","shape":[0],"data_offsets":[136,136]},)"
                                R"("curve_offsets":{"dtype":"I64","shape":[1],"data_offsets":[104,112]},)"
                                R"("curve_times":{"dtype":"F64","shape":[0],"data_offsets":[112,112]},)"
                                R"("curve_scales":{"dtype":"F64","shape":[0],"data_offsets":[112,112]},)"
                                R"("group_bodies":{"dtype":"I64","shape":[1],"data_offsets":[112,120]},)"
                                R"("group_rank":{"dtype":"I32","shape":[1],"data_offsets":[136,140]},)"
                                R"("energy_fingerprint":{"dtype":"I64","shape":[1],"data_offsets":[120,128]}})");
}

}  // namespace
}  // namespace quartic
