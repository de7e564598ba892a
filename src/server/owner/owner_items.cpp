#include "server/owner/owner_items.h"

#include "base/text/format.h"
#include "store/auth_store.h"

namespace ladder::server {
namespace {

constexpr int kAttempts = 5;  // of a write that another process overtakes

std::string_view word_of(ItemKind kind) {
  switch (kind) {
    case ItemKind::kTask:
      return "home_task";
    case ItemKind::kSavedSearch:
      return "saved_search";
    case ItemKind::kArrangement:
      return "arrangement";
    case ItemKind::kAsk:
      break;
  }
  return "ask";
}

std::string full_key(const Access& owner, std::string_view key) { return format("{}\n{}", owner.owner(), key); }

std::string purpose_of(const Access& owner, ItemKind kind, std::string_view key) {
  return format("{}\n{}", word_of(kind), full_key(owner, key));
}

bool has_expired(const store::AuthItem& item, Instant now) { return item.expires_at && *item.expires_at <= now; }

OwnerItem item_of(const store::AuthItem& item) {
  return {item.key.substr(item.key.find('\n') + 1), item.body, item.created_at, item.expires_at};
}

}  // namespace

Result<std::vector<OwnerItem>> OwnerItems::list(const Access& owner, ItemKind kind) {
  LADDER_CHECK(shared_.accesses.require_owner(owner));
  LADDER_TRY(const auto items, shared_.store.auth().list(word_of(kind), owner.owner()));
  std::vector<OwnerItem> all;
  for (const store::AuthItem& item : items) {
    if (!has_expired(item, shared_.clock.now())) all.push_back(item_of(item));
  }
  return all;
}

Result<std::optional<OwnerItem>> OwnerItems::find(const Access& owner, ItemKind kind, std::string_view key) {
  LADDER_CHECK(shared_.accesses.require_owner(owner));
  LADDER_TRY(const auto item, shared_.store.auth().find(word_of(kind), full_key(owner, key)));
  if (!item || has_expired(*item, shared_.clock.now())) return std::nullopt;
  return item_of(*item);
}

Status OwnerItems::put(const Access& owner, ItemKind kind, OwnerItem item) {
  LADDER_CHECK(shared_.accesses.require_owner(owner));
  if (item.key.empty() || item.key.size() > kMaxKeyBytes || item.body.size() > kMaxBodyBytes) {
    return fail(Code::kInvalidRequest,
                format("a saved item has a key of up to {} bytes and up to {} bytes of content", kMaxKeyBytes, kMaxBodyBytes));
  }
  store::AuthStore& items = shared_.store.auth();
  const std::string key = full_key(owner, item.key);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    LADDER_TRY(const auto known, items.find(word_of(kind), key));
    if (!known) {
      LADDER_TRY(const auto all, items.list(word_of(kind), owner.owner()));
      if (all.size() >= kMaxPerKind) {
        return fail(Code::kResourceLimit,
                    format("there are {} saved items of this kind, which is the limit; delete one first", kMaxPerKind));
      }
    }
    store::AuthChange change;
    change.puts.push_back({std::string(word_of(kind)), key, owner.owner(), item.body, shared_.clock.now(), item.expires_at,
                           known ? known->version : 0});
    LADDER_TRY(const bool done, items.apply(change));
    if (done) return {};
  }
  return fail(Code::kConflict, "another process changed the same item; try again");
}

Status OwnerItems::remove(const Access& owner, ItemKind kind, std::string_view key) {
  LADDER_CHECK(shared_.accesses.require_owner(owner));
  store::AuthChange change;
  change.removes.emplace_back(word_of(kind), full_key(owner, key));
  LADDER_CHECK(shared_.store.auth().apply(change));
  return {};
}

Status OwnerItems::put_secret(const Access& owner, ItemKind kind, std::string_view key, std::string_view secret) {
  return put(owner, kind, {std::string(key), shared_.sealer.seal_fresh(purpose_of(owner, kind, key), secret)});
}

Result<std::optional<std::string>> OwnerItems::secret(const Access& owner, ItemKind kind, std::string_view key) {
  LADDER_TRY(const auto item, find(owner, kind, key));
  if (!item) return std::nullopt;
  auto opened = shared_.sealer.open(purpose_of(owner, kind, key), item->body);
  if (opened) return *std::move(opened);
  return fail(Code::kNotSetUp, "a saved secret can't be decrypted with the keys of this store; set it again");
}

}  // namespace ladder::server
