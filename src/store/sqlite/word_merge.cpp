#include "store/sqlite/word_merge.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace ladder::store::sqlite {
namespace {

constexpr std::size_t kMergeFrom = 4;  // segments of a level; FTS5's own setting, "usermerge", is the same
constexpr std::int64_t kPagesAtOnce = 64;
constexpr std::size_t kCookieBytes = 4;

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

 private:
  std::string_view bytes_;
};

std::optional<WordSegments::Level> parse_level(Numbers& numbers) {
  const auto merging = numbers.next();
  const auto count = numbers.next();
  if (!merging || !count || *merging > *count) return std::nullopt;
  WordSegments::Level level{*merging, {}};
  for (std::int64_t i = 0; i < *count; ++i) {
    const auto id = numbers.next();
    const auto first_page = numbers.next();
    const auto last_page = numbers.next();
    if (!id || !first_page || !last_page) return std::nullopt;
    level.segments.push_back(*id);
  }
  return level;
}

Status merge(Connection& connection, std::int64_t pages) { return connection.use(Sql::kMergeWords).integer(1, pages).run(); }

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

Result<std::string> read_meta(Connection& connection, std::string_view key) {
  Statement row = connection.use(Sql::kMeta);
  LADDER_TRY(const bool found, row.text(1, key).step());
  return found ? row.string_at(0) : std::string();
}

// The segments that hold what is being erased; none: nothing is.
Result<std::vector<std::int64_t>> erasing(Connection& connection) {
  LADDER_TRY(const std::string text, read_meta(connection, "words_erasing"));
  return split(text);
}

Status set_erasing(Connection& connection, const std::vector<std::int64_t>& segments) {
  const std::string text = joined(segments);
  return connection.use(Sql::kSetWordsErasing).blob(1, text).run();
}

}  // namespace

bool WordSegments::merge_due() const {
  return std::ranges::any_of(levels, [](const Level& level) { return level.merging > 0 || level.segments.size() >= kMergeFrom; });
}

bool WordSegments::has_any_of(const std::vector<std::int64_t>& segments) const {
  const std::vector<std::int64_t> mine = all();
  return std::ranges::any_of(segments, [&](std::int64_t id) { return std::ranges::find(mine, id) != mine.end(); });
}

std::vector<std::int64_t> WordSegments::all() const {
  std::vector<std::int64_t> ids;
  for (const Level& level : levels) ids.insert(ids.end(), level.segments.begin(), level.segments.end());
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
  if (std::ssize(found.all()) != *segments) return std::nullopt;
  return found;
}

Result<WordSegments> read_segments(Connection& connection) {
  Statement row = connection.use(Sql::kWordSegments);
  LADDER_TRY(const bool found, row.step());
  std::optional<WordSegments> segments = found ? parse_segments(row.bytes_at(0)) : std::nullopt;
  if (!segments) return fail(Code::kInternal, "the word index has segments of a form that this Ladder does not know");
  return *std::move(segments);
}

Status tend_words(Connection& connection, std::size_t bytes) {
  if (bytes == 0) return {};
  LADDER_TRY(const WordSegments segments, read_segments(connection));
  if (!segments.merge_due()) return {};
  return merge(connection, std::clamp<std::int64_t>(static_cast<std::int64_t>(bytes / 2048), 8, kPagesAtOnce));
}

Status merge_some(Connection& connection) { return merge(connection, kPagesAtOnce); }

Result<bool> erasure_due(Connection& connection) {
  LADDER_TRY(const std::vector<std::int64_t> segments, erasing(connection));
  if (!segments.empty()) return true;
  LADDER_TRY(const std::string dirty, read_meta(connection, "words_dirty"));
  return dirty == "1";
}

// A negative number of pages makes all segments one level and begins to merge it; further ones go on, and would begin again where
// others have written since. So they are given once. It has come to its end when none of the segments is left.
Status erase_some(Connection& connection) {
  LADDER_TRY(const std::vector<std::int64_t> begun, erasing(connection));
  if (begun.empty()) {
    LADDER_TRY(const WordSegments segments, read_segments(connection));
    LADDER_CHECK(connection.use(Sql::kWordsClean).run());
    if (segments.all().size() < 2) return {};
    LADDER_CHECK(set_erasing(connection, segments.all()));
    LADDER_CHECK(merge(connection, -kPagesAtOnce));
  } else {
    LADDER_CHECK(merge(connection, kPagesAtOnce));
  }
  LADDER_TRY(const WordSegments now, read_segments(connection));
  LADDER_TRY(const std::vector<std::int64_t> left, erasing(connection));
  return now.has_any_of(left) ? Status{} : set_erasing(connection, {});
}

}  // namespace ladder::store::sqlite
