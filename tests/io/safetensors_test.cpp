// The safetensors container: layout to the byte, and no damaged file gets through or brings the process down.
#include "io/tensors/safetensors.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "quartic/error.hpp"
#include "support/files.hpp"
#include "support/support.hpp"

namespace quartic::io {
namespace {

using test::file_text;
using test::TemporaryFolder;

/// A file with this header and so many bytes of data.
std::string file_with(const std::string& header, std::size_t data_bytes) {
  const std::uint64_t length = header.size();
  std::string file(reinterpret_cast<const char*>(&length), 8);
  return file + header + std::string(data_bytes, '\1');
}

class Safetensors : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& content) {
    std::ofstream(folder_ / "f", std::ios::binary) << content;
    return folder_ / "f";
  }
  void expect_refused(const std::string& content, const std::string& part) {
    try {
      const SafetensorsFile file(write(content));
      FAIL() << "accepted; expected: " << part;
    } catch (const ParseError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << "\nlacks: " << part;
    }
  }
  TemporaryFolder folder_;
};

TEST_F(Safetensors, LayoutIsTheFormats) {
  const std::vector<std::int32_t> integers = {1, -2, 3};
  const std::vector<double> numbers = {0.5, -1e300};
  write_safetensors(folder_ / "f", {tensor_view("a", {3}, integers), tensor_view("b", {2, 1}, numbers)},
                    {{"note", "\"quoted\" \xC3\xA4"}});
  const std::string content = file_text(folder_ / "f");
  std::uint64_t length = 0;
  std::memcpy(&length, content.data(), 8);
  EXPECT_EQ((8 + length) % 8, 0u);
  ASSERT_EQ(content.size(), 8 + length + 28);
  const auto header = nlohmann::json::parse(content.substr(8, length));
  EXPECT_EQ(header["__metadata__"]["note"], "\"quoted\" \xC3\xA4");
  // Doubles come first in the data, whatever the order in the header, and so are aligned.
  EXPECT_EQ(header["b"], (nlohmann::json{{"dtype", "F64"}, {"shape", {2, 1}}, {"data_offsets", {0, 16}}}));
  EXPECT_EQ(header["a"], (nlohmann::json{{"dtype", "I32"}, {"shape", {3}}, {"data_offsets", {16, 28}}}));
  EXPECT_LT(content.find("\"a\""), content.find("\"b\""));
  double second = 0;
  std::memcpy(&second, content.data() + 8 + length + 8, 8);
  EXPECT_EQ(second, -1e300);

  const SafetensorsFile file(folder_ / "f");
  EXPECT_EQ(file.values<std::int32_t>("a", 1), integers);
  EXPECT_EQ(file.values<double>("b", 2), numbers);
  EXPECT_EQ(file.size("b", 1), 1);
  EXPECT_EQ(file.metadata().at("note"), "\"quoted\" \xC3\xA4");
  EXPECT_THROW((void)file.values<double>("a", 1), ParseError);
  EXPECT_THROW((void)file.values<double>("b", 1), ParseError);
  EXPECT_THROW((void)file.values<double>("c", 1), ParseError);
}

TEST_F(Safetensors, EmptyTensorsAndFiles) {
  const std::vector<double> none;
  write_safetensors(folder_ / "f", {tensor_view("a", {0, 3}, none), tensor_view("b", {0}, none)}, {});
  const SafetensorsFile file(folder_ / "f");
  EXPECT_TRUE(file.values<double>("a", 2).empty());
  EXPECT_EQ(file.size("a", 1), 3);
  EXPECT_TRUE(SafetensorsFile(write(file_with("{}", 0))).tensors().empty());
}

