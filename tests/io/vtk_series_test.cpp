// What ParaView gets to see of models and motions: fields in .vtu files, series of frames with a .pvd list.
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>

#include "io/files/atomic_file.hpp"
#include "io/files/numbered_files.hpp"
#include "quartic/quartic.hpp"
#include "support/files.hpp"
#include "support/small_model.hpp"
#include "support/support.hpp"
#include "support/vtu_document.hpp"

namespace quartic {
namespace {

using test::file_text;
using test::VtuDocument;

class VtkSeries : public testing::Test {
 protected:
  /// All files below the folder, with what they hold.
  std::map<std::string, std::string> files() {
    std::map<std::string, std::string> contents;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path()))
      contents[std::filesystem::relative(entry.path(), folder_.path()).string()] =
          entry.is_directory() ? "a folder" : file_text(entry.path());
    return contents;
  }
  test::TemporaryFolder folder_;
};

Trajectory motion(std::int64_t bodies, std::int64_t rank, std::int64_t frames, unsigned seed = 20) {
  Trajectory trajectory{.bodies = bodies, .rank = rank};
  for (std::int64_t frame = 0; frame < frames; ++frame) trajectory.time.push_back(0.1 * static_cast<double>(frame));
  trajectory.q = test::random_numbers(static_cast<std::size_t>(frames * bodies * rank), seed);
  trajectory.status.assign(static_cast<std::size_t>(bodies), BodyStatus::ok);
  return trajectory;
}

