#include "console/clients/client_summary.h"
#include "console/parts.h"

#include "auth/kinds.h"
#include "auth/text_formatting.h"
#include "base/text/format.h"

#include <algorithm>

namespace ladder::console {
namespace {

using auth::day_text;

constexpr std::size_t kShownClosedFields = 6;
constexpr Instant kNearEnd = 7 * kDay;
constexpr Instant kYear = 365 * kDay;
constexpr Instant kReplacedWithin = 60 * kSecond;

const auth::OfferedStream* offered_as(const auth::Offer& offer, const grant::Grant& grant, const grant::StreamGrant& stream) {
  const auto found = std::ranges::find_if(offer.streams, [&](const auth::OfferedStream& one) {
    return one.source_id == grant.source_id && one.stream == stream.name;
  });
  return found == offer.streams.end() ? nullptr : &*found;
}

}  // namespace

bool was_replaced(const server::GrantSummary& ended, const std::vector<server::GrantSummary>& all) {
  if (ended.status != "revoked") return false;
  const Instant at = ended.row.revoked_at.value_or(0);
  return std::ranges::any_of(all, [&](const server::GrantSummary& other) {
    return other.grant.client_id == ended.grant.client_id && other.grant.source_id == ended.grant.source_id &&
           other.grant.grant_id != ended.grant.grant_id && other.grant.issued_at > ended.grant.issued_at &&
           other.grant.issued_at <= at && at - other.grant.issued_at < kReplacedWithin;
  });
}

std::string StreamShare::description() const {
  std::string text;
  if (since) text += "since " + day_text(*since);
  if (until) text += format("{}before {}", text.empty() ? "" : " ", day_text(*until));
  return text + (text.empty() ? "" : "; ") + what;
}

std::string StreamShare::figure() const {
  // A client with reduced access may have seen more than it may see now.
  if (seen > may_see) return format("{} records seen, can see {} now", grouped(seen), grouped(may_see));
  return format("{} of {} records", grouped(seen), grouped(may_see));
}

Result<ClientDirectory> ClientDirectory::read(auth::AuthorizationServer& authorization, const server::Access& owner) {
  ClientDirectory directory;
  directory.authorization_ = &authorization;
  directory.owner_ = &owner;
  server::ResourceServer& server = authorization.server();
  const Instant now = authorization.now();
  LADDER_TRY(directory.faces, ClientFaces::of(authorization, owner));
  LADDER_TRY(directory.offer, auth::make_offer(server, owner, {}, {}));
  LADDER_TRY(directory.budgets, server.ledger().budgets(owner));
  LADDER_TRY(directory.uses_, server.ledger().uses(owner, 0, floor_div(now, kDay)));
  LADDER_TRY(const auto sums, server.ledger().sums(owner));
  for (const server::SeenSum& sum : sums) {
    directory.seen_[{sum.client_id, {sum.connection_id, sum.stream}}] = {sum.records, sum.chars};
    Instant& last = directory.last_seen_[sum.client_id];
    last = std::max(last, sum.last_at);
  }
  return directory;
}

Result<std::int64_t> ClientDirectory::visible(const server::Access& client, const grant::Grant& grant,
                                              const grant::StreamGrant& stream, const auth::OfferedStream& offered) {
  if (!stream.time && stream.resources.empty()) {
    std::int64_t all = 0;
    for (const auth::OfferedStream::Account& account : offered.accounts) {
      if (stream.allows_instance(account.connection_id)) all += std::max<std::int64_t>(0, account.records);
    }
    return all;
  }
  std::string bounds = format("{}\t{}\t{}", grant.source_id, stream.name, auth::listed(stream.instance_ids));
  for (const std::string& key : stream.resources) bounds += "\t" + key;
  if (stream.time) bounds += format("\t{}\t{}", stream.time->since.value_or(0), stream.time->until.value_or(0));
  const auto known = counted_.find(bounds);
  if (known != counted_.end()) return known->second;
  api::RecordsRequest request;
  request.scope.connector_key = offered.source_key;
  request.stream = offered.stream;
  request.limit = 1;
  request.window = true;
  request.max_field_chars = 1;
  LADDER_TRY(const auto page, authorization_->server().reads().records(client, request));
  return counted_[bounds] = page.window ? page.window->total : 0;
}

Result<ClientSummary> ClientDirectory::summary(std::string_view client_id) {
  ClientSummary summary;
  const std::string client(client_id);
  bool endless = false;
  for (const server::GrantSummary& one : faces.grants()) {
    if (one.grant.client_id != client_id) continue;
    if (one.row.last_used_at) summary.last_read = std::max(summary.last_read.value_or(0), *one.row.last_used_at);
    if (one.status != "active") continue;
    summary.grants.push_back(&one);
    summary.since = summary.since == 0 ? one.grant.issued_at : std::min(summary.since, one.grant.issued_at);
    endless = endless || !one.grant.expires_at;
    if (one.grant.expires_at) summary.ends = std::max(summary.ends.value_or(0), *one.grant.expires_at);
  }
  // A replacement grant keeps the start date of the replaced one.
  for (const server::GrantSummary& one : faces.grants()) {
    const bool its = one.grant.client_id == client_id && !summary.grants.empty();
    if (its && was_replaced(one, faces.grants())) summary.since = std::min(summary.since, one.grant.issued_at);
  }
  if (endless) summary.ends.reset();
  if (const auto last = last_seen_.find(client); last != last_seen_.end()) {
    summary.last_read = std::max(summary.last_read.value_or(0), last->second);
  }
  std::vector<server::GrantSummary> held;
  held.reserve(summary.grants.size());
  for (const server::GrantSummary* one : summary.grants) held.push_back(*one);
  if (!held.empty()) summary.budget = auth::held_budget(budgets, held);
  if (summary.budget) summary.budget_bytes = budgets.at(held.front().grant.grant_id).bytes;
  const std::int64_t today = floor_div(authorization_->now(), kDay);
  for (const server::LedgerUse& use : uses_) {
    if (use.client_id != client_id || use.day != today) continue;
    summary.chars_today += use.chars;
    summary.bytes_today += use.bytes;
    summary.answers_today += use.answers;
  }
  server::DraftGrants active;
  for (const server::GrantSummary& one : held) active.grants.push_back(one.grant);
  LADDER_TRY(const server::Access access, authorization_->server().grants().draft_access(*owner_, active));
  std::vector<const auth::OfferedStream*> open;
  for (const server::GrantSummary& one : held) {
    for (const grant::StreamGrant& stream : one.grant.streams) {
      const auth::OfferedStream* offered = offered_as(offer, one.grant, stream);
      StreamShare share;
      share.name = stream.name;
      share.what = auth::listed(stream.fields);
      if (stream.time) share.since = stream.time->since;
      if (stream.time) share.until = stream.time->until;
      for (const std::string& connection : stream.instance_ids) {
        const auto seen = seen_.find({client, {connection, stream.name}});
        if (seen == seen_.end()) continue;
        share.seen += seen->second.records;
        share.chars += seen->second.chars;
      }
      if (offered) {
        open.push_back(offered);
        share.source_key = offered->source_key;
        share.name = format("{}: {}", offered->source_name, auth::inside(offered->label));
        share.what = auth::share_text(offer, one.grant, *offered);
        std::vector<std::string> closed;
        for (const auth::OfferedField& field : offered->fields) {
          if (!stream.allows_field(field.name)) closed.push_back(field.name);
        }
        share.closed = auth::fields_text(*offered, closed, kShownClosedFields);
        LADDER_TRY(share.may_see, visible(access, one.grant, stream, *offered));
        share.counted = share.seen > 0 || (auth::has_content(*offered) && (offered->part_of.empty() || share.may_see > 0));
      }
      summary.streams.push_back(std::move(share));
    }
  }
  for (const auth::OfferedStream& one : offer.streams) {
    if (std::ranges::find(open, &one) != open.end()) continue;
    summary.closed.push_back(format("{}: {}", one.source_name, auth::inside(one.label)));
  }
  return summary;
}

std::int64_t ClientDirectory::chars_shown(std::string_view grant_id) const {
  std::int64_t chars = 0;
  for (const server::LedgerUse& use : uses_) {
    if (use.grant_id == grant_id) chars += use.chars;
  }
  return chars;
}

Writer client_mark(const ClientFace& face, bool large) {
  std::string letters;
  for (const char c : face.short_name()) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (is_letter && letters.size() < 2) letters += letters.empty() ? static_cast<char>(c & ~0x20) : static_cast<char>(c | 0x20);
  }
  Writer out;
  out << Markup("<span") << Attribute("class", (large ? "client-mark client-mark-l " : "client-mark ") + colour(face))
      << Markup(" aria-hidden=\"true\">") << Text(std::string_view(letters)) << Markup("</span>");
  return out;
}

