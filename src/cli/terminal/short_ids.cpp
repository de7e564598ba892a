#include "cli/terminal/short_ids.h"

#include "base/text/format.h"
#include "base/text/utf8.h"
#include "base/text/visible_text.h"
#include "model/quote.h"

namespace ladder::cli {
namespace {

constexpr std::int64_t kDigestChars = 8, kMaxShownChars = 32;
constexpr int kMaxPages = 100;  // of a hundred records; older ones need the complete key
constexpr std::int64_t kPage = 100;

bool is_digest(std::string_view key) {
  constexpr std::size_t kShortestDigest = 16;
  return key.size() >= kShortestDigest && key.find_first_not_of("0123456789abcdef") == key.npos;
}

}  // namespace

std::string shown_id(const model::RecordRef& record) {
  const std::string id = model::format_record_id(record);
  const std::string plain = record.connection_id + "/" + record.stream + ":" + record.record_id;
  const auto parsed = parse_shown_id(plain);
  return visible_label(plain) == plain && parsed && *parsed == record ? plain : id;
}

std::string short_id(const model::RecordRef& record) {
  model::RecordRef shown = record;
  const std::int64_t chars = is_digest(record.record_id) ? kDigestChars : kMaxShownChars;
  if (utf8::count(record.record_id) > chars) shown.record_id = std::string(utf8::slice(record.record_id, 0, chars));
  return shown_id(shown);
}

Result<model::RecordRef> parse_shown_id(std::string_view text) {
  auto parsed = model::parse_record_id(text);
  if (parsed) return parsed;
  const std::size_t slash = text.find('/'), colon = text.find(':', slash == text.npos ? 0 : slash);
  if (slash == text.npos || colon == text.npos || text.starts_with("pdpp:")) return parsed;
  model::RecordRef record{std::string(text.substr(0, slash)), std::string(text.substr(slash + 1, colon - slash - 1)),
                          std::string(text.substr(colon + 1))};
  const bool named = model::is_safe_name(record.connection_id) && model::is_safe_name(record.stream);
  return named && !record.record_id.empty() ? Result<model::RecordRef>(std::move(record)) : parsed;
}

Result<model::RecordRef> resolve_short_id(server::Reads& reads, const server::Access& access, const model::RecordRef& named) {
  api::RecordRequest whole;
  whole.record = named;
  whole.max_field_chars = 1;
  auto found = reads.record(access, whole);
  if (found) return found->ref;
  if (found.error().code != Code::kNotFound || utf8::count(named.record_id) < kDigestChars) return std::unexpected(found.error());
  api::RecordsRequest request;
  request.stream = named.stream;
  request.scope.connection_id = named.connection_id;
  request.limit = kPage;
  request.max_field_chars = 1;
  std::optional<model::RecordRef> match;
  for (int page = 0; page < kMaxPages; ++page) {
    LADDER_TRY(const api::RecordsPage records, reads.records(access, request));
    for (const api::Record& record : records.records) {
      if (!record.ref.record_id.starts_with(named.record_id)) continue;
      if (match)
        return fail(Code::kInvalidRequest,
                    format("several keys begin with {}; type more of the key", model::in_quotes(named.record_id)), "id");
      match = record.ref;
    }
    if (records.next_cursor.empty()) break;
    request.cursor = records.next_cursor;
  }
  if (!match) return std::unexpected(found.error());
  return *match;
}

}  // namespace ladder::cli
