// `quartic view` as users run it.
#include <cmath>
#include <fstream>
#include <set>

#include "quartic/quartic.hpp"
#include "support/command.hpp"

#ifdef QUARTIC_HAS_VIEWER
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_image.h>
#pragma GCC diagnostic pop
#endif

namespace quartic {
namespace {

using test::Case;
using test::CommandResult;
using test::file_text;
using test::run_quartic;

class View : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("LSAN_OPTIONS", "detect_leaks=0", 1);  // Mesa leaks a little when it is unloaded
    folder_ = new test::TemporaryFolder;
    ASSERT_EQ(run("make beam --resolution 10 -o beam.veg").exit_code, 0);
    ASSERT_EQ(run("reduce beam.veg --fix beam.bou --modes 4 --rank 6 -o beam.qrt").exit_code, 0);
    ASSERT_EQ(run("reduce beam.veg --free --modes 4 --rank 6 -o free.qrt").exit_code, 0);
    ASSERT_EQ(run("modes beam.veg --fix beam.bou --modes 3 -o modes.qrt").exit_code, 0);
    ASSERT_EQ(run("simulate beam.qrt --gravity 0,0,-9.81 --steps 5 --bodies 2 -o beam.qtraj").exit_code, 0);
  }
  static void TearDownTestSuite() { delete folder_; }
  static CommandResult run(const std::string& arguments, const std::string& before = "") {
    return run_quartic(folder_->path(), arguments, before);
  }
  static inline test::TemporaryFolder* folder_ = nullptr;
};

#ifndef QUARTIC_HAS_VIEWER

TEST_F(View, SaysWhatToInstallWhereItIsntBuilt) {
  const CommandResult result = run("view beam.qrt --screenshot beam.png");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_NE(result.errors.find("libglfw3-dev"), std::string::npos) << result.errors;
}

#else

struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;

  [[nodiscard]] std::size_t colours() const {
    std::set<std::uint32_t> found;
    for (std::size_t i = 0; i < rgb.size(); i += 3)
      found.insert(static_cast<std::uint32_t>(rgb[i] << 16 | rgb[i + 1] << 8 | rgb[i + 2]));
    return found.size();
  }
};

Picture read_picture(const std::filesystem::path& path) {
  Picture picture;
  int channels = 0;
  std::uint8_t* data = stbi_load(path.c_str(), &picture.width, &picture.height, &channels, 0);
  if (data == nullptr) return picture;
  EXPECT_EQ(channels, 3);
  picture.rgb.assign(data, data + 3 * picture.width * picture.height);
  stbi_image_free(data);
  return picture;
}

// Skips where there is nothing to draw with, and only there.
#define QUARTIC_NEED_OPENGL(result)                                                                   \
  if ((result).exit_code == 4 && (result).errors.find("there is no OpenGL 4.3") != std::string::npos) \
  GTEST_SKIP() << (result).errors

TEST_F(View, PicturesAreThereAndTheSameEveryTime) {
  const std::string arguments = "view beam.qrt --gravity 0,0,-9.81 --frames 20 --size 200x120 ";
  const CommandResult first = run(arguments + "--json --screenshot first.png");
  QUARTIC_NEED_OPENGL(first);
  ASSERT_EQ(first.exit_code, 0) << first.errors;
  EXPECT_NEAR(first.json().at("time").get<double>(), 0.2, 1e-9);
  EXPECT_EQ(first.json().at("files").size(), 1U);
  const Picture picture = read_picture(*folder_ / "first.png");
  EXPECT_EQ(picture.width, 200);
  EXPECT_EQ(picture.height, 120);
  EXPECT_GT(picture.colours(), 200U);
  EXPECT_EQ(run(arguments + "--screenshot second.png").exit_code, 0);
  EXPECT_EQ(file_text(*folder_ / "first.png"), file_text(*folder_ / "second.png"));
  // Other moments, other pictures.
  EXPECT_EQ(run("view beam.qrt --gravity 0,0,-9.81 --frames 0 --size 200x120 --screenshot rest.png").exit_code, 0);
  EXPECT_NE(file_text(*folder_ / "first.png"), file_text(*folder_ / "rest.png"));
}