Writer stream_bars(const ClientFace& face, const std::vector<StreamShare>& streams) {
  Writer out;
  for (const StreamShare& share : streams) {
    if (!share.counted) continue;
    out << Markup("<div") << Attribute("class", colour(face)) << Markup("><div class=\"bar-head\"><span><b dir=\"auto\">")
        << Text(share.name) << Markup("</b> <span class=\"quiet\">") << Text(share.description())
        << Markup("</span></span><span class=\"num quiet\">") << Text(share.figure()) << Markup("</span></div>")
        << meter(share.seen, std::max(share.may_see, share.seen), format("{}: {} seen", share.name, share.figure()))
        << Markup("</div>");
  }
  return out;
}

Writer end_text(const std::optional<Instant>& ends, Instant now) {
  Writer out;
  if (!ends) {
    out << Markup("when you revoke it");
    return out;
  }
  out << Text(day_text(*ends));
  if (*ends - now < kNearEnd) {
    const std::int64_t days = std::max<std::int64_t>(0, (*ends - now) / kDay);
    out << Markup(" <span class=\"badge badge-warn\">");
    if (days == 0) out << Markup("within a day");
    else out << Markup("in ") << pages::plural(days, "day", "days");
    out << Markup("</span>");
  }
  return out;
}

Writer client_action_form(const html::Url& action, const std::string& csrf, std::string_view client_id, std::string_view name,
                          std::string_view label, std::string_view look) {
  Writer out;
  out << Markup("<form method=\"post\"") << Attribute("action", action) << Markup(">") << hidden("csrf", csrf)
      << hidden("client", client_id) << Markup("<button name=\"do\"") << Attribute("value", name) << Attribute("class", look)
      << Markup(">") << Text(label) << Markup("</button></form>");
  return out;
}

