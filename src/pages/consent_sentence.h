// The sentences that sum up what a consent shares, built from the draft grants, so that they match what is stored.
#pragma once

#include "auth/consent.h"
#include "html/html.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::pages {

// Returns the grant of the stream in the draft, or nullptr.
const grant::StreamGrant* granted_of(const auth::Review& review, const auth::StreamPreview& stream);
// Returns the names of the accounts that are shared, or of the others. Empty for a stream with one account.
std::vector<std::string> account_names(const auth::Review& review, const auth::StreamPreview& stream, bool shared);
// Says in one sentence what the app can read, how much of it, and until when.
html::Writer access_sentence(const auth::Review& review, const auth::Offer& offer, std::string_view origin);
// Returns whether the sentence is short enough to be above the buttons.
bool sentence_fits(const auth::Review& review, const auth::Offer& offer);

}  // namespace ladder::pages
