// The data behind the consent page, and helpers that its pages share.
#pragma once

#include "auth/text_formatting.h"
#include "pages/site.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::pages {

struct Site::ConsentModel {
  auth::AuthorizationRequest request;
  auth::Client client;
  std::vector<auth::RequestedSource> details;
  std::vector<server::GrantSummary> held;
  std::optional<std::int64_t> held_budget;
  auth::Offer offer;
  auth::Choices choices;
  std::optional<auth::Review> review;  // nullopt while the choices are incomplete
};

// Parses the browser's passkey response, and starts the form that sends it. The caller writes the button and closes the form.
auth::Ceremony ceremony_of(const Form& form);
html::Writer passkey_form(const html::Url& action, std::string_view owner, const std::string& challenge, const std::string& csrf);

using auth::day_text;
using auth::listed;

}  // namespace ladder::pages