Result<bool> run_client_action(auth::AuthorizationServer& authorization, const pages::Visit& visit, std::string_view client_id) {
  const std::string action = visit.form.one("do");
  const server::Access& owner = *visit.owner;
  const std::string& session = visit.session->id;
  if (client_id.empty()) return false;
  if (action == "end") {
    LADDER_CHECK(authorization.client_access().end(owner, client_id));
  } else if (action == "extend-30d") {
    LADDER_CHECK(authorization.client_access().extend(owner, client_id, 30 * kDay, session));
  } else if (action == "extend-1y") {
    LADDER_CHECK(authorization.client_access().extend(owner, client_id, kYear, session));
  } else if (action == "block") {
    LADDER_CHECK(authorization.client_access().block(owner, client_id));
  } else if (action == "unblock") {
    LADDER_CHECK(authorization.client_access().unblock(owner, client_id));
  } else if (action == "budget") {
    auth::Choices choices;
    choices.budget = visit.form.one("b") == "own" ? visit.form.one("bn") : visit.form.one("b");
    auth::fill_budget(choices, std::nullopt);
    if (choices.chars_a_day && *choices.chars_a_day < 1) {
      return fail(Code::kInvalidRequest, "The daily limit must be a whole number of characters, 1 or more.", "budget");
    }
    LADDER_TRY(const auto held, authorization.client_access().held(owner, client_id));
    std::vector<std::string> ids;
    ids.reserve(held.size());
    for (const server::GrantSummary& one : held) ids.push_back(one.grant.grant_id);
    if (!ids.empty()) LADDER_CHECK(authorization.server().ledger().share_budget(owner, ids, choices.chars_a_day));
  } else {
    return false;
  }
  return true;
}

}  // namespace ladder::console
