// Renders grants for their owner, for REST and the command line.
#include "rest/render.h"

#include "api/render/render.h"
#include "base/time/time.h"
#include "crypto/hash.h"
#include "json/scan/scan.h"
#include "json/writer.h"
#include "model/handle.h"
#include "server/ledger/entry_text.h"

#include <algorithm>
#include <initializer_list>

namespace ladder::rest {
namespace {

void write_stream(json::Writer& out, const grant::StreamGrant& stream, const grant::FieldOrigin& origin) {
  out.begin_object().member("stream", stream.name);
  out.member("connection_ids", stream.instance_ids);
  out.member("fields", stream.fields);
  out.member("all_fields", origin.all);
  out.member("named", origin.named);
  out.member("added", origin.added);
  out.member("added_content", origin.content);
  out.end_object();
}

}  // namespace

void write_grant(json::Writer& out, const server::GrantSummary& summary) {
  const grant::Grant& grant = summary.grant;
  out.begin_object().member("grant_id", grant.grant_id).member("status", summary.status);
  out.member("client_id", grant.client_id).member("source_id", grant.source_id);
  out.member("issued_at", format_time(grant.issued_at));
  if (grant.expires_at) out.member("expires_at", format_time(*grant.expires_at));
  if (summary.row.revoked_at) out.member("revoked_at", format_time(*summary.row.revoked_at));
  if (summary.row.last_used_at) out.member("last_used_at", format_time(*summary.row.last_used_at));
  if (summary.origins.size() == grant.streams.size()) {
    out.key("streams").begin_array();
    for (std::size_t i = 0; i < grant.streams.size(); ++i) write_stream(out, grant.streams[i], summary.origins[i]);
    out.end_array();
  }
  out.key("grant").raw(summary.row.body).end_object();
}

std::string render_grants(const std::vector<server::GrantSummary>& grants) {
  json::Writer out;
  out.begin_object().key("grants").begin_array();
  for (const server::GrantSummary& summary : grants) write_grant(out, summary);
  return out.end_array().end_object().take();
}

// POST /introspect (RFC 7662, PDPP "tokens"): access rights are only in authorization_details, one entry per grant.

namespace {

using json::Writer;

constexpr std::string_view kDetailType = "https://pdpp.dev/data-access";

// Copies these members of a grant's JSON byte for byte.
void splice(Writer& out, const std::string& grant, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const auto member = json::member(grant, name)) out.key(name).raw(member->text);
  }
}

void write_detail(Writer& out, const grant::Grant& grant) {
  out.begin_object().member("type", kDetailType);
  splice(out, grant::to_json(grant),
         {"source", "access_mode", "purpose_code", "purpose_description", "retention", "selection_preset", "streams"});
  out.end_object();
}

void write_context(Writer& out, const grant::Grant& grant) {
  out.member("client_id", grant.client_id).member("subject_id", grant.subject_id).member("grant_id", grant.grant_id);
  splice(out, grant::to_json(grant), {"issued_at", "source", "source_declaration"});
}

// Writes the fields of each grant that were added automatically. They are outside the rights, whose schema is closed.
void write_added(Writer& out, const server::TokenInfo& facts) {
  bool any = false;
  for (std::size_t i = 0; i < facts.origins.size(); ++i) {
    for (const grant::FieldOrigin& origin : facts.origins[i]) {
      if (origin.added.empty()) continue;
      if (!any) out.key("added_fields").begin_array();
      any = true;
      out.begin_object().member("grant_id", facts.grants[i].grant_id).member("stream", origin.stream);
      out.member("fields", origin.added);
      out.end_object();
    }
  }
  if (any) out.end_array();
}

void write_rights(Writer& out, const std::vector<grant::Grant>& grants) {
  out.member("grant_id", grants.front().grant_id);
  if (grants.size() > 1) {
    out.key("grant_ids").begin_array();
    for (const grant::Grant& grant : grants) out.string(grant.grant_id);
    out.end_array();
  }
  out.key("authorization_details").begin_array();
  for (const grant::Grant& grant : grants) write_detail(out, grant);
  out.end_array().key("pdpp").begin_object().member("context_kind", "oauth_rar_0_1");
  write_context(out, grants.front());
  if (grants.size() > 1) {  // in the order of authorization_details
    out.key("grants").begin_array();
    for (const grant::Grant& grant : grants) {
      out.begin_object();
      write_context(out, grant);
      out.end_object();
    }
    out.end_array();
  }
  out.end_object();
}

}  // namespace

