// The parts of the page where an owner gives something: used when a client asks, and when the owner takes a part of it back.
#pragma once

#include "auth/consent.h"
#include "auth/wording.h"
#include "html/html.h"
#include "pages/form.h"
#include "pages/page.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::pages {

struct Giving {
  bool training = false;      // it wants to train a model
  bool known_client = false;  // it has something already
  bool narrows = false;       // only less than it has can be chosen
  std::optional<std::int64_t> held_budget = {};
};

auth::Choices read_choices(const Form& form, const auth::Offer& offer);

html::Writer notice(html::Markup kind, Icon of, std::string_view strong, std::string_view text);
html::Writer what_changes(const std::vector<auth::Change>& changes);
html::Writer what_you_give(const auth::Offer& offer, const auth::Choices& choices, const Giving& giving);
// The preview of what the client will see; empty without a review.
html::Writer preview(const std::optional<auth::Review>& review, const auth::Offer& offer, std::string_view origin);
// The grant in words, from the grant.
html::Writer sentence(const auth::Review& review, std::string_view origin);

}  // namespace ladder::pages
