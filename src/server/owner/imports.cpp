// Stores the reports of a connection's imports: their progress and the outcome of everything they read.
#include "server/owner/imports.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "json/parse.h"
#include "server/catalog/catalog.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <set>

namespace ladder::server {

Status Imports::put(const Access& access, std::string_view connection_id, std::string_view unit, std::string_view body) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  if (unit.empty() || unit.size() > limits::kMaxRecordKeyBytes || !utf8::is_valid(unit) ||
      unit.find('\0') != std::string_view::npos) {
    return fail(Code::kInvalidRequest,
                format("a part of an import has a name of 1 to {} bytes of UTF-8", limits::kMaxRecordKeyBytes));
  }
  if (body.size() > kMaxImportBytes)
    return fail(Code::kResourceLimit, format("the report of an import has at most {} bytes", kMaxImportBytes));
  LADDER_TRY(const auto catalog, shared_.catalogs.newest(access.owner()));
  const ConnectionEntry* connection = catalog->connection(connection_id);
  if (!connection) return unknown_connection(*catalog, connection_id);
  return shared_.store.put_import(access.owner(), connection->row.no,
                                  {std::string(unit), std::string(body), shared_.clock.now()});
}

Result<std::vector<store::ImportRow>> Imports::list(const Access& access, std::string_view connection_id) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LADDER_TRY(const auto catalog, shared_.catalogs.newest(access.owner()));
  const ConnectionEntry* connection = catalog->connection(connection_id);
  if (!connection) return unknown_connection(*catalog, connection_id);
  return shared_.store.imports(access.owner(), connection->row.no);
}

Result<MissingRecords> Imports::missing(const Access& access, std::string_view connection_id,
                                        const std::map<std::string, KeySet>& seen) {
  constexpr std::int64_t kAtOnce = 500;
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LADDER_TRY(const auto catalog, shared_.catalogs.newest(access.owner()));
  const ConnectionEntry* connection = catalog->connection(connection_id);
  if (!connection) return unknown_connection(*catalog, connection_id);
  LADDER_TRY(const store::Catalog rows, shared_.store.catalog(access.owner()));
  MissingRecords found;
  for (const store::StreamRow& row : rows.streams) {
    if (row.connection != connection->row.no) continue;
    const auto known = seen.find(row.name);
    for (std::string after;;) {
      LADDER_TRY(const auto reader, shared_.store.read(access.owner()));
      reader->show_damaged();
      LADDER_TRY(const auto page, reader->page_by_key(row.no, after, false, kAtOnce));
      if (page.empty()) break;
      after = page.back().key;
      found.all += std::ssize(page);
      for (const store::RecordRow& record : page) {
        if (known != seen.end() && known->second.contains(record.key)) continue;
        ++found.missing;
        found.keys[row.name].push_back(record.key);
      }
    }
  }
  return found;
}

namespace {

constexpr std::size_t kAccountDepth = 8;

std::string text_in(const boost::json::object& object, std::string_view name) {
  const boost::json::value* value = object.if_contains(name);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::int64_t number_in(const boost::json::object& object, std::string_view name) {
  const boost::json::value* value = object.if_contains(name);
  return value && value->is_int64() ? value->get_int64() : 0;
}

bool is_true(const boost::json::object& object, std::string_view name) {
  const boost::json::value* value = object.if_contains(name);
  return value && value->is_bool() && value->get_bool();
}

const boost::json::array* array_in(const boost::json::object& object, std::string_view name) {
  const boost::json::value* value = object.if_contains(name);
  return value ? value->if_array() : nullptr;
}

std::vector<ImportedStream> streams_in(const boost::json::object& account) {
  std::vector<ImportedStream> streams;
  const boost::json::array* const list = array_in(account, "streams");
  if (!list) return streams;
  for (const boost::json::value& each : *list) {
    const boost::json::object* one = each.if_object();
    if (!one) continue;
    streams.push_back({text_in(*one, "stream"), number_in(*one, "read"), number_in(*one, "added"), number_in(*one, "changed"),
                       number_in(*one, "unchanged"), number_in(*one, "rejected"), text_in(*one, "from"), text_in(*one, "to")});
  }
  return streams;
}

std::vector<ImportLoss> losses_in(const boost::json::object& account) {
  std::vector<ImportLoss> losses;
  const boost::json::array* const list = array_in(account, "losses");
  if (!list) return losses;
  for (const boost::json::value& each : *list) {
    const boost::json::object* one = each.if_object();
    if (!one) continue;
    losses.push_back({text_in(*one, "file"), text_in(*one, "reason"), one->contains("byte") ? number_in(*one, "byte") : -1});
  }
  return losses;
}

// Adds the numbers of one report for the stream, if it has any.
void add(ImportSummary& facts, const ImportAccount& account) {
  for (const ImportedStream& stream : account.streams) {
    if (stream.stream != facts.stream) continue;
    ++facts.parts;
    facts.last_import = std::max(facts.last_import, account.kept_at);
    facts.records_read += stream.read;
    facts.not_imported += account.lost;
    facts.complete = facts.complete && account.complete;
    if (!stream.from.empty() && (facts.from.empty() || stream.from < facts.from)) facts.from = stream.from;
    facts.to = std::max(facts.to, stream.to);
  }
}

}  // namespace

Result<std::vector<ImportAccount>> Imports::accounts(const Access& access, std::string_view connection_id) {
  LADDER_TRY(const auto rows, list(access, connection_id));
  std::vector<ImportAccount> accounts;
  for (const store::ImportRow& row : rows) {
    const auto parsed = json::parse(row.body, kMaxImportBytes, kAccountDepth);
    const boost::json::object* const object = parsed ? parsed->if_object() : nullptr;
    if (!object) continue;
    ImportAccount& account = accounts.emplace_back();
    account.what = text_in(*object, "what");
    account.file = text_in(*object, "file");
    account.broken_off = text_in(*object, "broken_off");
    account.kept_at = row.kept_at;
    account.complete = is_true(*object, "complete");
    account.lost = number_in(*object, "lost");
    account.streams = streams_in(*object);
    account.losses = losses_in(*object);
  }
  return accounts;
}

Result<std::vector<ImportSummary>> Imports::summaries(const Access& access, const api::SchemaView& view) {
  std::vector<ImportSummary> all;
  if (!access.is_owner()) return all;
  for (const api::SourceView& source : view.sources) {
    for (const api::StreamView& stream : source.streams) {
      for (const api::ConnectionView& connection : stream.connections) {
        all.emplace_back();
        all.back().connection_id = connection.connection_id;
        all.back().stream = stream.name;
      }
    }
  }
  std::set<std::string> connections;
  for (const ImportSummary& facts : all) connections.insert(facts.connection_id);
  for (const std::string& id : connections) {
    LADDER_TRY(const auto imported, accounts(access, id));
    for (const ImportAccount& account : imported) {
      for (ImportSummary& facts : all) {
        if (facts.connection_id == id) add(facts, account);
      }
    }
  }
  std::erase_if(all, [](const ImportSummary& facts) { return facts.parts == 0; });
  return all;
}

}  // namespace ladder::server
