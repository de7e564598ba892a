#include "cli/short_ids.h"

#include "base/format.h"
#include "base/utf8.h"
#include "model/quote.h"

namespace ladder::cli {
namespace {

constexpr std::int64_t kShortChars = 8, kLongChars = 16;
constexpr int kMaxPages = 100;  // of a hundred records; an older one needs its whole key
constexpr std::int64_t kPage = 100;

}  // namespace

std::string short_id(const model::RecordRef& record) {
  model::RecordRef shown = record;
  if (utf8::count(record.record_id) > kLongChars) shown.record_id = std::string(utf8::slice(record.record_id, 0, kShortChars));
  return model::format_record_id(shown);
}

Result<model::RecordRef> resolve_short_id(rs::ResourceServer& server, const rs::Access& access, const model::RecordRef& named) {
  port::RecordRequest whole;
  whole.record = named;
  whole.max_field_chars = 1;
  auto found = server.record(access, whole);
  if (found) return found->ref;
  if (found.error().code != Code::kNotFound || utf8::count(named.record_id) < kShortChars) return std::unexpected(found.error());
  port::RecordsRequest request;
  request.stream = named.stream;
  request.scope.connection_id = named.connection_id;
  request.limit = kPage;
  request.max_field_chars = 1;
  std::optional<model::RecordRef> match;
  for (int page = 0; page < kMaxPages; ++page) {
    LADDER_TRY(const port::RecordsPage records, server.records(access, request));
    for (const port::Record& record : records.records) {
      if (!record.ref.record_id.starts_with(named.record_id)) continue;
      if (match)
        return fail(Code::kInvalidRequest,
                    format("several keys begin with {}; give more of the key", model::in_quotes(named.record_id)), "id");
      match = record.ref;
    }
    if (records.next_cursor.empty()) break;
    request.cursor = records.next_cursor;
  }
  if (!match) return std::unexpected(found.error());
  return *match;
}

}  // namespace ladder::cli
