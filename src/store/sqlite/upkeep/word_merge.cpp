#include "store/sqlite/upkeep/word_merge.h"

#include "base/text/format.h"
#include "store/sqlite/search/fts5_format.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace ladder::store::sqlite {
namespace {

constexpr std::size_t kMergeFrom = 8;  // segments of a level; FTS5's own setting, "usermerge", is the same
constexpr std::int64_t kPagesAtOnce = 64;
// The merge work of a small write: a level that is that small at once, of a larger one a bite now and then. FTS5 merges at least
// a whole word, which in a large level is many pages, so those are left to the sweep unless it does not come.
constexpr std::size_t kSmallWrite = 32 * 1024;
constexpr std::int64_t kSmallLevel = 24;
constexpr std::int64_t kLargeLevel = 2048;
constexpr std::size_t kManySegments = 64;
// A transaction in bulk writes segments as large as two rounds of merging would make of small ones: they wait for the sweep, too.
constexpr std::size_t kBulkWrite = 1024 * 1024;
constexpr std::int64_t kBite = 12;
constexpr std::size_t kBiteEvery = 4;
// A write of some size merges so many pages a byte: it has written half a page of segments for each, and each is merged some
// three times until it lies in a large one.
constexpr std::size_t kBytesPerMergedPage = 1536;
constexpr std::int64_t kMaxMergedBeside = 192;
constexpr std::size_t kCookieBytes = 4;
constexpr std::string_view kLooking = "look";  // in the place of the segments of an erasure: they are merged, and to be looked at
// The number of levels that bound_levels leaves: enough that segments of many writes can be merged level by level before they
// reach the oldest.
constexpr std::size_t kFewLevels = 12;

// Numbers as SQLite writes them: seven bits a byte, the highest first, the eighth bit says that more follow.
class Numbers {
 public:
  explicit Numbers(std::string_view bytes) : bytes_(bytes) {}

  std::optional<std::int64_t> next() {
    std::uint64_t value = 0;
    for (int bytes = 0; bytes < 8 && !bytes_.empty(); ++bytes) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      value = value << 7 | (byte & 0x7Fu);
      if (byte < 0x80) return static_cast<std::int64_t>(value);
    }
    return std::nullopt;
  }
  std::size_t left() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

void append_number(std::string& bytes, std::uint64_t number) {
  std::string reversed(1, static_cast<char>(number & 0x7Fu));
  while ((number >>= 7) != 0) reversed += static_cast<char>(0x80u | (number & 0x7Fu));
  bytes.append(reversed.rbegin(), reversed.rend());
}

std::optional<WordSegments::Level> parse_level(Numbers& numbers) {
  const auto merging = numbers.next();
  const auto count = numbers.next();
  if (!merging || !count || *merging > *count) return std::nullopt;
  WordSegments::Level level{static_cast<std::size_t>(*merging), {}};
  for (std::int64_t i = 0; i < *count; ++i) {
    const auto id = numbers.next();
    const auto first_page = numbers.next();
    const auto last_page = numbers.next();
    if (!id || !first_page || !last_page) return std::nullopt;
    level.segments.push_back({*id, *last_page - *first_page + 1, *first_page});
  }
  return level;
}

Status merge(Connection& connection, const WordPart& part, std::int64_t pages) {
  LADDER_CHECK(use_part(connection, PartSql::kMerge, part).integer(1, pages).run());
  return bound_levels(connection, part);
}

std::string joined(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers) text += std::to_string(number) + " ";
  return text;
}

std::vector<std::int64_t> split(std::string_view text) {
  std::vector<std::int64_t> numbers;
  while (!text.empty()) {
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc{}) break;
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.empty()) text.remove_prefix(1);
  }
  return numbers;
}

struct Erasure {
  bool due = false;
  std::vector<std::int64_t> segments;  // that hold what is being erased; none: it has not begun
};

