// The PDPP consent endpoints for the owner's programs: review, approve and deny, in JSON (format of the reference
// implementation). Requests need a session, its form token and this origin, like the pages. The token never appears on a page.
#include "auth/body.h"
#include "base/limits.h"
#include "base/text/base64.h"
#include "base/text/format.h"
#include "crypto/hash.h"
#include "crypto/random.h"
#include "json/parse.h"
#include "json/writer.h"
#include "pages/consent_view.h"
#include "pages/site.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace ladder::pages {
namespace {

using auth::Body;

constexpr std::size_t kMaxBytes = 64 * limits::kKiB;
constexpr std::size_t kMaxDepth = 12;
constexpr std::string_view kPending = "urn:pdpp:pending-consent:";

void list(json::Writer& out, json::Name name, const std::vector<std::string>& values) {
  out.key(name).begin_array();
  for (const std::string& value : values) out.string(value);
  out.end_array();
}

// Writes one source of the draft grant.
void write_source(json::Writer& out, const grant::Grant& grant, const auth::RequestedSource* asked) {
  out.key("source").begin_object().member("kind", grant.source_kind).member("id", grant.source_id).end_object();
  out.key("source_declaration").begin_object().member("version", grant.declaration_version).end_object();
  out.key("purpose").begin_object().member("code", grant.purpose_code);
  out.optional_member("description", grant.purpose_description).end_object();
  out.member("access_mode", grant.single_use ? "single_use" : "continuous");
  if (asked) out.optional_member("retention", asked->retention);
  if (grant.expires_at) out.member("expires_at", format_time(*grant.expires_at));
  out.key("resolved_streams").begin_array();
  for (const grant::StreamGrant& stream : grant.streams) {
    out.begin_object().member("name", stream.name);
    list(out, "instance_ids", stream.instance_ids);
    list(out, "fields", stream.fields);
    if (!stream.resources.empty()) list(out, "resources", stream.resources);
    if (stream.time) {
      out.key("time_constraint").begin_object().member("field", stream.time->field);
      if (stream.time->since) out.member("since", format_time(*stream.time->since));
      if (stream.time->until) out.member("until", format_time(*stream.time->until));
      out.end_object();
    }
    out.end_object();
  }
  out.end_array();
}

// Separates what is enforced (streams, fields, times), what is declared (purpose, retention) and who asks.
std::string review_json(const auth::Review& review, const std::vector<auth::RequestedSource>& asked, const auth::Client& client,
                        std::string_view owner, bool training) {
  json::Writer out;
  out.begin_object().key("subject").begin_object().member("id", owner).end_object();
  out.key("client").begin_object().member("client_id", client.client_id).optional_member("client_name", client.name).end_object();
  const auto write = [&](const grant::Grant& grant) {
    const auto of = std::ranges::find(asked, grant.source_id, &auth::RequestedSource::source);
    write_source(out, grant, of == asked.end() ? nullptr : &*of);
  };
  if (review.draft.grants.size() == 1) {
    write(review.draft.grants.front());
  } else {
    out.key("sources").begin_array();
    for (const grant::Grant& grant : review.draft.grants) {
      out.begin_object();
      write(grant);
      out.end_object();
    }
    out.end_array();
  }
  out.member("ai_training_consented", training).member("shown", review.digest).end_object();
  return out.take();
}

std::string revision_of(const std::string& review, bool batch) {
  const auto tree = json::parse(review, review.size() + 1, 64);
  const std::string canonical = tree ? json::canonical(*tree) : review;
  return format("reference.{}approval-review.v1:sha256:{}", batch ? "batch-" : "",
                base64url::encode(crypto::view(crypto::sha256(canonical))));
}

// Selects everything that was requested, including optional data, narrowed by the body.
Result<auth::Choices> read_narrowing(const Body& body, const std::vector<auth::RequestedSource>& asked, const auth::Offer& offer,
                                     Instant now) {
  constexpr Instant kUsualLife = 30 * kDay;
  auth::Choices choices;
  choices.duration = "held";
  choices.ends = now + kUsualLife;  // fixed here so that the approval uses the same end
  choices.period = "held";
  choices.training = body.flag("ai_training_consented");
  choices.replaces = false;
  std::set<std::int64_t> approved;
  if (const auto* indexes = body.tree().get_object().if_contains("approved_source_indexes"); indexes && indexes->is_array()) {
    for (const auto& one : indexes->get_array()) {
      if (!one.is_int64() || one.get_int64() < 0 || one.get_int64() >= std::ssize(asked)) {
        return fail(Code::kInvalidRequest, "approved_source_indexes names a source that was not asked for",
                    "approved_source_indexes");
      }
      approved.insert(one.get_int64());
    }
  } else {
    for (std::int64_t i = 0; i < std::ssize(asked); ++i) approved.insert(i);
  }
  for (const std::int64_t index : approved) {
    const auth::RequestedSource& source = asked[static_cast<std::size_t>(index)];
    const Body narrowing = body.object("source_narrowing").object(std::to_string(index));
    const auto streams = narrowing.texts("streams");
    for (const auth::OfferedStream& offered : offer.streams) {
      const bool of_source = offered.source_id == source.source || offered.source_key == source.source;
      if (!of_source || !offered.asked) continue;
      if (narrowing.has("streams") && std::ranges::find(streams, offered.stream) == streams.end()) continue;
      auth::ChosenStream chosen{offered.id(), {}, {}};
      for (const auth::OfferedStream::Account& account : offered.accounts) {
        if (account.asked) chosen.connection_ids.push_back(account.connection_id);
      }
      const bool named =
          std::ranges::any_of(source.streams, [](const auth::RequestedStream& s) { return !s.connection_ids.empty(); });
      if (chosen.connection_ids.size() > 1 && !named) {
        return fail(Code::kAmbiguousConnection,
                    format("several accounts have {}; the request has to name one of them in instance_ids", offered.stream));
      }
      const Body fields = narrowing.object("fields");
      const auto kept = fields.texts(offered.stream);
      for (const auth::OfferedField& field : offered.fields) {
        const bool left = !fields.has(offered.stream) || std::ranges::find(kept, field.name) != kept.end();
        if (field.asked && left) chosen.fields.push_back(field.name);
      }
      if (const std::string since = narrowing.object("since").text(offered.stream); !since.empty()) {
        chosen.since = parse_time(since);
        if (!chosen.since) return fail(Code::kInvalidRequest, "source_narrowing.since is no time", "source_narrowing");
      }
      choices.streams.push_back(std::move(chosen));
    }
  }
  return choices;
}

std::string choices_json(const auth::Choices& choices) {
  json::Writer out;
  out.begin_object().member("training", choices.training).member("ends", choices.ends.value_or(0)).key("streams").begin_array();
  for (const auth::ChosenStream& stream : choices.streams) {
    out.begin_object().member("id", stream.id);
    list(out, "connections", stream.connection_ids);
    list(out, "fields", stream.fields);
    if (stream.since) out.member("since", *stream.since);
    out.end_object();
  }
  out.end_array().end_object();
  return out.take();
}

auth::Choices choices_of(const std::string& text) {
  const Body body(text);
  auth::Choices choices;
  choices.period = choices.duration = "held";
  choices.training = body.flag("training");
  choices.replaces = false;
  choices.ends = body.number("ends");
  for (const Body& stream : body.objects("streams")) {
    choices.streams.push_back(
        {stream.text("id"), stream.texts("connections"), stream.texts("fields"), stream.maybe_number("since")});
  }
  return choices;
}

http::Response conflict(std::string_view request_id) {
  http::Response response =
      http::error_response(Error{Code::kConflict, "the request was decided or changed meanwhile; review it again"}, request_id);
  constexpr std::string_view kOurs = "\"code\":\"conflict\"";
  if (const auto at = response.body.find(kOurs); at != std::string::npos) {
    response.body.replace(at, kOurs.size(), "\"code\":\"approval_conflict\"");  // the PDPP name
  }
  return response;
}

void write_grants(json::Writer& out, const std::vector<std::string>& ids, const std::vector<std::string>& bodies,
                  std::string_view token) {
  out.begin_object();
  if (bodies.size() == 1) {
    out.member("grant_id", ids.front()).optional_member("token", token).key("grant").raw(bodies.front()).end_object();
    return;
  }
  // A package contains the grants of one approval. Its id is derived from the first grant.
  const std::string package = "pkg_" + (ids.empty() ? std::string() : ids.front().substr(ids.front().find('_') + 1));
  out.member("package_id", package).optional_member("token", token).key("grant").begin_object().member("package", true);
  out.member("package_id", package).member("grant_id", package).key("child_grants").begin_array();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Body body(bodies[i]);
    out.begin_object().member("grant_id", ids[i]).key("source").raw(body.raw("source").empty() ? "{}" : body.raw("source"));
    out.end_object();
  }
  out.end_array().end_object().end_object();
}

}  // namespace

