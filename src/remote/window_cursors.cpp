#include "remote/window_cursors.h"

#include "base/text/bytes.h"
#include "base/text/format.h"
#include "crypto/hash.h"
#include "crypto/random.h"

namespace ladder::remote {
namespace {

constexpr std::string_view kPurpose = "remote-window-cursor/2";

std::string hash_of(std::string_view bytes) {
  return std::string(crypto::view(crypto::sha256(bytes)).substr(0, api::kCursorHashBytes));
}

std::string content_of(const api::FieldWindow& window) {
  return hash_of(window.digest.empty() ? format("{} chars", window.size_chars) : window.digest);
}

}  // namespace

PassingKey::PassingKey() : sealer_({{1, crypto::random_bytes(crypto::kSealKeyBytes)}}) {}

WindowCursors::WindowCursors(CursorKey& key, std::string server, std::string grant_id)
    : key_(key), server_(std::move(server)), grant_id_(std::move(grant_id)) {}

std::string WindowCursors::place_of(const api::FieldWindowRequest& request) const {
  std::string bytes;
  for (const std::string& part :
       {server_, grant_id_, request.record.connection_id, request.record.stream, request.record.record_id, request.field_path}) {
    put_sized(bytes, part);
  }
  return hash_of(bytes);
}

Result<std::optional<api::UnpackedCursor>> WindowCursors::open(const api::FieldWindowRequest& request) const {
  const crypto::Sealer* const sealer = key_.if_there();
  if (sealer == nullptr) return std::nullopt;
  const auto packed = sealer->open(kPurpose, request.window.cursor.value_or(""));
  if (!packed) return std::nullopt;
  LADDER_TRY(auto cursor, api::unpack(*packed, place_of(request)));
  return cursor;
}

bool WindowCursors::same_content(const api::UnpackedCursor& cursor, const api::FieldWindow& window) {
  return cursor.content == content_of(window);
}

void WindowCursors::seal(api::FieldWindow& window, const api::FieldWindowRequest& request) const {
  const std::int64_t limit = window.limit_chars;
  if (window.has_more()) window.next_cursor = sealed(window, request, {api::Direction::kForward, window.end_chars, limit});
  if (window.start_chars > 0) {
    window.previous_cursor = sealed(window, request, {api::Direction::kBackward, window.start_chars, limit});
  }
}

void WindowCursors::seal_match(api::FieldWindow& window, const api::FieldWindowRequest& request,
                               const model::WindowSelector& query, std::int64_t from_chars) const {
  window.next_match_cursor =
      sealed(window, request,
             {api::Direction::kMatch, from_chars, query.limit_chars.value_or(0), query.q, query.before_chars, query.after_chars});
}

std::string WindowCursors::sealed(const api::FieldWindow& window, const api::FieldWindowRequest& request,
                                  const api::WindowCursor& cursor) const {
  return key_.sealer().seal_same(kPurpose, api::pack({place_of(request), content_of(window)}, cursor));
}

}  // namespace ladder::remote
