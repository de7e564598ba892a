#include "server/owner/sources.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "crypto/random.h"
#include "model/declaration/declaration.h"
#include "model/quote.h"
#include "model/record_id.h"
#include "server/catalog/catalog.h"
#include "server/catalog/indexing.h"

#include <algorithm>
#include <chrono>

namespace ladder::server {
namespace {

using model::in_quotes;

constexpr auto kReindexTime = std::chrono::seconds(2);  // for a changed declaration; later steps do the rest
constexpr std::size_t kConnectionIdBytes = 12;          // 24 hex digits, as in the reference implementation

// Returns true if a label or id can be shown on one line.
bool is_one_line(std::string_view text) {
  return utf8::is_valid(text) &&
         std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

Status check_connection_id(std::string_view id) {
  if (model::is_safe_name(id) && id.find(':') == std::string_view::npos && id.size() <= limits::kMaxNameBytes &&
      is_one_line(id)) {
    return {};
  }
  return fail(Code::kInvalidId,
              format("{} can't be a connection id: at most {} bytes without /, \\, :, .. or control characters", in_quotes(id),
                     limits::kMaxNameBytes),
              "connection_id");
}

Status check_display_name(std::string_view name) {
  if (name.size() <= limits::kMaxNameBytes && is_one_line(name)) return {};
  return fail(Code::kInvalidRequest, format("the name must be one line of UTF-8, at most {} bytes", limits::kMaxNameBytes),
              "display_name");
}

// Returns the key for a declaration: the requested one, the existing one, or one derived from its id.
Result<std::string> choose_key(const OwnerCatalog& catalog, const model::SourceDeclaration& declaration, std::string_view asked) {
  const SourceEntry* known = catalog.source_by_id(declaration.source_id);
  if (known && (asked.empty() || asked == known->row.key)) return known->row.key;
  if (known) {
    return fail(Code::kConflict,
                format("source {} is here already under the key {}; leave the key out to replace its declaration",
                       in_quotes(declaration.source_id), in_quotes(known->row.key)),
                "key");
  }
  std::string key = asked.empty() ? declaration.default_key() : std::string(asked);
  if (key.empty()) {
    return fail(Code::kConnectorInvalid,
                format("can't derive a key from source id {}; set one with --key", in_quotes(declaration.source_id)), "key");
  }
  if (!model::is_connector_key(key)) {
    return fail(Code::kConnectorInvalid,
                format("{} can't be a source key: lower-case letters, digits, '.', '_' and '-', at most {} bytes", in_quotes(key),
                       limits::kMaxNameBytes),
                "key");
  }
  if (const SourceEntry* other = catalog.source_by_key(key)) {
    return fail(
        Code::kConflict,
        format("the key {} belongs to source {}; choose another with --key", in_quotes(key), in_quotes(other->row.source_id)),
        "key");
  }
  return key;
}

// Checks fields from which keys, sort order and consent times were derived at ingest. They can't change while the
// stream has records.
std::string_view frozen_difference(const model::Stream& before, const model::Stream& after) {
  if (before.primary_key != after.primary_key) return "primary_key";
  if (before.cursor_field != after.cursor_field) return "cursor_field";
  if (before.consent_time_field != after.consent_time_field) return "consent_time_field";
  return {};
}

Status check_replaceable(store::Store& store, store::OwnerNo owner, const OwnerCatalog& catalog,
                         const model::SourceDeclaration& declaration) {
  const SourceEntry* known = catalog.source_by_id(declaration.source_id);
  if (!known) return {};
  LADDER_TRY(const auto reader, store.read(owner));
  for (const auto& connection : catalog.connections()) {
    if (connection->source != known) continue;
    for (const auto& [name, no] : connection->streams) {
      const model::Stream* before = known->declaration.stream(name);
      const model::Stream* after = declaration.stream(name);
      if (!before || !after) continue;
      const std::string_view frozen = frozen_difference(*before, *after);
      if (frozen.empty()) continue;
      LADDER_TRY(const auto counters, reader->counters(no));
      if (counters.records == 0) continue;
      return fail(
          Code::kConflict,
          format("stream {} has {} records in connection {}, so its {} can't change; erase the connection first, or declare "
                 "the stream under a new name",
                 in_quotes(name), counters.records, in_quotes(connection->row.connection_id), frozen));
    }
  }
  return {};
}

std::vector<store::Store::StreamFields> fields_by_stream(const model::SourceDeclaration& declaration) {
  std::vector<store::Store::StreamFields> all;
  for (const model::Stream& stream : declaration.streams) {
    auto& entry = all.emplace_back(
        store::Store::StreamFields{stream.name, {}, indexed_fields(declaration, stream), searched_fields(stream)});
    for (const model::Field& field : stream.fields) entry.fields.push_back(field.name);
  }
  return all;
}

std::vector<AddedSource::StreamFields> always_granted(const model::SourceDeclaration& declaration) {
  std::vector<AddedSource::StreamFields> all;
  for (const model::Stream& stream : declaration.streams) {
    if (auto fields = model::required_content(stream); !fields.empty()) all.push_back({stream.name, std::move(fields)});
  }
  return all;
}

// Keeps the document as the owner wrote it, to preserve field order. If only the member order differs, the stored
// document is kept.
const std::string& stored_document(const OwnerCatalog& catalog, const model::SourceDeclaration& declaration) {
  const SourceEntry* known = catalog.source_by_id(declaration.source_id);
  const bool same = known && known->declaration.version == declaration.version && known->declaration.text == declaration.text;
  return same ? known->row.declaration : declaration.document;
}

Result<ConnectionSummary> summary_of(const ConnectionEntry& connection, store::Reader& reader) {
  ConnectionSummary summary;
  summary.connection_id = connection.row.connection_id;
  summary.source_key = connection.source->row.key;
  summary.source_id = connection.source->row.source_id;
  summary.display_name = connection.display_name();
  summary.status = connection.row.status;
  summary.created_at = connection.row.created_at;
  for (const model::Stream& stream : connection.source->declaration.streams) {
    const auto no = connection.streams.find(stream.name);
    if (no == connection.streams.end()) continue;
    LADDER_TRY(const auto counters, reader.counters(no->second));
    summary.streams.push_back({stream.name, counters.records});
  }
  return summary;
}

}  // namespace

Result<AddedSource> Sources::add(const Access& access, std::string_view declaration_json, std::string_view key) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LADDER_TRY(const auto declaration, model::parse_declaration(declaration_json));
  LADDER_TRY(const auto catalog, shared_.catalogs.newest(access.owner()));
  store::SourceRow row;
  LADDER_TRY(row.key, choose_key(*catalog, declaration, key));
  LADDER_CHECK(check_replaceable(shared_.store, access.owner(), *catalog, declaration));
  row.source_id = declaration.source_id;
  row.version = declaration.version;
  row.declaration = stored_document(*catalog, declaration);
  row.added_at = shared_.clock.now();
  LADDER_TRY(const auto stored, shared_.store.put_source(access.owner(), row, fields_by_stream(declaration)));
  LADDER_TRY(const bool indexed, shared_.store.reindex(Deadline::after(kReindexTime)));
  return AddedSource{stored.source_id, stored.key, declaration.unenforced(), indexed, always_granted(declaration)};
}

Status Sources::refresh() {
  LADDER_TRY(const auto owners, shared_.store.owners());
  for (const store::OwnerRow& owner : owners) {
    LADDER_TRY(const auto catalog, shared_.catalogs.newest(owner.no));
    for (const auto& source : catalog->sources()) {
      LADDER_CHECK(shared_.store.put_source(owner.no, source->row, fields_by_stream(source->declaration)));
    }
  }
  return {};
}

Result<ConnectionSummary> Sources::add_connection(const Access& access, std::string_view source_key,
                                                  std::string_view display_name, std::string_view connection_id) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LADDER_CHECK(check_display_name(display_name));
  LADDER_TRY(auto catalog, shared_.catalogs.newest(access.owner()));
  const SourceEntry* source = catalog->source_by_key(source_key);
  if (!source) return unknown_source(*catalog, source_key);

