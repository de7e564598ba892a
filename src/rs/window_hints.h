// Where the long text of a field was found last. A store behind a round trip is told before it is asked for the record, and sends
// the window's chunks along; what the record then says decides, so a hint that is wrong costs a few chunks and nothing else. Kept
// by grant, so that nobody's reads make anybody else's quicker. Bounded; safe from any thread.
#pragma once

#include "base/mutex.h"
#include "store/long_value.h"
#include "store/rows.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ladder::rs {

class WindowHints {
 public:
  static constexpr std::size_t kMost = 4096;  // fields that are being read at a time; past it all are forgotten and found anew

  // One field of one record under one grant (0: the owner's).
  static std::string key(store::GrantNo grant, store::StreamNo stream, std::string_view record_key, std::string_view field_path);

  std::optional<store::LongRef> find(const std::string& key) const;
  void keep(const std::string& key, const store::LongRef& ref);

 private:
  mutable Mutex mutex_;
  std::unordered_map<std::string, store::LongRef> known_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::rs
