#include "store/sqlite/word_ranges.h"

#include <algorithm>

namespace ladder::store::sqlite {

Result<std::vector<ScopeBlock>> scope_blocks(Connection& connection, std::span<const WordScope> scopes, NumberKind kind) {
  std::vector<ScopeBlock> blocks;
  Statement rows = connection.use(Sql::kBlocksOfStream);
  for (std::size_t scope = 0; scope < scopes.size(); ++scope) {
    rows.reset();
    rows.integer(1, scopes[scope].stream).integer(2, static_cast<std::int64_t>(kind));
    for (;;) {
      LADDER_TRY(const bool row, rows.step());
      if (!row) break;
      const std::int64_t first = rows.integer_at(0);
      blocks.push_back({first, first + rows.integer_at(1), static_cast<std::uint32_t>(scope)});
    }
  }
  std::ranges::sort(blocks, {}, &ScopeBlock::first);
  return blocks;
}

std::vector<RowRange> row_ranges(std::span<const ScopeBlock> blocks, std::size_t most) {
  if (blocks.empty()) return {};
  std::vector<std::int64_t> gaps;  // before each block but the first
  for (std::size_t i = 1; i < blocks.size(); ++i) gaps.push_back(blocks[i].first - blocks[i - 1].end);
  // A gap is left out when it is one of the widest; none that is empty.
  std::int64_t widest = 1;
  if (gaps.size() >= most) {
    std::vector<std::int64_t> sorted = gaps;
    std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(most - 1), std::greater<>{});
    widest = std::max<std::int64_t>(sorted[most - 1] + 1, 1);
  }
  std::vector<RowRange> ranges = {{first_row(blocks[0].first), last_row(blocks[0].end - 1)}};
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    if (gaps[i - 1] >= widest) {
      ranges.push_back({first_row(blocks[i].first), 0});
    }
    ranges.back().last = last_row(blocks[i].end - 1);
  }
  return ranges;
}

const ScopeBlock* BlockFinder::find(std::int64_t number) {
  if (blocks_.empty()) return nullptr;
  const ScopeBlock& last = blocks_[at_];
  if (number < last.first || number >= last.end) {
    const auto after = std::ranges::upper_bound(blocks_, number, {}, &ScopeBlock::first);
    if (after == blocks_.begin()) return nullptr;
    at_ = static_cast<std::size_t>(after - blocks_.begin()) - 1;
  }
  return number < blocks_[at_].end ? &blocks_[at_] : nullptr;
}

}  // namespace ladder::store::sqlite
