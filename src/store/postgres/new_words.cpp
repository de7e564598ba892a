#include "store/postgres/new_words.h"

namespace ladder::store::postgres {
namespace {

constexpr std::int64_t kMergedBytes = 384 * 1024;  // about twice as much in the list

// Any fixed number; programs that merge the same lists meet here.
constexpr Statement kMerge{R"(
  SELECT count(gin_clean_pending_list(c.oid)) FROM pg_catalog.pg_class c
  WHERE c.oid IN ('ladder.words_gin'::regclass, 'ladder.passages_gin'::regclass) AND pg_has_role(c.relowner, 'USAGE')
    AND pg_try_advisory_xact_lock(7663002))"};

}  // namespace

void NewWords::add(Pool& pool, std::size_t bytes) {
  const std::int64_t before = bytes_.fetch_add(static_cast<std::int64_t>(bytes));
  if (before + static_cast<std::int64_t>(bytes) < kMergedBytes) return;
  bytes_ = 0;
  (void)pool.run(merge);
}

Status NewWords::merge(Connection& connection) {
  LADDER_TRY(const Rows merged, connection.run_one(kMerge));
  return {};
}

}  // namespace ladder::store::postgres
