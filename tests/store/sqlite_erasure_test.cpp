// A deleted record is removed from the files, not only from the tables.
#include "store/sqlite_scene.h"

#include "store/index/field_index.h"
#include "store/sqlite/engine/vfs.h"
#include "support/noise.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <random>
#include <set>

namespace ladder::store::sqlite {
namespace {

// Returns the words that occur anywhere in the files of the store.
std::vector<std::string> found_in_files(const Scene& scene, const std::vector<std::string>& words) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(scene.path()).parent_path())) {
    const std::string bytes = file_bytes(entry.path());
    for (const std::string& word : words) {
      if (bytes.find(word) != std::string::npos) found.push_back(word + " in " + entry.path().filename().string());
    }
  }
  return found;
}

TEST(SqliteErasure, NothingOfDeletedRecordsIsLeft) {
  Scene scene;
  std::mt19937 random(20260811);
  std::vector<std::string> words;
  std::vector<std::string> keys;
  // Writes short and long records of two streams in turn: their rows and chunks are spread over pages that fill and
  // split.
  const std::array targets = {scene.target("notes"), scene.target("diary")};
  for (int batch_no = 0; batch_no < 60; ++batch_no) {
    std::vector<RecordWrite> batch;
    for (int i = 0; i < 50; ++i) {
      const std::string word = format("secret{:08x}{:08x}", random(), random());
      const std::size_t filler = random() % 20 == 0 ? 4'000 + random() % 9'000 : random() % 900;
      words.push_back(word);
      keys.push_back(format("k{}", words.size()));
      batch.push_back(record_write(scene.store(), keys.back(),
                                   format(R"({{"title":"{}","body":"{} {}"}})", word, std::string(filler, 'x'), word)));
      batch.back().order_key = "\x30" + word + keys.back();
    }
    must(scene.store().write(targets[random() % 2], batch, kNow));
  }
  scene.expect_sound();
  // Removes two of three records, a few of them by replacement.
  std::vector<std::string> gone;
  std::vector<std::string> kept;
  for (const WriteTarget& target : targets) {
    std::vector<RecordWrite> batch;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (i % 3 == 0) continue;
      batch.push_back(i % 10 == 1 ? record_write(scene.store(), keys[i], R"({"title":"empty"})") : deletion(keys[i]));
      if (i % 10 == 1) {
        const std::vector<StreamNo> streams = {target.stream};
        if (must(must(scene.store().read())->records({}, streams, keys[i])).records.empty()) batch.pop_back();
      }
      if (batch.size() == 40) {
        must(scene.store().write(target, batch, kNow));
        batch.clear();
      }
    }
    must(scene.store().write(target, batch, kNow));
  }
  for (std::size_t i = 0; i < words.size(); ++i) (i % 3 == 0 ? kept : gone).push_back(words[i]);
  const SweepReport report = must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30))));
  EXPECT_TRUE(report.complete);
  EXPECT_GT(report.values_removed, 50);
  EXPECT_EQ(found_in_files(scene, gone), std::vector<std::string>{});
  EXPECT_EQ(found_in_files(scene, kept).size(), kept.size()) << "the search must find existing words";
  scene.expect_sound();
}

// The compressed form of a text discloses as much as the text.
TEST(SqliteErasure, NothingOfCompressedBytesIsLeft) {
  Scene scene;
  std::mt19937 random(20261117);
  std::vector<std::string> gone, kept;
  std::vector<RecordWrite> batch, deletions;
  for (int i = 0; i < 200; ++i) {
    std::string text;
    const std::size_t size = i % 4 == 0 ? 9'000 : 1'500;
    while (text.size() < size) text += format("letter {} about the harbour, ", random() % 100'000);
    batch.push_back(record_write(scene.store(), format("k{}", i), format(R"({{"title":"t","body":"{}"}})", text)));
    // Takes the middle of a frame, which is unique to this text.
    const std::string frame = compressed(i % 4 == 0 ? batch.back().values.chunks.at(1).bytes : batch.back().body);
    ASSERT_GT(frame.size(), 200U);
    (i % 3 == 0 ? kept : gone).push_back(frame.substr(frame.size() / 2, 32));
    if (i % 3 != 0) deletions.push_back(deletion(format("k{}", i)));
  }
  must(scene.store().write(scene.target(), batch, kNow));
  EXPECT_TRUE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30)))).complete);
  EXPECT_EQ(found_in_files(scene, gone).size(), gone.size()) << "the search must find existing words";
  must(scene.store().write(scene.target(), deletions, kNow));
  EXPECT_TRUE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30)))).complete);
  EXPECT_EQ(found_in_files(scene, gone), std::vector<std::string>{});
  EXPECT_EQ(found_in_files(scene, kept).size(), kept.size());
  scene.expect_sound();
}

