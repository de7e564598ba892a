// The rows that a search reads from SQLite, with one prepared statement for each kind.
#pragma once

#include "store/search/search_ranges.h"
#include "store/search/search_rows.h"
#include "store/sqlite/engine/connection.h"
#include "store/sqlite/search/posting_rows.h"

#include <optional>
#include <span>

namespace ladder::store::sqlite {

// Returns the cached ranges if the last search had the same scopes at the same version. Without a version nothing is cached.
Result<CachedRanges> search_ranges(Connection& connection, std::span<const WordScope> scopes,
                                   std::optional<std::int64_t> data_version);

class SqliteSearchRows final : public SearchRows {
 public:
  explicit SqliteSearchRows(Connection& connection) : connection_(connection), postings_(connection, connection.owner()) {}

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
  PostingRows postings_;
};

}  // namespace ladder::store::sqlite
