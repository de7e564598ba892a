// Tests the files of a cache root: tokens, and the key of window cursors.
#include "cli/flags/provider.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace ladder::cli {
namespace {

class CacheRoot : public ::testing::Test {
 protected:
  CacheRoot() {
    char name[] = "/tmp/ladder-cache-XXXXXX";
    root = ::mkdtemp(name);
    std::filesystem::create_directories(root + "/clients");
    file = credential_file(root, *remote::parse_endpoint("http://127.0.0.1:8080"));
  }
  ~CacheRoot() override { std::filesystem::remove_all(root); }

  void write(const std::string& text, mode_t mode = 0600) const {
    std::ofstream(file, std::ios::trunc) << text;
    ::chmod(file.c_str(), mode);
  }
  CredentialFault fault() const {
    const auto read = read_credential(file, *parse_time("2026-06-01T00:00:00Z"));
    EXPECT_FALSE(read);
    if (read) return {};
    EXPECT_NE(read.error().message.find(file), std::string::npos) << read.error().message;
    EXPECT_EQ(read.error().message.find("s3cr3t"), std::string::npos) << "a token is never repeated";
    return read.error().fault;
  }

  std::string root, file;
};

TEST_F(CacheRoot, ReadsACredential) {
  EXPECT_EQ(file, root + "/clients/127.0.0.1_8080.json");
  write(
      R"({"credential":{"access_token":"s3cr3t","token_type":"Bearer","expires_at":"2026-06-01T00:00:01Z","grant_id":"grt_1"}})");
  const auto read = read_credential(file, *parse_time("2026-06-01T00:00:00Z"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->access_token, "s3cr3t");
  EXPECT_EQ(read->grant_id, "grt_1");
  write(R"({"credential":{"access_token":"s3cr3t"},"grant_id":"grt_2"})");
  EXPECT_EQ(read_credential(file, 0)->grant_id, "grt_2");
}

TEST_F(CacheRoot, RejectsInvalidCredentials) {
  EXPECT_EQ(fault(), CredentialFault::kMissing);
  for (const char* const text : {"", "[]", "{}", R"({"credential":7})", R"({"credential":{"access_token":""}})",
                                 R"({"credential":{"access_token":"s3cr3t","expires_at":"tomorrow"}})"}) {
    write(text);
    EXPECT_EQ(fault(), CredentialFault::kInvalid) << text;
  }
  write(R"({"credential":{"access_token":"s3cr3t","expires_at":"2026-06-01T00:00:00Z"}})");
  EXPECT_EQ(fault(), CredentialFault::kExpired);
  for (const char* const member :
       {R"("pdpp_token_kind":"owner")", R"("token_kind":"Owner")", R"("kind":"OWNER")", R"("role":"owner")"}) {
    write(std::string(R"({"credential":{"access_token":"s3cr3t",)") + member + "}}");
    EXPECT_EQ(fault(), CredentialFault::kOwner) << member;
  }
  write(R"({"credential":{"access_token":"ldr_o_x"}})");
  EXPECT_EQ(fault(), CredentialFault::kOwner);
  for (const mode_t mode : {0644, 0640, 0604, 0666}) {
    write(R"({"credential":{"access_token":"s3cr3t"}})", mode);
    EXPECT_EQ(fault(), CredentialFault::kExposed);
    EXPECT_NE(read_credential(file, 0).error().message.find("chmod 600 " + file), std::string::npos);
  }
}

TEST_F(CacheRoot, PicksUpARefreshedToken) {
  write(R"({"credential":{"access_token":"first"}})");
  const auto credentials = CachedCredentials::open(file, Clock::system());
  ASSERT_TRUE(credentials);
  EXPECT_EQ((*credentials)->token(), "first");
  EXPECT_FALSE((*credentials)->instead_of("first")) << "there is no newer token";
  write(R"({"credential":{"access_token":"second"}})");
  EXPECT_EQ((*credentials)->instead_of("first"), "second");
  write(R"({"credential":{"access_token":"third"}})");
  std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
  EXPECT_EQ((*credentials)->token(), "third") << "before the old one is rejected";
  write("half written");
  EXPECT_FALSE((*credentials)->instead_of("third"));
  std::filesystem::remove(file);
  EXPECT_EQ((*credentials)->token(), "third");
}

TEST_F(CacheRoot, StoresTheCursorKey) {
  const std::string path = root + "/cursor.key";
  CursorKeyFile first(root, false);
  const std::string random_fence = first.fence_key();
  EXPECT_EQ(first.if_there(), nullptr);
  EXPECT_FALSE(std::filesystem::exists(path)) << "neither startup nor a lookup creates it";
  const std::string sealed = first.sealer().seal_same("p", "text");
  struct stat facts{};
  ASSERT_EQ(::stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600);
  CursorKeyFile second(root, false);
  ASSERT_NE(second.if_there(), nullptr);
  EXPECT_EQ(second.if_there()->open("p", sealed), "text") << "another process opens it";
  EXPECT_EQ(second.fence_key(), CursorKeyFile(root, false).fence_key());
  EXPECT_NE(second.fence_key(), random_fence);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(root)) files += entry.is_regular_file();
  EXPECT_EQ(files, 1U) << "no drafts are left";
  // A key file that others can read is ignored.
  ::chmod(path.c_str(), 0644);
  CursorKeyFile third(root, false);
  EXPECT_FALSE(third.sealer().open("p", sealed));
}

TEST_F(CacheRoot, CreatesOnlyANamedFolder) {
  CursorKeyFile unnamed(root + "/a", false), named(root + "/b", true);
  static_cast<void>(unnamed.sealer());
  static_cast<void>(named.sealer());
  EXPECT_FALSE(std::filesystem::exists(root + "/a"));
  EXPECT_TRUE(std::filesystem::exists(root + "/b/cursor.key"));
}

}  // namespace
}  // namespace ladder::cli
