// ./dev build, as the README's first line runs it: it installs only what building needs, prints the exact command where
// it may not install, and leaves no file of root in a user's clone. Compiler and package manager are stubs that record
// their callers; readme_test.cpp builds for real.
#include "owner.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace ladder::e2e {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kNobody = 65534;

class DevScript : public ::testing::Test {
 protected:
  DevScript() {
    if (::getuid() != 0) return;
    fs::permissions(owner.place().folder().path(), fs::perms::others_exec, fs::perm_options::add);
    fs::create_directories(owner.file("clone"));
    fs::create_directories(owner.file("bin"));
    fs::copy_file(fs::path(LADDER_SOURCE_DIR) / "dev", owner.file("clone") / "dev");
    program("dpkg-query", "[ -e \"$LADDER_TEST_INSTALLED\" ] && echo -n installed");
    program("cmake", "echo cmake $(id -un) $* >> calls; mkdir -p build/release; touch build/release/build.ninja");
    program("ninja", "echo ninja $(id -un) $* >> calls; touch build/release/ladder");
    program("apt-get", "echo apt-get $(id -un) $* >> \"$LADDER_TEST_APT\"; touch \"$LADDER_TEST_INSTALLED\"");
    owner.surroundings().folder = owner.file("clone");
    owner.surroundings().environment = {{"PATH", owner.file("bin").string() + ":/usr/sbin:/usr/bin:/sbin:/bin"},
                                        {"LADDER_TEST_INSTALLED", owner.file("installed").string()},
                                        {"LADDER_TEST_APT", owner.file("apt").string()}};
    owner.surroundings().program = "/bin/bash";
  }
  void SetUp() override {
    if (::getuid() != 0) GTEST_SKIP() << "only root can be two users";
    if (!fs::exists("/etc/debian_version")) GTEST_SKIP() << "packages are those of Debian";
  }

  void program(const std::string& name, const std::string& what) const {
    std::ofstream(owner.file("bin") / name) << "#!/bin/bash\n" << what << "\n";
    fs::permissions(owner.file("bin") / name, static_cast<fs::perms>(0755));
  }
  void give_clone_to_nobody() const {
    ASSERT_EQ(::chown(owner.file("clone").c_str(), kNobody, kNobody), 0);
    for (const auto& entry : fs::recursive_directory_iterator(owner.file("clone")))
      ASSERT_EQ(::lchown(entry.path().c_str(), kNobody, kNobody), 0);
  }
  std::string content(const std::string& name) const {
    std::ifstream file(owner.file(name));
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  Owner owner;
};

TEST_F(DevScript, RootInAUsersCloneInstallsAndTheUserBuilds) {
  fs::create_directories(owner.file("clone") / "build" / "old");
  give_clone_to_nobody();
  ASSERT_EQ(::chown((owner.file("clone") / "build" / "old").c_str(), 0, 0), 0) << "left by an older script";
  const Outcome built = owner.ladder({"dev", "build"});
  ASSERT_EQ(built.exit_code, 0) << built.summary();
  EXPECT_NE(content("apt").find("apt-get root "), std::string::npos) << content("apt");
  EXPECT_NE(content("clone/calls").find("cmake nobody "), std::string::npos) << content("clone/calls");
  EXPECT_NE(content("clone/calls").find("ninja nobody "), std::string::npos) << content("clone/calls");
  EXPECT_NE(built.out.find("continuing as nobody"), std::string::npos) << built.summary();
  for (const auto& entry : fs::recursive_directory_iterator(owner.file("clone"))) {
    struct stat facts{};
    ASSERT_EQ(::lstat(entry.path().c_str(), &facts), 0);
    EXPECT_EQ(facts.st_uid, kNobody) << entry.path();
  }
}

TEST_F(DevScript, BuildingNeedsNoServerShellOrTestLibrary) {
  ASSERT_EQ(owner.ladder({"dev", "build"}).exit_code, 0);
  const std::string asked = content("apt");
  EXPECT_NE(asked.find("libsqlite3-dev"), std::string::npos) << asked;
  for (const char* more : {"postgresql-15", "zsh", "fish", "wrk", "testsuite", "libgtest"})
    EXPECT_EQ(asked.find(more), std::string::npos) << more << '\n' << asked;
  EXPECT_NE(content("clone/calls").find("-DLADDER_TESTS=OFF"), std::string::npos) << content("clone/calls");
}

TEST_F(DevScript, PrintsTheInstallCommandWithoutRights) {
  program("sudo", "exit 1");
  give_clone_to_nobody();
  owner.surroundings().program = "/usr/sbin/runuser";
  const Outcome refused = owner.ladder({"-u", "nobody", "--", "/bin/bash", "dev", "build"});
  EXPECT_EQ(refused.exit_code, 1) << refused.summary();
  EXPECT_NE(refused.err.find("sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends g++ "), std::string::npos)
      << refused.summary();
  EXPECT_EQ(content("clone/calls"), "");
}

TEST_F(DevScript, NamesRootsFilesInTheWay) {
  std::ofstream(owner.file("installed")) << "";
  give_clone_to_nobody();
  fs::create_directories(owner.file("clone") / "build" / "release");
  owner.surroundings().program = "/usr/sbin/runuser";
  const Outcome refused = owner.ladder({"-u", "nobody", "--", "/bin/bash", "dev", "build"});
  EXPECT_EQ(refused.exit_code, 1) << refused.summary();
  EXPECT_NE(refused.err.find("sudo chown -R nobody: build"), std::string::npos) << refused.summary();
}

}  // namespace
}  // namespace ladder::e2e