// Of a file of modes, too: at rest at the start, and farthest after a quarter of its swing.
TEST_F(View, ShowsAMode) {
  const std::string common = "view modes.qrt --mode 2 --size 160x100 --screenshot ";
  const CommandResult shown = run(common + "mode.png --json");
  QUARTIC_NEED_OPENGL(shown);
  ASSERT_EQ(shown.exit_code, 0) << shown.errors;
  EXPECT_NEAR(shown.json().at("time").get<double>(), 0.5, 1e-12);
  ASSERT_EQ(run(common + "start.png --frames 0").exit_code, 0);
  ASSERT_EQ(run(common + "far.png --amplitude 3").exit_code, 0);
  const auto picture = [&](const char* name) { return file_text(*folder_ / name); };
  EXPECT_NE(picture("mode.png"), picture("start.png"));
  EXPECT_NE(picture("mode.png"), picture("far.png"));
  EXPECT_EQ(run("view modes.qrt --mode 4 --screenshot no.png").exit_code, 1);
  EXPECT_EQ(run("view modes.qrt --mode 1 --gravity 0,0,1 --screenshot no.png").exit_code, 2);
}

TEST_F(View, OptionsChangeThePicture) {
  const std::string common = "view beam.qrt --gravity 0,0,-9.81 --frames 10 --size 160x100 --screenshot ";
  const CommandResult plain = run(common + "plain.png");
  QUARTIC_NEED_OPENGL(plain);
  ASSERT_EQ(plain.exit_code, 0) << plain.errors;
  std::set<std::string> pictures = {file_text(*folder_ / "plain.png")};
  for (const char* option : {"--panel", "--colour strain", "--colour displacement", "--bodies 6 --spread 0.5",
                             "--camera 10,60", "--camera 10,60,9", "--up y", "--crease 180", "--precision float"}) {
    const CommandResult result = run(common + "other.png " + option);
    ASSERT_EQ(result.exit_code, 0) << option << ": " << result.errors;
    if (std::string(option) != "--precision float") {
      EXPECT_TRUE(pictures.insert(file_text(*folder_ / "other.png")).second) << option;
    }
    EXPECT_EQ(read_picture(*folder_ / "other.png").width, 160);
  }
}

TEST_F(View, SequencesHaveAllFramesAndMotionsAreShown) {
  const CommandResult all = run("view beam.qrt --motion beam.qtraj --size 80x50 --screenshot all_%02d.png --json");
  QUARTIC_NEED_OPENGL(all);
  ASSERT_EQ(all.exit_code, 0) << all.errors;
  EXPECT_EQ(all.json().at("files").size(), 6U);
  for (int frame = 0; frame < 6; ++frame)
    EXPECT_EQ(read_picture(*folder_ / ("all_0" + std::to_string(frame) + ".png")).width, 80);
  EXPECT_NE(file_text(*folder_ / "all_00.png"), file_text(*folder_ / "all_05.png"));
  // A session that makes the same steps looks the same as the motion.
  EXPECT_EQ(run("view beam.qrt --bodies 2 --gravity 0,0,-9.81 --substeps 1 --frames 5 --size 80x50 --screenshot "
                "all_again_%02d.png")
                .exit_code,
            0);
  const Picture motion = read_picture(*folder_ / "all_05.png"), session = read_picture(*folder_ / "all_again_05.png");
  ASSERT_EQ(motion.rgb.size(), session.rgb.size());
  int different = 0;
  for (std::size_t i = 0; i < motion.rgb.size(); ++i) different += std::abs(motion.rgb[i] - session.rgb[i]) > 2 ? 1 : 0;
  EXPECT_LT(different, 20) << "strict and quick evaluation round differently, which a few edges may show";
}

TEST_F(View, DivergedBodiesAreAnError) {
  const CommandResult result = run(
      "view beam.qrt --frames 5 --size 64x48 --integrator central-differences --dt 1 --gravity 0,0,-9.81 --screenshot "
      "diverged.png");
  QUARTIC_NEED_OPENGL(result);
  EXPECT_EQ(result.exit_code, 3) << result.errors;
  EXPECT_NE(result.errors.find("1 body diverged"), std::string::npos) << result.errors;
}