TEST_F(VtkSeries, AModelsModesAndBasisArePointData) {
  const ReducedModel model = test::small_model(11);
  write_vtu(model, folder_ / "m.vtu");
  const VtuDocument vtu(folder_ / "m.vtu");
  // sqrt(eigenvalue) / 2 pi, to six digits.
  for (const auto& [name, column] : {std::pair{"mode_01 (0.562698 Hz)", 0}, {"mode_02 (1902.27 Hz)", 1}}) {
    const auto mode = model.linear_modes.col(column);
    EXPECT_EQ(vtu.values<double>(name), std::vector<double>(mode.begin(), mode.end()));
    EXPECT_EQ(vtu.components(name), "3");
  }
  const auto last = model.basis.col(10);
  EXPECT_EQ(vtu.values<double>("basis_11"), std::vector<double>(last.begin(), last.end()));
  EXPECT_TRUE(vtu.has("basis_01"));
  EXPECT_EQ(vtu.values<std::uint8_t>("fixed"), (std::vector<std::uint8_t>{1, 0, 0, 1, 0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(vtu.values<double>("density"), (std::vector<double>{7.7, 1e3}));
  EXPECT_NE(vtu.text.find("Name=\"frequencies\" NumberOfTuples=\"2\" format=\"ascii\">0.56269"), std::string::npos);

  write_vtu(test::small_model(0), folder_ / "modes.vtu");
  EXPECT_FALSE(VtuDocument(folder_ / "modes.vtu").has("basis_01"));
}

TEST_F(VtkSeries, FramesHoldDisplacementsOfTheFirstBody) {
  const ReducedModel model = test::small_model(3);
  const Trajectory trajectory = motion(2, 3, 3);
  write_pvd(model, trajectory, folder_ / "swing & sway.pvd");
  EXPECT_EQ(
      file_text(folder_ / "swing & sway.pvd"),
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n  <Collection>\n"
      "    <DataSet timestep=\"0\" group=\"\" part=\"0\" file=\"swing &amp; sway/swing &amp; sway_0000.vtu\"/>\n"
      "    <DataSet timestep=\"0.1\" group=\"\" part=\"0\" file=\"swing &amp; sway/swing &amp; sway_0001.vtu\"/>\n"
      "    <DataSet timestep=\"0.2\" group=\"\" part=\"0\" file=\"swing &amp; sway/swing &amp; sway_0002.vtu\"/>\n"
      "  </Collection>\n</VTKFile>\n");
  EXPECT_EQ(files().size(), 5U);
  for (std::int64_t frame = 0; frame < 3; ++frame) {
    const VtuDocument vtu(folder_ / ("swing & sway/swing & sway_000" + std::to_string(frame) + ".vtu"));
    EXPECT_EQ(vtu.values<double>("Points"), model.mesh.vertices);
    EXPECT_EQ(vtu.values<std::int32_t>("region"), model.mesh.element_region);
    EXPECT_NE(vtu.text.find("Name=\"TimeValue\""), std::string::npos);
    const auto u = vtu.values<double>("displacement");
    ASSERT_EQ(std::ssize(u), model.basis.rows);
    for (std::int64_t row = 0; row < model.basis.rows; ++row) {
      double sum = 0;
      for (std::int64_t i = 0; i < 3; ++i)
        sum += model.basis(row, i) * trajectory.q[static_cast<std::size_t>(6 * frame + i)];
      EXPECT_NEAR(u[static_cast<std::size_t>(row)], sum, 1e-15);  // three products of numbers below one
    }
  }
}

TEST_F(VtkSeries, SnapshotsAreFramesBitByBit) {
  const VolumeMesh mesh = test::small_model(0).mesh;
  Snapshots snapshots{{0, 0.25}, Matrix(30, 2)};
  snapshots.displacements.values = test::random_numbers(60, 5);
  write_pvd(mesh, snapshots, folder_ / "s.pvd");
  const auto second = snapshots.displacements.col(1);
  EXPECT_EQ(VtuDocument(folder_ / "s/s_0001.vtu").values<double>("displacement"),
            std::vector<double>(second.begin(), second.end()));
  snapshots.time.pop_back();
  EXPECT_THROW(write_pvd(mesh, snapshots, folder_ / "t.pvd"), InputError);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "t"));
}

TEST_F(VtkSeries, ASeriesReplacesItsOwnFramesOnly) {
  const ReducedModel model = test::small_model(2);
  std::filesystem::create_directory(folder_ / "m");
  std::ofstream(folder_ / "m" / "notes.txt") << "mine";
  write_pvd(model, motion(1, 2, 4), folder_ / "m.pvd");
  const auto before = files();
  EXPECT_EQ(before.size(), 7U);
  write_pvd(model, motion(1, 2, 2, 21), folder_ / "m.pvd");
  auto after = files();
  EXPECT_EQ(after.at("m/notes.txt"), "mine");
  EXPECT_EQ(after.at("m/m_0003.vtu"), before.at("m/m_0003.vtu"));
  EXPECT_NE(after.at("m/m_0001.vtu"), before.at("m/m_0001.vtu"));
  EXPECT_EQ(after.at("m.pvd").find("m_0002"), std::string::npos);
  EXPECT_EQ(after.size(), 7U);
}

// The third frame can't be written: the series before stays whole, byte for byte, and nothing else is left.
TEST_F(VtkSeries, ASeriesThatFailsChangesNothing) {
  const ReducedModel model = test::small_model(2);
  Trajectory bad = motion(1, 2, 4, 21);
  bad.q[5] = NAN;
  EXPECT_THROW(write_pvd(model, bad, folder_ / "new.pvd"), InputError);
  EXPECT_TRUE(files().empty());
  write_pvd(model, motion(1, 2, 4), folder_ / "m.pvd");
  const auto before = files();
  EXPECT_THROW(write_pvd(model, bad, folder_ / "m.pvd"), InputError);
  EXPECT_EQ(files(), before);

  EXPECT_THROW(write_pvd(model, motion(1, 2, 0), folder_ / "none.pvd"), InputError);
  EXPECT_THROW(write_pvd(model, motion(1, 3, 2), folder_ / "rank.pvd"), InputError);
  EXPECT_THROW(write_pvd(model, motion(1, 2, 2), folder_ / "noextension"), InputError);
  EXPECT_THROW(write_pvd(model, motion(1, 2, 2), folder_ / "missing/m.pvd"), FileError);
  std::ofstream(folder_ / "taken") << "a file";
  EXPECT_THROW(write_pvd(model, motion(1, 2, 2), folder_ / "taken.pvd"), FileError);
  std::filesystem::remove(folder_ / "taken");
  EXPECT_EQ(files(), before);

  if (!std::filesystem::exists("/dev/full")) return;
  std::filesystem::create_symlink("/dev/full", folder_ / "full.pvd");  // the list can't be written, the frames could
  EXPECT_THROW(write_pvd(model, motion(1, 2, 2), folder_ / "full.pvd"), FileError);
  std::filesystem::remove(folder_ / "full.pvd");
  EXPECT_EQ(files(), before);
}

TEST_F(VtkSeries, NumbersAreAsWideAsTheLast) {
  const io::NumberedFiles few(folder_ / "few", ".vtu", 10000), many(folder_ / "many", ".vtu", 10001);
  EXPECT_EQ(few.name(7), "few_0007.vtu");
  EXPECT_EQ(many.name(7), "many_00007.vtu");
  EXPECT_EQ(many.name(10000), "many_10000.vtu");
}

// What the command does when it is interrupted: finished files, one that is being written, and the folder go.
TEST_F(VtkSeries, UnfinishedSeriesAreRemovedByASignalHandler) {
  std::filesystem::create_directory(folder_ / "m");
  const auto before = files();
  io::NumberedFiles into_folder(folder_ / "m", ".vtu", 12), anew(folder_ / "n", ".vtu", 3);
  for (io::NumberedFiles* series : {&into_folder, &anew})
    for (int n = 0; n < 12; ++n) std::ofstream(series->next()) << "a frame";
  io::AtomicFile unfinished(into_folder.next());
  unfinished.write("half a frame");
  unfinished.flush();
  EXPECT_GT(files().size(), before.size() + 20);
  io::remove_unfinished_files();
  io::remove_unfinished_series();
  EXPECT_EQ(files(), before);
}

}  // namespace
}  // namespace quartic
