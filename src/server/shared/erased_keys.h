// The records that the owner erased one by one, so that imports and syncs do not bring them back. The store keeps digests of
// their keys, in one item per connection and stream.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "store/store.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

namespace ladder::server {

class ErasedKeys {
 public:
  // Reads the keys of a stream. Returns whether they have changed since the last call for it.
  Result<bool> refresh(store::Store& store, store::OwnerNo owner, std::string_view connection_id, std::string_view stream);
  bool empty() const { return digests_.empty(); }
  bool contains(std::string_view key) const;

 private:
  std::unordered_set<std::string> digests_;
  std::int64_t version_ = 0;  // of the item in the store; 0: none
};

// Adds a key. Any process may add others at the same time.
Status remember_erased(store::Store& store, Instant now, store::OwnerNo owner, std::string_view connection_id,
                       std::string_view stream, std::string_view key);

// Moves the marks of a stream to another connection. A mark is dropped if that connection has a record of the key: the owner
// erased one copy of it and kept the other. Repeating the call changes nothing.
struct ErasedTarget {
  std::string connection_id, stream;
  store::StreamNo no = 0;
};
Status move_erased(store::Store& store, Instant now, store::OwnerNo owner, std::string_view from, const ErasedTarget& into);

// Forgets all keys of a connection, because it was erased itself and may be imported again.
Status forget_erased(store::Store& store, store::OwnerNo owner, std::string_view connection_id);

}  // namespace ladder::server