Result<Erasure> read_erasure(Connection& connection, const WordPart& part) {
  Statement row = connection.use(Sql::kErasing);
  LADDER_TRY(const bool found, row.integer(1, part.id()).step());
  if (!found) return Erasure{};
  Erasure erasure{row.integer_at(0) != 0, split(row.bytes_at(1))};
  erasure.due |= !erasure.segments.empty();
  return erasure;
}

// A part of which no row lives. FTS5 counts the pages that a merge writes, and of such a part it writes none: one step would read
// all of it and free every page, for seconds. So its table gets another name, under which nobody looks for it, and then goes a
// few pages at a time.
constexpr std::string_view kRetired = "retired_";
constexpr std::int64_t kRetiredPagesAtOnce = 32;  // between two looks at the clock
constexpr int kRetiredRounds = 10;  // a transaction: every page that goes is overwritten, and its commit writes it all

Result<bool> is_alive(Connection& connection, const WordPart& part) {
  const std::int64_t first = part.first_number(), end = part.end_number();
  if (part.kind == NumberKind::kTexts) {
    Statement row = connection.use(Sql::kPassagesBetween);
    return row.integer(1, first_row(first)).integer(2, last_row(end - 1)).integer(3, 1).step();
  }
  Statement row = connection.use(Sql::kRecordsInBlocks);
  return row.integer(1, first).integer(2, end).integer(3, static_cast<std::int64_t>(part.kind)).step();
}

Result<std::string> retired_table(Connection& connection) {
  Statement row = connection.use(Sql::kRetiredPart);
  LADDER_TRY(const bool found, row.step());
  return found ? row.string_at(0) : std::string();
}

// One at a time, since the same part may have been made anew meanwhile: the sweep drops the one that is there first.
Status retire(Connection& connection, const WordPart& part) {
  LADDER_TRY(const std::string other, retired_table(connection));
  if (!other.empty()) return {};
  LADDER_CHECK(connection.execute(format("ALTER TABLE {0} RENAME TO {1}{0}", part.table(), kRetired).c_str()));
  return connection.use(Sql::kDropWordPart).integer(1, part.id()).run();
}

Status begin_erasure(Connection& connection, const WordPart& part, const std::vector<std::int64_t>& segments) {
  const std::string text = joined(segments);
  return connection.use(Sql::kSetErasing).integer(1, part.id()).blob(2, text).run();
}

}  // namespace

std::int64_t WordSegments::Level::pages() const {
  std::int64_t pages = 0;
  for (const WordSegment& segment : segments) pages += segment.pages;
  return pages;
}

// The level with the most segments, the newest of such; but what is being merged counts before whatever is older.
const WordSegments::Level* WordSegments::next_merge() const {
  const Level* best = nullptr;
  std::size_t most = 0;
  for (const Level& level : levels) {
    const std::size_t segments = level.merging > 0 ? level.merging : level.segments.size();
    if (segments > most) {
      best = &level;
      most = segments;
    }
    if (level.merging > 0) break;
  }
  return best && (best->merging > 0 || most >= kMergeFrom) ? best : nullptr;
}

bool WordSegments::merges(const std::vector<std::int64_t>& ids) const {
  return std::ranges::any_of(levels, [&](const Level& level) {
    if (level.merging == 0 || level.merging != ids.size()) return false;
    return std::ranges::all_of(level.segments.begin(), level.segments.begin() + static_cast<std::ptrdiff_t>(level.merging),
                               [&](const WordSegment& segment) { return std::ranges::find(ids, segment.id) != ids.end(); });
  });
}

std::vector<std::int64_t> WordSegments::ids() const {
  std::vector<std::int64_t> ids;
  for (const Level& level : levels) {
    for (const WordSegment& segment : level.segments) ids.push_back(segment.id);
  }
  return ids;
}

std::optional<WordSegments> parse_segments(std::string_view block) {
  if (block.size() < kCookieBytes) return std::nullopt;
  Numbers numbers(block.substr(kCookieBytes));
  const auto levels = numbers.next();
  const auto segments = numbers.next();
  const auto writes = numbers.next();
  if (!levels || !segments || !writes) return std::nullopt;
  WordSegments found;
  for (std::int64_t i = 0; i < *levels; ++i) {
    std::optional<WordSegments::Level> level = parse_level(numbers);
    if (!level) return std::nullopt;
    found.levels.push_back(*std::move(level));
  }
  if (std::ssize(found.ids()) != *segments) return std::nullopt;
  return found;
}

