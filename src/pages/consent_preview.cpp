// The preview of what an app will see, and the sentence that sums it up.
#include "auth/kinds.h"
#include "base/text/format.h"
#include "json/scan/scan.h"
#include "pages/consent_form.h"

#include <algorithm>

namespace ladder::pages {
namespace {

using auth::day_text;
using html::Markup;
using html::Text;
using html::Writer;

// The text of a value: strings are decoded, lists of strings joined. Other values stay JSON.
std::string value_text(const json::Value& value) {
  if (value.kind == json::Kind::kString) return json::decode_string(json::raw_content(value));
  if (value.kind != json::Kind::kArray) return std::string(value.text);
  std::string text;
  for (json::Elements each(value.text); each.next();) {
    if (each.value().kind != json::Kind::kString) return std::string(value.text);
    text += (text.empty() ? "" : ", ") + json::decode_string(json::raw_content(each.value()));
  }
  return text;
}

struct Member {
  std::string name, label, value;
  bool technical = false;
};

std::vector<Member> members_of(const auth::OfferedStream& stream, const std::string& data) {
  std::vector<Member> members;
  if (data.empty()) return members;
  for (json::Members member(data); member.next();) {
    std::string name = json::decode_string(member.raw_name());
    std::string value = value_text(member.value());
    if (value.empty() || value == "null") continue;
    const auto field = std::ranges::find(stream.fields, name, &auth::OfferedField::name);
    const bool known = field != stream.fields.end();
    members.push_back({name, known ? field->label : name, std::move(value), known && field->technical});
  }
  // Technical fields are in the record as the app gets it, below the cards.
  const bool all = std::ranges::all_of(members, &Member::technical);
  if (!all) std::erase_if(members, [](const Member& member) { return member.technical; });
  return members;
}

constexpr std::size_t kShownBars = 3;    // bars per card
constexpr std::size_t kShownLabels = 8;  // fields in the list of what is not shared

// The labels of the fields that are not shared, technical ones last.
std::vector<std::string> withheld_labels(const auth::StreamPreview& stream) {
  std::vector<std::string> labels, technical;
  for (const std::string& name : stream.withheld) {
    const auto field = std::ranges::find(stream.offered->fields, name, &auth::OfferedField::name);
    (field->technical ? technical : labels).push_back(field->label);
  }
  labels.insert(labels.end(), technical.begin(), technical.end());
  return labels;
}

Writer record_card(const auth::StreamPreview& stream, const api::Record& record) {
  Writer out;
  out << Markup("<li class=\"record-card\"><dl class=\"facts\">");
  for (const Member& member : members_of(*stream.offered, record.data)) {
    out << Markup("<dt>") << Text(member.label) << Markup("</dt><dd dir=\"auto\">") << Text(member.value);
    const auto is_cut = [&](const api::CutField& cut) { return cut.path == member.name || cut.path == "/" + member.name; };
    if (std::ranges::any_of(record.cut, is_cut)) out << Markup("…");
    out << Markup("</dd>");
  }
  out << Markup("</dl>");
  if (const auto labels = withheld_labels(stream); !labels.empty()) {
    out << Markup("<p class=\"closed\">");
    const std::size_t bars = labels.size() <= kShownBars + 1 ? labels.size() : kShownBars;
    for (std::size_t i = 0; i < bars; ++i) {
      out << Markup("<span class=\"withheld withheld-s\">") << Text(labels[i]) << Markup(": not shared</span>");
    }
    if (const std::size_t left = labels.size() - bars; left > 0) {
      out << Markup("<span class=\"withheld withheld-s\">") << Text(static_cast<std::int64_t>(left))
          << Markup(" more fields: not shared</span>");
    }
    out << Markup("</p>");
  }
  out << Markup("</li>\n");
  return out;
}

const grant::StreamGrant* granted_of(const auth::Review& review, const auth::StreamPreview& stream) {
  return review.draft.grants[stream.grant].stream(stream.offered->stream);
}

// The names of the accounts that are shared, or of the others. Empty for a stream with one account.
std::vector<std::string> account_names(const auth::Review& review, const auth::StreamPreview& stream, bool shared) {
  std::vector<std::string> names;
  const grant::StreamGrant* granted = granted_of(review, stream);
  if (stream.offered->accounts.size() < 2 || !granted) return names;
  for (const auth::OfferedStream::Account& account : stream.offered->accounts) {
    if (granted->allows_instance(account.connection_id) == shared) names.push_back(account.name);
  }
  return names;
}

Writer not_shared_list(const auth::Review& review, const auth::Offer& offer) {
  Writer out, items;
  const auto item = [&](const Writer& text) {
    items << Markup("<li>") << icon(Icon::kLock) << Markup("<span>") << text << Markup("</span></li>");
  };
  for (const auth::StreamPreview& stream : review.streams) {
    const std::string of = auth::inside(stream.offered->label);
    if (const auto others = account_names(review, stream, false); !others.empty()) {
      Writer text;
      text << Markup("<b>") << Text(auth::listed(others)) << Markup("</b> of ") << Text(of);
      item(text);
    }
    const std::int64_t left = stream.offered->records - stream.records;
    if (stream.since && stream.offered->records >= 0 && left > 0) {
      Writer text;
      text << Markup("<b>") << Text(left) << Markup("</b> of ") << Text(of) << Markup(" before ")
           << Text(day_text(*stream.since));
      item(text);
    }
    if (!stream.withheld.empty()) {
      Writer text;
      text << Markup("<b>") << Text(auth::fields_text(*stream.offered, stream.withheld, kShownLabels)) << Markup("</b> of ")
           << Text(of);
      item(text);
    }
  }
  for (const auth::OfferedStream& stream : offer.streams) {
    const auto is_it = [&](const auth::StreamPreview& one) { return one.offered->id() == stream.id(); };
    if (std::ranges::any_of(review.streams, is_it)) continue;
    Writer text;
    text << Markup("<b>") << Text(auth::stream_title(offer, stream)) << Markup("</b>: everything");
    item(text);
  }
  if (items.empty()) return out;
  out << Markup("<div><div class=\"block-head\"><h3>Not shared</h3></div><ul class=\"closed-list\">") << items
      << Markup("</ul></div>\n");
  return out;
}

std::string day_of(const std::string& time) {
  const auto at = parse_time(time);
  return at ? day_text(*at) : time.substr(0, 10);
}

Writer stats(const auth::Review& review, const auth::Offer& offer) {
  Writer out;
  out << Markup("<dl class=\"stats\" aria-live=\"polite\">");
  for (const auth::StreamPreview& stream : review.streams) {
    out << Markup("<div><dt>") << Text(auth::stream_title(offer, *stream.offered)) << Markup("</dt><dd>") << Text(stream.records)
        << Markup("</dd></div>");
    if (stream.earliest.empty()) continue;
    out << Markup("<div><dt>Period</dt><dd class=\"text\">") << Text(day_of(stream.earliest)) << Markup(" to ")
        << Text(day_of(stream.latest)) << Markup("</dd></div>");
  }
  out << Markup("</dl>");
  return out;
}

// The client reads the newest records first only if it may see the time they are sorted by.
bool is_newest_first(const auth::Review& review, const auth::StreamPreview& stream) {
  const grant::StreamGrant* granted = granted_of(review, stream);
  return !stream.offered->sorted_by.empty() && granted && granted->allows_field(stream.offered->sorted_by);
}

}  // namespace

Writer preview(const std::optional<auth::Review>& review, const auth::Offer& offer, std::string_view origin) {
  Writer out;
  out << Markup(
             "<section class=\"preview\" id=\"preview\" aria-label=\"What this app will see\"><header><div "
             "class=\"block-head\"><h2>What ")
      << Text(origin)
      << Markup(" will see</h2><button class=\"btn btn-s\" name=\"do\" value=\"preview\">Update preview</button></div>");
  if (!review) {
    out << Markup(
        "</header><p class=\"soft\">Nothing yet. Choose how much of your data to share, and you see here what the app "
        "gets before you allow anything.</p></section>\n");
    return out;
  }
  out << stats(*review, offer) << Markup("</header>\n");
  const api::Record* first = nullptr;
  for (const auth::StreamPreview& stream : review->streams) {
    if (stream.newest.empty()) continue;
    out << Markup("<div class=\"stack\"><div class=\"block-head\"><h3>")
        << (is_newest_first(*review, stream) ? Markup("Newest: ") : Markup("Examples: "))
        << Text(auth::inside(auth::stream_title(offer, *stream.offered)))
        << Markup(
               "</h3><span class=\"quiet\">Generated by the same code that will answer the app</span></div><ol "
               "class=\"stack-2\">");
    for (const api::Record& record : stream.newest) out << record_card(stream, record);
    out << Markup("</ol></div>\n");
    if (!first) first = &stream.newest.front();
  }
  if (first) {
    out << Markup(
               "<div><div class=\"block-head\"><h3>One record as the app gets it</h3></div><pre class=\"window\" "
               "tabindex=\"0\" "
               "aria-label=\"A record as the app gets it\"><span class=\"own\">")
        << Text(first->data) << Markup("</span></pre></div>\n");
  }
  out << not_shared_list(*review, offer) << Markup("</section>\n");
  return out;
}

// Built from the draft grants, so the sentence matches what is stored.
Writer access_summary(const auth::Review& review, const auth::Offer& offer, std::string_view origin) {
  Writer out;
  out << Markup("<p><b>") << Text(auth::at_start(origin)) << Markup("</b> can read ");
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
  out << Markup(". Nothing else is shared.</p>");
  return out;
}

}  // namespace ladder::pages
