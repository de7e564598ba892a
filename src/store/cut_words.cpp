#include "store/cut_words.h"

#include <utility>

namespace ladder::store {

Result<std::vector<ShortPassage>> short_passages(std::span<const SearchedText> texts) {
  std::vector<ShortPassage> found;
  for (const SearchedText& text : texts) {
    if (text.ref) continue;
    LADDER_TRY(std::vector<Passage> passages, cut_passages(text.text));
    for (Passage& passage : passages) found.push_back({text.column, std::move(passage)});
  }
  return found;
}

}  // namespace ladder::store
