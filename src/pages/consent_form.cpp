// The form for choosing what to share: kinds of data, limits, and terms.
#include "pages/consent_form.h"

#include "base/text/format.h"

#include <algorithm>
#include <array>

namespace ladder::pages {
namespace {

using auth::day_text;
using html::Attribute;
using html::Markup;
using html::Text;
using html::Writer;

Writer radio(std::string_view name, std::string_view value, std::string_view label, bool on) {
  Writer out;
  out << Markup("<label><input type=\"radio\"") << Attribute("name", name) << Attribute("value", value);
  if (on) out << Markup(" checked");
  out << Markup(">") << Text(label) << Markup("</label>");
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

}  // namespace

Writer notice(Markup kind, Icon of, std::string_view strong, std::string_view text) {
  Writer out;
  out << Markup("<div class=\"notice ") << kind << Markup("\" role=\"status\">") << icon(of) << Markup("<p><b>") << Text(strong)
      << Markup("</b> ") << Text(text) << Markup("</p></div>");
  return out;
}

Writer missing_choice(std::string_view why) {
  Writer out;
  out << Markup("<p class=\"why\" id=\"why\" role=\"status\">") << icon(Icon::kWarn) << Markup("<span>") << Text(why)
      << Markup("</span></p>");
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
      << (options.narrows ? Markup("What it can keep</h2>") : Markup("What it can see</h2>"))
      << Markup(
             "<button class=\"btn btn-s btn-bare\" name=\"preset\" value=\"none\">Clear all</button></div><div class=\"stack\">")
      << kind_presets(offer, choices, known_client)
      << kind_choices(offer, choices, {known_client && !options.narrows, options.fault});
  out << Markup(
      "<div class=\"stack\" id=\"limits\"><fieldset class=\"choice\"><legend class=\"label\">Time range</legend><div "
      "class=\"seg\">");
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
      << budget_choice(choices, options) << Markup("</div>");
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

}  // namespace ladder::pages
