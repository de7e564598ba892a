#include "app/import/upload_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace ladder::app {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string name = fs::temp_directory_path() / "ladder-upload-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path path;
};

TEST(UploadFolder, AcceptsOnlyPlainNames) {
  for (const std::string_view name :
       {"mail.mbox", "Vault/day/a b.md", ".obsidian/app.json", "<script>.txt", "مرحبا.vcf", "a\\b"}) {
    EXPECT_TRUE(is_file_name(name)) << name;
  }
  const std::string deep = [] {
    std::string text = "a";
    for (int i = 0; i < 40; ++i) text += "/a";
    return text;
  }();
  for (const std::string_view name :
       {std::string_view(""), std::string_view("/etc/passwd"), std::string_view("../a"), std::string_view("a/../b"),
        std::string_view("a/./b"), std::string_view("a//b"), std::string_view("a/"), std::string_view("a\0b", 3),
        std::string_view("a\nb"), std::string_view("\xFF"), std::string_view(deep)}) {
    EXPECT_FALSE(is_file_name(name)) << name;
  }
  EXPECT_FALSE(is_file_name(std::string(256, 'x')));
}

TEST(UploadFolder, IsPersistentAndPrivate) {
  const Folder place;
  const UploadFolder folder(place.path / "uploads");
  ASSERT_TRUE(folder.make("u1", "nora", 5 * kSecond));
  ASSERT_TRUE(folder.add("u1", "Vault/a.md", 6));
  ASSERT_TRUE(folder.write("u1", "Vault/a.md", 0, "abc"));
  ASSERT_TRUE(folder.write("u1", "Vault/a.md", 3, "de"));
  EXPECT_FALSE(folder.add("u1", "../out", 1));
  EXPECT_FALSE(fs::exists(place.path / "uploads" / "u1" / "out"));
  struct stat facts{};
  ASSERT_EQ(stat((place.path / "uploads").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0700U);
  ASSERT_EQ(stat((folder.dropped("u1") / "Vault/a.md").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  auto kept = folder.kept();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].owner, "nora");
  EXPECT_EQ(kept[0].begun_at, 5 * kSecond);
  EXPECT_FALSE(kept[0].started);
  ASSERT_EQ(kept[0].files.size(), 1U);
  EXPECT_EQ(kept[0].files[0].name, "Vault/a.md");
  EXPECT_EQ(kept[0].files[0].bytes, 5);
  EXPECT_EQ(kept[0].files[0].size, 6);
  EXPECT_EQ(folder.paths("u1"), std::vector<std::string>{(folder.dropped("u1") / "Vault").string()});
  ASSERT_TRUE(folder.note_start("u1"));
  EXPECT_TRUE(folder.kept()[0].started);
  folder.remove("u1");
  EXPECT_FALSE(fs::exists(place.path / "uploads"));
}

TEST(UploadFolder, RejectsMoreThanTheDiskHas) {
  const Folder place;
  const UploadFolder folder(place.path / "uploads");
  ASSERT_TRUE(folder.make("u1", "nora", 0));
  const auto added = folder.add("u1", "huge.mbox", std::int64_t{1} << 60);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, Code::kResourceLimit);
}

}  // namespace
}  // namespace ladder::app
