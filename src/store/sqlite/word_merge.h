// Keeping the word index in few segments. Every commit adds one; FTS5 would merge them inside whichever commit finds many, for
// seconds in a large store, so that is switched off, and they are merged a few pages at a time: by those who write, in proportion
// to what they write, and by the sweep. The sweep also merges everything once words were taken out, since until then they lie in
// the file.
#pragma once

#include "store/sqlite/connection.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ladder::store::sqlite {

struct WordSegments {
  struct Level {
    std::int64_t merging = 0;  // how many of its segments, the oldest, are being merged
    std::vector<std::int64_t> segments;
  };
  std::vector<Level> levels;

  bool merge_due() const;
  bool has_any_of(const std::vector<std::int64_t>& segments) const;
  std::vector<std::int64_t> all() const;
};

// FTS5's own record of them; nothing when it is of another form.
std::optional<WordSegments> parse_segments(std::string_view block);
Result<WordSegments> read_segments(Connection& connection);

// Inside a transaction that wrote so many bytes of words: as much merging as keeps up with that.
Status tend_words(Connection& connection, std::size_t bytes);
// Some milliseconds of merging.
Status merge_some(Connection& connection);

// Taking out for good what was taken out.
Result<bool> erasure_due(Connection& connection);
Status erase_some(Connection& connection);  // some milliseconds

}  // namespace ladder::store::sqlite
