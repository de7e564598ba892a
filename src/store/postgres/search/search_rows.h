// The rows that a search reads from PostgreSQL, with one round trip for each query. All run in one transaction, whose
// snapshot starts with its first statement.
#pragma once

#include "store/postgres/engine/block_cache.h"
#include "store/postgres/engine/pool.h"
#include "store/postgres/engine/stream_cache.h"
#include "store/postgres/search/posting_rows.h"
#include "store/rows/word_search.h"
#include "store/search/search_rows.h"

#include <unordered_map>
#include <vector>

namespace ladder::store::postgres {

Result<WordPage> search_words(Pool& pool, OwnerNo owner, StreamCache& known, BlockCache& blocks, const WordSearch& search);

// Reads the blocks of the segments of one snapshot through the process-wide cache.
class PostingReader final : public PostingSource {
 public:
  // `segments`: rows of kSegmentsSql.
  PostingReader(Connection& connection, BlockCache& cache, OwnerNo owner, const Rows& segments);

  Result<std::vector<PostingSegment>> segments() override { return segments_; }
  Result<std::vector<BlockPtr>> blocks_at(std::span<const BlockPosition> places) override;
  Result<std::vector<BlockPtr>> blocks_after(const BlockPosition& place, std::int64_t limit) override;

 private:
  Result<std::vector<BlockPtr>> read_blocks(const Statement& statement, const BlockPosition& place, std::int64_t limit);
  Result<std::vector<BlockPtr>> read_many(std::span<const BlockPosition> places);

  Connection& connection_;
  BlockCache& cache_;
  const OwnerNo owner_;
  std::vector<PostingSegment> segments_;
  std::unordered_map<SegmentNo, SegmentVersion> versions_;
};

class PostgresSearchRows final : public SearchRows {
 public:
  PostgresSearchRows(Connection& connection, PostingSource& postings, const std::vector<StreamStats>& stats)
      : connection_(connection), postings_(postings), stats_(stats) {}

  PostingSource& postings() override { return postings_; }
  Result<std::vector<ScopeBlock>> blocks(std::span<const WordScope> scopes, NumberKind kind) override;
  Result<std::int64_t> records_of(std::span<const StreamNo> streams) override;
  Result<std::vector<RecordNo>> numbers_in(const WordScope& scope, std::int64_t limit) override;
  Result<std::vector<RecordNo>> numbers_of_keys(const WordScope& scope) override;
  Result<SharedTexts> shared_texts() override;
  Result<std::vector<std::pair<RecordNo, TextNo>>> texts_of(std::span<const RecordNo> records) override;
  Result<std::vector<RecordNo>> records_of_texts(std::span<const TextNo> texts) override;
  Result<std::vector<std::optional<Instant>>> times(std::span<const RecordNo> records) override;
  Result<std::vector<std::optional<RecordSortKey>>> sort_keys(std::span<const RecordNo> records) override;
  Result<std::vector<std::optional<FoundRecord>>> records(std::span<const RecordNo> records) override;
  Result<std::vector<std::optional<WordPassage>>> passages(std::span<const WordRowId> rows) override;
  Status each_newest(const WordScope& scope, std::int64_t limit, const UseNumber& use) override;

 private:
  Connection& connection_;
  PostingSource& postings_;
  const std::vector<StreamStats>& stats_;                       // sorted by number
  std::unordered_map<RecordNo, std::optional<Instant>> times_;  // of the records that each_newest() has read
};

}  // namespace ladder::store::postgres
