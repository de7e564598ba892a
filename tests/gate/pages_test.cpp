// The gate's second half: the cost of a window does not grow with the field (design D3). Page reads are counted by a
// VFS under SQLite, cold and without mmap, and by EXPLAIN (ANALYZE, BUFFERS) on PostgreSQL, without planning.
#include "store/locate.h"
#include "store/postgres/engine/record_rows.h"
#include "store/sqlite/engine/sqlite_store.h"
#include "store/sqlite/engine/vfs.h"
#include "support/server_fixture.h"

#include <cstdlib>
#include <random>
#include <set>

namespace ladder {
namespace {

using test_support::at_offset;
using test_support::must;
using test_support::text_member;

constexpr std::int64_t kWindow = 4096;
constexpr std::int64_t kMaxChunkBytes = 64 * 1024;
constexpr std::int64_t kSqlitePage = 4096;
constexpr std::int64_t kPostgresPage = 8192;

bool all_cases() { return std::getenv("LADDER_TEST_ALL") != nullptr; }

// Installed before the program opens any store.
class CountReads : public ::testing::Environment {
  void SetUp() override { ASSERT_TRUE(store::sqlite::install_counting_vfs()); }
};
[[maybe_unused]] const auto* const kCountReads = ::testing::AddGlobalTestEnvironment(new CountReads);

// Returns text of this many bytes; `unit` sets the bytes per char.
std::string filler(std::size_t bytes, std::string_view unit) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) text += format("{}{} ", unit, i % 97);
  return text;
}

class Pages : public test_support::ServerFixture {
 protected:
  store::LongRef put_text(const std::string& id, const std::string& text) {
    put(id, text_member("body", text));
    auto reader = must(store().read(owner().owner()));
    const auto rows = must(reader->records({}, std::vector<store::StreamNo>{stream_no()}, id));
    auto located = must(store::locate(*reader, rows.records.at(0), must(model::parse_field_path("body"))));
    return located.ref.value();
  }

  store::StreamNo stream_no() {
    const auto catalog = must(store().catalog(must(store().find_owner("local"))->no));
    for (const auto& row : catalog.streams) {
      if (row.name == "notes") return row.no;
    }
    ADD_FAILURE() << "no stream";
    return 0;
  }

  // Returns both ends, every chunk boundary with its neighbors, and a thousand random offsets.
  static std::set<std::int64_t> offsets(const store::LongRef& ref) {
    std::set<std::int64_t> found = {0, 1, std::max<std::int64_t>(0, ref.size_chars - kWindow), ref.size_chars - 1};
    for (std::int64_t border = ref.chunk_chars; border < ref.size_chars; border += ref.chunk_chars) {
      for (std::int64_t off : {border - 1, border, border + 1}) found.insert(std::min(off, ref.size_chars - 1));
    }
    std::mt19937_64 random(1);
    for (int i = 0; i < 1'000; ++i)
      found.insert(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(ref.size_chars)));
    return found;
  }

  // Returns the maximum bytes of chunk pages that one window reads, over all offsets.
  std::int64_t most_chunk_bytes(const store::LongRef& ref) {
    return GetParam() == "sqlite" ? most_chunk_bytes_sqlite(ref) : most_chunk_bytes_postgres(ref);
  }

  // Counts all pages that one window reads: access status, record, chunks.
  std::int64_t window_pages(const server::Access& access, const std::string& id, const std::string& field, std::int64_t offset) {
    must(read(access, id, field, at_offset(offset, kWindow)));  // prepares the statements and caches the catalog
    store::sqlite::drop_idle_reader_caches(store());
    store::sqlite::reset_read_counts();
    must(read(access, id, field, at_offset(offset, kWindow)));
    const auto counts = store::sqlite::read_counts();
    return (counts.bytes() + kSqlitePage - 1) / kSqlitePage;
  }

 private:
  std::int64_t most_chunk_bytes_sqlite(const store::LongRef& ref) {
    std::int64_t most = 0;
    for (std::int64_t offset : offsets(ref)) {
      const auto span = store::chunk_span(ref, offset, std::min(offset + kWindow, ref.size_chars));
      store::sqlite::drop_idle_reader_caches(store());
      store::sqlite::reset_read_counts();
      auto reader = must(store().read(owner().owner()));
      must(reader->chunks(ref.text_id, span.first, span.last));
      most = std::max(most, store::sqlite::read_counts().bytes());
    }
    return most;
  }