TEST_F(View, FreeBodiesFly) {
  const std::string common =
      "view free.qrt --spin 0,3,1 --velocity 0,0,2 --gravity 0,0,-9.81 --dt 0.05 --frames 6 "
      "--size 160x100 --json --screenshot ";
  const CommandResult flying = run(common + "flying.png");
  QUARTIC_NEED_OPENGL(flying);
  ASSERT_EQ(flying.exit_code, 0) << flying.errors;
  EXPECT_EQ(flying.json()["flies"], true);
  EXPECT_EQ(flying.json()["warnings"], nlohmann::json::array());
  EXPECT_GT(read_picture(*folder_ / "flying.png").colours(), 200U);
  std::set<std::string> pictures = {file_text(*folder_ / "flying.png")};
  for (const char* other : {"--pose 0,0,1,0.6,0,0,0.8", "--bodies 4", "--force 5,0,0,9", "--camera 0,0,9"}) {
    const CommandResult result = run(common + "other.png " + other);
    ASSERT_EQ(result.exit_code, 0) << other << ": " << result.errors;
    EXPECT_TRUE(pictures.insert(file_text(*folder_ / "other.png")).second) << other;
  }
  const CommandResult longer =
      run("view free.qrt --pose 0,0,1,0,0,0,2 --frames 1 --size 40x40 --screenshot free.png --json");
  EXPECT_EQ(longer.exit_code, 0);
  EXPECT_NE(longer.errors.find("is brought to the length 1"), std::string::npos) << longer.errors;
}

// The same deformation, but turned: in a frame at rest the picture is another.
TEST_F(View, TheFrameIsHeldWhereThatIsAskedFor) {
  const CommandResult held =
      run("view free.qrt --hold-frame --gravity 0,0,-9.81 --frames 1 --size 40x40 --json "
          "--screenshot held.png");
  QUARTIC_NEED_OPENGL(held);
  ASSERT_EQ(held.exit_code, 0) << held.errors;
  EXPECT_EQ(held.json()["flies"], false);
  EXPECT_NE(held.errors.find("gravity has no effect"), std::string::npos) << held.errors;
  ASSERT_EQ(run("simulate free.qrt --spin 0,0,1 --steps 2 -o flight.qtraj").exit_code, 0);
  const CommandResult motion =
      run("view free.qrt --motion flight.qtraj --hold-frame --size 40x40 --screenshot held.png --json");
  ASSERT_EQ(motion.exit_code, 0) << motion.errors;
  EXPECT_EQ(motion.json()["flies"], false);
}

TEST_F(View, RecordedFlightsLookAsSessionsDo) {
  const std::string flight = "free.qrt --pose 1,2,3,0.6,0,0,0.8 --spin 0,9,1 --velocity 1,0,0 --gravity 0,0,-9.81 ";
  ASSERT_EQ(run("simulate " + flight + "--steps 5 --dt 0.01 -o flight.qtraj").exit_code, 0);
  const CommandResult motion = run("view free.qrt --motion flight.qtraj --size 160x100 --screenshot motion.png --json");
  QUARTIC_NEED_OPENGL(motion);
  ASSERT_EQ(motion.exit_code, 0) << motion.errors;
  EXPECT_EQ(motion.json()["flies"], true);
  EXPECT_EQ(motion.json()["warnings"], nlohmann::json::array());
  ASSERT_EQ(run("view " + flight + "--substeps 1 --frames 5 --size 160x100 --screenshot session.png").exit_code, 0);
  const Picture recorded = read_picture(*folder_ / "motion.png"), live = read_picture(*folder_ / "session.png");
  ASSERT_EQ(recorded.rgb.size(), live.rgb.size());
  int different = 0;
  for (std::size_t i = 0; i < live.rgb.size(); ++i) different += std::abs(recorded.rgb[i] - live.rgb[i]) > 2 ? 1 : 0;
  EXPECT_LT(different, 100) << "strict and quick evaluation round differently, which a few edges may show";
  const CommandResult other = run("view beam.qrt --motion flight.qtraj --size 40x40 --screenshot other.png");
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_NE(other.errors.find("but the model is held"), std::string::npos) << other.errors;
}

