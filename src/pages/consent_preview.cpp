// The preview of what an app will see.
#include "auth/kinds.h"
#include "base/text/format.h"
#include "json/scan/scan.h"
#include "model/declaration/roles.h"
#include "pages/consent_form.h"
#include "pages/consent_sentence.h"

#include <algorithm>
#include <span>

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
  std::string name, label, value, role;
  bool technical = false;
};

// The values of a record, with labels.
std::vector<Member> members_of(const auth::OfferedStream& stream, const api::Record& record) {
  std::vector<Member> members;
  if (record.data.empty()) return members;
  for (json::Members member(record.data); member.next();) {
    std::string name = json::decode_string(member.raw_name());
    std::string value = value_text(member.value());
    if (value.empty() || value == "null") continue;
    const auto is_cut = [&](const api::CutField& cut) { return cut.path == name || cut.path == "/" + name; };
    if (std::ranges::any_of(record.cut, is_cut)) value += "…";
    const auto field = std::ranges::find(stream.fields, name, &auth::OfferedField::name);
    const bool known = field != stream.fields.end();
    members.push_back({name, known ? field->label : name, std::move(value), known ? field->role : "", known && field->technical});
  }
  return members;
}

// Takes the first value with one of the roles out of the members; empty if there is none.
std::string take(std::vector<Member>& members, std::span<const std::string_view> roles) {
  for (const std::string_view role : roles) {
    const auto found = std::ranges::find(members, role, &Member::role);
    if (found == members.end()) continue;
    std::string value = std::move(found->value);
    members.erase(found);
    return value;
  }
  return {};
}

Writer rest_of_record(const std::vector<Member>& members, bool folded) {
  Writer out;
  if (members.empty()) return out;
  if (folded) {
    out << Markup("<details class=\"small\"><summary>") << plural(std::ssize(members), "more field", "more fields")
        << Markup("</summary>");
  }
  out << Markup("<dl class=\"facts\">");
  for (const Member& member : members) {
    out << Markup("<dt>") << Text(member.label) << Markup("</dt><dd dir=\"auto\">") << Text(member.value) << Markup("</dd>");
  }
  out << Markup("</dl>") << (folded ? Markup("</details>") : Markup(""));
  return out;
}

// Shows author, time, title and text as people know them, and the other fields below.
Writer record_parts(std::vector<Member> members) {
  constexpr std::size_t kMinute = 16;  // the length of "2026-11-19T18:05"
  const std::string title = take(members, model::roles::kTitle), text = take(members, model::roles::kText);
  const std::string who = take(members, model::roles::kAuthor);
  std::string when = take(members, model::roles::kTime).substr(0, kMinute);
  std::ranges::replace(when, 'T', ' ');
  Writer out;
  if (!who.empty() || !when.empty()) {
    out << Markup("<p class=\"head\"><span dir=\"auto\">") << Text(who) << Markup("</span><span class=\"quiet\">") << Text(when)
        << Markup("</span></p>");
  }
  if (!title.empty()) out << Markup("<p class=\"title\" dir=\"auto\">") << Text(title) << Markup("</p>");
  if (!text.empty()) out << Markup("<p class=\"text\" dir=\"auto\">") << Text(text) << Markup("</p>");
  const bool folded = !out.empty();
  std::ranges::stable_sort(members, {}, &Member::technical);
  out << rest_of_record(members, folded);
  return out;
}

constexpr std::size_t kShownBars = 3;    // bars per card
constexpr std::size_t kShownParts = 2;   // records of a stream that belongs to another
constexpr std::size_t kShownLabels = 8;  // fields in the list of what is not shared

// Bars for the fields that are not shared. Technical ones are only counted.
Writer withheld_bars(const auth::StreamPreview& stream) {
  Writer out;
  std::vector<std::string> labels;
  for (const std::string& name : stream.withheld) {
    const auto field = std::ranges::find(stream.offered->fields, name, &auth::OfferedField::name);
    if (!field->technical) labels.push_back(field->label);
  }
  const bool all_fit = labels.size() == kShownBars + 1 && stream.withheld.size() == labels.size();
  if (labels.size() > kShownBars && !all_fit) labels.resize(kShownBars);
  for (const std::string& label : labels) {
    out << Markup("<span class=\"withheld withheld-s\">") << Text(label) << Markup(": not shared</span>");
  }
  const std::int64_t left = std::ssize(stream.withheld) - std::ssize(labels);
  if (left > 0) {
    out << Markup("<span class=\"withheld withheld-s\">")
        << (labels.empty() ? plural(left, "field", "fields") : plural(left, "more field", "more fields"))
        << Markup(": not shared</span>");
  }
  return out;
}

Writer record_card(const auth::StreamPreview& stream, const api::Record& record) {
  Writer out;
  out << Markup("<li class=\"record-card\">") << record_parts(members_of(*stream.offered, record));
  if (!stream.withheld.empty()) out << Markup("<p class=\"closed\">") << withheld_bars(stream) << Markup("</p>");
  out << Markup("</li>\n");
  return out;
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
    if (!auth::has_content(*stream.offered)) continue;
    out << Markup("<div><dt>") << Text(auth::stream_title(offer, *stream.offered)) << Markup("</dt><dd>") << Text(stream.records)
        << Markup("</dd>");
    if (!stream.earliest.empty()) {
      out << Markup("<dd class=\"span\">") << Text(day_of(stream.earliest)) << Markup(" to ") << Text(day_of(stream.latest))
          << Markup("</dd>");
    }
    out << Markup("</div>");
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
             "class=\"block-head\"><h2>What <bdi>")
      << Text(origin)
      << Markup("</bdi> will see</h2><button class=\"btn btn-s\" name=\"do\" value=\"preview\">Update preview</button></div>");
  if (!review) {
    out << Markup(
        "</header><p class=\"soft\">Nothing yet. Choose how much of your data to share, and you see here what the app "
        "gets before you allow anything.</p></section>\n");
    return out;
  }
  const bool fits = sentence_fits(*review, offer);
  out << stats(*review, offer) << (fits ? Markup("<p class=\"says-short\">") : Markup("<p class=\"small\">"))
      << access_sentence(*review, offer, origin) << Markup("</p></header>\n");
  const api::Record* first = nullptr;
  for (const auth::StreamPreview& stream : review->streams) {
    if (stream.newest.empty()) continue;
    out << Markup("<div class=\"stack\"><div class=\"block-head\"><h3>")
        << (is_newest_first(*review, stream) ? Markup("Newest: ") : Markup("Examples: "))
        << Text(auth::inside(auth::stream_title(offer, *stream.offered))) << Markup("</h3>")
        << (first ? Markup("") : Markup("<span class=\"quiet\">Generated by the same code that will answer the app</span>"))
        << Markup("</div><ol class=\"stack-2\">");
    const std::size_t shown =
        stream.offered->part_of.empty() ? stream.newest.size() : std::min(kShownParts, stream.newest.size());
    for (std::size_t i = 0; i < shown; ++i) out << record_card(stream, stream.newest[i]);
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

}  // namespace ladder::pages
