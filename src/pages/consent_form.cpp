// The form for choosing what to share, and the preview.
#include "pages/consent_form.h"

#include "base/text/format.h"
#include "json/scan/scan.h"

#include <algorithm>
#include <array>

namespace ladder::pages {
namespace {

using auth::day_text;
using html::Attribute;
using html::Markup;
using html::Text;
using html::Writer;

constexpr char kJoin = '\t';  // separates a stream id from a value; names cannot contain it

std::vector<std::string> chosen_of(const Form& form, std::string_view name, const std::string& id) {
  std::vector<std::string> values;
  for (const std::string& value : form.all(name)) {
    const auto at = value.find(kJoin);
    if (at != std::string::npos && std::string_view(value).substr(0, at) == id) values.push_back(value.substr(at + 1));
  }
  return values;
}

std::string joined(const std::string& id, std::string_view part) { return id + kJoin + std::string(part); }

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

const auth::ChosenStream* chosen_in(const auth::Choices& choices, const std::string& id) {
  const auto found = std::ranges::find(choices.streams, id, &auth::ChosenStream::id);
  return found == choices.streams.end() ? nullptr : &*found;
}

Writer radio(std::string_view name, std::string_view value, std::string_view label, bool on) {
  Writer out;
  out << Markup("<label><input type=\"radio\"") << Attribute("name", name) << Attribute("value", value);
  if (on) out << Markup(" checked");
  out << Markup(">") << Text(label) << Markup("</label>");
  return out;
}

Writer pill(std::string_view name, std::string_view value, std::string_view label, bool on) {
  Writer out;
  out << Markup("<label class=\"pill\"><input type=\"checkbox\"") << Attribute("name", name) << Attribute("value", value);
  if (on) out << Markup(" checked");
  out << Markup("><span dir=\"auto\">") << Text(label) << Markup("</span></label>");
  return out;
}

Writer fixed_pill(std::string_view label) {
  Writer out;
  out << Markup("<span class=\"pill pill-fixed\">") << icon(Icon::kLock) << Text(label) << Markup("</span>");
  return out;
}

Writer stream_choice(const auth::OfferedStream& stream, const auth::ChosenStream* chosen, bool known_client, bool any_asked) {
  const std::string id = stream.id();
  Writer out;
  out << Markup("<fieldset class=\"stream\"><legend class=\"unseen\">") << Text(stream.label)
      << Markup("</legend><label class=\"stream-head\"><input type=\"checkbox\" name=\"s\"") << Attribute("value", id);
  if (chosen) out << Markup(" checked");
  out << Markup("><b>") << Text(stream.source_name) << Markup(": ") << Text(stream.label) << Markup("</b><span class=\"num\">");
  if (stream.records >= 0) out << Text(stream.records);
  out << Markup("</span>");
  if (any_asked) {
    out << Markup("<p>")
        << (stream.required ? Markup("Required")
            : stream.asked  ? Markup("Optional")
                            : Markup("Not requested"))
        << Markup("</p>");
  }
  out << Markup("</label><div class=\"stream-body\">");
  if (stream.accounts.size() > 1) {
    out << Markup("<p class=\"hint\">Which account</p><div class=\"pills\">");
    for (const auth::OfferedStream::Account& account : stream.accounts) {
      out << pill("c", joined(id, account.connection_id), account.name,
                  chosen && contains(chosen->connection_ids, account.connection_id));
    }
    out << Markup("</div>");
  }
  out << Markup("<div class=\"pills\">");
  bool any_new = false;
  for (const auth::OfferedField& field : stream.fields) {
    if (field.forced || !stream.has_field_choice) {
      out << fixed_pill(field.name);
      continue;
    }
    const bool is_new = known_client && field.asked && !field.granted_before;
    any_new = any_new || is_new;
    // Optional fields are preselected when their stream is selected. Fields that were not requested are never preselected.
    const bool on = chosen ? contains(chosen->fields, field.name) : field.asked;
    out << pill("f", joined(id, field.name), is_new ? field.name + " (new)" : field.name, on);
  }
  out << Markup("</div>");
  if (stream.has_field_choice) {
    out << Markup("<p><button class=\"btn btn-s btn-bare\" name=\"preset\"") << Attribute("value", "fields " + id)
        << Markup(">Select all fields</button></p>");
  }
  out << (stream.has_field_choice ? Markup("<p class=\"hint\">Locked fields are always included.</p>")
                                  : Markup("<p class=\"hint\">You can't choose fields for this kind of data.</p>"));
  if (!stream.has_time) out << Markup("<p class=\"hint\">These have no date, so the time range doesn't apply.</p>");
  out << Markup("</div></fieldset>\n");
  return out;
}

// The daily limit in characters. The typed number counts if "Another" is selected.
Writer budget_choice(const auth::Choices& choices, const GrantFormOptions& options) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kBudgets = {
      {{"50000", "50,000"}, {"200000", "200,000"}, {"1000000", "A million"}}};
  Writer out;
  out << Markup("<fieldset class=\"choice\"><legend class=\"label\">Daily limit</legend><div class=\"seg\">");
  if (options.known_client) out << radio("b", "held", "No change", choices.budget == "held");
  if (!options.narrows) out << radio("b", "none", "No limit", choices.budget == "none");
  bool known = choices.budget == "held" || choices.budget == "none";
  for (const auto& [value, label] : kBudgets) {
    out << radio("b", value, label, choices.budget == value);
    known = known || choices.budget == value;
  }
  out << radio("b", "own", "Other", !known)
      << Markup(
             "</div><div class=\"field\"><label class=\"small\" for=\"bn\">Other number of characters</label><input "
             "class=\"input mono\" id=\"bn\" name=\"bn\" inputmode=\"numeric\" autocomplete=\"off\" maxlength=\"15\" "
             "aria-describedby=\"bh\"")
      << Attribute("value", known ? std::string() : choices.budget)
      << Markup(
             "></div><p class=\"hint\" id=\"bh\">The characters it can read per day (UTC), plus a hundred times as many bytes of "
             "images and other non-text files. After that it gets an error until midnight.");
  if (options.known_client) {
    out << Markup(" Now: ");
    if (options.held_budget) out << Text(*options.held_budget) << Markup(" a day.");
    else out << Markup("no limit.");
  }
  out << Markup("</p></fieldset>");
  return out;
}

// Returns the members of the record data. Strings are decoded; other values stay JSON.
std::vector<std::pair<std::string, std::string>> members_of(const std::string& data) {
  std::vector<std::pair<std::string, std::string>> members;
  if (data.empty()) return members;
  for (json::Members member(data); member.next();) {
    const json::Value& value = member.value();
    members.emplace_back(json::decode_string(member.raw_name()), value.kind == json::Kind::kString
                                                                     ? json::decode_string(json::raw_content(value))
                                                                     : std::string(value.text));
  }
  return members;
}

constexpr std::size_t kShownBars = 3;  // bars per card; the "Not shared" list names all fields

Writer record_card(const auth::StreamPreview& stream, const api::Record& record) {
  Writer out;
  out << Markup("<li class=\"record-card\"><dl class=\"facts\">");
  for (const auto& [name, value] : members_of(record.data)) {
    if (value.empty() || value == "null") continue;
    out << Markup("<dt>") << Text(name) << Markup("</dt><dd dir=\"auto\">") << Text(value);
    if (std::ranges::any_of(record.cut, [&](const api::CutField& cut) { return cut.path == name || cut.path == "/" + name; }))
      out << Markup("…");
    out << Markup("</dd>");
  }
  out << Markup("</dl>");
  if (!stream.withheld.empty()) {
    out << Markup("<p class=\"closed\">");
    const std::size_t bars = stream.withheld.size() <= kShownBars + 1 ? stream.withheld.size() : kShownBars;
    for (std::size_t i = 0; i < bars; ++i) {
      out << Markup("<span class=\"withheld withheld-s\">") << Text(stream.withheld[i]) << Markup(": not shared</span>");
    }
    if (const std::size_t left = stream.withheld.size() - bars; left > 0) {
      out << Markup("<span class=\"withheld withheld-s\">") << Text(static_cast<std::int64_t>(left))
          << Markup(" more fields: not shared</span>");
    }
    out << Markup("</p>");
  }
  out << Markup("</li>\n");
  return out;
}

Writer not_shared_list(const auth::Review& review, const auth::Offer& offer) {
  Writer out, items;
  const auto item = [&](const Writer& text) {
    items << Markup("<li>") << icon(Icon::kLock) << Markup("<span>") << text << Markup("</span></li>");
  };
  for (const auth::StreamPreview& stream : review.streams) {
    const std::int64_t left = stream.offered->records - stream.records;
    if (stream.offered->records >= 0 && left > 0) {
      Writer text;
      text << Markup("<b>") << Text(left) << Markup("</b> of ") << Text(auth::inside(stream.offered->label));
      if (stream.since) text << Markup(" before ") << Text(day_text(*stream.since));
      item(text);
    }
    if (!stream.withheld.empty()) {
      Writer text;
      text << Markup("<b>") << Text(auth::listed(stream.withheld)) << Markup("</b> of ")
           << Text(auth::inside(stream.offered->label));
      item(text);
    }
  }
  for (const auth::OfferedStream& stream : offer.streams) {
    if (std::ranges::any_of(review.streams, [&](const auth::StreamPreview& one) { return one.offered->id() == stream.id(); }))
      continue;
    Writer text;
    text << Markup("<b>") << Text(stream.source_name) << Markup(": ") << Text(stream.label) << Markup("</b>: everything");
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

}  // namespace

auth::Choices read_choices(const Form& form, const auth::Offer& offer) {
  auth::Choices choices;
  const auto ticked = form.all("s");
  for (const auth::OfferedStream& stream : offer.streams) {
    const std::string id = stream.id();
    if (std::ranges::find(ticked, id) == ticked.end()) continue;
    auth::ChosenStream chosen{id, chosen_of(form, "c", id), chosen_of(form, "f", id)};
    if (stream.accounts.size() == 1) chosen.connection_ids = {stream.accounts.front().connection_id};
    choices.streams.push_back(std::move(chosen));
  }
  if (const std::string period = form.one("t"); !period.empty()) choices.period = period;
  if (const std::string duration = form.one("d"); !duration.empty()) choices.duration = duration;
  if (const std::string budget = form.one("b"); !budget.empty()) choices.budget = budget == "own" ? form.one("bn") : budget;
  choices.training = form.has("training");
  choices.replaces = form.has("replaces");
  return choices;
}

Writer notice(Markup kind, Icon of, std::string_view strong, std::string_view text) {
  Writer out;
  out << Markup("<div class=\"notice ") << kind << Markup("\" role=\"status\">") << icon(of) << Markup("<p><b>") << Text(strong)
      << Markup("</b> ") << Text(text) << Markup("</p></div>");
  return out;
}

// Shows what stays, is added or is removed for a client that already has access.
Writer change_list(const std::vector<auth::Change>& changes) {
  Writer out;
  out << Markup(
      "<section aria-labelledby=\"change\"><div class=\"section-title\"><h2 id=\"change\">What changes</h2></div><ul "
      "class=\"card card-flush diff\" id=\"diff\">");
  for (const auth::Change& change : changes) {
    switch (change.kind) {
      case auth::Change::Kind::kSame:
        out << Markup("<li class=\"same\"><span aria-hidden=\"true\">=</span><span><span class=\"unseen\">Unchanged: </span>");
        break;
      case auth::Change::Kind::kMore:
        out << Markup("<li class=\"plus\"><span aria-hidden=\"true\">+</span><span><span class=\"unseen\">New: </span>");
        break;
      case auth::Change::Kind::kLess:
        out << Markup("<li class=\"minus\"><span aria-hidden=\"true\">−</span><span><span class=\"unseen\">Removed: </span>");
        break;
    }
    if (!change.of.empty()) out << Markup("<b dir=\"auto\">") << Text(change.of) << Markup("</b>: ");
    out << Text(change.what) << Markup("</span></li>");
  }
  out << Markup("</ul></section>\n");
  return out;
}

Writer grant_form(const auth::Offer& offer, const auth::Choices& choices, const GrantFormOptions& options) {
  const bool known_client = options.known_client;
  Writer out;
  out << Markup("<section aria-labelledby=\"give\"><div class=\"section-title\"><h2 id=\"give\">")
      << (options.narrows ? Markup("Reduce access</h2><span class=\"small quiet\">Turn off what it should no longer see.</span>")
                          : Markup("What it can see</h2><span class=\"small quiet\">Only required data is selected.</span>"))
      << Markup("</div><div class=\"stack\">");
  out << Markup("<div class=\"pills\" role=\"group\" aria-label=\"Presets\">");
  if (known_client) {
    out << Markup("<button class=\"btn btn-s\" name=\"preset\" value=\"same\">Same as before</button>");
  }
  out << Markup(
      "<button class=\"btn btn-s\" name=\"preset\" value=\"12m\">Last 12 months</button><button class=\"btn btn-s\" "
      "name=\"preset\" value=\"heads\">Subjects and senders only</button><button class=\"btn btn-s\" name=\"preset\" "
      "value=\"source\">This source only</button></div><div>");
  const bool any_asked = std::ranges::any_of(offer.streams, &auth::OfferedStream::asked);
  Writer others;
  for (const auth::OfferedStream& stream : offer.streams) {
    const auth::ChosenStream* chosen = chosen_in(choices, stream.id());
    (stream.asked || chosen || !any_asked ? out : others)
        << stream_choice(stream, chosen, known_client && !options.narrows, any_asked);
  }
  if (!others.empty()) out << Markup("<details><summary>Not requested</summary>") << others << Markup("</details>");
  if (offer.streams.empty()) out << Markup("<p>No data yet. Import some with <code>ladder import</code>.</p>");
  out << Markup("</div><fieldset class=\"choice\"><legend class=\"label\">Time range</legend><div class=\"seg\">");
  if (known_client) out << radio("t", "held", "No change", choices.period == "held");
  for (const auto& [value, label] : {std::pair{"30d", "30 days"}, {"12m", "12 months"}, {"5y", "5 years"}, {"all", "All"}}) {
    const bool on = choices.period == value || (choices.period == "asked" && std::string_view(value) == "all");
    if (options.narrows && std::string_view(value) == "all") continue;  // the same as before
    out << radio("t", value, label, on);
  }
  out << Markup(
      "</div><p class=\"hint\">New records are included.</p></fieldset><fieldset class=\"choice\"><legend "
      "class=\"label\">Access ends</legend><div class=\"seg\">");
  if (known_client) out << radio("d", "held", "No change", choices.duration == "held");
  for (const auto& [value, label] :
       {std::pair{"1d", "A day"}, {"30d", "30 days"}, {"1y", "A year"}, {"end", "Until I revoke it"}}) {
    if (options.narrows && std::string_view(value) == "end") continue;
    out << radio("d", value, label, choices.duration == value);
  }
  out << Markup("</div>")
      << (options.narrows ? Markup("<p class=\"hint\">You can only shorten it here. Use Extend to make it longer.</p></fieldset>")
                          : Markup("</fieldset>"))
      << budget_choice(choices, options);
  if (known_client && !options.narrows) {
    out << Markup("<label class=\"tick\"><input type=\"checkbox\" name=\"replaces\"");
    if (choices.replaces) out << Markup(" checked");
    out << Markup("><span>Replace its current access. If unchecked, it keeps its current access as well</span></label>");
  }
  if (options.training) {
    out << Markup("<div class=\"notice notice-warn\">") << icon(Icon::kWarn)
        << Markup(
               "<div class=\"stack-2\"><p><b>It wants to train a model on your data.</b> You can't undo what a model has "
               "learned, even if you revoke access.</p><label class=\"tick\"><input type=\"checkbox\" name=\"training\"");
    if (choices.training) out << Markup(" checked");
    out << Markup("><span>Allow training on what it reads</span></label></div></div>");
  }
  out << Markup("</div></section>\n");
  return out;
}

Writer preview(const std::optional<auth::Review>& review, const auth::Offer& offer, std::string_view origin) {
  Writer out;
  out << Markup(
             "<section class=\"preview\" id=\"preview\" aria-label=\"What this app will see\"><header><div "
             "class=\"block-head\"><h2>What ")
      << Text(origin)
      << Markup(" will see</h2><button class=\"btn btn-s\" name=\"do\" value=\"preview\">Update preview</button></div>");
  if (!review) {
    out << Markup("</header><p class=\"soft\">Nothing yet. Select what you want to share.</p></section>\n");
    return out;
  }
  out << Markup("<dl class=\"stats\" aria-live=\"polite\">");
  for (const auth::StreamPreview& stream : review->streams) {
    out << Markup("<div><dt>") << Text(stream.offered->label) << Markup("</dt><dd>") << Text(stream.records)
        << Markup("</dd></div>");
    if (!stream.earliest.empty()) {
      out << Markup("<div><dt>Period</dt><dd class=\"text\">") << Text(day_of(stream.earliest)) << Markup(" to ")
          << Text(day_of(stream.latest)) << Markup("</dd></div>");
    }
  }
  out << Markup("</dl></header>\n");
  const api::Record* first = nullptr;
  for (const auth::StreamPreview& stream : review->streams) {
    if (stream.newest.empty()) continue;
    out << Markup("<div class=\"stack\"><div class=\"block-head\"><h3>Newest: ") << Text(auth::inside(stream.offered->label))
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
Writer access_summary(const auth::Review& review, std::string_view origin) {
  Writer out;
  out << Markup("<p><b>") << Text(auth::at_start(origin)) << Markup("</b> can read ");
  // Sources with different terms list their own. Shared terms are listed once, at the end.
  std::vector<std::string> terms;
  terms.reserve(review.draft.grants.size());
  for (const grant::Grant& grant : review.draft.grants) terms.push_back(auth::terms_text(grant));
  const bool shared = std::ranges::all_of(terms, [&](const std::string& one) { return one == terms.front(); });
  for (std::size_t i = 0; i < review.streams.size(); ++i) {
    const auth::StreamPreview& stream = review.streams[i];
    if (i > 0) out << Markup("; ");
    out << Markup("<b>") << Text(auth::listed(stream.fields)) << Markup(" of ") << Text(auth::inside(stream.offered->label))
        << Markup("</b> (") << Text(stream.records) << Markup(")");
    if (stream.since) out << Markup(" since ") << Text(day_text(*stream.since));
    if (stream.until) out << Markup(" before ") << Text(day_text(*stream.until));
    else out << Markup(" and new ones");
    const bool ends_here = i + 1 == review.streams.size() || (!shared && review.streams[i + 1].grant != stream.grant);
    if (ends_here) out << Markup(", <b>") << Text(terms[stream.grant]) << Markup("</b>");
  }
  if (review.budget) {
    out << Markup(", <b>at most ") << Text(*review.budget) << Markup(" characters a day</b> and ") << Text(review.budget_bytes)
        << Markup(" bytes of images and other non-text files");
  }
  out << Markup(". Nothing else is shared.</p>");
  return out;
}

}  // namespace ladder::pages