TEST_F(View, ErrorsSayWhatIsWrong) {
  for (const Case& c : {
           Case{"view --help", 0, "--screenshot"},
           Case{"view", 2, "MODEL"},
           Case{"view missing.qrt --screenshot x.png", 1, "missing.qrt"},
           Case{"view modes.qrt --screenshot x.png", 1, "linear modes only"},
           Case{"view beam.qrt --screenshot x.jpg", 2, ".png"},
           Case{"view beam.veg --screenshot x.png", 1, "quartic reduce"},
           Case{"view beam.qrt --screenshot ''", 2, "needs a name"},
           Case{"view beam.qrt --screenshot missing/x.png", 1, "missing"},
           Case{"view beam.qrt --screenshot x_%s.png", 1, "%04d"},
           Case{"view beam.qrt --screenshot x.png --size 100", 2, "1280x800"},
           Case{"view beam.qrt --screenshot x.png --size 0x5", 2, "1280x800"},
           Case{"view beam.qrt --screenshot x.png --camera 5", 2, "AZIMUTH"},
           Case{"view beam.qrt --screenshot x.png --camera 5,91", 2, "AZIMUTH"},
           Case{"view beam.qrt --screenshot x.png --frames -1", 2, "--frames"},
           Case{"view beam.qrt --screenshot x.png --colour red", 2, "--colour"},
           Case{"view beam.qrt --screenshot x.png --force 100000,1,0,0", 1, "no vertex 100000"},
           Case{"view beam.qrt --screenshot x.png --record r.csv", 2, "--record"},
           Case{"view beam.qrt --record missing/r.csv", 1, "missing"},
           Case{"view beam.qrt --motion missing.qtraj --screenshot x.png", 1, "missing.qtraj"},
           Case{"view beam.qrt --motion beam.qtraj --frames 6 --screenshot x.png", 1, "--frames 5"},
           Case{"view beam.qrt --motion beam.qtraj --bodies 3 --screenshot x.png", 2, "--motion"},
           Case{"view free.qrt --motion beam.qtraj --spin 0,0,1 --screenshot x.png", 2, "--motion"},
           Case{"view beam.qrt --spin 0,0,1 --screenshot x.png", 1, "--spin: the body is held"},
           Case{"view free.qrt --pose 0,0,0,0,0,0,0 --screenshot x.png", 2, "no rotation"},
           Case{"view free.qrt --spin 0,0,1 --hold-frame --screenshot x.png", 2, "--hold-frame"},
           Case{"view free.qrt --integrator central-differences --screenshot x.png", 1, "--hold-frame"},
           Case{"view free.qrt --force 100000,1,0,0 --screenshot x.png", 1, "no vertex 100000"},
           Case{"view free.qrt --precision float --velocity 1e39,0,0 --screenshot x.png", 1, "precision"},
       }) {
    const CommandResult result = run(c.arguments);
    EXPECT_EQ(result.exit_code, c.exit_code) << c.arguments << ": " << result.errors;
    EXPECT_NE((result.output + result.errors).find(c.message), std::string::npos)
        << c.arguments << ": " << result.output << result.errors;
  }
  EXPECT_FALSE(std::filesystem::exists(*folder_ / "x.png"));
}

TEST_F(View, LimitsOfTheCardAreTold) {
  const CommandResult result = run("view beam.qrt --screenshot x.png --size 99999x10");
  QUARTIC_NEED_OPENGL(result);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("pixels along a side"), std::string::npos) << result.errors;
  const CommandResult many = run("view beam.qrt --screenshot x.png --bodies 9000000 --frames 0");
  EXPECT_EQ(many.exit_code, 1);
  EXPECT_NE(many.errors.find("9000000 bodies"), std::string::npos) << many.errors;
}

TEST_F(View, WithoutADisplayItNamesTheOtherWay) {
  const CommandResult result = run("view beam.qrt --frames 1", "unset DISPLAY WAYLAND_DISPLAY;");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_NE(result.errors.find("--screenshot"), std::string::npos) << result.errors;
}

TEST_F(View, AWindowOpensDrawsAndCloses) {
  if (std::system("command -v xvfb-run >/dev/null 2>&1") != 0) GTEST_SKIP() << "xvfb-run isn't installed";
  const CommandResult result =
      run("view beam.qrt --gravity 0,0,-9.81 --frames 5 --size 200x120 --record pulls.csv --json", "xvfb-run -a");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(read_recorded_loads(*folder_ / "pulls.csv", 1).size(), 0U) << "nobody pulled";
  const CommandResult motion = run("view beam.qrt --motion beam.qtraj --frames 3 --size 200x120", "xvfb-run -a");
  EXPECT_EQ(motion.exit_code, 0) << motion.errors;
  const CommandResult free =
      run("view free.qrt --spin 0,3,0 --gravity 0,0,-9.81 --frames 5 --size 200x120 --json", "xvfb-run -a");
  ASSERT_EQ(free.exit_code, 0) << free.errors;
  EXPECT_EQ(free.json()["flies"], true);
}

#endif

}  // namespace
}  // namespace quartic
