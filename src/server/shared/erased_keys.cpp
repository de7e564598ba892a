#include "server/shared/erased_keys.h"

#include "base/text/format.h"
#include "crypto/hash.h"
#include "store/auth_store.h"

namespace ladder::server {
namespace {

constexpr std::string_view kKind = "erased";
constexpr std::size_t kDigestBytes = 16;
constexpr int kTries = 100;  // each one fails only if another process has added a key in the meantime

// Names and ids contain no line breaks.
std::string item_prefix(store::OwnerNo owner, std::string_view connection_id) { return format("{}\n{}\n", owner, connection_id); }

std::string item_key(store::OwnerNo owner, std::string_view connection_id, std::string_view stream) {
  return item_prefix(owner, connection_id) + std::string(stream);
}

std::string digest_of(std::string_view key) {
  const crypto::Digest digest = crypto::sha256(key);
  return std::string(crypto::view(digest).substr(0, kDigestBytes));
}

}  // namespace

Result<bool> ErasedKeys::refresh(store::Store& store, store::OwnerNo owner, std::string_view connection_id,
                                 std::string_view stream) {
  LADDER_TRY(const auto item, store.auth().find(kKind, item_key(owner, connection_id, stream)));
  const std::int64_t version = item ? item->version : 0;
  if (version == version_) return false;
  version_ = version;
  digests_.clear();
  for (std::string_view rest = item ? std::string_view(item->body) : std::string_view(); rest.size() >= kDigestBytes; rest.remove_prefix(kDigestBytes))
    digests_.emplace(rest.substr(0, kDigestBytes));
  return true;
}

bool ErasedKeys::contains(std::string_view key) const { return !digests_.empty() && digests_.contains(digest_of(key)); }

Status remember_erased(store::Store& store, Instant now, store::OwnerNo owner, std::string_view connection_id,
                       std::string_view stream, std::string_view key) {
  const std::string name = item_key(owner, connection_id, stream), digest = digest_of(key);
  for (int tries = 0; tries < kTries; ++tries) {
    LADDER_TRY(auto item, store.auth().find(kKind, name));
    if (!item) item = store::AuthItem{std::string(kKind), name, owner, {}, now, {}, 0};
    for (std::size_t at = 0; at + kDigestBytes <= item->body.size(); at += kDigestBytes) {
      if (std::string_view(item->body).substr(at, kDigestBytes) == digest) return {};
    }
    item->body += digest;
    LADDER_TRY(const bool changed, store.auth().apply({.puts = {*std::move(item)}}));
    if (changed) return {};
  }
  return fail(Code::kStoreUnavailable, "other programs are erasing records at the same time; try again");
}

Status forget_erased(store::Store& store, store::OwnerNo owner, std::string_view connection_id) {
  LADDER_TRY(const auto items, store.auth().list(kKind, owner));
  store::AuthChange change;
  for (const store::AuthItem& item : items) {
    if (item.key.starts_with(item_prefix(owner, connection_id))) change.removes.emplace_back(item.kind, item.key);
  }
  if (change.removes.empty()) return {};
  LADDER_CHECK(store.auth().apply(change));
  return {};
}

}  // namespace ladder::server
