// Serves the owner's routes to the disclosure ledger.
#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/number.h"
#include "base/time/time.h"
#include "http/message/message.h"
#include "json/parse.h"
#include "model/quote.h"
#include "pages/ledger_download.h"
#include "rest/arguments.h"
#include "rest/handlers.h"
#include "rest/render.h"
#include "server/owner/owner_ledger.h"

#include <boost/json/object.hpp>

#include <algorithm>
#include <initializer_list>

namespace ladder::rest {
namespace {

using http::Response;

constexpr std::int64_t kDefaultEntries = 100, kMaxEntries = 1'000;
constexpr std::int64_t kDefaultDays = 30, kMaxDays = 3'660;
constexpr std::size_t kMaxBody = 4 * limits::kKiB, kMaxDepth = 4;

Result<std::int64_t> number_of(const http::Query& query, std::string_view name, std::int64_t usual, std::int64_t least,
                               std::int64_t most) {
  LADDER_TRY(const auto text, query.one(name));
  if (!text) return usual;
  const auto number = parse_number(*text);
  if (number && *number >= least && *number <= most) return *number;
  return fail(Code::kInvalidRequest, format("{} must be a number from {} to {}", name, least, most), std::string(name));
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
  LADDER_TRY(asked.limit, number_of(query, "limit", kDefaultEntries, 1, kMaxEntries));
  LADDER_TRY(const auto cursor, query.one("cursor"));
  asked.cursor = cursor.value_or("");
  return asked;
}

// Parses a JSON object from a request. Unknown members are an error.
Result<boost::json::object> object_of(const http::Request& request, std::initializer_list<std::string_view> known) {
  LADDER_TRY(auto tree, json::parse(request.body, kMaxBody, kMaxDepth));
  if (!tree.is_object()) return fail(Code::kInvalidRequest, "send a JSON object");
  for (const auto& [name, value] : tree.as_object()) {
    const std::string text(name);
    if (std::ranges::find(known, text) == known.end()) {
      return fail(Code::kInvalidRequest, format("{} is not a known member", model::in_quotes(text)), text);
    }
  }
  return std::move(tree.as_object());
}

Status take_number(const boost::json::object& from, std::string_view name, std::int64_t& into) {
  const boost::json::value* const found = from.if_contains(name);
  if (found == nullptr) return {};
  if (!found->is_int64()) return fail(Code::kInvalidRequest, format("{} must be an integer", name), std::string(name));
  into = found->as_int64();
  return {};
}

}  // namespace

Answer LedgerHandlers::entries(const Call& call) const {
  LADDER_TRY(const auto query, ledger_query(call.query));
  LADDER_TRY(const auto format_word, call.query.one("format"));
  const std::string form = format_word.value_or("json");
  if (form == "json") {
    LADDER_TRY(const auto page, ledger.page(call.who(), query));
    return Response::json(200, render_ledger(page));
  }
  if (form != "ndjson" && form != "csv") {
    return fail(Code::kInvalidRequest, "format must be json, ndjson or csv", "format");
  }
  return pages::ledger_download(ledger, call.who(), query,
                                form == "csv" ? pages::LedgerFormat::kCsv : pages::LedgerFormat::kNdjson);
}

Answer LedgerHandlers::seen(const Call& call) const {
  LADDER_TRY(const auto query, ledger_query(call.query));
  LADDER_TRY(const auto seen, ledger.seen(call.who(), query));
  return Response::json(200, render_seen(seen));
}

Answer LedgerHandlers::use(const Call& call) const {
  LADDER_TRY(const std::int64_t days, number_of(call.query, "days", kDefaultDays, 1, kMaxDays));
  const std::int64_t today = floor_div(clock.now(), kDay);
  LADDER_TRY(const auto uses, ledger.uses(call.who(), today - days + 1, today));
  return Response::json(200, render_uses(uses));
}

Answer LedgerHandlers::state(const Call& call) const {
  LADDER_TRY(const auto state, ledger.state(call.who()));
  return Response::json(200, render_ledger_state(state));
}

// Members that are absent stay unchanged.
Answer LedgerHandlers::set_retention(const Call& call) const {
  LADDER_TRY(const auto wanted, object_of(call.request, {"detail_days", "seen_days", "keeps_queries"}));
  LADDER_TRY(const auto before, ledger.state(call.who()));
  server::LedgerSettings settings = before.settings;
  LADDER_CHECK(take_number(wanted, "detail_days", settings.detail_days));
  LADDER_CHECK(take_number(wanted, "seen_days", settings.seen_days));
  if (const boost::json::value* const keeps = wanted.if_contains("keeps_queries")) {
    if (!keeps->is_bool()) return fail(Code::kInvalidRequest, "keeps_queries must be true or false", "keeps_queries");
    settings.keeps_queries = keeps->as_bool();
  }
  LADDER_CHECK(ledger.set_settings(call.who(), settings));
  LADDER_CHECK(ledger.expire());
  LADDER_TRY(const auto state, ledger.state(call.who()));
  return Response::json(200, render_ledger_state(state));
}

Answer LedgerHandlers::set_budget(const Call& call) const {
  LADDER_TRY(const auto wanted, object_of(call.request, {"chars_a_day", "bytes_a_day"}));
  const boost::json::value* const chars = wanted.if_contains("chars_a_day");
  if (chars == nullptr || (!chars->is_null() && !chars->is_int64())) {
    return fail(Code::kInvalidRequest, "chars_a_day must be an integer, or null for no budget", "chars_a_day");
  }
  const boost::json::value* const bytes = wanted.if_contains("bytes_a_day");
  if (bytes != nullptr && !bytes->is_null() && !bytes->is_int64()) {
    return fail(Code::kInvalidRequest, "bytes_a_day must be an integer, or null for the default", "bytes_a_day");
  }
  const std::string grant_id(call.match.at("grant"));
  const auto number = [](const boost::json::value* value) {
    return value == nullptr || value->is_null() ? std::nullopt : std::optional(value->as_int64());
  };
  LADDER_CHECK(ledger.set_budget(call.who(), grant_id, number(chars), number(bytes)));
  LADDER_TRY(const auto budgets, ledger.budgets(call.who()));
  const auto budget = budgets.find(grant_id);
  return Response::json(200, render_budget(grant_id, budget == budgets.end() ? nullptr : &budget->second));
}

}  // namespace ladder::rest
