// Handles changes to sign-in, sessions, keys and the ledger. settings_page.cpp renders the page.
#include "console/settings/settings.h"
#include "base/text/number.h"
#include "console/console.h"

namespace ladder::console {
namespace {

// Input errors are shown next to the form. Other errors become an error page.
Result<SettingsResult> result_at(const std::string& section, Status done) {
  SettingsResult result;
  if (done) return result;
  if (done.error().http_status() >= 500) return std::unexpected(std::move(done).error());
  result.fault = std::move(done).error();
  result.at = section;
  return result;
}

Status change_passphrase(auth::Owners& owners, const pages::Visit& visit) {
  const std::string passphrase = visit.form.one("passphrase");
  LADDER_CHECK(auth::check_passphrase(passphrase, visit.form.one("passphrase_again")));
  return owners.set_passphrase(*visit.owner, passphrase);
}

Status end_other_sessions(auth::Owners& owners, const pages::Visit& visit) {
  LADDER_TRY(const auto sessions, owners.sessions(*visit.owner));
  for (const auth::Session& session : sessions) {
    if (session.id != visit.session->id) LADDER_CHECK(owners.end_session(*visit.owner, session.id));
  }
  return {};
}

Status save_ledger_settings(server::ResourceServer& server, const pages::Visit& visit) {
  LADDER_TRY(const auto state, server.ledger().state(*visit.owner));
  server::LedgerSettings wanted = state.settings;
  const auto days = parse_number(visit.form.one("days")), seen = parse_number(visit.form.one("seen"));
  if (!days || !seen) return fail(Code::kInvalidRequest, "enter a number of days", "days");
  wanted.detail_days = *days;
  wanted.seen_days = *seen;
  wanted.keeps_queries = !visit.form.one("words").empty();
  LADDER_CHECK(server.ledger().set_settings(*visit.owner, wanted));
  return server.ledger().expire();
}

server::TokenExpiry end_of(const std::string& life, Instant now) {
  if (life == "never") return {.never = true};
  constexpr std::int64_t kMonth = 30, kYear = 365;
  return {.at = now + (life == "365" ? kYear : kMonth) * kDay};
}

}  // namespace

Result<http::Response> Console::settings(Visit& visit) {
  if (visit.is_post) return change_settings(visit);
  // The passphrase form requires a recent sign-in.
  if (!visit.form.one("change").empty() && gate_.has_to_sign_in_again(visit)) {
    return pages::Gate::sign_in_again("/settings?change=" + html::Url::encoded(visit.form.one("change")));
  }
  return settings_page(visit, {});
}

Result<http::Response> Console::change_settings(Visit& visit) {
  auth::Owners& owners = authorization_.owners();
  server::ResourceServer& server = authorization_.server();
  const std::string wanted = visit.form.one("do");
  // An old session must not create new ways to sign in.
  const bool needs_sign_in = wanted == "passphrase" || wanted == "new-token";
  if (needs_sign_in && gate_.has_to_sign_in_again(visit)) {
    return pages::Gate::sign_in_again(wanted == "passphrase" ? "/settings?change=passphrase" : "/settings?change=token");
  }
  if (const std::string session = visit.form.one("session"); !session.empty()) {
    LADDER_CHECK(owners.end_session(*visit.owner, session));
    return pages::redirect_to(session == visit.session->id ? "/sign-in" : "/settings?done=session#sessions");
  }
  if (const std::string token = visit.form.one("token"); !token.empty()) {
    const auto revoked = server.owner_tokens().revoke(*visit.owner, token);
    LADDER_TRY(const auto result, result_at("tokens", revoked ? Status() : std::unexpected(revoked.error())));
    return result.fault ? settings_page(visit, result) : pages::redirect_to("/settings?done=token#tokens");
  }
  if (wanted == "others") {
    LADDER_CHECK(end_other_sessions(owners, visit));
    return pages::redirect_to("/settings?done=others#sessions");
  }
  if (wanted == "passphrase") {
    LADDER_TRY(const auto result, result_at("signin", change_passphrase(owners, visit)));
    if (result.fault) return settings_page(visit, result);
    if (!visit.form.one("others").empty()) LADDER_CHECK(end_other_sessions(owners, visit));
    return pages::redirect_to("/settings?done=passphrase#signin");
  }
  if (wanted == "new-token") {
    SettingsResult result;
    LADDER_TRY(result.new_token,
               server.owner_tokens().create(*visit.owner, end_of(visit.form.one("life"), authorization_.now())));
    result.at = "tokens";
    return settings_page(visit, result);
  }
  if (wanted == "ledger") {
    LADDER_TRY(const auto result, result_at("keep", save_ledger_settings(server, visit)));
    return result.fault ? settings_page(visit, result) : pages::redirect_to("/settings?done=ledger#keep");
  }
  if (wanted == "check" && about_.environment != nullptr) {
    SettingsResult result;
    result.findings = about_.environment->check_address(visit.server_url.base);
    result.at = "address";
    return settings_page(visit, result);
  }
  return pages::redirect_to("/settings");
}

}  // namespace ladder::console
