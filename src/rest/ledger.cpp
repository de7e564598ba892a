// Serves the owner's routes to the disclosure ledger.
#include "base/text/format.h"
#include "base/time/time.h"
#include "http/message/message.h"
#include "json/parse.h"
#include "model/quote.h"
#include "rest/render_ledger.h"
#include "rest/service.h"

#include <charconv>

namespace ladder::rest {
namespace {

using http::Response;

constexpr std::int64_t kDefaultEntries = 100, kMostEntries = 1'000;
constexpr std::int64_t kDefaultDays = 30, kMostDays = 3'660;

Result<std::int64_t> number_of(const http::Query& query, std::string_view name, std::int64_t usual, std::int64_t least,
                               std::int64_t most) {
  LADDER_TRY(const auto text, query.one(name));
  if (!text) return usual;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size() || number < least || number > most) {
    return fail(Code::kInvalidRequest, format("{} is a number from {} to {}", name, least, most), std::string(name));
  }
  return number;
}

Result<std::optional<Instant>> time_of(const http::Query& query, std::string_view name) {
  LADDER_TRY(const auto text, query.one(name));
  if (!text) return std::nullopt;
  const auto instant = parse_time(*text);
  if (!instant) {
    return fail(Code::kInvalidRequest, format("{} is neither a date nor a time (RFC 3339)", model::in_quotes(*text)),
                std::string(name));
  }
  return instant;
}

Result<server::LedgerQuery> ledger_query(const http::Query& query) {
  server::LedgerQuery asked;
  LADDER_TRY(const auto client, query.one("client_id"));
  asked.client_id = client.value_or("");
  LADDER_TRY(asked.since, time_of(query, "since"));
  LADDER_TRY(asked.until, time_of(query, "until"));
  LADDER_TRY(const auto record, query.one("record"));
  if (record) {
    LADDER_TRY(asked.record, model::parse_record_id(*record));
  }
  LADDER_TRY(asked.limit, number_of(query, "limit", kDefaultEntries, 1, kMostEntries));
  LADDER_TRY(const auto cursor, query.one("cursor"));
  asked.cursor = cursor.value_or("");
  return asked;
}

// The whole ledger as one text, a page of it in memory at a time.
class LedgerStream final : public http::BodyStream {
 public:
  LedgerStream(server::ResourceServer& server, server::Access who, server::LedgerQuery query, bool csv)
      : server_(server), who_(std::move(who)), query_(std::move(query)), csv_(csv) {
    query_.limit = kMostEntries;
  }

  Result<bool> next(std::string& piece) override {
    piece.clear();
    if (!begun_ && csv_) piece = ledger_csv_head();
    while (!done_ && (piece.empty() || !begun_)) {
      begun_ = true;
      LADDER_TRY(const auto page, server_.ledger(who_, query_));
      for (const server::LedgerEntry& entry : page.entries) piece += csv_ ? ledger_csv_rows(entry) : ledger_line(entry);
      query_.cursor = page.next_cursor;
      done_ = page.next_cursor.empty();
    }
    return !piece.empty();
  }

 private:
  server::ResourceServer& server_;
  server::Access who_;
  server::LedgerQuery query_;
  bool csv_;
  bool begun_ = false, done_ = false;
};

}  // namespace

Result<Response> Service::ledger(const Call& call) {
  LADDER_TRY(const auto who, access(call));
  LADDER_CHECK(require_owner(who));
  LADDER_TRY(const auto query, ledger_query(call.query));
  LADDER_TRY(const auto format_word, call.query.one("format"));
  const std::string form = format_word.value_or("json");
  if (form == "json") {
    LADDER_TRY(const auto page, server_.ledger(who, query));
    return Response::json(200, render_ledger(page));
  }
  if (form != "ndjson" && form != "csv") {
    return fail(Code::kInvalidRequest, "format is json, ndjson or csv", "format");
  }
  Response response;
  response.headers.set("Content-Type", form == "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson");
  response.headers.set("Content-Disposition", format("attachment; filename=\"ladder-ledger.{}\"", form));
  response.stream = std::make_unique<LedgerStream>(server_, who, query, form == "csv");
  return response;
}

Result<Response> Service::ledger_seen(const Call& call) {
  LADDER_TRY(const auto who, access(call));
  LADDER_CHECK(require_owner(who));
  LADDER_TRY(const auto query, ledger_query(call.query));
  LADDER_TRY(const auto seen, server_.ledger_seen(who, query));
  return Response::json(200, render_seen(seen));
}

Result<Response> Service::ledger_use(const Call& call) {
  LADDER_TRY(const auto who, access(call));
  LADDER_CHECK(require_owner(who));
  LADDER_TRY(const std::int64_t days, number_of(call.query, "days", kDefaultDays, 1, kMostDays));
  const std::int64_t today = floor_div(clock_.now(), kDay);
  LADDER_TRY(const auto uses, server_.ledger_uses(who, today - days + 1, today));
  return Response::json(200, render_uses(uses));
}

Result<Response> Service::ledger_state(const Call& call) {
  LADDER_TRY(const auto who, access(call));
  LADDER_CHECK(require_owner(who));
  LADDER_TRY(const auto state, server_.ledger_state(who));
  return Response::json(200, render_ledger_state(state));
}

}  // namespace ladder::rest
