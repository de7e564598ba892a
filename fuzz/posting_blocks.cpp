// A block of the word index, possibly damaged on disk: the reader stays within its bytes, rows ascend, and a valid
// block is unchanged by a rewrite and by removing absent rows. Removing all rows leaves an empty block.
#include "store/postings/posting_block.h"

#include "frame.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace ladder::fuzz {
namespace {

struct Read {
  std::vector<std::pair<std::string, store::WordRowId>> pairs;
  bool damaged = false;
};

Read read(std::string_view block) {
  Read found;
  store::ListReader lists(block);
  while (lists.next()) {
    store::PostingReader postings(lists.postings());
    for (store::WordRowId before = -1; postings.next(); before = postings.row()) {
      FUZZ_CHECK(postings.row() > before);
      FUZZ_CHECK(!postings.positions().empty());
      store::each_packed_position(postings.positions(), [&](int column, std::int32_t) {
        FUZZ_CHECK(column >= 0 && column < 32);
        return true;
      });
      found.pairs.emplace_back(std::string(lists.word()), postings.row());
    }
    found.damaged |= postings.damaged();
  }
  found.damaged |= lists.damaged();
  return found;
}

}  // namespace

void run(std::string_view input) {
  const store::PostingBlock block{store::block_key("a"), std::string(input)};
  const Read found = read(block.bytes);
  const std::vector<store::RowRange> everything = {{0, std::numeric_limits<store::WordRowId>::max()}};
  const auto emptied = store::remove_rows(block, everything);
  FUZZ_CHECK(found.damaged || (emptied && !emptied->left));
  const auto unchanged = store::remove_rows(block, {});
  FUZZ_CHECK(unchanged.has_value() || found.damaged);
  if (!unchanged || !unchanged->left) return;
  FUZZ_CHECK(read(unchanged->left->bytes).pairs == found.pairs);
}

}  // namespace ladder::fuzz