std::string render_token(const server::TokenInfo& facts, std::string_view issuer, std::string_view audience) {
  Writer out;
  out.begin_object().member("active", facts.active).optional_member("inactive_reason", facts.inactive_reason);
  const bool is_owner = facts.kind == store::TokenKind::kOwner;
  if (facts.active) out.member("pdpp_token_kind", is_owner ? "owner" : "client").member("token_type", "Bearer");
  out.optional_member("subject_id", facts.subject).optional_member("client_id", facts.client_id);
  if (facts.active) {
    if (facts.expires_at) out.member("exp", *facts.expires_at / kSecond);
    out.optional_member("iss", issuer).optional_member("aud", audience);
    if (!facts.grants.empty()) write_rights(out, facts.grants);
    write_added(out, facts);
  }
  return out.end_object().take();
}

// GET /v1/streams, one entry per stream and connection, and GET /v1/connectors, one per source (PDPP "schema and streams").

namespace {

using api::Capability;
using api::ConnectionView;
using api::FieldView;
using api::SourceView;
using api::StreamView;
using api::write_freshness;
using api::write_response_tail;
using api::write_source;
using json::Writer;

// An unknown count or time is null.
void write_figures(Writer& out, std::int64_t records, std::string_view last_updated) {
  out.key("record_count");
  records < 0 ? out.null() : out.number(records);
  out.key("last_updated");
  last_updated.empty() ? out.null() : out.string(last_updated);
  write_freshness(out);
}

void write_entry(Writer& out, const SourceView& source, const StreamView& stream, const ConnectionView& connection) {
  out.begin_object().member("object", "stream").member("name", stream.name);
  write_figures(out, connection.record_count, connection.last_updated);
  out.member("connection_id", connection.connection_id).member("connector_instance_id", connection.connection_id);
  out.optional_member("display_name", connection.display_name).member("connector_id", source.connector_key);
  out.key("source").begin_object().member("kind", source.source_kind).member("id", source.source_id).end_object();
  out.end_object();
}

// Returns the latest of several times; an invalid one counts as the earliest.
std::string latest(const std::vector<ConnectionView>& connections) {
  const auto instant = [](const std::string& text) { return parse_time(text).value_or(INT64_MIN); };
  std::string best;
  for (const ConnectionView& connection : connections) {
    if (best.empty() || instant(connection.last_updated) > instant(best)) best = connection.last_updated;
  }
  return best;
}

std::int64_t total(const std::vector<ConnectionView>& connections) {
  std::int64_t records = 0;
  for (const ConnectionView& connection : connections) {
    if (connection.record_count < 0) return -1;
    records += connection.record_count;
  }
  return records;
}

bool can_aggregate(const StreamView& stream) {
  return stream.count_aggregation || std::ranges::any_of(stream.fields, [](const FieldView& field) {
           return field.sum.usable || field.min.usable || field.max.usable || field.count_distinct.usable;
         });
}

std::vector<std::string> usable_for(const StreamView& stream, Capability FieldView::* which) {
  std::vector<std::string> names;
  for (const FieldView& field : stream.fields) {
    if ((field.*which).usable) names.push_back(field.name);
  }
  return names;
}

void write_capabilities(Writer& out, const StreamView& stream) {
  const std::string url = "/v1/streams/" + model::percent_encode(stream.name);
  const bool aggregates = can_aggregate(stream);
  out.key("capabilities").begin_object().member("records", true).member("records_url", url + "/records");
  out.member("metadata_url", url).member("stream_metadata", true).member("aggregate", aggregates).key("aggregate_url");
  aggregates ? out.string(url + "/aggregate") : out.null();
  out.member("exact_filters", usable_for(stream, &FieldView::exact_filter));
  out.member("range_filters", usable_for(stream, &FieldView::range_filter));
  out.key("expand").begin_array();
  for (const api::ExpandView& expansion : stream.expansions) out.string(expansion.name);
  out.end_array().member("changes_since", true).end_object();
}

void write_source_streams(Writer& out, const SourceView& source) {
  out.key("streams").begin_array();
  for (const StreamView& stream : source.streams) {
    out.begin_object().member("object", "stream").member("name", stream.name);
    write_figures(out, total(stream.connections), latest(stream.connections));
    write_capabilities(out, stream);
    out.end_object();
  }
  out.end_array();
}

}  // namespace

