// Turns the owner's choices into draft grants, and reads through the code that will enforce them.
#include "auth/consent.h"
#include "auth/text_formatting.h"
#include "base/text/format.h"
#include "crypto/hash.h"
#include "json/writer.h"
#include "server/resource_server.h"

#include <algorithm>

namespace ladder::auth {
namespace {

constexpr std::int64_t kShownRecords = 5;
constexpr std::int64_t kShownChars = 240;
constexpr std::size_t kPreviewedStreams = 8;  // the others are only counted
constexpr Instant kYear = 365 * kDay;

Instant start_of_day(Instant at) { return at / kDay * kDay; }

std::optional<Instant> period_start(const Choices& choices, const ChosenStream& chosen, const OfferedStream& offered,
                                    Instant now) {
  std::optional<Instant> since = chosen.since;
  if (choices.period == "30d") since = start_of_day(now) - 30 * kDay;
  if (choices.period == "12m") since = start_of_day(now) - kYear;
  if (choices.period == "5y") since = start_of_day(now) - 5 * kYear;
  // The owner never grants more than was requested.
  if (offered.asked_since && (!since || *since < *offered.asked_since)) since = offered.asked_since;
  return since;
}

bool names(const RequestedSource& asked, const OfferedStream& offered) {
  return asked.source == offered.source_id || asked.source == offered.source_key;
}

std::optional<Instant> end_of(const Choices& choices, Instant now) {
  if (choices.duration == "1d") return now + kDay;
  if (choices.duration == "1y") return now + kYear;
  if (choices.duration == "end") return std::nullopt;
  if (choices.duration == "held") return choices.ends;
  return now + 30 * kDay;
}

// Uses the order of the offer, so that the digest does not depend on the order of selection.
std::vector<std::string> fields_of(const OfferedStream& offered, const ChosenStream& chosen) {
  std::vector<std::string> fields;
  for (const OfferedField& field : offered.fields) {
    if (field.forced || std::ranges::find(chosen.fields, field.name) != chosen.fields.end()) fields.push_back(field.name);
  }
  for (const std::string& name : chosen.fields) {
    if (std::ranges::find(offered.fields, name, &OfferedField::name) == offered.fields.end()) fields.push_back(name);
  }
  return fields;
}

// An app can do nothing with records of which it sees only the required fields. They are granted if it asks for exactly
// these, or if there are no others. An empty list would select all fields.
bool is_useful(const OfferedStream& offered, const std::vector<std::string>& fields) {
  const auto is_forced = [&](const std::string& name) {
    const auto field = std::ranges::find(offered.fields, name, &OfferedField::name);
    return field != offered.fields.end() && field->forced;
  };
  if (fields.empty() || !std::ranges::all_of(fields, is_forced)) return !fields.empty();
  return std::ranges::none_of(offered.fields,
                              [&](const OfferedField& field) { return !field.forced && (field.asked || !offered.asked); });
}

std::vector<std::string> connections_of(const OfferedStream& offered, const ChosenStream& chosen) {
  std::vector<std::string> connections;
  for (const OfferedStream::Account& account : offered.accounts) {
    if (std::ranges::find(chosen.connection_ids, account.connection_id) != chosen.connection_ids.end()) {
      connections.push_back(account.connection_id);
    }
  }
  return connections;
}

// Returns the terms of a stream's source: as requested, else as the client has now, else the strictest use in the
// request.
Result<server::GrantTerms> terms_of(const ReviewSubject& of, const OfferedStream& offered, const Choices& choices, Instant now) {
  server::GrantTerms terms;
  terms.expires_at = end_of(choices, now);
  const auto held = choices.duration == "held" ? choices.held.find(offered.source_id) : choices.held.end();
  if (held != choices.held.end()) terms.expires_at = held->second.expires_at;
  const RequestedSource* asked = nullptr;
  for (const RequestedSource& one : of.asked) {
    if (!names(one, offered)) continue;
    if (asked && !same_terms(*asked, one)) {
      return fail(Code::kInvalidRequest, format("It asks for {} twice, on different terms.", offered.source_name));
    }
    asked = &one;
  }
  if (asked) {
    terms.single_use = asked->single_use;
    terms.purpose_code = asked->purpose_code;
    terms.purpose_description = asked->purpose_description;
  } else if (held != choices.held.end()) {
    terms = held->second;
  } else {
    terms.single_use = std::ranges::any_of(of.asked, &RequestedSource::single_use);
  }
  return terms;
}

Result<server::GrantRequest> request_of(const ReviewSubject& of, const Offer& offer, const Choices& choices, Instant now) {
  server::GrantRequest request;
  request.client_id = of.client.client_id;
  for (const ChosenStream& chosen : choices.streams) {
    const bool there = std::ranges::any_of(offer.streams, [&](const OfferedStream& one) { return one.id() == chosen.id; });
    if (!there) return fail(Code::kInvalidRequest, format("stream {} no longer exists", chosen.id));
  }
  for (const OfferedStream& offered : offer.streams) {
    const auto found = std::ranges::find(choices.streams, offered.id(), &ChosenStream::id);
    if (found == choices.streams.end()) continue;
    const ChosenStream& chosen = *found;
    LADDER_TRY(request.by_source[offered.source_id], terms_of(of, offered, choices, now));
    const auto connections = connections_of(offered, chosen);
    if (connections.empty()) {
      return fail(Code::kInvalidRequest, format("Choose at least one account of {}.", inside(offered.label)), offered.id());
    }
    for (const std::string& connection : connections) {
      server::GrantSelection selection;
      selection.connection_id = connection;
      selection.stream = offered.stream;
      if (offered.has_field_choice) {
        selection.fields = fields_of(offered, chosen);
        if (!is_useful(offered, selection.fields)) {
          return fail(
              Code::kInvalidRequest,
              format("Nothing to read is chosen of {}. Choose a level or at least one more field.", inside(offered.label)),
              offered.id());
        }
      }
      if (offered.has_time) {
        selection.since = period_start(choices, chosen, offered, now);
        selection.until = chosen.until ? chosen.until : offered.asked_until;
      }
      selection.records = offered.asked_records;
      request.streams.push_back(std::move(selection));
    }
  }
  if (request.streams.empty()) return fail(Code::kInvalidRequest, "Choose at least one kind of data to share.");
  return request;
}

Result<StreamPreview> preview_stream(server::ResourceServer& server, const server::Access& client, const OfferedStream& offered,
                                     const grant::StreamGrant& granted, bool with_records) {
  StreamPreview preview;
  preview.offered = &offered;
  preview.fields = granted.fields;
  for (const OfferedField& field : offered.fields) {
    if (!granted.allows_field(field.name)) preview.withheld.push_back(field.name);
  }
  if (granted.time) {
    preview.since = granted.time->since;
    preview.until = granted.time->until;
  }
  api::RecordsRequest request;
  request.scope.connector_key = offered.source_key;
  request.stream = offered.stream;
  request.limit = with_records ? kShownRecords : 1;
  request.window = true;
  request.max_field_chars = kShownChars;
  LADDER_TRY(auto page, server.reads().records(client, request));
  if (page.window) {
    preview.records = page.window->total;
    preview.earliest = page.window->earliest_at;
    preview.latest = page.window->latest_at;
  }
  if (with_records) preview.newest = std::move(page.records);
  return preview;
}

void write_grant(json::Writer& out, const grant::Grant& grant) {
  out.begin_object().member("source", grant.source_id).member("declaration", grant.declaration_version);
  out.member("purpose", grant.purpose_code).member("single_use", grant.single_use).key("streams").begin_array();
  for (const grant::StreamGrant& stream : grant.streams) {
    out.begin_object().member("name", stream.name);
    const auto list = [&](json::Name name, const std::vector<std::string>& values) {
      out.key(name).begin_array();
      for (const std::string& value : values) out.string(value);
      out.end_array();
    };
    list("connections", stream.instance_ids);
    list("fields", stream.fields);
    if (!stream.resources.empty()) list("records", stream.resources);
    if (stream.time && stream.time->since) out.member("since", format_time(*stream.time->since));
    if (stream.time && stream.time->until) out.member("until", format_time(*stream.time->until));
    out.end_object();
  }
  out.end_array().end_object();
}

// Computes a digest of the previewed records, so that the review's digest changes if their text changes. The evidence
// contains no record text.
std::string preview_digest(const StreamPreview& stream) {
  json::Writer out;
  out.begin_array();
  for (const api::Record& record : stream.newest) {
    out.begin_object().member("id", record.ref.record_id).member("connection", record.ref.connection_id);
    out.key("data").raw(record.data.empty() ? "null" : record.data).key("cut").begin_array();
    for (const api::CutField& cut : record.cut) {
      out.begin_object().member("path", cut.path).member("chars", cut.size_chars).member("digest", cut.digest).end_object();
    }
    out.end_array().end_object();
  }
  out.end_array();
  return crypto::digest_text(crypto::sha256(out.text()));
}

std::string evidence_of(const server::Access& owner, const ReviewSubject& of, const Choices& choices, const Review& review) {
  json::Writer out;
  out.begin_object().member("version", "ladder.review.1").member("owner", owner.owner_name());
  out.member("client_id", of.client.client_id).optional_member("client_name", of.client.name);
  out.member("redirect_uri", of.redirect_uri).member("resource", of.resource);
  if (choices.ends) out.member("ends", format_time(*choices.ends));
  if (choices.duration == "held" && !choices.held.empty()) {
    out.key("held_ends").begin_array();
    for (const auto& [source, terms] : choices.held) {
      out.begin_object().member("source", source);
      if (terms.expires_at) out.member("ends", format_time(*terms.expires_at));
      out.end_object();
    }
    out.end_array();
  }
  if (review.budget) out.member("chars_a_day", *review.budget).member("bytes_a_day", review.budget_bytes);
  out.member("duration", choices.duration).member("replaces", choices.replaces).member("training", choices.training);
  out.key("asked").raw(of.details.empty() ? "[]" : of.details).key("grants").begin_array();
  for (const grant::Grant& grant : review.draft.grants) write_grant(out, grant);
  out.end_array().key("shown").begin_array();
  for (const StreamPreview& stream : review.streams) {
    out.begin_object().member("stream", stream.offered->id()).member("records", stream.records);
    out.member("preview", preview_digest(stream));
    out.optional_member("earliest", stream.earliest).optional_member("latest", stream.latest).end_object();
  }
  out.end_array().end_object();
  return out.take();
}

}  // namespace

namespace {

std::optional<Instant> earlier(std::optional<Instant> a, std::optional<Instant> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}
std::optional<Instant> later(std::optional<Instant> a, std::optional<Instant> b) { return a && b ? std::max(*a, *b) : a ? a : b; }

Status check_budget(const Choices& choices) {
  if (!choices.chars_a_day || *choices.chars_a_day > 0) return {};
  return fail(Code::kInvalidRequest, "The daily limit must be a whole number of characters, 1 or more.", "budget");
}

// Reads what a client with the draft grants would see, and adds it to the evidence.
Status show(server::ResourceServer& server, const server::Access& owner, const ReviewSubject& of, const Offer& offer,
            const Choices& choices, Review& review) {
  LADDER_TRY(const server::Access client, server.grants().draft_access(owner, review.draft));
  for (std::size_t no = 0; no < review.draft.grants.size(); ++no) {
    const grant::Grant& grant = review.draft.grants[no];
    for (const grant::StreamGrant& granted : grant.streams) {
      const auto offered = std::ranges::find_if(offer.streams, [&](const OfferedStream& stream) {
        return stream.source_id == grant.source_id && stream.stream == granted.name;
      });
      if (offered == offer.streams.end()) continue;
      const bool shown = std::ranges::any_of(review.streams, [&](const StreamPreview& one) { return one.offered == &*offered; });
      if (shown) continue;
      LADDER_TRY(auto preview, preview_stream(server, client, *offered, granted, review.streams.size() < kPreviewedStreams));
      preview.grant = no;
      review.streams.push_back(std::move(preview));
    }
  }
  review.evidence = evidence_of(owner, of, choices, review);
  review.digest = crypto::digest_text(crypto::sha256(review.evidence));
  return {};
}

// Narrows a stream to the choices; returns nullopt if nothing remains.
std::optional<grant::StreamGrant> narrowed(const grant::StreamGrant& stream, const OfferedStream& offered,
                                           const ChosenStream& chosen, const Choices& choices, Instant now) {
  grant::StreamGrant less = stream;
  std::erase_if(less.instance_ids, [&](const std::string& id) {
    return std::ranges::find(chosen.connection_ids, id) == chosen.connection_ids.end();
  });
  if (offered.has_field_choice) {
    std::erase_if(less.fields, [&](const std::string& name) {
      const auto field = std::ranges::find(offered.fields, name, &OfferedField::name);
      const bool forced = field == offered.fields.end() || field->forced;
      return !forced && std::ranges::find(chosen.fields, name) == chosen.fields.end();
    });
  }
  if (less.instance_ids.empty() || less.fields.empty()) return std::nullopt;
  if (offered.has_time && choices.period != "held") {
    const auto since = period_start(choices, {}, {}, now);
    if (!less.time && since) less.time = grant::TimeConstraint{offered.time_field, std::nullopt, std::nullopt};
    if (less.time) less.time->since = later(less.time->since, since);
  }
  return less;
}

}  // namespace

Result<Review> make_review(server::ResourceServer& server, const server::Access& owner, const ReviewSubject& of,
                           const Offer& offer, const Choices& choices, Instant now) {
  LADDER_CHECK(check_budget(choices));
  LADDER_TRY(const server::GrantRequest request, request_of(of, offer, choices, now));
  Review review;
  LADDER_TRY(review.draft, server.grants().draft(owner, request));
  review.ends_at = review.draft.ends_at;
  review.budget = choices.chars_a_day;
  review.budget_bytes = server::default_byte_budget(review.budget.value_or(0));
  LADDER_CHECK(show(server, owner, of, offer, choices, review));
  return review;
}

Offer held_offer(Offer offer, const std::vector<server::GrantSummary>& held) {
  for (OfferedStream& offered : offer.streams) {
    std::vector<std::string> connections;
    for (const server::GrantSummary& one : held) {
      const grant::StreamGrant* stream = one.grant.source_id == offered.source_id ? one.grant.stream(offered.stream) : nullptr;
      if (stream) connections.insert(connections.end(), stream->instance_ids.begin(), stream->instance_ids.end());
    }
    std::erase_if(offered.accounts, [&](const OfferedStream::Account& account) {
      return std::ranges::find(connections, account.connection_id) == connections.end();
    });
    offered.records = 0;
    for (const OfferedStream::Account& account : offered.accounts) {
      offered.records = account.records < 0 || offered.records < 0 ? -1 : offered.records + account.records;
    }
    std::erase_if(offered.fields, [](const OfferedField& field) { return !field.granted_before; });
  }
  std::erase_if(offer.streams, [](const OfferedStream& stream) { return stream.accounts.empty() || stream.fields.empty(); });
  return offer;
}

Result<Narrowing> make_narrowing(server::ResourceServer& server, const server::Access& owner, const Client& client,
                                 const Offer& offer, const std::vector<server::GrantSummary>& held,
                                 std::optional<std::int64_t> held_budget, const Choices& choices, Instant now) {
  LADDER_CHECK(check_budget(choices));
  Narrowing made;
  Review& review = made.review;
  review.budget = choices.chars_a_day && held_budget ? std::min(*choices.chars_a_day, *held_budget)
                                                     : (choices.chars_a_day ? choices.chars_a_day : held_budget);
  made.changes = review.budget != held_budget;
  if (review.budget) {
    LADDER_TRY(const auto budgets, server.ledger().budgets(owner));
    std::vector<std::string> ids;
    ids.reserve(held.size());
    for (const server::GrantSummary& old : held) ids.push_back(old.grant.grant_id);
    review.budget_bytes = server::replaced_byte_budget(budgets, ids, *review.budget);
  }
  bool endless = false;
  for (const server::GrantSummary& old : held) {
    grant::Grant less = old.grant;
    less.streams.clear();
    for (const grant::StreamGrant& stream : old.grant.streams) {
      const auto offered = std::ranges::find_if(offer.streams, [&](const OfferedStream& one) {
        return one.source_id == old.grant.source_id && one.stream == stream.name;
      });
      if (offered == offer.streams.end()) continue;
      const auto chosen = std::ranges::find(choices.streams, offered->id(), &ChosenStream::id);
      if (chosen == choices.streams.end()) continue;
      if (auto stays = narrowed(stream, *offered, *chosen, choices, now)) less.streams.push_back(*std::move(stays));
    }
    if (choices.duration != "held") less.expires_at = earlier(old.grant.expires_at, end_of(choices, now));
    made.changes = made.changes || grant::to_json(less) != grant::to_json(old.grant);
    LADDER_TRY(auto draft, server.grants().draft_reissue(owner, old, std::move(less)));
    if (draft.grant) {
      endless = endless || !draft.grant->expires_at;
      review.ends_at = endless ? std::nullopt : later(review.ends_at, draft.grant->expires_at);
      review.draft.grants.push_back(*draft.grant);
    }
    made.drafts.push_back(std::move(draft));
  }
  if (review.draft.grants.empty()) {
    return fail(Code::kInvalidRequest, "Nothing would be left. To remove all access, revoke it.");
  }
  review.draft.ends_at = review.ends_at;
  LADDER_CHECK(show(server, owner, {client, "", "", "", {}}, offer, choices, review));
  return made;
}

}  // namespace ladder::auth
