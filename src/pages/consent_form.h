// Form parts for choosing what to share. Used by the consent page and by the page that reduces existing access.
#pragma once

#include "auth/consent.h"
#include "auth/text_formatting.h"
#include "html/html.h"
#include "pages/form.h"
#include "pages/page.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::pages {

struct KindFormOptions {
  bool marks_new = false;        // marks requested fields that the client does not have yet
  const Error* fault = nullptr;  // shown at the kind whose stream its param names
  bool any_asked = false;
};

struct GrantFormOptions {
  bool training = false;      // the client requests training
  bool known_client = false;  // the client already has access
  bool narrows = false;       // only existing access can be kept
  std::optional<std::int64_t> held_budget = {};
  const Error* fault = nullptr;
};

auth::Choices read_choices(const Form& form, const auth::Offer& offer);

html::Writer notice(html::Markup kind, Icon of, std::string_view strong, std::string_view text);
html::Writer change_list(const std::vector<auth::Change>& changes);
html::Writer kind_presets(const auth::Offer& offer, const auth::Choices& choices, bool known_client);
html::Writer kind_choices(const auth::Offer& offer, const auth::Choices& choices, KindFormOptions options);
html::Writer grant_form(const auth::Offer& offer, const auth::Choices& choices, const GrantFormOptions& options);
// Says why the button of the form is disabled; the button refers to it by the id "why".
html::Writer missing_choice(std::string_view why);
// The preview of the data that the client will see. Empty without a review.
html::Writer preview(const std::optional<auth::Review>& review, const auth::Offer& offer, std::string_view origin);
// The summary sentence, built from the draft grants.
html::Writer access_summary(const auth::Review& review, const auth::Offer& offer, std::string_view origin);

}  // namespace ladder::pages
