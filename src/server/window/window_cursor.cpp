#include "server/window/window_cursor.h"

#include "base/text/bytes.h"

namespace ladder::server {
namespace {

constexpr std::string_view kPurpose = "window-cursor/2";

std::string prefix_of(const crypto::Digest& digest) { return std::string(crypto::view(digest).substr(0, api::kCursorHashBytes)); }

}  // namespace

CursorBinding CursorBinding::of(std::string_view grant_id, std::string_view connection_id, std::string_view stream,
                                std::string_view key, const model::FieldPath& path) {
  std::string bytes;
  for (std::string_view part : {grant_id, connection_id, stream, key, std::string_view(path.field)}) put_sized(bytes, part);
  for (const std::string& token : path.nested) put_sized(bytes, token);
  return {prefix_of(crypto::sha256(bytes))};
}

std::string seal(const crypto::Sealer& sealer, const CursorBinding& binding, const crypto::Digest& field_digest,
                 const WindowCursor& cursor) {
  return sealer.seal_same(kPurpose, api::pack({binding.bytes, prefix_of(field_digest)}, cursor));
}

bool OpenedCursor::same_content(const crypto::Digest& field_digest) const { return prefix_of(field_digest) == digest_prefix; }

Result<OpenedCursor> open_cursor(const crypto::Sealer& sealer, const CursorBinding& binding, std::string_view sealed) {
  LADDER_TRY(const std::string plain, sealer.open(kPurpose, sealed));
  LADDER_TRY(auto unpacked, api::unpack(plain, binding.bytes));
  return OpenedCursor{std::move(unpacked.cursor), std::move(unpacked.content)};
}

bool looks_for_match(const crypto::Sealer& sealer, std::string_view sealed) {
  const auto plain = sealer.open(kPurpose, sealed);
  return plain && !plain->empty() && static_cast<Direction>(plain->front()) == Direction::kMatch;
}

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
  if (known_.size() >= kMax && !known_.contains(key)) known_.clear();
  known_[key] = ref;
}

}  // namespace ladder::server
