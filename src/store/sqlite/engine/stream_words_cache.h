// Caches the searched fields of each stream as of the last write, so that the next write can be prepared outside a transaction.
#pragma once

#include "base/mutex.h"
#include "store/search/row_words.h"

#include <map>
#include <memory>

namespace ladder::store::sqlite {

class StreamWordsCache {
 public:
  void keep(StreamNo stream, const StreamWords& words) {
    const MutexLock lock(mutex_);
    std::shared_ptr<const StreamWords>& kept = streams_[stream];
    if (!kept || kept->epoch != words.epoch) kept = std::make_shared<const StreamWords>(words);
  }
  // Null before the first write.
  std::shared_ptr<const StreamWords> of(StreamNo stream) {
    const MutexLock lock(mutex_);
    const auto found = streams_.find(stream);
    return found == streams_.end() ? nullptr : found->second;
  }

 private:
  Mutex mutex_;
  std::map<StreamNo, std::shared_ptr<const StreamWords>> streams_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::store::sqlite
