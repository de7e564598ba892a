#include "rest/render_ledger.h"

#include "base/time/time.h"
#include "crypto/hash.h"
#include "json/writer.h"
#include "server/ledger/entry_text.h"

namespace ladder::rest {

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

std::string render_ledger_state(const server::ResourceServer::LedgerState& state) {
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

std::string render_budget(std::string_view grant_id, std::optional<std::int64_t> chars_a_day) {
  json::Writer out;
  out.begin_object().member("grant_id", grant_id).key("chars_a_day");
  if (chars_a_day) out.number(*chars_a_day);
  else out.null();
  return out.end_object().take();
}

}  // namespace ladder::rest
