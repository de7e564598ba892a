// Reads pages of records by key, each page in one snapshot, and inserts the long values stored outside the rows.
#include "server/owner/exports.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "json/scan/scan.h"
#include "json/writer.h"
#include "model/field_path.h"
#include "server/catalog/catalog.h"
#include "store/index/field_index.h"
#include "store/long_values/long_value.h"

#include <algorithm>
#include <array>

namespace ladder::server {
namespace {

constexpr std::int64_t kRecordsAtOnce = 32;
constexpr std::int64_t kPieceChars = 65'536;  // chars of a long value in memory at a time
constexpr int kTries = 100;                   // for a record that keeps changing

// Returns false if a part of the value is gone.
Result<bool> write_long(store::Reader& reader, const store::LongRef& ref, RecordsOut& out) {
  const bool is_string = ref.kind == json::Kind::kString;
  if (is_string) LADDER_CHECK(out.data("\""));
  std::string escaped;
  for (std::int64_t at = 0; at < ref.size_chars;) {
    const std::int64_t end = std::min(ref.size_chars, at + kPieceChars);
    const store::ChunkSpan span = store::chunk_span(ref, at, end);
    LADDER_TRY(const auto chunks, reader.chunks(ref.text_id, span.first, span.last));
    if (std::ssize(chunks) != span.last - span.first + 1) return false;
    const std::string piece = store::cut_chars(ref, chunks, at, end);
    if (is_string) {
      escaped.clear();
      json::append_escaped(escaped, piece);
    }
    LADDER_CHECK(out.data(is_string ? escaped : piece));
    at = end;
  }
  if (is_string) LADDER_CHECK(out.data("\""));
  return true;
}

// Writes the row's text with every reference replaced by its value; the rest is unchanged.
Result<bool> write_data(store::Reader& reader, std::string_view body, RecordsOut& out) {
  const std::string_view text = json::value_of(body).text;
  std::size_t written = 0;
  for (json::Members members(text); members.next();) {
    const json::Value& value = members.value();
    if (value.kind != json::Kind::kReference) continue;
    const auto at = static_cast<std::size_t>(value.text.data() - text.data());
    LADDER_CHECK(out.data(text.substr(written, at - written)));
    written = at + value.text.size();
    LADDER_TRY(const store::LongRef ref, store::parse_reference(value.text));
    auto whole = write_long(reader, ref, out);
    if (!whole && whole.error().code == Code::kDamagedData) {
      whole.error().details().field_path = model::format_field_path(json::decode_string(members.raw_name()));
    }
    if (!whole || !*whole) return whole;
  }
  LADDER_CHECK(out.data(text.substr(written)));
  return true;
}

std::optional<std::string> blob_of(std::string_view body) {
  const auto digest = store::index_rows({}, {}, {}, body).blob;
  if (!digest) return std::nullopt;
  return store::blob_id(*digest);
}

class StreamExport {
 public:
  StreamExport(store::Store& store, store::OwnerNo owner, const ConnectionStream& place, RecordsOut& out)
      : store_(store), owner_(owner), place_(place), out_(out) {}

  Status run() {
    for (std::string after;;) {
      LADDER_TRY(const auto reader, store_.read(owner_));
      reader->show_damaged();
      LADDER_TRY(const auto page, reader->page_by_key(place_.no, after, false, kRecordsAtOnce));
      if (page.empty()) return {};
      for (const store::RecordRow& row : page) {
        LADDER_TRY(const bool whole, record(*reader, row));
        if (!whole) LADDER_CHECK(again(row.key));
      }
      after = page.back().key;
    }
  }

 private:
  Result<bool> record(store::Reader& reader, const store::RecordRow& row) {
    if (row.damaged) {
      LADDER_CHECK(out_.damaged(row.key, {}));
      return true;
    }
    LADDER_TRY(const bool is_wanted, out_.wants(row));
    if (!is_wanted) return true;
    LADDER_CHECK(out_.begin(key_json(row.key), row.emitted_at));
    auto whole = write_data(reader, row.body, out_);
    if (!whole && whole.error().code == Code::kDamagedData) {
      LADDER_CHECK(out_.discard());
      LADDER_CHECK(out_.damaged(row.key, whole.error().details().field_path));
      return true;
    }
    if (!whole) return whole;
    if (*whole) LADDER_CHECK(out_.end(blob_of(row.body)));
    else LADDER_CHECK(out_.discard());
    return whole;
  }

  // Reads the newest version of a record that changed between its row and its long values (PostgreSQL).
  Status again(const std::string& key) {
    const std::array streams = {place_.no};
    for (int i = 0; i < kTries; ++i) {
      LADDER_TRY(const auto reader, store_.read(owner_));
      reader->show_damaged();
      LADDER_TRY(const auto found, reader->records({}, streams, key));
      if (found.records.empty()) return {};
      LADDER_TRY(const bool whole, record(*reader, found.records.front()));
      if (whole) return {};
    }
    return fail(Code::kStoreUnavailable, format("record \"{}\" keeps changing; stop its writer and export again", key));
  }

  std::string key_json(const std::string& key) const {
    if (place_.declared->primary_key.size() > 1) return key;
    std::string text;
    json::append_string(text, key);
    return text;
  }

  store::Store& store_;
  const store::OwnerNo owner_;
  const ConnectionStream& place_;
  RecordsOut& out_;
};

}  // namespace

Status Exports::write_stream(const Access& access, std::string_view connection_id, std::string_view stream, RecordsOut& out) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LADDER_TRY(const auto catalog, shared_.catalogs.newest(access.owner()));
  const ConnectionEntry* connection = catalog->connection(connection_id);
  if (!connection) return unknown_connection(*catalog, connection_id);
  LADDER_CHECK(check_not_erasing(*connection, Code::kConnectionNotFound));
  const auto place = catalog->find_stream(*connection, stream);
  if (!place) return unknown_stream(*connection->source, stream);
  return StreamExport(shared_.store, access.owner(), *place, out).run();
}

}  // namespace ladder::server
