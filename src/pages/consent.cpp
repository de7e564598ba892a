// Consent: the form becomes choices, the choices become a review, and an approval is valid only for the review that was shown.
#include "auth/kinds.h"
#include "pages/consent_form.h"
#include "pages/consent_view.h"

#include "base/text/format.h"

#include <algorithm>

namespace ladder::pages {
namespace {

// The redirect that tells the client that the owner denied the request.
std::string denial(const auth::AuthorizationRequest& request, const auth::ServerUrl& server_url) {
  std::vector<std::pair<std::string, std::string>> parameters = {{"error", "access_denied"},
                                                                 {"error_description", "the owner denied the request"}};
  if (!request.state.empty()) parameters.emplace_back("state", request.state);
  parameters.emplace_back("iss", server_url.base);
  return auth::with_parameters(request.redirect_uri, parameters);
}

}  // namespace

Result<Site::ConsentModel> Site::load_consent(Visit& visit, std::string_view id) {
  ConsentModel found;
  LADDER_TRY(found.request, authorization_.requests().open(id, *visit.owner));
  LADDER_TRY(found.client, authorization_.clients().find(found.request.client_id));
  auto details = auth::read_details(found.request.details);
  if (!details) return fail(Code::kInvalidRequest, details.error().description);
  found.details = *std::move(details);
  LADDER_TRY(found.held, authorization_.client_access().held(*visit.owner, found.request.client_id));
  LADDER_TRY(const auto budgets, authorization_.server().ledger().budgets(*visit.owner));
  found.held_budget = found.held.empty() ? std::nullopt : auth::held_budget(budgets, found.held);
  LADDER_TRY(found.offer, auth::make_offer(authorization_.server(), *visit.owner, found.details, found.held));
  visit.frame.form_action = form_action_for(found.request.redirect_uri);
  return found;
}

Result<http::Response> Site::consent(Visit& visit) {
  LADDER_TRY(ConsentModel found, load_consent(visit, request_named(visit.form.one("request"), visit.form.one("request_uri"))));
  if (found.request.status == "approved" && !found.request.exchange.empty()) {
    return message_page(200, visit.frame, "Allowed", "You're done. You can close this page.");
  }
  if (found.request.status == "approved") {
    LADDER_TRY(auto grants, authorization_.server().grants().list(*visit.owner));
    std::erase_if(grants, [&](const server::GrantSummary& one) {
      return std::ranges::find(found.request.grant_ids, one.grant.grant_id) == found.request.grant_ids.end();
    });
    LADDER_TRY(const auto budgets, authorization_.server().ledger().budgets(*visit.owner));
    return connected_page(visit, found, grants, budgets);
  }
  // Deny requests of blocked clients without asking the owner.
  if (found.request.status == "denied" && visit.form.one("do").empty()) {
    LADDER_TRY(const bool blocked, authorization_.blocks().covers(visit.owner->owner(), found.request));
    if (blocked) return denied(found.request, visit.server_url);
  }
  if (found.request.status != "waiting") {
    return message_page(410, visit.frame, "You already answered this request",
                        "To change your answer, start again from the app.");
  }
  // Training cannot be undone.
  if (auth::wants_training(found.details) && gate_.has_to_sign_in_again(visit)) {
    return Gate::sign_in_again("/consent?request=" + html::Url::encoded(found.request.id));
  }
  const std::string action = visit.form.one("do");
  if (!visit.is_post) {
    found.choices = found.held.empty() ? auth::required_choices(found.offer) : auth::wider_choices(found.offer, found.held);
  } else {
    found.choices = read_choices(visit.form, found.offer);
    if (const std::string preset = visit.form.one("preset"); !preset.empty()) {
      found.choices = preset == "same" ? auth::held_choices(found.offer, found.held)
                                       : auth::with_preset(found.offer, std::move(found.choices), preset);
    }
  }
  if (found.held.empty()) found.choices.replaces = false;
  if (found.held.empty() && found.choices.budget == "held") found.choices.budget = "none";
  auth::fill_held(found.choices, found.offer, found.held);
  auth::fill_budget(found.choices, found.held_budget);
  if (visit.is_post && action == "deny") {
    LADDER_CHECK(authorization_.requests().deny(found.request));
    return denied(found.request, visit.server_url);
  }
  const auth::ReviewSubject of{found.client, found.request.redirect_uri, found.request.resource, found.request.details,
                               found.details};
  auto review = auth::make_review(authorization_.server(), *visit.owner, of, found.offer, found.choices, authorization_.now());
  if (!review && review.error().code == Code::kStoreUnavailable) return std::unexpected(review.error());
  const bool allows = visit.is_post && action == "allow";
  if (!review) {
    const Error& why = review.error();
    return consent_page(visit, found, &why, allows || !found.choices.streams.empty() ? &why : nullptr, false);
  }
  found.review = *std::move(review);
  if (!allows) return consent_page(visit, found, nullptr, nullptr, false);
  if (auth::wants_training(found.details) && !found.choices.training) {
    const Error why{Code::kInvalidRequest, "It wants to train a model on your data. Allow that below, or deny the request."};
    return consent_page(visit, found, &why, &why, false);
  }
  if (visit.form.one("shown") != found.review->digest) return consent_page(visit, found, nullptr, nullptr, true);
  LADDER_TRY(const auto approved, authorization_.consents().approve(found.request, *visit.owner, *found.review, found.choices,
                                                                    found.held, visit.session->id));
  if (!approved.exchange.empty()) {
    return message_page(200, visit.frame, "Allowed", "You're done. You can close this page.");
  }
  return redirect_to("/consent?request=" + html::Url::encoded(approved.id));
}

http::Response Site::denied(const auth::AuthorizationRequest& request, const auth::ServerUrl& server_url) {
  if (request.kind != auth::RequestKind::kCode) {
    Frame frame;
    frame.title = "Access denied";
    return message_page(200, frame, "Access denied", "Nothing was shared. You can close this page.");
  }
  return redirect_to(denial(request, server_url));
}

// Issues the code to the client, after the owner has seen the summary.
Result<http::Response> Site::continue_to_client(Visit& visit) {
  LADDER_TRY(const auto request, authorization_.requests().open(visit.form.one("request"), *visit.owner));
  if (request.kind == auth::RequestKind::kReview) {
    LADDER_TRY(const std::string code, authorization_.consents().issue_exchange(request));
    return exchange_page(visit, code);
  }
  LADDER_TRY(const std::string code, authorization_.consents().issue_code(request));
  std::vector<std::pair<std::string, std::string>> parameters = {{"code", code}};
  if (!request.state.empty()) parameters.emplace_back("state", request.state);
  parameters.emplace_back("iss", visit.server_url.base);
  return redirect_to(auth::with_parameters(request.redirect_uri, parameters));
}

// The client has no redirect URI, so the owner copies the code. The code is not a token yet and works once.
http::Response Site::exchange_page(const Visit& visit, const std::string& code) const {
  Frame frame = visit.frame;
  frame.title = "A code for the app";
  html::Writer main;
  main << html::Markup(
              "<div class=\"gate-box\"><h1>Enter this code in the app</h1><p class=\"soft\">It works once and expires after 5 "
              "minutes. The app sends it to <code>/consent/exchange</code> to get access.</p><p class=\"card mono\"><code>")
       << html::Text(code) << html::Markup("</code></p></div>\n");
  return page(200, frame, main);
}

Result<http::Response> Site::undo(Visit& visit) {
  LADDER_TRY(const auto request, authorization_.requests().open(visit.form.one("request"), *visit.owner));
  if (request.status != "approved")
    return fail(Code::kConflict, "You already answered this request. You can revoke access under Apps.");
  LADDER_CHECK(authorization_.consents().undo(request, *visit.owner));
  Frame frame = visit.frame;
  frame.title = "Undone";
  html::Writer main;
  main << html::Markup("<div class=\"gate-box\"><h1>Undone</h1><p class=\"soft\">The app has no access.</p>");
  // The client is still waiting. It gets the denial when the owner returns to it.
  const auto back =
      request.kind == auth::RequestKind::kCode ? html::Url::checked(denial(request, visit.server_url)) : std::nullopt;
  if (back) {
    main << html::Markup("<p><a class=\"btn btn-l\"") << html::Attribute("href", *back) << html::Markup(">Go back to ")
         << html::Text(auth::trust_of(request) == auth::Trust::kThisComputer ? "the app" : auth::requester_name(request))
         << html::Markup("</a></p>");
  }
  main << html::Markup("</div>\n");
  return page(200, frame, main);
}

Result<http::Response> Site::device(Visit& visit) {
  const std::string code = visit.form.one("user_code");
  Frame frame = visit.frame;
  frame.title = "A request from another device";
  std::string why;
  int status = 200;
  if (!code.empty()) {
    const auto id = authorization_.requests().find_by_code(code, format("owner:{}", visit.owner->owner()));
    if (id) return redirect_to("/consent?request=" + html::Url::encoded(*id));
    if (id.error().code != Code::kNotFound && id.error().code != Code::kRateLimited) return std::unexpected(id.error());
    why = id.error().message;
    status = id.error().http_status();
  }
  html::Writer main;
  main << html::Markup(
              "<div class=\"gate-box\"><h1>A request from another device</h1><form class=\"card stack\" "
              "action=\"/device\" method=\"get\"><div class=\"field\"><label for=\"c\">Code</label><div "
              "class=\"join\"><input class=\"input mono\" id=\"c\" name=\"user_code\" placeholder=\"BCDF-2345\" "
              "autocomplete=\"off\" aria-describedby=\"ch\"")
       << html::Attribute("value", code) << html::Markup("><button class=\"btn\">Find request</button></div>");
  if (!why.empty()) main << html::Markup("<p class=\"error\" role=\"alert\">") << html::Text(why) << html::Markup("</p>");
  main << html::Markup(
      "<p class=\"hint\" id=\"ch\">The device shows a code of eight letters and digits. You can also run <code>ladder approve "
      "CODE</code>.</p></div></form></div>\n");
  return page(status, frame, main);
}

}  // namespace ladder::pages