  store::ConnectionRow row;
  row.source = source->row.no;
  row.connection_id = connection_id.empty() ? "cin_" + crypto::random_hex(kConnectionIdBytes) : std::string(connection_id);
  LADDER_CHECK(check_connection_id(row.connection_id));
  if (!catalog->connection(row.connection_id)) LADDER_CHECK(check_unclaimed(access, row.connection_id));
  row.display_name = display_name;
  row.status = "active";
  row.created_at = shared_.clock.now();
  std::vector<std::string> streams;
  streams.reserve(source->declaration.streams.size());
  for (const model::Stream& stream : source->declaration.streams) streams.push_back(stream.name);
  LADDER_TRY(const auto added, shared_.store.add_connection(access.owner(), row, streams));
  LADDER_TRY(catalog, shared_.catalogs.refresh(access.owner()));
  const ConnectionEntry* entry = catalog->connection(added.connection_id);
  if (!entry) return unknown_connection(*catalog, added.connection_id);
  LADDER_TRY(const auto reader, shared_.store.read(access.owner()));
  return summary_of(*entry, *reader);
}

Status Sources::rename_connection(const Access& access, std::string_view connection_id, std::string_view display_name) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LADDER_CHECK(check_display_name(display_name));
  LADDER_TRY(const auto catalog, shared_.catalogs.newest(access.owner()));
  const ConnectionEntry* const entry = catalog->connection(connection_id);
  if (!entry) return unknown_connection(*catalog, connection_id);
  LADDER_CHECK(shared_.store.set_connection_name(access.owner(), entry->row.no, display_name));
  LADDER_CHECK(shared_.catalogs.refresh(access.owner()));
  return {};
}

