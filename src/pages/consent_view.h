// The model of the consent page, and the names that its form uses.
#pragma once

#include "auth/wording.h"
#include "pages/site.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::pages {

struct Site::Asked {
  auth::AuthorizationRequest request;
  auth::Client client;
  std::vector<auth::AskedSource> details;
  std::vector<server::GrantSummary> held;
  std::optional<std::int64_t> held_budget;
  auth::Offer offer;
  auth::Choices choices;
  std::optional<auth::Review> review;  // none while nothing fit is chosen
};

// A browser's answer about a passkey, and the form that it is sent by; the button and the end of the form are the caller's.
auth::Ceremony ceremony_of(const Form& form);
html::Writer passkey_form(const html::Url& action, std::string_view owner, const std::string& challenge, const std::string& csrf);

using auth::day_text;
using auth::listed;

}  // namespace ladder::pages
