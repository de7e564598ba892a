// The consent page: who gets the answer, what it asks, what the owner gives, and beside it what the client will see.
#include "base/text/format.h"
#include "json/scan/scan.h"
#include "pages/consent_view.h"

#include <algorithm>

namespace ladder::pages {
namespace {

using html::Attribute;
using html::Markup;
using html::Text;
using html::Url;
using html::Writer;

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

const auth::ChosenStream* chosen_in(const auth::Choices& choices, const std::string& id) {
  const auto found = std::ranges::find(choices.streams, id, &auth::ChosenStream::id);
  return found == choices.streams.end() ? nullptr : &*found;
}

Writer notice(Markup kind, Icon of, std::string_view strong, std::string_view text) {
  Writer out;
  out << Markup("<div class=\"notice ") << kind << Markup("\" role=\"status\">") << icon(of) << Markup("<p><b>") << Text(strong)
      << Markup("</b> ") << Text(text) << Markup("</p></div>");
  return out;
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

// The first section: the address, whether it is known, and only then the name it gives itself.
Writer who_asks(const auth::AuthorizationRequest& request, const auth::Client& client, bool knows_it, std::int64_t minutes) {
  const auth::Trust trust = auth::trust_of(request);
  Writer out;
  out << Markup("<section class=\"origin\" aria-labelledby=\"who\"><p class=\"eyebrow\">Request ") << Text(request.user_code)
      << Markup(" · open for ") << plural(minutes, "more minute", "more minutes") << Markup("</p><h1 id=\"who\"><b>")
      << Text(auth::at_start(auth::shown_asker(request)))
      << (knows_it ? Markup("</b> asks again to read some of your data</h1>")
                   : Markup("</b> asks to read some of your data</h1>"));
  out << Markup("<p class=\"row\">");
  if (trust == auth::Trust::kKnown) {
    out << Markup("<span class=\"badge badge-ok\">") << icon(Icon::kOk) << Markup("Known address</span>");
  } else if (trust == auth::Trust::kThisComputer) {
    out << Markup("<span class=\"badge badge-warn\">") << icon(Icon::kComputer) << Markup("On this computer</span>");
  } else {
    out << Markup("<span class=\"badge badge-warn\">") << icon(Icon::kWarn) << Markup("Not known</span>");
  }
  out << Markup("<span class=\"soft\">");
  if (client.name.empty()) out << Markup("It gives itself no name.");
  else out << Markup("It calls itself “<bdi>") << Text(client.name) << Markup("</bdi>”.");
  out << Markup("</span></p>");
  if (trust == auth::Trust::kThisComputer) {
    out << notice(Markup("notice-info"), Icon::kInfo, "Any program here can use that name.",
                  "Go on only if you have just started this yourself.");
  }
  if (trust == auth::Trust::kCodeHolder) {
    out << notice(Markup("notice-warn"), Icon::kWarn, "Whoever holds this request gets the access.",
                  format("Go on only if the code {} stands on a device or in a program of your own, and you started this.",
                         request.user_code));
  }
  if (trust == auth::Trust::kUnknown) {
    out << notice(Markup("notice-warn"), Icon::kWarn, "Ladder does not know this address.",
                  "What you allow goes there. If you did not just start this yourself, deny it.");
  }
  if (!client.fetch_fault.empty()) {
    out << notice(Markup("notice-warn"), Icon::kWarn, "Its description could not be fetched anew; an older copy is used.",
                  client.fetch_fault);
  }
  out << Markup(
      "<details><summary>How Ladder knows who is asking</summary><dl class=\"facts\"><dt>The answer goes "
      "to</dt><dd>");
  if (trust == auth::Trust::kCodeHolder) out << Markup("whoever asked; it waits for it");
  else out << Markup("<code>") << Text(request.redirect_uri) << Markup("</code>");
  out << Markup("</dd><dt>It is described by</dt><dd>");
  if (client.kind == "document")
    out << Markup("a document at its own address, <code>") << Text(client.client_id) << Markup("</code>");
  else if (client.kind == "dynamic")
    out << Markup("itself: it registered as <code>") << Text(client.client_id) << Markup("</code>");
  else out << Markup("you: you entered it as <code>") << Text(client.client_id) << Markup("</code>");
  out << Markup("</dd><dt>It reads through</dt><dd><code>") << Text(request.resource)
      << Markup("</code></dd></dl></details></section>\n");
  return out;
}

// For a client that has something already: each line is what stays, comes or goes.
Writer what_changes(const std::vector<auth::Change>& changes) {
  Writer out;
  out << Markup(
      "<section aria-labelledby=\"change\"><div class=\"section-title\"><h2 id=\"change\">What would change</h2></div><ul "
      "class=\"card card-flush diff\" id=\"diff\">");
  for (const auth::Change& change : changes) {
    switch (change.kind) {
      case auth::Change::Kind::kSame:
        out << Markup("<li class=\"same\"><span aria-hidden=\"true\">=</span><span><span class=\"unseen\">Stays: </span>");
        break;
      case auth::Change::Kind::kMore:
        out << Markup("<li class=\"plus\"><span aria-hidden=\"true\">+</span><span><span class=\"unseen\">New: </span>");
        break;
      case auth::Change::Kind::kLess:
        out << Markup("<li class=\"minus\"><span aria-hidden=\"true\">−</span><span><span class=\"unseen\">Ends: </span>");
        break;
    }
    if (!change.of.empty()) out << Markup("<b dir=\"auto\">") << Text(change.of) << Markup("</b>: ");
    out << Text(change.what) << Markup("</span></li>");
  }
  out << Markup("</ul></section>\n");
  return out;
}

Writer what_it_asks(const std::vector<auth::AskedSource>& asked, const auth::Offer& offer) {
  Writer out;
  out << Markup(
      "<section aria-labelledby=\"asks\"><div class=\"section-title\"><h2 id=\"asks\">What it asks for</h2></div><div "
      "class=\"card stack-2\">");
  if (asked.empty()) out << Markup("<p>It names nothing in particular: you choose what it may read.</p>");
  for (const auth::AskedSource& source : asked) {
    if (!source.purpose_description.empty()) {
      out << Markup("<p><span class=\"quiet small\">In its own words</span><br>“<bdi>") << Text(source.purpose_description)
          << Markup("</bdi>”</p>");
    }
    std::vector<std::string> needs, likes;
    for (const auth::AskedStream& stream : source.streams) {
      std::string text = stream.name == "*" ? "everything" : stream.name;
      if (!stream.fields.empty()) text += ": " + listed(stream.fields);
      (stream.required ? needs : likes).push_back(std::move(text));
    }
    out << Markup("<dl class=\"facts\"><dt>Of</dt><dd>") << Text(source.source) << Markup("</dd>");
    if (!needs.empty()) out << Markup("<dt>It needs</dt><dd>") << Text(listed(needs)) << Markup("</dd>");
    if (!likes.empty()) out << Markup("<dt>It would like</dt><dd>") << Text(listed(likes)) << Markup("</dd>");
    out << Markup("<dt>For</dt><dd><code>") << Text(source.purpose_code) << Markup("</code>")
        << (source.single_use ? Markup(", once") : Markup("")) << Markup("</dd>");
    if (!source.retention.empty()) {
      out << Markup("<dt>It says it keeps it</dt><dd>") << Text(source.retention) << Markup(" (its own claim)</dd>");
    }
    out << Markup("</dl>");
    for (const std::string& claim : source.commitments) {
      out << Markup("<p class=\"small soft\">It says: “<bdi>") << Text(claim) << Markup("</bdi>”</p>");
    }
  }
  for (const std::string& name : offer.missing) {
    out << Markup("<p class=\"small soft\">You have no ") << Text(name) << Markup(", so it gets none.</p>");
  }
  out << Markup("</div>");
  out << Markup("</section>\n");
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
        << (stream.required ? Markup("It needs these.")
            : stream.asked  ? Markup("It would like these.")
                            : Markup("Not asked for."))
        << Markup("</p>");
  }
  out << Markup("</label><div class=\"stream-body\">");
  if (stream.places.size() > 1) {
    out << Markup("<p class=\"hint\">Of which account</p><div class=\"pills\">");
    for (const auth::OfferedStream::Place& place : stream.places) {
      out << pill("c", joined(id, place.connection_id), place.name,
                  chosen && contains(chosen->connection_ids, place.connection_id));
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
    // Optional fields stand ready when their stream is ticked; fields that were not asked for are never ticked by us.
    const bool on = chosen ? contains(chosen->fields, field.name) : field.asked;
    out << pill("f", joined(id, field.name), is_new ? field.name + " (new)" : field.name, on);
  }
  out << Markup("</div>");
  if (stream.has_field_choice) {
    out << Markup("<p><button class=\"btn btn-s btn-bare\" name=\"preset\"") << Attribute("value", "fields " + id)
        << Markup(">Tick every field</button></p>");
  }
  out << (stream.has_field_choice ? Markup("<p class=\"hint\">What has a lock always goes along: the records need it.</p>")
                                  : Markup("<p class=\"hint\">Of these, only whole records can be given.</p>"));
  if (!stream.has_time) out << Markup("<p class=\"hint\">These have no date, so the period below does not limit them.</p>");
  out << Markup("</div></fieldset>\n");
  return out;
}

Writer what_you_give(const auth::Offer& offer, const auth::Choices& choices, bool training, bool known_client) {
  Writer out;
  out << Markup(
      "<section aria-labelledby=\"give\"><div class=\"section-title\"><h2 id=\"give\">What you give</h2><span "
      "class=\"small quiet\">Only what it needs is ticked.</span></div><div class=\"stack\">");
  out << Markup("<div class=\"pills\" role=\"group\" aria-label=\"Presets\">");
  if (known_client) {
    out << Markup("<button class=\"btn btn-s\" name=\"preset\" value=\"same\">The same as before</button>");
  }
  out << Markup(
      "<button class=\"btn btn-s\" name=\"preset\" value=\"12m\">Last 12 months</button><button class=\"btn btn-s\" "
      "name=\"preset\" value=\"heads\">Subjects and senders only</button><button class=\"btn btn-s\" name=\"preset\" "
      "value=\"source\">This source only</button></div><div>");
  const bool any_asked = std::ranges::any_of(offer.streams, &auth::OfferedStream::asked);
  Writer others;
  for (const auth::OfferedStream& stream : offer.streams) {
    const auth::ChosenStream* chosen = chosen_in(choices, stream.id());
    (stream.asked || chosen || !any_asked ? out : others) << stream_choice(stream, chosen, known_client, any_asked);
  }
  if (!others.empty()) out << Markup("<details><summary>What it did not ask for</summary>") << others << Markup("</details>");
  if (offer.streams.empty()) out << Markup("<p>There is no data here yet. <code>ladder import</code> brings some in.</p>");
  out << Markup("</div><fieldset class=\"choice\"><legend class=\"label\">From which time</legend><div class=\"seg\">");
  if (known_client) out << radio("t", "held", "As before", choices.period == "held");
  for (const auto& [value, label] : {std::pair{"30d", "30 days"}, {"12m", "12 months"}, {"5y", "5 years"}, {"all", "All"}}) {
    const bool on = choices.period == value || (choices.period == "asked" && std::string_view(value) == "all");
    out << radio("t", value, label, on);
  }
  out << Markup(
      "</div><p class=\"hint\">And new records as they come.</p></fieldset><fieldset class=\"choice\"><legend "
      "class=\"label\">How long it may read</legend><div class=\"seg\">");
  if (known_client) out << radio("d", "held", "As before", choices.duration == "held");
  for (const auto& [value, label] : {std::pair{"1d", "A day"}, {"30d", "30 days"}, {"1y", "A year"}, {"end", "Until I end it"}}) {
    out << radio("d", value, label, choices.duration == value);
  }
  out << Markup("</div></fieldset>");
  if (known_client) {
    out << Markup("<label class=\"tick\"><input type=\"checkbox\" name=\"replaces\"");
    if (choices.replaces) out << Markup(" checked");
    out << Markup(
        "><span>End what it has now; this takes its place. Without the tick it goes on beside, for where it runs "
        "already</span></label>");
  }
  if (training) {
    out << Markup("<div class=\"notice notice-warn\">") << icon(Icon::kWarn)
        << Markup(
               "<div class=\"stack-2\"><p><b>It wants to train a model with your data.</b> What a model has learnt cannot be "
               "taken "
               "back, not even when you end the access.</p><label class=\"tick\"><input type=\"checkbox\" name=\"training\"");
    if (choices.training) out << Markup(" checked");
    out << Markup("><span>It may train with what it reads</span></label></div></div>");
  }
  out << Markup("</div></section>\n");
  return out;
}

// The members of a record's data, strings decoded, other values as they stand.
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

constexpr std::size_t kShownBars = 3;  // a card; all of them are named under what stays closed

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

Writer what_stays_closed(const auth::Review& review, const auth::Offer& offer) {
  Writer out;
  out << Markup("<div><div class=\"block-head\"><h3>What stays closed</h3></div><ul class=\"closed-list\">");
  const auto item = [&](const Writer& text) {
    out << Markup("<li>") << icon(Icon::kLock) << Markup("<span>") << text << Markup("</span></li>");
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
      text << Markup("<b>") << Text(listed(stream.withheld)) << Markup("</b> of ") << Text(auth::inside(stream.offered->label));
      item(text);
    }
  }
  for (const auth::OfferedStream& stream : offer.streams) {
    if (std::ranges::any_of(review.streams, [&](const auth::StreamPreview& one) { return one.offered->id() == stream.id(); }))
      continue;
    Writer text;
    text << Markup("<b>") << Text(stream.source_name) << Markup(": ") << Text(stream.label) << Markup("</b>: all of it");
    item(text);
  }
  out << Markup("</ul></div>\n");
  return out;
}

std::string day_of(const std::string& time) {
  const auto at = parse_time(time);
  return at ? day_text(*at) : time.substr(0, 10);
}

Writer preview(const std::optional<auth::Review>& review, const auth::Offer& offer, std::string_view origin) {
  Writer out;
  out << Markup(
             "<section class=\"preview\" id=\"preview\" aria-label=\"What this client will see\"><header><div "
             "class=\"block-head\"><h2>What ")
      << Text(origin)
      << Markup(" will see</h2><button class=\"btn btn-s\" name=\"do\" value=\"preview\">Update preview</button></div>");
  if (!review) {
    out << Markup("</header><p class=\"soft\">Nothing yet. Tick what you want to give.</p></section>\n");
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
    out << Markup("<div class=\"stack\"><div class=\"block-head\"><h3>The newest of ")
        << Text(auth::inside(stream.offered->label))
        << Markup("</h3><span class=\"quiet\">Made by the code that will answer it</span></div><ol class=\"stack-2\">");
    for (const api::Record& record : stream.newest) out << record_card(stream, record);
    out << Markup("</ol></div>\n");
    if (!first) first = &stream.newest.front();
  }
  if (first) {
    out << Markup(
               "<div><div class=\"block-head\"><h3>One record, as the client gets it</h3></div><pre class=\"window\" "
               "tabindex=\"0\" "
               "aria-label=\"A record as the client gets it\"><span class=\"own\">")
        << Text(first->data) << Markup("</span></pre></div>\n");
  }
  out << what_stays_closed(*review, offer) << Markup("</section>\n");
  return out;
}

// The grant in words, from the grant.
Writer sentence(const auth::Review& review, std::string_view origin) {
  Writer out;
  out << Markup("<p><b>") << Text(auth::at_start(origin)) << Markup("</b> may read ");
  bool first = true;
  for (const auth::StreamPreview& stream : review.streams) {
    if (!first) out << Markup("; ");
    first = false;
    out << Markup("<b>") << Text(listed(stream.fields)) << Markup(" of ") << Text(auth::inside(stream.offered->label))
        << Markup("</b> (") << Text(stream.records) << Markup(")");
    if (stream.since) out << Markup(" since ") << Text(day_text(*stream.since));
    if (stream.until) out << Markup(" before ") << Text(day_text(*stream.until));
    else out << Markup(" and of new ones");
  }
  if (review.ends_at) out << Markup(", until ") << Text(day_text(*review.ends_at));
  else out << Markup(", until you end it");
  out << Markup(". Everything else stays closed.</p>");
  return out;
}

}  // namespace

http::Response Site::consent_page(const Visit& visit, const Asked& asked, const Error* fault, bool changed) const {
  const std::string origin = auth::shown_asker(asked.request);
  const bool known_client = !asked.held.empty();
  const std::int64_t minutes = std::max<std::int64_t>(1, (asked.request.expires_at - authorization_.now()) / (60 * kSecond));
  Frame frame = visit.frame;
  frame.title = auth::at_start(origin) + " asks";
  frame.wide = true;
  Writer main;
  main << Markup("<form action=\"/consent\" method=\"post\" data-preview=\"live\">") << hidden("csrf", visit.session->form_token)
       << hidden("request", asked.request.id) << hidden("shown", asked.review ? asked.review->digest : "")
       << Markup(
              "<button class=\"unseen\" name=\"do\" value=\"preview\" tabindex=\"-1\" aria-hidden=\"true\">Update "
              "preview</button>\n<div class=\"consent\"><div class=\"ask\">\n");
  if (changed) {
    main << notice(Markup("notice-info"), Icon::kInfo, "Please look again.",
                   "What you saw has changed since you opened this page, so the preview was made anew. Your choices are as you "
                   "left them.");
  }
  if (fault) main << notice(Markup("notice-warn"), Icon::kWarn, "Not yet.", fault->message);
  main << who_asks(asked.request, asked.client, known_client, minutes) << what_it_asks(asked.details, asked.offer);
  if (known_client && asked.review) {
    main << what_changes(auth::difference(asked.offer, asked.held, *asked.review, asked.choices.replaces));
  }
  main << what_you_give(asked.offer, asked.choices, auth::wants_training(asked.details), known_client) << Markup("</div>\n")
       << preview(asked.review, asked.offer, origin)
       << Markup("</div>\n<div class=\"decide\" id=\"decide\"><div class=\"decide-in\">");
  if (asked.review) main << sentence(*asked.review, origin);
  else main << Markup("<p>Tick what you want to give, then look at the preview.</p>");
  main << Markup(
      "<div class=\"decide-buttons\"><button class=\"btn btn-l\" name=\"do\" value=\"deny\">Deny</button><button "
      "class=\"btn btn-l btn-act\" name=\"do\" value=\"allow\">Allow</button></div></div></div>\n</form>\n");
  return page(fault && visit.form.one("do") == "allow" ? 400 : 200, frame, main);
}

http::Response Site::connected_page(const Visit& visit, const Asked& asked,
                                    const std::vector<server::GrantSummary>& grants) const {
  const auth::AuthorizationRequest& request = asked.request;
  const std::string origin = auth::shown_asker(request);
  Frame frame = visit.frame;
  frame.title = "Connected";
  Writer main;
  main << Markup("<div class=\"gate-box wide\"><div><p class=\"eyebrow\">Allowed</p><h1>") << Text(auth::at_start(origin))
       << Markup(" is connected</h1></div><div class=\"card stack\"><h2>What it may see from now on</h2><dl class=\"facts\">");
  for (const server::GrantSummary& one : grants) {
    for (const grant::StreamGrant& stream : one.grant.streams) {
      const auto offered = std::ranges::find_if(asked.offer.streams, [&](const auth::OfferedStream& known) {
        return known.source_id == one.grant.source_id && known.stream == stream.name;
      });
      main << Markup("<dt>") << Text(offered == asked.offer.streams.end() ? stream.name : offered->label) << Markup("</dt><dd>")
           << Text(listed(stream.fields));
      if (stream.time && stream.time->since) main << Markup(", since ") << Text(day_text(*stream.time->since));
      main << Markup("</dd>");
    }
    main << Markup("<dt>Until</dt><dd>");
    if (one.grant.expires_at) main << Text(day_text(*one.grant.expires_at));
    else main << Markup("you end it");
    main << Markup("</dd>");
  }
  main << Markup(
      "<dt>Read so far</dt><dd>nothing</dd></dl><p class=\"small soft\">You can end this at any time under <a "
      "href=\"/clients\">Clients</a>. What you were shown and what you allowed is kept with the grant.</p></div>");
  main << Markup("<div class=\"row\">");
  if (request.exchange.empty()) {
    main << Markup("<form action=\"/consent/continue\" method=\"post\">") << hidden("csrf", visit.session->form_token)
         << hidden("request", request.id) << Markup("<button class=\"btn btn-act btn-l\">")
         << (auth::trust_of(request) == auth::Trust::kThisComputer || request.kind != auth::RequestKind::kCode
                 ? Markup("Continue")
                 : Markup("Continue to "))
         << Text(auth::trust_of(request) == auth::Trust::kThisComputer || request.kind != auth::RequestKind::kCode ? "" : origin)
         << Markup(" ") << icon(Icon::kGo) << Markup("</button></form>");
  }
  main << Markup("<form action=\"/consent/undo\" method=\"post\">") << hidden("csrf", visit.session->form_token)
       << hidden("request", request.id)
       << Markup(
              "<button class=\"btn btn-l\">Undo</button></form><p class=\"small quiet\">It gets its key only when you "
              "continue.</p></div></div>\n");
  return page(200, frame, main);
}

}  // namespace ladder::pages
