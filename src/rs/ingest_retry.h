// Trying again when the store says kStoreUnavailable. A write that failed has changed nothing, and one whose answer was lost is
// the same again by its digest, so every try is safe.
#pragma once

#include "rs/ingest.h"
#include "store/store.h"

#include <chrono>
#include <string_view>

namespace ladder::rs {

class Patience {
 public:
  // PostgreSQL may restart or fail over: it gets as long as the observer is patient. SQLite has waited for its turn already, and
  // a full or read-only disk does not mend itself: it gets three tries.
  Patience(const store::Store& store, IngestObserver& observer) : observer_(observer), server_(store.engine() == "postgres") {}

  bool again(const Error& error);  // sleeps before it says yes

 private:
  IngestObserver& observer_;
  bool server_;
  int tries_ = 0;
  std::chrono::steady_clock::time_point began_{};
  std::chrono::milliseconds pause_{50};
};

template <class Attempt>
auto patiently(const store::Store& store, IngestObserver& observer, Attempt attempt) -> decltype(attempt()) {
  Patience patience(store, observer);
  for (;;) {
    auto result = attempt();
    if (result || !patience.again(result.error())) return result;
  }
}

}  // namespace ladder::rs
