// Words that came lately wait in a list beside each GIN index, which every search reads. PostgreSQL merges a list that has grown
// to 1 MB (gin_pending_list_limit) within whichever transaction comes next, and its locks with it; so writers merge it
// themselves, after their transactions, and sweeping merges what is left. Only the owner of the index may; for others it waits.
#pragma once

#include "store/postgres/pool.h"

#include <atomic>
#include <cstdint>

namespace ladder::store::postgres {

class NewWords {
 public:
  // So many bytes of word vectors have been committed. Merging may fail without harm.
  void add(Pool& pool, std::size_t bytes);
  // Of passages: each takes whole pages of the list.
  void add_passages(Pool& pool, std::size_t bytes) { add(pool, 2 * bytes); }
  // Now, unless somebody else is at it.
  static Status merge(Connection& connection);

 private:
  std::atomic<std::int64_t> bytes_ = 0;  // since the last time
};

}  // namespace ladder::store::postgres
