#include "server/shared/erased_keys.h"

#include "base/text/format.h"
#include "crypto/hash.h"
#include "store/auth_store.h"

#include <algorithm>
#include <set>
#include <vector>

namespace ladder::server {
namespace {

constexpr std::string_view kKind = "erased";
constexpr std::size_t kDigestBytes = 16;
constexpr std::int64_t kRowsAtOnce = 512;
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

std::vector<std::string_view> digests_in(std::string_view body) {
  std::vector<std::string_view> digests;
  for (; body.size() >= kDigestBytes; body.remove_prefix(kDigestBytes)) digests.push_back(body.substr(0, kDigestBytes));
  return digests;
}

Status add_digests(store::Store& store, Instant now, store::OwnerNo owner, const std::string& name,
                   const std::set<std::string>& digests) {
  for (int tries = 0; tries < kTries; ++tries) {
    LADDER_TRY(auto item, store.auth().find(kKind, name));
    if (!item) item = store::AuthItem{std::string(kKind), name, owner, {}, now, {}, 0};
    std::string added;
    const std::vector<std::string_view> known = digests_in(item->body);
    for (const std::string& digest : digests) {
      if (std::ranges::find(known, digest) == known.end()) added += digest;
    }
    if (added.empty()) return {};
    item->body += added;
    LADDER_TRY(const bool changed, store.auth().apply({.puts = {*std::move(item)}}));
    if (changed) return {};
  }
  return fail(Code::kStoreUnavailable, "other programs are erasing records at the same time; try again");
}

}  // namespace

Result<bool> ErasedKeys::refresh(store::Store& store, store::OwnerNo owner, std::string_view connection_id,
                                 std::string_view stream) {
  LADDER_TRY(const auto item, store.auth().find(kKind, item_key(owner, connection_id, stream)));
  const std::int64_t version = item ? item->version : 0;
  if (version == version_) return false;
  version_ = version;
  digests_.clear();
  for (const std::string_view digest : digests_in(item ? item->body : std::string_view())) digests_.emplace(digest);
  return true;
}

bool ErasedKeys::contains(std::string_view key) const { return !digests_.empty() && digests_.contains(digest_of(key)); }

Status remember_erased(store::Store& store, Instant now, store::OwnerNo owner, std::string_view connection_id,
                       std::string_view stream, std::string_view key) {
  return add_digests(store, now, owner, item_key(owner, connection_id, stream), {digest_of(key)});
}

Status move_erased(store::Store& store, Instant now, store::OwnerNo owner, std::string_view from, const ErasedTarget& into) {
  LADDER_TRY(const auto item, store.auth().find(kKind, item_key(owner, from, into.stream)));
  if (!item) return {};
  std::set<std::string> digests;
  for (const std::string_view digest : digests_in(item->body)) digests.emplace(digest);
  for (std::string after;;) {
    LADDER_TRY(const auto reader, store.read(owner));
    reader->show_damaged();
    LADDER_TRY(const auto page, reader->page_by_key(into.no, after, false, kRowsAtOnce));
    for (const store::RecordRow& row : page) digests.erase(digest_of(row.key));
    if (std::ssize(page) < kRowsAtOnce) break;
    after = page.back().key;
  }
  return add_digests(store, now, owner, item_key(owner, into.connection_id, into.stream), digests);
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