TEST_F(Safetensors, DamagedHeadersAreRefused) {
  expect_refused("", "too short");
  expect_refused("1234567", "too short");
  expect_refused(std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8) + "{}", "18446744073709551615 bytes");
  expect_refused(file_with("{", 0), "isn't JSON");
  expect_refused(file_with("[]", 0), "isn't a JSON object");
  expect_refused(file_with(std::string(100000, '['), 0), "nested too deeply");
  expect_refused(file_with(R"({"a":1})", 0), "'a' isn't a JSON object");
  expect_refused(file_with(R"({"__metadata__":{"k":1}})", 0), "'k' isn't text");
  expect_refused(file_with(R"({"a":{"dtype":"F64","shape":[1]}})", 8), "lacks");
  const auto tensor = [](const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return R"({"a":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
  };
  EXPECT_EQ(SafetensorsFile(write(file_with(tensor("F64", "[1]", "[0,8]"), 8))).tensors().size(), 1u);
  EXPECT_EQ(SafetensorsFile(write(file_with(tensor("F99", "[1]", "[0,8]"), 8))).tensors().size(), 1u);  // a newer dtype
  expect_refused(file_with(tensor("F64", "[2]", "[0,8]"), 8), "don't fit its shape");
  expect_refused(file_with(tensor("F64", "[1]", "[0,16]"), 8), "only 8");
  expect_refused(file_with(tensor("F64", "[1]", "[8,0]"), 8), "impossible data_offsets");
  expect_refused(file_with(tensor("F64", "[1]", "[0]"), 8), "impossible data_offsets");
  expect_refused(file_with(tensor("F64", "[-1]", "[0,8]"), 8), "isn't a number from 0 on");
  expect_refused(file_with(tensor("F64", "[1.0]", "[0,8]"), 8), "isn't a number from 0 on");
  expect_refused(file_with(tensor("F64", "7", "[0,8]"), 8), "isn't a list");
  // 2^61 doubles are 2^64 bytes, which must not pass for 0.
  expect_refused(file_with(tensor("F64", "[2305843009213693952]", "[0,0]"), 0), "don't fit its shape");
  expect_refused(file_with(tensor("F64", "[4294967296,4294967296]", "[0,0]"), 0), "don't fit its shape");
  expect_refused(file_with(tensor("F64", "[18446744073709551615]", "[0,8]"), 8), "isn't a number");
  expect_refused(file_with(tensor("F64", "[1]", "[0,8]"), 9), "1 stray bytes");
  expect_refused(file_with(tensor("F64", "[1]", "[1,9]"), 9), "gap between tensors");
  const std::string one = R"("dtype":"I32","shape":[1],"data_offsets":)";
  expect_refused(file_with("{\"a\":{" + one + "[0,4]},\"b\":{" + one + "[2,6]}}", 6), "tensors overlap");
  expect_refused(file_with("{\"a\":{" + one + "[0,4]},\"a\":{" + one + "[0,4]}}", 4), "the name 'a' twice");
}

TEST_F(Safetensors, NonFiniteNumbersAreRefused) {
  const std::vector<double> numbers = {0, NAN};
  write_safetensors(folder_ / "f", {tensor_view("a", {2}, numbers)}, {});
  EXPECT_THROW((void)SafetensorsFile(folder_ / "f").values<double>("a", 1), ParseError);
}

TEST_F(Safetensors, TruncatedFilesAreRefused) {
  const std::vector<double> numbers = {1, 2};
  write_safetensors(folder_ / "whole", {tensor_view("a", {2}, numbers)}, {{"k", "v"}});
  const std::string content = file_text(folder_ / "whole");
  for (std::size_t length = 0; length < content.size(); ++length)
    EXPECT_THROW(SafetensorsFile(write(content.substr(0, length))), ParseError) << length;
}

TEST_F(Safetensors, FlippedBytesNeverCrash) {
  const std::vector<double> numbers = {1, 2, 3};
  const std::vector<std::int32_t> integers = {4, 5};
  write_safetensors(folder_ / "whole", {tensor_view("a", {3}, numbers), tensor_view("b", {2}, integers)}, {{"k", "v"}});
  const std::string content = file_text(folder_ / "whole");
  std::mt19937_64 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = content;
    for (std::uint64_t flips = 1 + random() % 3; flips > 0; --flips)
      damaged[random() % damaged.size()] ^= static_cast<char>(1u << random() % 8);
    try {
      const SafetensorsFile file(write(damaged));
      for (const auto& [name, tensor] : file.tensors()) EXPECT_LE(file.data(tensor).size(), content.size());
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace quartic::io