TEST(SqliteErasure, NothingIsLeftInTheIndexes) {
  Scene scene;
  scene.declare({{"title", IndexKind::kText}, {"body", IndexKind::kText}});
  std::mt19937 random(20260812);
  const auto data = [](const std::string& word) {
    const std::string blob = format(R"({{"blob_id":"{}"}})", blob_id(crypto::sha256(word)));
    return format(R"({{"title":"{}","body":"{}","blob_ref":{}}})", word, std::string(100, 'b') + word, blob);
  };
  // Each word leaves traces: itself in an entry, the digest of a long text in another, and the digest of a blob.
  const auto traces = [](const std::string& word) {
    return std::vector<std::string>{word, std::string(crypto::view(crypto::sha256(std::string(100, 'b') + word))),
                                    std::string(crypto::view(crypto::sha256(word)))};
  };
  std::vector<std::string> words;
  for (int batch_no = 0; batch_no < 30; ++batch_no) {
    std::vector<RecordWrite> batch;
    for (int i = 0; i < 40; ++i) {
      words.push_back(format("secret{:08x}{:08x}", random(), random()));
      batch.push_back(record_write(scene.store(), format("k{}", words.size()), data(words.back())));
    }
    must(scene.store().write(scene.target(), batch, kNow));
  }
  scene.expect_sound();
  std::vector<std::string> gone;
  std::vector<std::string> kept;
  std::vector<RecordWrite> batch;
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (const std::string& trace : traces(words[i])) (i % 3 == 0 ? kept : gone).push_back(trace);
    if (i % 3 == 0) continue;
    const std::string key = format("k{}", i + 1);
    batch.push_back(i % 3 == 1 ? deletion(key) : record_write(scene.store(), key, data("other")));
  }
  must(scene.store().write(scene.target(), batch, kNow));
  scene.expect_sound();
  EXPECT_TRUE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30)))).complete);
  EXPECT_EQ(found_in_files(scene, gone), std::vector<std::string>{});
  EXPECT_EQ(found_in_files(scene, kept).size(), kept.size()) << "the search must find existing words";
  // The next sweep removes a dropped index; the records keep their words, but the digests of long texts are gone.
  scene.declare({});
  EXPECT_TRUE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30)))).complete);
  std::vector<std::string> digests;
  for (std::size_t i = 0; i < words.size(); i += 3) digests.push_back(traces(words[i])[1]);
  EXPECT_EQ(found_in_files(scene, digests), std::vector<std::string>{});
  scene.expect_sound();
}

TEST(SqliteErasure, AReaderOfAnOlderSnapshotDelaysIt) {
  Scene scene;
  scene.put("a", R"({"title":"secretword"})");
  auto reader = must(scene.store().read());
  must(reader->counters(1));
  scene.erase("a");
  EXPECT_FALSE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::milliseconds(100)))).complete);
  EXPECT_FALSE(found_in_files(scene, {"secretword"}).empty());
  reader.reset();
  EXPECT_TRUE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(60)))).complete);
  EXPECT_TRUE(found_in_files(scene, {"secretword"}).empty());
}

