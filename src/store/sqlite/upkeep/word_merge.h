// Keeping a part of the word index in few segments. Every commit adds one; FTS5 would merge them inside whichever commit finds
// many, for seconds in a large table, so that is switched off, and they are merged a few pages at a time: by those who write, in
// proportion to what they write (in bulk only once there are many), and by the sweep. Once words were taken out the sweep
// rewrites all of the part, since until then they lie in the file; a part of which nothing is left it drops.
//
// FTS5 3.40 adds two levels with every such rewrite, never takes an empty one away, and refuses a table with more than 2,000. So
// after every merge the empty levels of a part that has many are taken out of FTS5's structure record (bound_levels).
#pragma once

#include "store/sqlite/engine/writer.h"
#include "store/sqlite/search/word_parts.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store::sqlite {

struct WordSegment {
  std::int64_t id = 0;
  std::int64_t pages = 0;
  std::int64_t first_page = 1;
};

struct WordSegments {
  struct Level {
    std::size_t merging = 0;  // how many of its segments, the oldest, are being merged
    std::vector<WordSegment> segments;
    std::int64_t pages() const;
  };
  std::vector<Level> levels;

  const Level* next_merge() const;                          // the level that FTS5 would merge; null: none
  bool merges(const std::vector<std::int64_t>& ids) const;  // just these together, and has not finished
  std::vector<std::int64_t> ids() const;
};

// FTS5's own record of them; nothing when it is of another form.
std::optional<WordSegments> parse_segments(std::string_view block);
Result<WordSegments> read_segments(Connection& connection, const WordPart& part);

inline constexpr std::size_t kMaxLevels = 32;         // of a part after a merge
inline constexpr std::size_t kFts5MostLevels = 2000;  // FTS5's own limit, for levels and for segments: beyond it, it refuses

// The same record without empty levels, the oldest first, until it has no more than `levels`; every other byte stays. Levels only
// tell FTS5 which segments are newer and which of them to merge, so an empty one means nothing. Nothing when there is nothing to
// do, or the record is of another form.
std::optional<std::string> without_empty_levels(std::string_view block, std::size_t levels);
// The same in the file, of a part with more than kMaxLevels. FTS5 keeps its structure in memory as long as only its own
// connection writes; it forgets it with every merge, so this comes right behind one, or is the first use of the connection.
Status bound_levels(Connection& connection, const WordPart& part);

// Inside a transaction that wrote so many bytes of words: as much merging as keeps up with that.
Status tend_part(Connection& connection, const WordPart& part, std::size_t bytes);

// The next task of the sweep.
struct WordUpkeep {
  enum class Task : std::uint8_t { kMerge, kErase, kLook, kDropRetired };
  WordPart part;
  Task task = Task::kMerge;
};
Result<std::optional<WordUpkeep>> word_upkeep_due(Connection& connection);
// Some milliseconds of each. erase_some retires a part of which no row lives; drop_some_retired takes a retired one out of the
// file.
Status merge_some(Connection& connection, const WordPart& part);
Status erase_some(Connection& connection, const WordPart& part);
// Ends an erasure after a look at the pages of the part: with marks of removed words left it begins again.
Status confirm_erasure(Connection& connection, const WordPart& part, bool marks_left);
Status drop_some_retired(WriteTransaction& transaction);

}  // namespace ladder::store::sqlite
