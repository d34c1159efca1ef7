// Files damaged at random: whatever a byte becomes, a reader returns a sound object or throws quartic::Error.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "quartic/model.hpp"
#include "quartic/trajectory.hpp"
#include "support/safetensors_header.hpp"
#include "support/small_model.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

const char* const veg_file = R"(# a cube of five tetrahedra and a brick on top
*VERTICES
12 3 0 0
1 0 0 0
2 1 0 0
3 0 1 0
4 1 1 0
5 0 0 1
6 1 0 1
7 0 1 1
8 1 1 1
9 0 0 2.5e0
10 1 0 2
11 0 1 2
12 1 1 2

*ELEMENTS
TET
5 4 0
1 2 3 5 8
2 1 2 3 5
3 4 3 2 8
4 6 2 5 8
5 7 5 3 8
*ELEMENTS
CUBIC
1 8 0
6 5 6 8 7 9 10 12 11
*SET lower
1, 2, 3,
4, 5
*SET upper
6
*MATERIAL soft
ENU, 1000, 1e6, 0.3
*MATERIAL hard
ENU, 7800.0, 2.1e+11, 0.25
*REGION
lower, soft
*REGION
upper, hard
)";

const char* const node_file = R"(# nodes
8 3 1 1
1 0 0 0 3.5 0
2 1 0 0 3.5 0
3 0 1 0 3.5 0
4 1 1 0 3.5 0
5 0 0 1 3.5 7
6 1 0 1 3.5 7
7 0 1 1 3.5 7
8 1 1 1 3.5 7
)";
const char* const ele_file = R"(5 4 1
1 2 3 5 8 100
2 1 2 3 5 100
3 4 3 2 8 100
4 6 2 5 8 -3
5 7 5 3 8 -3
# made by hand
)";

const char* const bou_file = "1, 2, 3,\n10:14 # an edge\n7\t8\n";

/// Damages bytes, digits and lines; the same sequence on every machine.
class Damage {
 public:
  explicit Damage(unsigned seed) : engine_(seed) {}

  /// One to three kinds of damage to a copy.
  std::string operator()(std::string text) {
    for (std::size_t times = 1 + below(3); times > 0; --times) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(engine_() % end); }
  char byte() {
    // What readers look for, so that the damage reaches beyond the first check.
    static constexpr std::string_view telling("0123456789+-.eE, \t\r\n#*:\"{}[]\0\xFF\x80", 31);
    return below(4) == 0 ? static_cast<char>(below(256)) : telling[below(telling.size())];
  }
  /// Beginning and length, newline included, of a line.
  std::pair<std::size_t, std::size_t> line(const std::string& text) {
    const std::size_t at = below(text.size());
    const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    return {begin, std::min(text.find('\n', begin), text.size() - 1) + 1 - begin};
  }
  void change(std::string& text) {
    if (text.empty()) return;
    const std::size_t at = below(text.size());
    switch (below(9)) {
      case 0:  // one bit
        text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1:
        text[at] = byte();
        break;
      case 2:
        text.erase(at, 1 + below(4));
        break;
      case 3:
        text.insert(at, 1 + below(3), byte());
        break;
      case 4: {  // a line twice
        const auto [begin, length] = line(text);
        text.insert(begin, std::string(text, begin, length));
        break;
      }
      case 5: {  // a line less
        const auto [begin, length] = line(text);
        text.erase(begin, length);
        break;
      }
      case 6: {  // another number of the same length
        const auto digit = text.find_first_of("0123456789", at);
        if (digit != std::string::npos) text[digit] = static_cast<char>('0' + below(10));
        break;
      }
      case 7: {  // a number out of all bounds
        static constexpr std::array numbers = {"99999999",   "2147483647",
                                               "4294967296", "9223372036854775807",
                                               "1073741824", "18446744073709551616",
                                               "-1",         "1e999",
                                               "nan",        "inf",
                                               "1e-999",     "0x10"};
        const auto digit = text.find_first_of("0123456789", at);
        if (digit == std::string::npos) break;
        const auto end = std::min(text.find_first_not_of("0123456789", digit), text.size());
        text.replace(digit, end - digit, numbers[below(numbers.size())]);
        break;
      }
      default:  // the end missing
        text.resize(at);
    }
  }

