// Tests trees over folders, zips and tars. Unsafe entries must be refused by name and the others must stay readable.
#include "import/tree/tree.h"

#include "base/text/format.h"
#include "import/io/bytes.h"
#include "import/io/limits.h"
#include "import/testing/archive_maker.h"
#include "import/tree/archive_names.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <set>

namespace ladder::imports {
namespace {

namespace fs = std::filesystem;
using testing::gzipped;
using testing::save;
using testing::TarMaker;
using testing::ZipMaker;

class TreesTest : public ::testing::Test {
 protected:
  TreesTest() : folder_(fs::temp_directory_path() / format("ladder-trees-{}", getpid())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~TreesTest() override { fs::remove_all(folder_); }

  std::string put(const std::string& name, std::string_view bytes) const {
    save(folder_ / name, bytes);
    return (folder_ / name).string();
  }
  static OpenedTrees open(std::vector<std::string> paths) { return open_trees(paths); }

  static std::map<std::string, std::string> contents(Tree& tree) {
    std::map<std::string, std::string> all;
    for (EntryNo i = 0; i < tree.entries().size(); ++i)
      all[tree.entries()[i].path] = tree.read(i, 1 << 26).value_or("(unreadable)");
    return all;
  }
  static std::string reasons(const std::vector<Refusal>& refusals) {
    std::string text;
    for (const Refusal& refusal : refusals) text += refusal.place.file + ": " + refusal.reason + "\n";
    return text;
  }

  fs::path folder_;
};

// A part of a listing would look like the whole, and --mirror would delete the records of the rest.
TEST_F(TreesTest, AWalkThatFailsIsAnError) {
  put("vault/a/note.md", "note");
  put("elsewhere/other.md", "other");
  const fs::path vault = folder_ / "vault";
  std::vector<fs::path> archives;
  ASSERT_TRUE(open_folder(vault, archives, [] {}));
  const auto failed = open_folder(vault, archives, [&] {
    fs::remove_all(vault / "a");  // became a link after it was listed
    fs::create_directory_symlink(folder_ / "elsewhere", vault / "a");
  });
  ASSERT_FALSE(failed);
  EXPECT_TRUE(failed.error().message.starts_with("the folder cannot be read: ")) << failed.error().message;
}

TEST_F(TreesTest, OpenArchivesAreBounded) {
  constexpr int kArchives = 400;
  for (int i = 0; i < kArchives; ++i) {
    const std::string text = format("note {}", i);
    if (i % 2 == 0) put(format("{}.zip", i), ZipMaker().add("a.md", text).bytes());
    else put(format("{}.md.gz", i), gzipped(text));
  }
  put("plain.md", "plain");
  OpenedTrees opened = open({folder_.string()});
  EXPECT_EQ(reasons(opened.refusals), "");
  ASSERT_EQ(opened.trees.size(), 1U);
  EXPECT_LE(FilePieces::open_count(), limits::kMaxOpenFiles);
  std::set<std::string> texts;
  for (const auto& tree : opened.trees) {
    for (const auto& [path, text] : contents(*tree)) texts.insert(text);
    EXPECT_LE(FilePieces::open_count(), limits::kMaxOpenFiles);
  }
  EXPECT_EQ(texts.size(), kArchives + 1U);
  EXPECT_FALSE(texts.contains("(unreadable)"));
  opened.trees.clear();
  EXPECT_EQ(FilePieces::open_count(), 0U);
}

TEST_F(TreesTest, LinksCreatedDuringTheWalkAreNotFollowed) {
  const fs::path vault = folder_ / "vault", secret = folder_ / "secret";
  fs::create_directories(vault / "sub");
  fs::create_directories(secret);
  save(secret / "b.md", "secret");
  save(vault / "a.md", "mine");
  save(vault / "sub" / "b.md", "mine");
  const OpenedTrees opened = open({vault.string()});
  ASSERT_EQ(opened.trees.size(), 1U);
  EXPECT_EQ(contents(*opened.trees[0]), (std::map<std::string, std::string>{{"a.md", "mine"}, {"sub/b.md", "mine"}}));
  fs::remove(vault / "a.md");
  fs::create_symlink(secret / "b.md", vault / "a.md");
  fs::remove_all(vault / "sub");
  fs::create_directory_symlink(secret, vault / "sub");
  for (EntryNo i = 0; i < 2; ++i) {
    const auto text = opened.trees[0]->read(i, 100);
    ASSERT_FALSE(text.has_value()) << *text;
    EXPECT_EQ(text.error().message, "it was replaced by a link; links are not followed");
  }
  // An archive that was closed in the meantime is reopened, and must still be the same file.
  const fs::path archive = folder_ / "x.gz";
  save(archive, "old");
  const auto file = FilePieces::open({archive});
  ASSERT_TRUE(file.has_value());
  for (int i = 0; i < 100; ++i) save(vault / format("{}", i), "x");
  std::vector<FilePieces> others;
  for (int i = 0; i < 100; ++i) others.push_back(*FilePieces::open({vault / format("{}", i)}));
  char byte = 0;
  EXPECT_TRUE(file->read_at(0, &byte, 1).has_value());
  for (const FilePieces& other : others) EXPECT_TRUE(other.read_at(0, &byte, 1).has_value());
  save(folder_ / "new", "new");
  fs::rename(folder_ / "new", archive);
  const auto replaced = file->read_at(0, &byte, 1);
  ASSERT_FALSE(replaced.has_value());
  EXPECT_EQ(replaced.error().code, Code::kConflict);
}

TEST_F(TreesTest, ArchivesWithTheSameNameAreSeparateUnlessTheyAreParts) {
  put("a/notes.zip", ZipMaker().add("n.md", "first").bytes());
  put("b/notes.zip", ZipMaker().add("n.md", "second").bytes());
  put("b/notes.tar", TarMaker().add("n.md", "third").bytes());
  put("b/export-001.zip", ZipMaker().add("1.md", "one").bytes());
  put("b/export-002.zip", ZipMaker().add("2.md", "two").bytes());
  const std::vector<std::string> paths = {folder_.string()};
  const OpenedTrees opened = open_trees(paths, [] {}, FoundArchives::kSeparately);
  std::map<std::string, std::string> places;
  for (const auto& tree : opened.trees) {
    if (!tree->place().empty()) places[tree->place()] = tree->name();
  }
  EXPECT_EQ(places, (std::map<std::string, std::string>{{(folder_ / "a/notes.zip").string(), "notes"},
                                                        {(folder_ / "b/notes.zip").string(), "notes"},
                                                        {(folder_ / "b/notes.tar").string(), "notes"},
                                                        {(folder_ / "b/export-001.zip").string(), "export"}}));
}

TEST_F(TreesTest, EveryFileOfAFolderReportsProgress) {
  for (int i = 0; i < 30; ++i) put(format("{}.md", i), "x");
  int signs = 0;
  const OpenedTrees opened = open_trees(std::vector<std::string>{folder_.string()}, [&] { ++signs; });
  EXPECT_EQ(opened.trees.at(0)->entries().size(), 30U);
  EXPECT_EQ(signs, 30);
}

// Returns incompressible bytes, so that their gzip is long.
std::string noise(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string out(size, '\0');
  for (char& c : out) c = static_cast<char>(random());
  return out;
}

const std::map<std::string, std::string> kFiles = {
    {"a/deep/one.txt", "one"}, {"b.txt", std::string(100'000, 'b')}, {"empty", ""}};

TEST_F(TreesTest, FolderZipAndTarAreTheSame) {
  ZipMaker zip, wide;
  wide.wide();
  TarMaker tar;
  for (const auto& [path, text] : kFiles) {
    put("export/" + path, text);
    zip.add(path, text);
    wide.add(path, text);
    tar.add(path, text);
  }
  const std::vector<std::string> paths = {(folder_ / "export").string(),
                                          put("1.zip", zip.bytes()),
                                          put("2.zip", wide.bytes()),
                                          put("3.tar", tar.bytes()),
                                          put("4.tar.gz", gzipped(tar.bytes())),
                                          put("5.tgz", gzipped(tar.bytes()))};
  for (const std::string& path : paths) {
    OpenedTrees opened = open({path});
    ASSERT_EQ(opened.trees.size(), 1U) << path << reasons(opened.refusals);
    EXPECT_EQ(contents(*opened.trees.front()), kFiles) << path;
    EXPECT_TRUE(std::ranges::is_sorted(opened.trees.front()->entries(), {}, &Entry::path));
  }
}

TEST_F(TreesTest, EntriesAreReadFromAnyOffset) {
  const std::string text = noise(300'000, 1);
  OpenedTrees opened =
      open({put("x-001.zip", ZipMaker().add("n", text).bytes()), put("x-002.tgz", gzipped(TarMaker().add("n", text).bytes()))});
  ASSERT_EQ(opened.trees.size(), 1U);  // parts of one export; the file in both appears once
  ASSERT_EQ(opened.trees.front()->entries().size(), 1U);
  for (const std::int64_t from : {0, 1, 65'536, 299'999, 300'000}) {
    auto bytes = opened.trees.front()->open(0, from);
    ASSERT_TRUE(bytes);
    EXPECT_EQ(read_to_end(**bytes, 1 << 20).value(), text.substr(static_cast<std::size_t>(from)));
  }
}

// Going back in a long gzip starts at a restart point, wherever the block boundaries are.
TEST_F(TreesTest, LongTarsAreReadInAnyOrder) {
  TarMaker tar;
  std::map<std::string, std::string> files;
  for (int i = 0; i < 24; ++i) {
    const std::string name = format("{:02}", (i * 7) % 24);
    files[name] = noise(500'000, static_cast<unsigned>(i)) + std::string(200'000, 'x');
    tar.add(name, files[name]);
  }
  const std::string whole = tar.bytes();
  // Two members, as `cat a.gz b.gz` creates them.
  OpenedTrees opened = open({put("long.tar.gz", gzipped(whole.substr(0, 5'000'000)) + gzipped(whole.substr(5'000'000)))});
  ASSERT_EQ(opened.trees.size(), 1U);
  EXPECT_EQ(contents(*opened.trees.front()), files);
  Tree& tree = *opened.trees.front();
  for (const EntryNo entry : {23U, 0U, 12U, 3U}) EXPECT_EQ(tree.read(entry, 1 << 20).value(), files[tree.entries()[entry].path]);
}

TEST_F(TreesTest, DuplicatePathsWithDifferentBytesAreKept) {
  const OpenedTrees opened = open({put("n-001.zip", ZipMaker().add("n/a.md", "same size").add("n/b.md", "alike").bytes()),
                                   put("n-002.zip", ZipMaker().add("n/a.md", "SAME SIZE").add("n/b.md", "alike").bytes())});
  ASSERT_EQ(opened.trees.size(), 1U);
  Tree& tree = *opened.trees.front();
  ASSERT_EQ(tree.entries().size(), 3U);
  EXPECT_NE(tree.read(0, 100).value(), tree.read(1, 100).value());
  EXPECT_EQ(tree.entries()[2].path, "n/b.md");
}

TEST_F(TreesTest, PiecesAndPartsInAnyOrder) {
  const std::string zip = ZipMaker().add("a", "1").add("b", noise(10'000, 3)).bytes();
  const std::string first = put("x.zip.001", zip.substr(0, 4000)), second = put("x.zip.002", zip.substr(4000));
  const std::string one = put("takeout-1-001.zip", ZipMaker().add("Takeout/m.mbox", "m").bytes());
  const std::string two = put("takeout-1-002.zip", ZipMaker().add("Takeout/c.ics", "c").add("Takeout/m.mbox", "m").bytes());
  for (const std::vector<std::string>& paths : {std::vector{first, two, second, one}, std::vector{one, second, two, first}}) {
    OpenedTrees opened = open(paths);
    EXPECT_EQ(reasons(opened.refusals), "");
    ASSERT_EQ(opened.trees.size(), 2U);
    EXPECT_EQ(opened.trees[0]->name(), "takeout-1");
    EXPECT_EQ(contents(*opened.trees[0]), (std::map<std::string, std::string>{{"Takeout/c.ics", "c"}, {"Takeout/m.mbox", "m"}}));
    EXPECT_EQ(opened.trees[1]->entries().size(), 2U);
  }
}

TEST_F(TreesTest, EscapingPathsAreRefusedAndTheRestIsRead) {
  const std::string zip = ZipMaker()
                              .add("../outside", "x")
                              .add("a/../../outside", "x")
                              .add("/etc/passwd", "x")
                              .add("C:\\windows", "x")
                              .add("link", "/etc/passwd", {-1, static_cast<std::uint32_t>(S_IFLNK | 0777) << 16})
                              .add("pipe", "", {-1, static_cast<std::uint32_t>(S_IFIFO | 0777) << 16})
                              .add("__MACOSX/._good", "x")
                              .add("good\\file", "fine")
                              .bytes();
  OpenedTrees opened = open({put("bad.zip", zip)});
  ASSERT_EQ(opened.trees.size(), 1U);
  EXPECT_EQ(contents(*opened.trees.front()), (std::map<std::string, std::string>{{"good/file", "fine"}}));
  const std::string told = reasons(opened.trees.front()->refusals());
  EXPECT_EQ(opened.trees.front()->refusals().size(), 6U) << told;
  EXPECT_NE(told.find("../outside: the path leads outside"), std::string::npos) << told;
  EXPECT_NE(told.find("link: a link, which is not followed"), std::string::npos) << told;

  OpenedTrees tars =
      open({put("bad.tar", TarMaker().add("../x", "x").add("link", "", '2').add("device", "", '3').add("good", "fine").bytes())});
  ASSERT_EQ(tars.trees.size(), 1U);
  EXPECT_EQ(contents(*tars.trees.front()), (std::map<std::string, std::string>{{"good", "fine"}}));
  EXPECT_EQ(tars.trees.front()->refusals().size(), 3U);
}

TEST_F(TreesTest, LinksInFoldersAreNotFollowed) {
  put("f/real", "here");
  fs::create_symlink("/etc", folder_ / "f" / "etc");
  fs::create_symlink("/etc/passwd", folder_ / "f" / "passwd");
  OpenedTrees opened = open({(folder_ / "f").string()});
  ASSERT_EQ(opened.trees.size(), 1U);
  EXPECT_EQ(contents(*opened.trees.front()), (std::map<std::string, std::string>{{"real", "here"}}));
  EXPECT_EQ(opened.trees.front()->refusals().size(), 2U);
}

TEST_F(TreesTest, ALinkNamedByTheOwnerIsFollowed) {
  put("f/real.mbox", "here");
  fs::create_symlink(folder_ / "f", folder_ / "folder");
  fs::create_symlink(folder_ / "f" / "real.mbox", folder_ / "mine.mbox");
  OpenedTrees folder = open({(folder_ / "folder").string()}), file = open({(folder_ / "mine.mbox").string()});
  ASSERT_EQ(folder.trees.size(), 1U);
  ASSERT_EQ(file.trees.size(), 1U);
  EXPECT_EQ(contents(*folder.trees.front()), (std::map<std::string, std::string>{{"real.mbox", "here"}}));
  EXPECT_EQ(contents(*file.trees.front()), (std::map<std::string, std::string>{{"mine.mbox", "here"}}));
}

TEST_F(TreesTest, BombsAreRefusedBeforeTheyUnpack) {
  const std::string zeros(100'000'000, '\0');
  OpenedTrees zips = open({put("bomb.zip", ZipMaker().add("bomb", zeros).add("good", "fine").bytes())});
  ASSERT_EQ(zips.trees.size(), 1U);
  EXPECT_EQ(contents(*zips.trees.front()), (std::map<std::string, std::string>{{"good", "fine"}}));
  EXPECT_NE(reasons(zips.trees.front()->refusals()).find("times its size"), std::string::npos);

  OpenedTrees tars =
      open({put("bomb.tgz", gzipped(TarMaker().add("good", "fine").add("bomb", zeros).add("later", "x").bytes()))});
  ASSERT_EQ(tars.trees.size(), 1U);
  EXPECT_EQ(tars.trees.front()->read(tars.trees.front()->find("good").value(), 100).value(), "fine");
  EXPECT_NE(reasons(tars.trees.front()->refusals()).find("too much for an export of its size"), std::string::npos)
      << reasons(tars.trees.front()->refusals());
}

// An entry that unpacks to more than its stated size is truncated there; an entry with an impossible size is not opened.
TEST_F(TreesTest, FalseSizesAreDetected) {
  OpenedTrees opened = open({put("lies.zip", ZipMaker()
                                                 .add("more", std::string(5000, 'x'), {10, 0})
                                                 .add("huge", "x", {std::int64_t{1} << 62, 0})
                                                 .add("good", "fine")
                                                 .bytes())});
  ASSERT_EQ(opened.trees.size(), 1U);
  Tree& tree = *opened.trees.front();
  EXPECT_FALSE(tree.read(tree.find("more").value(), 1 << 20));
  EXPECT_FALSE(tree.find("huge"));
  EXPECT_EQ(tree.read(tree.find("good").value(), 100).value(), "fine");
}

TEST_F(TreesTest, DamageIsReportedWithItsLocation) {
  std::string tar = TarMaker().add("first", "1").add("second", "2").bytes();
  tar[1024 + 10] = '!';  // in the second header
  OpenedTrees opened = open({put("damaged.tar", tar)});
  ASSERT_EQ(opened.trees.size(), 1U);
  EXPECT_EQ(contents(*opened.trees.front()), (std::map<std::string, std::string>{{"first", "1"}}));
  ASSERT_EQ(opened.trees.front()->refusals().size(), 1U);
  EXPECT_EQ(opened.trees.front()->refusals().front().place.byte, 1024);

  OpenedTrees none = open({put("none.zip", "PK\x03\x04 and nothing"), put("cut.tgz", gzipped(tar).substr(0, 60)),
                           (folder_ / "absent").string(), put("empty.zip", "")});
  EXPECT_TRUE(none.trees.empty());
  EXPECT_EQ(none.refusals.size(), 4U) << reasons(none.refusals);
}

TEST_F(TreesTest, ATarTruncatedInAHeaderIsReported) {
  const std::string tar = TarMaker().add("first", "1").add("second", "2").bytes();
  const OpenedTrees cut = open({put("cut.tar", tar.substr(0, 1024 + 200))});
  ASSERT_EQ(cut.trees.size(), 1U);
  EXPECT_EQ(contents(*cut.trees.front()), (std::map<std::string, std::string>{{"first", "1"}}));
  ASSERT_EQ(cut.trees.front()->refusals().size(), 1U);
  EXPECT_EQ(cut.trees.front()->refusals().front().place.byte, 1024);
  // The empty blocks at the end are optional.
  const OpenedTrees whole = open({put("whole.tar", tar.substr(0, 2048))});
  EXPECT_EQ(reasons(whole.trees.at(0)->refusals()), "");
}

TEST_F(TreesTest, AGzipWithAWrongChecksumIsReported) {
  const std::string good = gzipped(TarMaker().add("first", noise(5000, 1)).add("second", "2").bytes());
  EXPECT_EQ(reasons(open({put("good.tgz", good + std::string(100, '\0'))}).trees.at(0)->refusals()), "") << "padding is none";
  std::string flipped = good;
  flipped[good.size() - 6] = static_cast<char>(~flipped[good.size() - 6]);  // in the checksum
  for (const std::string& bad : {flipped, good.substr(0, good.size() - 8)}) {
    const OpenedTrees opened = open({put("bad.tgz", bad)});
    ASSERT_EQ(opened.trees.size(), 1U);
    EXPECT_EQ(contents(*opened.trees.front())["second"], "2");
    EXPECT_NE(reasons(opened.trees.front()->refusals()).find("one of its files may be damaged"), std::string::npos);
  }
}

TEST_F(TreesTest, SparseFilesAreRefusedByName) {
  const OpenedTrees opened = open({put("sparse.tar", TarMaker()
                                                         .add("x", "28 GNU.sparse.name=holes.db\n", 'x')
                                                         .add("GNUSparseFile.1/holes.db", "1\n0\n1\nx")
                                                         .add("old", "x", 'S')
                                                         .add("good", "fine")
                                                         .bytes())});
  ASSERT_EQ(opened.trees.size(), 1U);
  EXPECT_EQ(contents(*opened.trees.front()), (std::map<std::string, std::string>{{"good", "fine"}}));
  const std::string told = reasons(opened.trees.front()->refusals());
  EXPECT_EQ(told.find("holes.db: sparse files are not supported"), 0U) << told;
  EXPECT_NE(told.find("old: sparse files are not supported"), std::string::npos) << told;
}

TEST_F(TreesTest, UnsupportedArchivesAreReported) {
  const OpenedTrees opened =
      open({put("a.tar.xz", "\xFD\x37zXZ"), put("b.tar.bz2", "BZh91AY&SY"), put("c.7z", "7z\xBC\xAF\x27\x1C")});
  EXPECT_TRUE(opened.trees.empty());
  EXPECT_EQ(opened.refusals.size(), 3U);
  for (const Refusal& each : opened.refusals) EXPECT_NE(each.reason.find("unpack it"), std::string::npos) << each.reason;
}

TEST_F(TreesTest, AnUnsupportedMethodIsNotDamage) {
  const OpenedTrees opened = open({put("a.zip", ZipMaker()
                                                    .add("lzma.md", "text", ZipMaker::FalseHeader{.method = 14})
                                                    .add("new.md", "text", ZipMaker::FalseHeader{.method = 97})
                                                    .add("good.md", "good")
                                                    .bytes())});
  ASSERT_EQ(opened.trees.size(), 1U);
  EXPECT_EQ(reasons(opened.trees[0]->refusals()),
            "lzma.md: unsupported compression: LZMA; unpack the archive and import the folder\n"
            "new.md: unsupported compression: method 97; unpack the archive and import the folder\n");
  EXPECT_EQ(contents(*opened.trees[0]), (std::map<std::string, std::string>{{"good.md", "good"}}));
}

TEST_F(TreesTest, HardLinksInATarAreFiles) {
  const std::string long_name = std::string(120, 'n') + ".md";
  const std::string tar = TarMaker()
                              .add("a/one.md", "the text")
                              .add("a/two.md", "", '1', "a/one.md")
                              .add("a/three.md", "", '1', "./a/two.md")
                              .add("././@LongLink", long_name, 'L')
                              .add("cut", "long")
                              .add("././@LongLink", long_name, 'K')
                              .add("four.md", "", '1', "cut")
                              .add("five.md", "", '1', "a/absent.md")
                              .add("six.md", "", '1', "../../etc/passwd")
                              .add("seven.md", "", '2', "a/one.md")
                              .bytes();
  for (const std::string& path : {put("t.tar", tar), put("z.tar.gz", gzipped(tar))}) {
    const OpenedTrees opened = open({path});
    ASSERT_EQ(opened.trees.size(), 1U);
    EXPECT_EQ(contents(*opened.trees[0]), (std::map<std::string, std::string>{{"a/one.md", "the text"},
                                                                              {"a/two.md", "the text"},
                                                                              {"a/three.md", "the text"},
                                                                              {long_name, "long"},
                                                                              {"four.md", "long"}}));
    EXPECT_EQ(reasons(opened.trees[0]->refusals()),
              "five.md: a hard link to a file that is not in the archive before it\n"
              "six.md: a hard link to a file that is not in the archive before it\n"
              "seven.md: a link, which is not followed\n");
  }
}

TEST_F(TreesTest, AMissingPieceIsReported) {
  const std::string zip = ZipMaker().add("one", noise(4000, 1)).add("two", noise(4000, 2)).bytes();
  const std::string first = put("x.zip.001", zip.substr(0, 3000)), second = put("x.zip.002", zip.substr(3000, 3000)),
                    third = put("x.zip.003", zip.substr(6000));
  EXPECT_EQ(open({third, first, second}).trees.size(), 1U);
  EXPECT_NE(reasons(open({first, third}).refusals).find("is one of its pieces missing? 2 of them are here"), std::string::npos);
  EXPECT_NE(reasons(open({second}).refusals).find("not the first piece of an archive"), std::string::npos);
}

TEST_F(TreesTest, ArchivesInAFolderAreFolders) {
  put("down/note.md", "n");
  put("down/x.zip", ZipMaker().add("y", "z").add("../out", "no").bytes());
  put("down/in/x.zip", ZipMaker().add("y", "other").bytes());
  put("down/mail.mbox.gz", gzipped("From a\n"));
  put("down/t-001.zip", ZipMaker().add("a", "1").bytes());
  put("down/t-002.zip", ZipMaker().add("b", "2").bytes());
  put("down/bad.zip", "no archive");
  const std::vector<std::string> paths = {(folder_ / "down").string()};
  const OpenedTrees opened = open(paths);
  ASSERT_EQ(opened.trees.size(), 1U) << reasons(opened.refusals);
  EXPECT_EQ(opened.trees[0]->name(), "down");
  EXPECT_EQ(opened.trees[0]->place(), "");
  EXPECT_EQ(contents(*opened.trees[0]), (std::map<std::string, std::string>{{"note.md", "n"},
                                                                            {"x.zip/y", "z"},
                                                                            {"in/x.zip/y", "other"},
                                                                            {"mail.mbox.gz/mail.mbox", "From a\n"},
                                                                            {"t.zip/a", "1"},
                                                                            {"t.zip/b", "2"}}));
  EXPECT_TRUE(reasons(opened.trees[0]->refusals()).starts_with("x.zip/../out: ")) << reasons(opened.trees[0]->refusals());
  EXPECT_EQ(opened.refusals.size(), 1U);
  EXPECT_EQ(open_trees(paths, [] {}, FoundArchives::kSeparately).trees.size(), 5U);
  // An archive that is named directly is a separate tree, even if its folder is named too.
  EXPECT_EQ(open({paths[0], (folder_ / "down/x.zip").string()}).trees.size(), 2U);
}

TEST(ArchiveNames, GroupPiecesAndParts) {
  EXPECT_EQ(without_piece_number("x.zip.001"), "x.zip");
  EXPECT_EQ(without_piece_number("x.tar.gz"), "x.tar.gz");
  EXPECT_EQ(without_piece_number("x.tgz.aa"), "x.tgz");
  EXPECT_EQ(without_piece_number("notes.2024"), "notes.2024");
  EXPECT_EQ(without_ending("a.b.tar.gz"), "a.b");
  EXPECT_EQ(without_part_number("takeout-20240101T000000Z-1-002"), "takeout-20240101T000000Z-1");
  EXPECT_EQ(without_part_number("report-2024"), "report-2024");
  EXPECT_TRUE(is_archive_name("x.tgz.aa"));
  EXPECT_FALSE(is_archive_name("x.mbox"));
  EXPECT_EQ(without_time_stamp("takeout-20240101T000000Z-1"), "takeout");
  EXPECT_EQ(without_time_stamp("ab-12-2024-01-01-12-00-00-cd34"), "ab-12");
  for (const char* own : {"Meeting-2024-01-01", "takeout", "2024-01-01-12-00-00", "notes-20240101", "x-2024-01-01-12"})
    EXPECT_EQ(without_time_stamp(own), own);
}

TEST(EntryPath, IsMadeSafeOrRefused) {
  EXPECT_EQ(entry_path("./a//b/./c").value(), "a/b/c");
  EXPECT_EQ(entry_path("\u00DC/caf\xE9.md").value(), "\u00DC/caf\u00E9.md");
  EXPECT_EQ(entry_path("caf\xE8.md").value(), "caf\u00E8.md") << "the other one";
  EXPECT_EQ(entry_path("a/\xFF\xFE").value(), "a/\uFFFD\uFFFD");
  for (const std::string_view bad : {"", ".", "..", "a/..", "/a", "\\a", "c:/x", "..\\x"}) EXPECT_FALSE(entry_path(bad)) << bad;
  EXPECT_FALSE(entry_path(std::string("a\0b", 3)));
  EXPECT_FALSE(entry_path(std::string(5000, 'a')));
  std::string deep;
  for (int i = 0; i < 70; ++i) deep += "d/";
  EXPECT_FALSE(entry_path(deep + "f"));
}

}  // namespace
}  // namespace ladder::imports