std::string render_streams(const api::SchemaView& view, ResponseTail response_tail) {
  Writer out;
  out.begin_object().member("object", "list").member("has_more", false).key("data").begin_array();
  for (const SourceView& source : view.sources) {
    for (const StreamView& stream : source.streams) {
      for (const ConnectionView& connection : stream.connections) write_entry(out, source, stream, connection);
    }
  }
  out.end_array();
  response_tail.is_list = true;
  write_response_tail(out, response_tail);
  return out.end_object().take();
}

std::string render_connectors(const api::SchemaView& view, ResponseTail response_tail) {
  Writer out;
  out.begin_object().member("object", "list").member("has_more", false).key("data").begin_array();
  for (const SourceView& source : view.sources) {
    out.begin_object().member("object", "connector");
    write_source(out, source);
    out.optional_member("display_name", source.display_name).member("stream_count", std::ssize(source.streams));
    write_source_streams(out, source);
    out.end_object();
  }
  out.end_array();
  response_tail.is_list = true;
  write_response_tail(out, response_tail);
  return out.end_object().take();
}

using server::Unit;

std::string render_ledger(const server::LedgerPage& page) {
  json::Writer out;
  out.begin_object().member("object", "list").member("has_more", !page.next_cursor.empty());
  out.optional_member("next_cursor", page.next_cursor).key("data").begin_array();
  for (const server::LedgerEntry& entry : page.entries) server::write_ledger_entry(out, entry);
  return out.end_array().end_object().take();
}

std::string render_seen(const std::vector<server::SeenRecord>& seen) {
  json::Writer out;
  out.begin_object().member("object", "list").key("data").begin_array();
  for (const server::SeenRecord& one : seen) {
    out.begin_object().member("client_id", one.client_id);
    out.member("first_at", format_time(one.first_at)).member("last_at", format_time(one.last_at));
    out.member("answers", one.answers).member("chars", one.shown.total(Unit::kChars));
    out.member("bytes", one.shown.total(Unit::kBytes));
    server::write_shown(out, one.shown);
    out.end_object();
  }
  return out.end_array().end_object().take();
}

std::string render_uses(const std::vector<server::LedgerUse>& uses) {
  json::Writer out;
  out.begin_object().member("object", "list").key("data").begin_array();
  for (const server::LedgerUse& use : uses) {
    out.begin_object().member("day", server::date_of_day(use.day)).member("client_id", use.client_id);
    out.member("grant_id", use.grant_id).member("answers", use.answers).member("chars", use.chars);
    out.member("bytes", use.bytes).end_object();
  }
  return out.end_array().end_object().take();
}

std::string render_ledger_state(const server::LedgerState& state) {
  json::Writer out;
  out.begin_object().key("settings").begin_object().member("detail_days", state.settings.detail_days);
  out.member("seen_days", state.settings.seen_days).member("keeps_queries", state.settings.keeps_queries).end_object();
  out.key("days").begin_array();
  for (const server::LedgerDay& day : state.days) {
    out.begin_object().member("day", server::date_of_day(day.day)).member("entries", day.entries).member("expired", day.expired);
    out.member("head", crypto::digest_text(day.head)).end_object();
  }
  out.end_array().key("erased").begin_array();
  for (const server::ErasedCount& count : state.erased) {
    out.begin_object().member("client_id", count.client_id).member("records", count.records).end_object();
  }
  return out.end_array().end_object().take();
}

std::string render_budget(std::string_view grant_id, const server::ReadBudget* budget) {
  json::Writer out;
  out.begin_object().member("grant_id", grant_id).key("chars_a_day");
  budget ? out.number(budget->chars) : out.null();
  out.key("bytes_a_day");
  budget ? out.number(budget->bytes) : out.null();
  return out.end_object().take();
}

}  // namespace ladder::rest