  std::int64_t most_chunk_bytes_postgres(const store::LongRef& ref) {
    std::string statement(store::postgres::kSelectChunksSql);
    statement.replace(statement.find(":owner"), 6, std::to_string(owner().owner()));
    for (const auto& [from, to] : {std::pair{"$1", "%1$s"}, {"$2", "%2$s"}, {"$3", "%3$s"}}) {
      statement.replace(statement.find(from), 2, to);
    }
    std::string firsts, lasts;
    for (std::int64_t offset : offsets(ref)) {
      const auto span = store::chunk_span(ref, offset, std::min(offset + kWindow, ref.size_chars));
      firsts += format("{}{}", firsts.empty() ? "" : ",", span.first);
      lasts += format("{}{}", lasts.empty() ? "" : ",", span.last);
    }
    const std::string sql = format(
        "SET search_path = ladder; ANALYZE chunks; CREATE OR REPLACE FUNCTION pg_temp.most_blocks(firsts bigint[], lasts "
        "bigint[]) "
        "RETURNS bigint LANGUAGE plpgsql AS $body$ DECLARE plan json; most bigint := 0; BEGIN "
        "FOR i IN 1..array_length(firsts, 1) LOOP "
        "EXECUTE format('EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {}', {}, firsts[i], lasts[i]) INTO plan; "
        "most := greatest(most, (plan->0->'Plan'->>'Shared Hit Blocks')::bigint + (plan->0->'Plan'->>'Shared Read "
        "Blocks')::bigint); "
        "END LOOP; RETURN most; END $body$; SELECT pg_temp.most_blocks(ARRAY[{}]::bigint[], ARRAY[{}]::bigint[])",
        statement, ref.text_id, firsts, lasts);
    return std::stoll(place().database()->value(sql)) * kPostgresPage;
  }
};

TEST_P(Pages, ChunkPagesOfAWindowStayUnder64KiB) {
  struct Case {
    std::string name, unit;
    std::size_t bytes;
  };
  std::vector<Case> cases = {{"ascii", "word", 1'000'000},
                             {"mixed", "Wörter und 🙂", 1'000'000},
                             {"cjk", "日本語の文章", 1'000'000},
                             {"emoji", "🙂🙃😀😁😂🤣😃😄", 1'000'000},
                             {"small", "word", 4'000}};
  if (all_cases()) cases.push_back({"huge", "word", 100'000'000});
  for (const Case& c : cases) {
    const store::LongRef ref = put_text(c.name, filler(c.bytes, c.unit));
    const std::int64_t most = most_chunk_bytes(ref);
    RecordProperty(c.name, static_cast<int>(most));
    EXPECT_GT(most, 0) << c.name;
    EXPECT_LT(most, kMaxChunkBytes) << c.name << " in chunks of " << ref.chunk_chars << " chars";
  }
}

TEST_P(Pages, TotalPagesDoNotGrowWithTheValue) {
  if (GetParam() != "sqlite") return;  // on PostgreSQL the statement above counts the only part that could grow
  std::vector<std::size_t> sizes = {5'000, 1'000'000, 10'000'000};
  if (all_cases()) sizes.push_back(100'000'000);
  for (std::size_t size : sizes) put("n" + std::to_string(size), text_member("body", filler(size, "word")));
  const server::Access access = client({"work", "notes", {}, {}, {}, {}});
  std::int64_t least = 1 << 20, most = 0;
  for (std::size_t size : sizes) {
    for (const double part : {0.0, 0.5, 1.0}) {
      const auto offset = static_cast<std::int64_t>(part * static_cast<double>(size - 4'200));
      const std::int64_t pages = window_pages(access, "n" + std::to_string(size), "body", std::max<std::int64_t>(0, offset));
      least = std::min(least, pages);
      most = std::max(most, pages);
    }
  }
  EXPECT_LE(most - least, 2) << "from " << least << " to " << most << " pages";
}

TEST_P(Pages, APointerIntoALargeRecordCostsItsDepth) {
  std::string blocks = "[";
  const std::string words = filler(900, "nested");
  int count = 0;
  for (; blocks.size() < 50'000'000; ++count)
    blocks += format("{}{{\"id\":{},\"text\":\"{}{}\"}}", count ? "," : "", count, words, count);
  blocks += "]";
  put("deep", "\"blocks\":{\"kind\":\"page\",\"children\":" + blocks + "}");
  const server::Access access = client({"work", "notes", {}, {}, {}, {}});
  for (int i : {0, 1, count / 2, count - 1}) {
    const std::string path = format("/blocks/children/{}/text", i);
    const auto window = must(read(access, "deep", path));
    EXPECT_EQ(window.text, format("{}{}", words, i));
    if (GetParam() != "sqlite") continue;
    // Access status and record, then for each of the two levels a directory page and 16 KiB of text with their index
    // pages.
    EXPECT_LT(window_pages(access, "deep", path, 0) * kSqlitePage, 3 * kMaxChunkBytes) << path;
  }
}

LADDER_FOR_EVERY_ENGINE(Pages);

}  // namespace
}  // namespace ladder