Result<WordSegments> read_segments(Connection& connection, const WordPart& part) {
  Statement row = use_part(connection, PartSql::kSegments, part);
  LADDER_TRY(const bool found, row.step());
  std::optional<WordSegments> segments = found ? parse_segments(row.bytes_at(0)) : std::nullopt;
  if (!segments) {
    return std::unexpected(sqlite_error(nullptr, SQLITE_CORRUPT_VTAB, format("reading the segments of {}", part.table())));
  }
  return *std::move(segments);
}

std::optional<std::string> without_empty_levels(std::string_view block, std::size_t levels) {
  const std::optional<WordSegments> segments = parse_segments(block);
  if (!segments || segments->levels.size() <= levels) return std::nullopt;
  // The first level stays: FTS5 puts new segments there. An empty one takes two bytes, both 0.
  std::size_t surplus = segments->levels.size() - levels;
  std::vector<bool> dropped(segments->levels.size());
  for (std::size_t i = segments->levels.size(); --i > 0 && surplus > 0;) {
    if (!segments->levels[i].segments.empty()) continue;
    dropped[i] = true;
    --surplus;
  }
  const auto kept = static_cast<std::uint64_t>(std::ranges::count(dropped, false));
  if (kept == dropped.size()) return std::nullopt;
  Numbers numbers(block.substr(kCookieBytes));
  std::string bytes(block.substr(0, kCookieBytes));
  const auto at = [&] { return block.size() - numbers.left(); };
  (void)numbers.next();
  append_number(bytes, kept);
  std::size_t from = at();
  (void)numbers.next();
  (void)numbers.next();
  bytes += block.substr(from, at() - from);
  for (const bool drop : dropped) {
    from = at();
    (void)parse_level(numbers);
    if (!drop) bytes += block.substr(from, at() - from);
  }
  bytes += block.substr(at());
  return bytes;
}

Status bound_levels(Connection& connection, const WordPart& part) {
  LADDER_TRY(const bool known, pages_are_known(connection, part));
  if (!known) return {};
  std::optional<std::string> fewer;
  {
    Statement row = use_part(connection, PartSql::kSegments, part);
    LADDER_TRY(const bool found, row.step());
    if (!found) return {};
    const std::optional<WordSegments> segments = parse_segments(row.bytes_at(0));
    if (segments && segments->levels.size() > kMaxLevels) fewer = without_empty_levels(row.bytes_at(0), kFewLevels);
  }
  return fewer ? use_part(connection, PartSql::kSetSegments, part).blob(1, *fewer).run() : Status{};
}

Status tend_part(Connection& connection, const WordPart& part, std::size_t bytes) {
  if (bytes == 0) return {};
  LADDER_TRY(const bool known, pages_are_known(connection, part));
  if (!known)
    return merge(connection, part, std::clamp(static_cast<std::int64_t>(bytes / kBytesPerMergedPage), kBite, kMaxMergedBeside));
  LADDER_TRY(const WordSegments segments, read_segments(connection, part));
  const WordSegments::Level* const level = segments.next_merge();
  if (!level) return {};
  if (bytes >= kBulkWrite && segments.ids().size() < kManySegments) return {};
  if (bytes >= kSmallWrite) {
    return merge(connection, part, std::min(static_cast<std::int64_t>(bytes / kBytesPerMergedPage), kMaxMergedBeside));
  }
  if (level->pages() <= kSmallLevel) return merge(connection, part, kSmallLevel);
  const bool for_the_sweep = level->pages() > kLargeLevel && segments.ids().size() < kManySegments;
  const bool its_turn = segments.levels.front().segments.size() % kBiteEvery == 0;
  return its_turn && !for_the_sweep ? merge(connection, part, kBite) : Status{};
}

