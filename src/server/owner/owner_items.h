// Small texts that the owner keeps: dismissed tasks, saved searches, how the sources are arranged, the key of Ask. A body is
// opaque here. Every operation returns kPermission for a client's access. Thread-safe.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "server/shared/shared_state.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

enum class ItemKind : std::uint8_t { kTask, kSavedSearch, kArrangement, kAsk };

struct OwnerItem {
  std::string key;  // unique within its kind
  std::string body;
  Instant created_at = 0;  // set by put()
  std::optional<Instant> expires_at = {};
};

class OwnerItems {
 public:
  static constexpr std::size_t kMaxPerKind = 500;  // a page lists all items of a kind
  static constexpr std::size_t kMaxKeyBytes = 512;
  static constexpr std::size_t kMaxBodyBytes = 8 * limits::kKiB;

  explicit OwnerItems(SharedState& shared) : shared_(shared) {}

  Result<std::vector<OwnerItem>> list(const Access& owner, ItemKind kind);  // oldest first, without expired ones
  Result<std::optional<OwnerItem>> find(const Access& owner, ItemKind kind, std::string_view key);
  // Adds or replaces an item. kInvalidRequest for an oversized one, kResourceLimit if there are too many.
  Status put(const Access& owner, ItemKind kind, OwnerItem item);
  Status remove(const Access& owner, ItemKind kind, std::string_view key);  // succeeds if it is missing

  // The same for one secret, which is encrypted with the store's key. kNotSetUp if that key has changed.
  Status put_secret(const Access& owner, ItemKind kind, std::string_view key, std::string_view secret);
  Result<std::optional<std::string>> secret(const Access& owner, ItemKind kind, std::string_view key);

 private:
  SharedState& shared_;
};

}  // namespace ladder::server
