#include "rs/window_hints.h"

#include "base/bytes.h"

namespace ladder::rs {

std::string WindowHints::key(store::GrantNo grant, store::StreamNo stream, std::string_view record_key,
                             std::string_view field_path) {
  std::string bytes;
  bytes.reserve(3 * sizeof(std::uint64_t) + record_key.size() + field_path.size());
  put_u64_be(bytes, static_cast<std::uint64_t>(grant));
  put_u64_be(bytes, static_cast<std::uint64_t>(stream));
  put_u64_be(bytes, record_key.size());
  bytes += record_key;
  bytes += field_path;
  return bytes;
}

std::optional<store::LongRef> WindowHints::find(const std::string& key) const {
  const MutexLock lock(mutex_);
  const auto found = known_.find(key);
  if (found == known_.end()) return std::nullopt;
  return found->second;
}

void WindowHints::keep(const std::string& key, const store::LongRef& ref) {
  const MutexLock lock(mutex_);
  if (known_.size() >= kMost && !known_.contains(key)) known_.clear();
  known_[key] = ref;
}

}  // namespace ladder::rs