http::Response approval_answer(const auth::TokenResponse& answer) {
  json::Writer out;
  write_grants(out, answer.grant_ids, answer.grants, answer.access_token);
  http::Response response = http::Response::json(200, out.take());
  response.headers.set("Cache-Control", "no-store");
  return response;
}

std::string request_named(std::string_view request, std::string_view uri) {
  if (!request.empty()) return std::string(request);
  return uri.starts_with(kPending) ? std::string(uri.substr(kPending.size())) : std::string();
}

http::Response Site::serve_action(ConsentAction action, const http::Request& request, const auth::ServerUrl& server_url) {
  Visit visit{request, server_url};
  visit.is_post = true;
  if (auto opened = gate_.open_session(visit); !opened) return http::error_response(opened.error(), request.id);
  if (!visit.owner) return http::error_response(Error{Code::kAuthentication, "sign in first"}, request.id);
  auto tree = json::parse(request.body, kMaxBytes, kMaxDepth);
  if (!tree || !tree->is_object()) {
    return http::error_response(Error{Code::kInvalidRequest, "the body is not one JSON object"}, request.id);
  }
  const Body body(*std::move(tree));
  const std::string sent(request.headers.get("X-CSRF-Token").value_or(""));
  if (!is_from_here(request, server_url) || !crypto::equal_in_constant_time(sent, visit.session->form_token)) {
    return http::error_response(Error{Code::kPermission, "send the form token of the session in X-CSRF-Token, from this origin"},
                                request.id);
  }
  auto answer = decide(action, visit, body);
  if (answer) return *std::move(answer);
  return answer.error().code == Code::kConflict ? conflict(request.id) : http::error_response(answer.error(), request.id);
}

