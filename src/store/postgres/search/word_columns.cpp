#include "store/postgres/search/word_columns.h"

#include "base/text/format.h"
#include "store/catalog/word_columns.h"

#include <string>

namespace ladder::store::postgres {
StreamWords read_stream_words(OwnerNo owner, std::int64_t generation, const Rows& columns) {
  StreamWords words;
  words.owner = owner;
  words.epoch = generation;
  for (int row = 0; row < columns.size(); ++row) {
    words.add(static_cast<int>(columns.int8(row, 0)), columns.text(row, 1),
              static_cast<ColumnState>(columns.int8(row, 2)) == ColumnState::kDropping);
  }
  return words;
}

Status check_words_version(std::string_view version) {
  if (version == std::to_string(text::kWordsVersion)) return {};
  return fail(Code::kStoreUnavailable,
              format("the word index of the store was built by another version of Ladder (version {}, this one builds {}): run "
                     "`ladder init`, which rebuilds it; reads still work",
                     version.empty() ? "0" : version, text::kWordsVersion));
}

}  // namespace ladder::store::postgres