TEST(PageScrub, ZeroesTheGapAndNothingElse) {
  std::array<unsigned char, kPageBytes> page;
  page.fill(0xAA);
  const auto header = [&](std::size_t at, unsigned char type, unsigned cells, unsigned content) {
    page[at] = type;
    page[at + 3] = static_cast<unsigned char>(cells >> 8);
    page[at + 4] = static_cast<unsigned char>(cells);
    page[at + 5] = static_cast<unsigned char>(content >> 8);
    page[at + 6] = static_cast<unsigned char>(content);
  };
  struct Case {
    unsigned char type;
    bool first;
    std::size_t gap;
  };
  for (const Case& c : {Case{0x0d, false, 8 + 6}, Case{0x0a, false, 8 + 6}, Case{0x05, false, 12 + 6}, Case{0x02, false, 12 + 6},
                        Case{0x0d, true, 100 + 8 + 6}}) {
    page.fill(0xAA);
    header(c.first ? 100 : 0, c.type, 3, 4000);
    auto expected = page;
    std::fill(expected.begin() + static_cast<std::ptrdiff_t>(c.gap), expected.begin() + 4000, static_cast<unsigned char>(0));
    EXPECT_TRUE(scrub_page(page, c.first));
    EXPECT_EQ(page, expected) << int{c.type};
    EXPECT_FALSE(scrub_page(page, c.first)) << "nothing is left to zero";
  }
  // Overflow and free pages, and invalid headers.
  for (const char type : {'\x00', '\x01', '\x0c', '\xff'}) {
    page.fill(0xAA);
    header(0, static_cast<unsigned char>(type), 3, 4000);
    const auto before = page;
    EXPECT_FALSE(scrub_page(page, false));
    EXPECT_EQ(page, before);
  }
  for (const unsigned content : {0u, 10u, 4097u, 65535u}) {
    page.fill(0xAA);
    header(0, 0x0d, 3, content);
    const auto before = page;
    EXPECT_FALSE(scrub_page(page, false)) << content;
    EXPECT_EQ(page, before);
  }
}

std::int64_t disk_bytes(const std::string& path) {
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 ? about.st_blocks * 512 : 0;
}

TEST(SqliteErasure, FreePagesAreReturnedAndReused) {
  Scene scene;
  const auto fill = [&](int first) {
    for (int batch_no = 0; batch_no < 10; ++batch_no) {
      std::vector<RecordWrite> batch;
      for (int i = 0; i < 50; ++i) {
        const int no = first + batch_no * 50 + i;
        batch.push_back(record_write(
            scene.store(), format("k{:05}", no),
            format(R"({{"title":"t{}","body":"{}"}})", no, test_support::noise(9'000, static_cast<std::uint64_t>(no)))));
      }
      must(scene.store().write(scene.target("notes"), batch, kNow));
    }
  };
  fill(0);
  must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30))));
  const std::int64_t full = disk_bytes(scene.path());
  std::vector<RecordWrite> gone;
  for (int i = 0; i < 500; ++i) {
    if (i % 10 != 0) gone.push_back(deletion(format("k{:05}", i)));
  }
  must(scene.store().write(scene.target("notes"), gone, kNow));
  must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30))));
  EXPECT_GT(disk_bytes(scene.path()), full / 2) << "the pages are free, and still of the file";
  {
    // A reader that has begun sees its snapshot to the end.
    const auto reader = must(Connection::open(scene.path(), Connection::Access::kRead));
    must(reader->execute("BEGIN"));
    EXPECT_EQ(must(reader->read_integer("SELECT count(*) FROM records")), 50);
    EXPECT_GT(must(scene.store().compact()), full / 2);
    EXPECT_EQ(must(reader->read_integer("SELECT sum(ifnull(raw_size, length(stored))) FROM chunks")), 50 * 9'000);
  }
  EXPECT_LT(disk_bytes(scene.path()), full / 2);
  const auto check = [&] {
    const auto connection = must(Connection::open(scene.path(), Connection::Access::kRead));
    Statement row = connection->prepare("PRAGMA integrity_check");
    ASSERT_TRUE(must(row.step()));
    EXPECT_EQ(row.bytes_at(0), "ok");
  };
  check();
  scene.expect_sound();
  const std::int64_t shown = static_cast<std::int64_t>(std::filesystem::file_size(scene.path()));
  fill(1'000);
  must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30))));
  EXPECT_LT(static_cast<std::int64_t>(std::filesystem::file_size(scene.path())), shown * 5 / 4) << "the holes were filled first";
  check();
  scene.expect_sound();
}

}  // namespace
}  // namespace ladder::store::sqlite