Result<http::Response> Site::decide(ConsentAction action, Visit& visit, const Body& body) {
  LADDER_TRY(ConsentModel found, load_consent(visit, request_named(body.text("approval_id"), body.text("request_uri"))));
  if (found.request.kind != auth::RequestKind::kReview) {
    return fail(Code::kInvalidRequest, "this request is answered on its page", "request_uri");
  }
  if (found.request.status != "waiting") return fail(Code::kConflict, "this request was answered");
  const std::string uri = std::string(kPending) + found.request.id;
  if (action == ConsentAction::kDeny) {
    LADDER_CHECK(authorization_.requests().deny(found.request));
    json::Writer out;
    out.begin_object().member("request_uri", uri).member("status", "denied").end_object();
    return http::Response::json(200, out.take());
  }
  const bool approves = action == ConsentAction::kApprove;
  if (approves) {
    for (const char* late : {"subject_id", "ai_training_consented", "approved_source_indexes", "source_narrowing"}) {
      if (body.has(late)) return fail(Code::kInvalidRequest, "this member belongs to the review, not to the approval", late);
    }
    if (found.request.review.empty()) return fail(Code::kInvalidRequest, "review the request first");
    found.choices = choices_of(found.request.choices);
  } else {
    LADDER_TRY(found.choices, read_narrowing(body, found.details, found.offer, authorization_.now()));
  }
  if (auth::wants_training(found.details) && !found.choices.training) {
    return fail(Code::kInvalidRequest, "the request includes training a model: ai_training_consented must be true",
                "ai_training_consented");
  }
  const auth::ReviewSubject of{found.client, "", found.request.resource, found.request.details, found.details};
  LADDER_TRY(const auth::Review review,
             auth::make_review(authorization_.server(), *visit.owner, of, found.offer, found.choices, authorization_.now()));
  const std::string shown = review_json(review, found.details, found.client, visit.owner->owner_name(), found.choices.training);
  const bool batch = review.draft.grants.size() > 1;
  const std::string revision = revision_of(shown, batch);
  if (!approves) {
    LADDER_CHECK(authorization_.consents().keep_review(found.request, revision, choices_json(found.choices)));
    json::Writer out;
    out.begin_object().key("approval_review").raw(shown).member("approval_review_revision", revision);
    out.member("batch", batch).member("request_uri", uri).end_object();
    return http::Response::json(200, out.take());
  }
  if (body.text("approval_review_revision") != revision || found.request.review != revision) {
    return fail(Code::kInvalidRequest, "what was reviewed has changed; review it again", "approval_review_revision");
  }
  if (batch && !body.flag("confirm_reviewed_decision")) {
    return fail(Code::kInvalidRequest, "several sources are granted: confirm_reviewed_decision must be true",
                "confirm_reviewed_decision");
  }
  LADDER_TRY(const auto approved, authorization_.consents().approve(found.request, *visit.owner, review, found.choices,
                                                                    found.held, visit.session->id));
  if (!approved.exchange.empty()) {
    // The token goes to the polling client. The approving owner gets the grants.
    std::vector<std::string> bodies;
    bodies.reserve(review.draft.grants.size());
    for (const grant::Grant& grant : review.draft.grants) bodies.push_back(grant::to_json(grant));
    json::Writer out;
    write_grants(out, approved.grant_ids, bodies, "");
    return http::Response::json(200, out.take());
  }
  const auto token = authorization_.tokens().issue_token(approved);
  if (!token) return fail(Code::kStoreUnavailable, token.error().description);
  return approval_answer(*token);
}

}  // namespace ladder::pages