  std::mt19937_64 engine_;
};

/// Text that can be pasted into C++.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    std::array<char, 5> code{};
    std::snprintf(code.data(), code.size(), "\\%03o", static_cast<unsigned>(static_cast<unsigned char>(c)));
    if (c == '\n') {
      result += "\\n";
    } else if (c >= ' ' && c <= '~' && c != '"' && c != '\\') {
      result += c;
    } else {
      result += code.data();
    }
  }
  return result;
}

/// No index that the rest of the library would follow out of bounds.
void expect_sound(const VolumeMesh& mesh) {
  const auto within = [](const std::vector<std::int32_t>& indices, std::int64_t begin, std::int64_t end) {
    return std::all_of(indices.begin(), indices.end(), [&](std::int32_t i) { return i >= begin && i < end; });
  };
  ASSERT_EQ(mesh.vertices.size() % 3, 0U);
  for (const ElementBlock& block : mesh.blocks) {
    ASSERT_EQ(std::ssize(block.vertices), block.count() * element_vertex_count(block.type));
    ASSERT_TRUE(within(block.vertices, 0, mesh.vertex_count()));
  }
  ASSERT_EQ(std::ssize(mesh.element_region), mesh.element_count());
  ASSERT_TRUE(within(mesh.element_region, -1, std::ssize(mesh.regions)));
  for (const auto& [name, vertices] : mesh.vertex_sets) ASSERT_TRUE(within(vertices, 0, mesh.vertex_count())) << name;
  (void)check_mesh(mesh);
}

void read_sound_model(const std::filesystem::path& path) {
  const ReducedModel model = load_model(path);
  expect_sound(model.mesh);
  for (const Matrix* matrix : {&model.linear_modes, &model.basis, &model.unit_acceleration})
    ASSERT_EQ(std::ssize(matrix->values), matrix->rows * matrix->cols);
}

/// The same file as a later version would write it: with a list of what it requires, here nothing.
std::string of_schema_two(const std::string& content, const std::string& schema_key) {
  return test::with_metadata(test::with_metadata(content, schema_key, "2"), "requires", "[]");
}

