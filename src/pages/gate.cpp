#include "pages/gate.h"

#include "crypto/random.h"

#include <algorithm>
#include <array>

namespace ladder::pages {

bool is_from_here(const http::Request& request, const auth::ServerUrl& server_url) {
  const auto origin = request.headers.get("Origin");
  if (request.headers.count("Origin") != 1 || !origin || !http::equal_without_case(*origin, server_url.base)) return false;
  const auto site = request.headers.get("Sec-Fetch-Site");
  return !site || *site == "same-origin";
}

bool is_sent_by_browser(const http::Request& request) {
  const auto is = [&](std::string_view name, std::string_view value) {
    return request.headers.count(name) == 1 && request.headers.get(name) == value;
  };
  const auto origin = request.headers.get("Origin");
  return is("Sec-Fetch-Site", "none") && is("Sec-Fetch-Mode", "navigate") && is("Sec-Fetch-Dest", "document") &&
         (!origin || (request.headers.count("Origin") == 1 && *origin == "null"));
}

std::string safe_next(std::string_view next) {
  const bool leads_away =
      !next.starts_with('/') || next.starts_with("//") || next.find_first_of("\r\n\\\"<> ") != std::string_view::npos;
  const std::string_view path = next.substr(0, next.find_first_of("?#"));
  constexpr std::array<std::string_view, 24> kPages = {"/",
                                                       "/explore",
                                                       "/record",
                                                       "/record/delete",
                                                       "/sources",
                                                       "/sources/erase",
                                                       "/sources/merge",
                                                       "/sources/add",
                                                       "/sources/sync",
                                                       "/import",
                                                       "/clients",
                                                       "/client",
                                                       "/client/narrow",
                                                       "/requests",
                                                       "/ledger",
                                                       "/ledger/record",
                                                       "/settings",
                                                       "/settings/backups",
                                                       "/settings/notifications",
                                                       "/settings/phone",
                                                       "/consent",
                                                       "/device",
                                                       "/passkeys",
                                                       "/panic"};
  if (leads_away || std::ranges::find(kPages, path) == kPages.end()) return "/";
  return std::string(next);
}

auth::Visitor visitor_of(const http::Request& request, const auth::ServerUrl& server_url) {
  return {caller_address(request, server_url.base), std::string(request.headers.get("User-Agent").value_or(""))};
}

std::expected<Visit, http::Response> Gate::enter(const http::Request& request, const auth::ServerUrl& server_url,
                                                 Audience audience) const {
  Visit visit{request, server_url};
  visit.is_post = request.method == "POST";
  visit.frame.title = "Ladder";
  visit.frame.over_tls = server_url.base.starts_with("https:");
  const std::string_view type = request.headers.get("Content-Type").value_or("");
  const bool has_bytes = type == "application/octet-stream";
  auto form = visit.is_post && Form::is_multipart(type)
                  ? Form::parse_multipart(type, request.body)
                  : Form::parse(visit.is_post && !has_bytes ? std::string_view(request.body) : request.query());
  if (!form) {
    return std::unexpected(message_page(400, visit.frame, "This form could not be read", "Reload the page and try again."));
  }
  visit.form = *std::move(form);
  if (auto opened = open_session(visit); !opened) return std::unexpected(failure(opened.error(), visit));
  if (audience == Audience::kSharing && (!visit.is_post || !is_sent_by_browser(request))) {
    return std::unexpected(message_page(403, visit.frame, "These files were not taken",
                                        "Share them from another app on your phone, or choose them on the Import page.",
                                        "origin"));
  }
  if (audience == Audience::kSharing && !visit.owner) {
    return std::unexpected(message_page(401, visit.frame, "You are signed out",
                                        "The files were not taken. Sign in to Ladder, then share them again."));
  }
  if (visit.is_post && audience != Audience::kSharing) {
    const std::string visitors = authorization_.owners().visitor_form_token();
    const std::string expected = visit.session ? visit.session->form_token : visitors;
    const std::string sent = has_bytes ? std::string(request.headers.get("X-CSRF-Token").value_or("")) : visit.form.one("csrf");
    const bool known = crypto::equal_in_constant_time(sent, expected) ||
                       (audience == Audience::kAnyone && crypto::equal_in_constant_time(sent, visitors));
    if (!is_from_here(request, server_url) || !known) {
      return std::unexpected(message_page(403, visit.frame, "This form has expired",
                                          "Nothing was changed. Reload the page and try again.", "origin or form token"));
    }
  }
  // The sign-in page returns here.
  if (audience == Audience::kOwner && !visit.owner) {
    const std::string next = visit.is_post ? "/" : std::string(request.target);
    return std::unexpected(redirect_to("/sign-in?next=" + html::Url::encoded(safe_next(next))));
  }
  return visit;
}

Status Gate::open_session(Visit& visit) const {
  const std::string cookie = cookie_of(visit.request);
  if (cookie.empty()) return {};
  LADDER_TRY(visit.session, authorization_.owners().find_session(cookie));
  if (!visit.session) return {};
  LADDER_TRY(visit.owner, authorization_.server().accesses().local_owner(visit.session->owner_name));
  visit.frame.owner = visit.session->owner_name;
  return {};
}

bool Gate::has_to_sign_in_again(const Visit& visit) const {
  return authorization_.now() - visit.session->confirmed_at > auth::kConfirmationLife;
}

http::Response Gate::sign_in_again(std::string_view next) {
  return redirect_to("/sign-in?again=1&next=" + html::Url::encoded(safe_next(next)));
}

http::Response Gate::failure(const Error& error, const Visit& visit) {
  Frame frame = visit.frame;
  frame.title = "Something went wrong";
  http::Response response =
      error.code == Code::kStoreUnavailable
          ? message_page(
                503, frame, "Ladder can't reach its database",
                "Nothing was changed. Try again; if it keeps failing, run `ladder doctor` on the computer that runs Ladder.")
          : message_page(error.http_status(), frame,
                         error.code == Code::kOwnerSuspended ? "Your access is suspended" : "This didn't work", error.message,
                         error.wire());
  if (error.more && error.more->retry_after_seconds >= 0) {
    response.headers.set("Retry-After", std::to_string(error.more->retry_after_seconds));
  }
  return response;
}

}  // namespace ladder::pages
