// Files that appear whole or not at all.
#include "io/files/atomic_file.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "quartic/error.hpp"
#include "support/files.hpp"
#include "support/support.hpp"

namespace quartic::io {
namespace {

using test::file_text;

class AtomicFiles : public testing::Test {
 protected:
  std::ptrdiff_t file_count() const {
    return std::distance(std::filesystem::directory_iterator(folder_.path()), std::filesystem::directory_iterator());
  }
  test::TemporaryFolder folder_;
};

TEST_F(AtomicFiles, AppearOnCommitOnly) {
  std::ofstream(folder_ / "f") << "old";
  {
    AtomicFile file(folder_ / "f");
    file.write("new");
    EXPECT_EQ(file_text(folder_ / "f"), "old");
    EXPECT_EQ(file_count(), 2);
  }
  EXPECT_EQ(file_text(folder_ / "f"), "old");
  EXPECT_EQ(file_count(), 1);
  AtomicFile file(folder_ / "f");
  const std::string large(300000, 'x');  // beyond the buffer
  file.write("new");
  file.write(large);
  file.write("end");
  file.commit();
  EXPECT_EQ(file_text(folder_ / "f"), "new" + large + "end");
  EXPECT_EQ(file_count(), 1);
}

TEST_F(AtomicFiles, LinksAreFollowed) {
  std::ofstream(folder_ / "f") << "old";
  std::filesystem::create_symlink("f", folder_ / "link");
  AtomicFile file(folder_ / "link");
  file.write("new");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
  EXPECT_EQ(file_text(folder_ / "f"), "new");
}

TEST_F(AtomicFiles, PermissionsStayAndAreHeeded) {
  using std::filesystem::perms;
  std::ofstream(folder_ / "f") << "old";
  std::filesystem::permissions(folder_ / "f", perms::owner_read | perms::owner_write);
  AtomicFile file(folder_ / "f");
  file.write("new");
  file.commit();
  EXPECT_EQ(std::filesystem::status(folder_ / "f").permissions(), perms::owner_read | perms::owner_write);
  if (geteuid() == 0) return;  // who may write to everything
  std::filesystem::permissions(folder_ / "f", perms::owner_read);
  EXPECT_THROW(AtomicFile(folder_ / "f"), FileError);
  EXPECT_EQ(file_text(folder_ / "f"), "new");
}

TEST_F(AtomicFiles, DevicesAreWrittenDirectly) {
  AtomicFile file("/dev/null");
  file.write("gone");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(AtomicFiles, ImpossibleTargets) {
  EXPECT_THROW(AtomicFile(folder_.path()), FileError);
  EXPECT_THROW(AtomicFile(folder_ / "nowhere/f"), FileError);
  try {
    AtomicFile file("/dev/full");
    file.write("x");
    file.commit();
    FAIL();
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("'/dev/full': No space left"), std::string::npos) << error.what();
  }
}

TEST_F(AtomicFiles, FailedWritesLeaveNothing) {
  // A limit on file sizes stands in for a full disk.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string message;
  try {
    AtomicFile file(folder_ / "f");
    file.write(std::string(5000, 'x'));
    file.commit();
  } catch (const FileError& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(message.find((folder_ / "f").string()), std::string::npos) << message;
  EXPECT_EQ(file_count(), 0);
}

TEST_F(AtomicFiles, UnfinishedOnesAreRemovedOnRequest) {
  AtomicFile first(folder_ / "f"), second(folder_ / "g");
  first.write("x");
  EXPECT_EQ(file_count(), 2);
  remove_unfinished_files();
  EXPECT_EQ(file_count(), 0);
  AtomicFile third(folder_ / "h");
  third.commit();
  remove_unfinished_files();
  EXPECT_EQ(file_count(), 1);
}

}  // namespace
}  // namespace quartic::io