Result<std::vector<ConnectionSummary>> Sources::connections(const Access& access) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LADDER_TRY(const auto catalog, shared_.catalogs.newest(access.owner()));
  LADDER_TRY(const auto reader, shared_.store.read(access.owner()));
  std::vector<ConnectionSummary> all;
  for (const auto& connection : catalog->connections()) {
    LADDER_TRY(auto summary, summary_of(*connection, *reader));
    all.push_back(std::move(summary));
  }
  return all;
}

Result<ConnectionSummary> Sources::connection(const Access& access, std::string_view connection_id) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LADDER_TRY(const auto catalog, shared_.catalogs.newest(access.owner()));
  const ConnectionEntry* entry = catalog->connection(connection_id);
  if (!entry) return unknown_connection(*catalog, connection_id);
  LADDER_TRY(const auto reader, shared_.store.read(access.owner()));
  return summary_of(*entry, *reader);
}

Result<std::vector<SourceDocument>> Sources::documents(const Access& access) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LADDER_TRY(const auto catalog, shared_.catalogs.newest(access.owner()));
  std::vector<SourceDocument> all;
  for (const auto& source : catalog->sources())
    all.push_back({source->row.key, source->row.source_id, source->row.version, source->row.declaration});
  return all;
}

// A grant for an erased connection must not cover a new connection with the same id.
Status Sources::check_unclaimed(const Access& access, std::string_view connection_id) {
  LADDER_TRY(const auto held, grants_.list(access));
  for (const GrantSummary& grant : held) {
    if (grant.status != "active" || !grant.grant.names_instance(connection_id)) continue;
    return fail(Code::kConflict,
                format("grant {} was made for an earlier connection {}, which was erased, and would cover the new one; revoke it "
                       "with `ladder grant revoke {}`, or choose another id",
                       grant.grant.grant_id, model::in_quotes(connection_id), grant.grant.grant_id),
                "connection_id");
  }
  return {};
}

}  // namespace ladder::server