class DamagedFiles : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) {
    // A new file each time: some file systems wait for the disk when one is cut to nothing and written anew.
    std::filesystem::remove(folder_ / name);
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  std::string bytes(const std::string& name) {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// Reads `count` damaged copies of the file; `read` checks what it reads.
  void damage(const std::string& name, const std::string& text, int count, unsigned seed,
              const std::function<void(const std::filesystem::path&)>& read) {
    Damage damaged(seed);
    damage(name, text, count, read, [&] { return damaged(text); });
  }

  /// The same for a safetensors file: damage to the whole, and damage to its header alone, the length of which is then
  /// set right. Most of the file is numbers of which any are good; the header tells how they are laid out.
  void damage_safetensors(const std::string& name, int count, unsigned seed,
                          const std::function<void(const std::filesystem::path&)>& read) {
    const std::string whole = bytes(name);
    damage(name, whole, count / 4, seed, read);
    std::uint64_t length = 0;
    ASSERT_GE(whole.size(), sizeof length);
    std::memcpy(&length, whole.data(), sizeof length);
    ASSERT_LE(length, whole.size() - sizeof length);
    Damage damaged(seed + 1);
    damage(name, whole, count - count / 4, read, [&] {
      const std::string header = damaged(whole.substr(sizeof length, length));
      const std::uint64_t new_length = header.size();
      std::string copy(sizeof new_length, '\0');
      std::memcpy(copy.data(), &new_length, sizeof new_length);
      return copy + header + whole.substr(sizeof length + length);
    });
  }

  test::TemporaryFolder folder_;

 private:
  void damage(const std::string& name, const std::string& text, int count,
              const std::function<void(const std::filesystem::path&)>& read,
              const std::function<std::string()>& damaged_copy) {
    ASSERT_NO_THROW(read(write(name, text)));  // the whole file is a good one
    int refused = 0;
    for (int i = 0; i < count; ++i) {
      const std::string copy = damaged_copy();
      const auto path = write(name, copy);
      try {
        read(path);
      } catch (const Error& error) {
        EXPECT_STRNE(error.what(), "");
        ++refused;
      } catch (const std::exception& error) {
        ADD_FAILURE() << "not one of quartic's exceptions: " << error.what();
      } catch (...) {
        ADD_FAILURE() << "an exception of no known type";
      }
      ASSERT_FALSE(HasFailure()) << name << ", case " << i << ": \"" << escaped(copy) << '"';
    }
    // Damage that every check lets pass, or that none does, would test little.
    EXPECT_GT(refused, count / 20);
    EXPECT_LT(refused, count);
    write(name, text);
  }
};

TEST_F(DamagedFiles, Veg) {
  damage("mesh.veg", veg_file, 3000, 1, [](const auto& path) { expect_sound(read_mesh(path)); });
}

TEST_F(DamagedFiles, TetgenNodesAndElements) {
  write("mesh.node", node_file);
  write("mesh.ele", ele_file);
  const auto read = [&](const auto&) { expect_sound(read_mesh(folder_ / "mesh.ele")); };
  damage("mesh.node", node_file, 1500, 2, read);
  damage("mesh.ele", ele_file, 1500, 3, read);
}

TEST_F(DamagedFiles, FixedVertices) {
  damage("mesh.bou", bou_file, 2000, 4, [](const auto& path) {
    const auto fixed = read_fixed_vertices(path, 20);
    ASSERT_TRUE(std::is_sorted(fixed.begin(), fixed.end()));
    ASSERT_TRUE(fixed.empty() || (fixed.front() >= 0 && fixed.back() < 20));
  });
}

TEST_F(DamagedFiles, Models) {
  for (const int rank : {0, 3}) {
    save_model(test::small_model(rank), folder_ / "body.qrt");
    damage_safetensors("body.qrt", 2000, 5, read_sound_model);
  }
}

TEST_F(DamagedFiles, ModelsOfSchemaTwo) {
  save_model(test::small_model(1), folder_ / "body.qrt");
  write("body.qrt", of_schema_two(bytes("body.qrt"), "quartic_schema"));
  damage_safetensors("body.qrt", 2000, 11, read_sound_model);
}

TEST_F(DamagedFiles, Trajectories) {
  Trajectory trajectory{.bodies = 2,
                        .rank = 3,
                        .time = {0, 0.1, 1.0 / 3},
                        .q = test::random_numbers(18, 1),
                        .status = {BodyStatus::ok, BodyStatus::diverged}};
  const auto read = [](const auto& path) {
    const Trajectory again = load_trajectory(path);
    ASSERT_EQ(std::ssize(again.q), again.frames() * again.bodies * again.rank);
    ASSERT_EQ(std::ssize(again.status), again.bodies);
    ASSERT_TRUE(again.pose.empty() || std::ssize(again.pose) == again.frames() * again.bodies * 7);
    ASSERT_TRUE(again.twist.empty() || std::ssize(again.twist) == again.frames() * again.bodies * 6);
  };
  save_trajectory(trajectory, folder_ / "body.qtraj");
  damage_safetensors("body.qtraj", 2000, 7, read);
  write("body.qtraj", of_schema_two(bytes("body.qtraj"), "quartic_trajectory"));
  damage_safetensors("body.qtraj", 2000, 13, read);
  for (std::int64_t row = 0; row < trajectory.frames() * trajectory.bodies; ++row) {
    const double turned[] = {0.1, 0.2, 0.3, 0.6, 0, 0, 0.8}, moves[] = {1, 2, 3, 4, 5, 6};
    trajectory.pose.insert(trajectory.pose.end(), std::begin(turned), std::end(turned));
    trajectory.twist.insert(trajectory.twist.end(), std::begin(moves), std::end(moves));
  }
  save_trajectory(trajectory, folder_ / "body.qtraj");
  damage_safetensors("body.qtraj", 2000, 17, read);
}

}  // namespace
}  // namespace quartic
