#include "pages/consent_sentence.h"

#include "auth/kinds.h"
#include "auth/text_formatting.h"
#include "base/text/format.h"
#include "pages/consent_form.h"

#include <algorithm>

namespace ladder::pages {

using auth::day_text;
using html::Markup;
using html::Text;
using html::Writer;

namespace {

// The titles of the shared kinds of data, within a sentence.
std::vector<std::string> shared_kinds(const auth::Review& review, const auth::Offer& offer) {
  std::vector<std::string> titles;
  for (const auth::Kind& kind : auth::kinds_of(offer)) {
    const auto is_of_it = [&](const auth::StreamPreview& one) {
      return std::ranges::find(kind.streams, one.offered) != kind.streams.end();
    };
    if (std::ranges::any_of(review.streams, is_of_it)) titles.push_back(auth::inside(auth::stream_title(offer, kind.main())));
  }
  return titles;
}

// "Shares your mail and 2 more kinds of data until 19 December 2026."
std::string short_sentence(const auth::Review& review, const std::vector<std::string>& kinds) {
  if (kinds.empty()) return {};
  const std::size_t more = kinds.size() - 1;
  return format("Shares {}{} until {}.", kinds.front(),
                more == 0 ? "" : format(" and {} more kind{} of data", more, more == 1 ? "" : "s"),
                review.ends_at ? day_text(*review.ends_at) : "you revoke it");
}

// The sentence is above the buttons if there is room for it: not on small screens, and not for many kinds. Then it is in the
// preview, and a short one is above the buttons.
constexpr std::size_t kRoomForKinds = 5;

}  // namespace

const grant::StreamGrant* granted_of(const auth::Review& review, const auth::StreamPreview& stream) {
  return review.draft.grants[stream.grant].stream(stream.offered->stream);
}

std::vector<std::string> account_names(const auth::Review& review, const auth::StreamPreview& stream, bool shared) {
  std::vector<std::string> names;
  const grant::StreamGrant* granted = granted_of(review, stream);
  if (stream.offered->accounts.size() < 2 || !granted) return names;
  for (const auth::OfferedStream::Account& account : stream.offered->accounts) {
    if (granted->allows_instance(account.connection_id) == shared) names.push_back(account.name);
  }
  return names;
}

Writer access_sentence(const auth::Review& review, const auth::Offer& offer, std::string_view origin) {
  Writer out;
  out << Markup("<b><bdi>") << Text(auth::at_start(origin)) << Markup("</bdi></b> can read ");
  // Sources with different terms list their own. Shared terms are listed once, at the end.
  std::vector<std::string> terms;
  terms.reserve(review.draft.grants.size());
  for (const grant::Grant& grant : review.draft.grants) terms.push_back(auth::terms_text(grant));
  const bool shared = std::ranges::all_of(terms, [&](const std::string& one) { return one == terms.front(); });
  bool is_first = true;
  for (const auth::Kind& kind : auth::kinds_of(offer)) {
    std::vector<auth::ChosenStream> granted;
    const auth::StreamPreview* lead = nullptr;  // the main stream if it is granted
    for (const auth::OfferedStream* stream : kind.streams) {
      const auto shown =
          std::ranges::find_if(review.streams, [&](const auth::StreamPreview& one) { return one.offered->id() == stream->id(); });
      if (shown == review.streams.end()) continue;
      granted.push_back({stream->id(), {}, shown->fields});
      if (!lead) lead = &*shown;
    }
    if (!lead) continue;
    out << (is_first ? Markup("<b>") : Markup("; <b>")) << Text(auth::inside(auth::stream_title(offer, *lead->offered)))
        << Markup("</b>: ") << Text(auth::share_text(kind, granted)) << Markup(" (") << Text(lead->records);
    if (const auto names = account_names(review, *lead, true); !names.empty()) out << Markup(" of ") << Text(auth::listed(names));
    if (lead->since) out << Markup(" since ") << Text(day_text(*lead->since));
    if (lead->until) out << Markup(" before ") << Text(day_text(*lead->until));
    else out << Markup(", and new ones");
    out << Markup(")");
    if (!shared) out << Markup(", <b>") << Text(terms[lead->grant]) << Markup("</b>");
    is_first = false;
  }
  if (shared) out << Markup(", <b>") << Text(terms.front()) << Markup("</b>");
  if (review.budget) {
    out << Markup(", <b>at most ") << Text(*review.budget) << Markup(" characters a day</b> and ") << Text(review.budget_bytes)
        << Markup(" bytes of images and other non-text files");
  }
  out << Markup(". Nothing else is shared.");
  return out;
}

bool sentence_fits(const auth::Review& review, const auth::Offer& offer) {
  return shared_kinds(review, offer).size() <= kRoomForKinds;
}

Writer access_summary(const auth::Review& review, const auth::Offer& offer, std::string_view origin) {
  const std::vector<std::string> kinds = shared_kinds(review, offer);
  Writer out;
  out << Markup("<div>");
  if (kinds.size() <= kRoomForKinds) {
    out << Markup("<p class=\"says-long\">") << access_sentence(review, offer, origin) << Markup("</p><p class=\"says-short\">");
  } else {
    out << Markup("<p>");
  }
  out << Text(short_sentence(review, kinds)) << Markup("</p></div>");
  return out;
}

}  // namespace ladder::pages
