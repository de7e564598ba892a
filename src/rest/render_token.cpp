// POST /introspect (RFC 7662, contract 5.3): rights appear once, in authorization_details, an entry per grant.
#include "json/scan.h"
#include "rest/render.h"

#include <initializer_list>

namespace ladder::rest {
namespace {

using json::Writer;

constexpr std::string_view kDetailType = "https://pdpp.dev/data-access";

// Those members of a grant's JSON, as they stand there.
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

// Beside the rights, whose objects are closed: what each grant has that nobody named.
void write_added(Writer& out, const rs::TokenFacts& facts) {
  bool any = false;
  for (std::size_t i = 0; i < facts.origins.size(); ++i) {
    for (const grant::FieldOrigin& origin : facts.origins[i]) {
      if (origin.added.empty()) continue;
      if (!any) out.key("added_fields").begin_array();
      any = true;
      out.begin_object().member("grant_id", facts.grants[i].grant_id).member("stream", origin.stream);
      write_names(out, "fields", origin.added);
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

std::string render_token(const rs::TokenFacts& facts, std::string_view issuer, std::string_view audience) {
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

}  // namespace ladder::rest