Result<std::optional<WordUpkeep>> word_upkeep_due(Connection& connection) {
  {
    LADDER_TRY(const std::string retired, retired_table(connection));
    if (!retired.empty()) return WordUpkeep{{}, WordUpkeep::Task::kDropRetired};
  }
  {
    Statement row = connection.use(Sql::kPartToErase);
    LADDER_TRY(const bool found, row.step());
    if (found) {
      const bool look = row.bytes_at(1) == kLooking;
      return WordUpkeep{WordPart::of_id(row.integer_at(0)), look ? WordUpkeep::Task::kLook : WordUpkeep::Task::kErase};
    }
  }
  LADDER_TRY(const std::vector<WordPart> parts, word_parts(connection));
  for (const WordPart& part : parts) {
    LADDER_TRY(const bool known, pages_are_known(connection, part));
    if (!known) continue;  // writers alone merge it
    LADDER_TRY(const WordSegments segments, read_segments(connection, part));
    if (segments.next_merge()) return WordUpkeep{part, WordUpkeep::Task::kMerge};
  }
  return std::nullopt;
}

Status merge_some(Connection& connection, const WordPart& part) { return merge(connection, part, kPagesAtOnce); }

Status drop_some_retired(WriteTransaction& transaction) {
  LADDER_TRY(const std::string table, retired_table(*transaction));
  if (table.empty()) return {};  // somebody else has finished
  if (!fts5_pages_are_known()) return drop_word_table(*transaction, table);
  // The records of sums and of segments, which stay to the end, have the lowest ids.
  const std::string drop_pages =
      format("DELETE FROM {0}_data WHERE id IN (SELECT id FROM {0}_data WHERE id > 10 ORDER BY id LIMIT {1})", table,
             kRetiredPagesAtOnce);
  for (int round = 0; round < kRetiredRounds && !transaction.used_up(); ++round) {
    LADDER_CHECK(transaction->execute(drop_pages.c_str()));
    if (transaction->rows_changed() == 0) return drop_word_table(*transaction, table);
  }
  return {};
}

// A negative number of pages makes all segments one level and begins to merge it; further ones would begin again where others
// have written since, so it is given once, or where FTS5 would not go on: with more new segments than are being merged, but too
// few to merge those. Others may bring it to its end, by merging on, and give their segments the same names.
Status erase_some(Connection& connection, const WordPart& part) {
  LADDER_TRY(Erasure erasure, read_erasure(connection, part));
  if (!erasure.due) return {};  // somebody else has finished
  LADDER_TRY(const bool alive, is_alive(connection, part));
  if (!alive) return retire(connection, part);
  LADDER_TRY(const bool known, pages_are_known(connection, part));
  if (!known) {  // one long step, by FTS5 alone
    LADDER_CHECK(use_part(connection, PartSql::kOptimize, part).run());
    return begin_erasure(connection, part, {});
  }
  LADDER_TRY(const WordSegments before, read_segments(connection, part));
  const bool under_way = !erasure.segments.empty() && before.merges(erasure.segments);
  const auto look_next = [&] { return connection.use(Sql::kSetLooking).integer(1, part.id()).blob(2, kLooking).run(); };
  if (!erasure.segments.empty() && !under_way) return look_next();
  if (under_way && before.next_merge()) {
    LADDER_CHECK(merge(connection, part, kPagesAtOnce));
  } else {
    erasure.segments = before.ids();
    if (erasure.segments.size() < 2) return begin_erasure(connection, part, {});
    LADDER_CHECK(begin_erasure(connection, part, erasure.segments));
    LADDER_CHECK(merge(connection, part, -kPagesAtOnce));
  }
  LADDER_TRY(const WordSegments now, read_segments(connection, part));
  return now.merges(erasure.segments) ? Status{} : look_next();
}

Status confirm_erasure(Connection& connection, const WordPart& part, bool marks_left) {
  if (marks_left) LADDER_CHECK(connection.use(Sql::kSetDirty).integer(1, part.id()).run());
  return connection.use(Sql::kSetErased).integer(1, part.id()).run();
}

}  // namespace ladder::store::sqlite
