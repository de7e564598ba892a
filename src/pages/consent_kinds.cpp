// The kinds of data of the consent form: for each a level, its accounts, and its single fields. The form is read back here
// as well. It works without a script: a form sends the level that the page showed, so that fields that were changed under
// an unchanged level count as a choice of single fields.
#include "auth/kinds.h"
#include "base/text/format.h"
#include "pages/consent_form.h"

#include <algorithm>

namespace ladder::pages {
namespace {

using html::Attribute;
using html::Markup;
using html::Text;
using html::Writer;

constexpr char kJoin = '\t';  // separates a stream id from a value; names cannot contain it
constexpr std::size_t kDetailFields = 8;

std::string level_name(const std::string& id) { return "l " + id; }
std::string shown_level_name(const std::string& id) { return "w " + id; }
std::string joined(const std::string& id, std::string_view part) { return id + kJoin + std::string(part); }

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

const auth::ChosenStream* chosen_in(const std::vector<auth::ChosenStream>& chosen, const std::string& id) {
  const auto found = std::ranges::find(chosen, id, &auth::ChosenStream::id);
  return found == chosen.end() ? nullptr : &*found;
}

std::vector<std::string> values_of(const Form& form, std::string_view name, const std::string& id) {
  std::vector<std::string> values;
  for (const std::string& value : form.all(name)) {
    const auto at = value.find(kJoin);
    if (at != std::string::npos && std::string_view(value).substr(0, at) == id) values.push_back(value.substr(at + 1));
  }
  return values;
}

// The streams of which at least one field is ticked.
std::vector<auth::ChosenStream> ticked_streams(const Form& form, const auth::Kind& kind,
                                               const std::vector<std::string>& accounts) {
  std::vector<auth::ChosenStream> ticked;
  for (const auth::OfferedStream* stream : kind.streams) {
    auto fields = values_of(form, "f", stream->id());
    if (!fields.empty()) ticked.push_back({stream->id(), accounts, std::move(fields)});
  }
  return ticked;
}

void read_kind(const Form& form, const auth::Kind& kind, auth::Choices& choices) {
  std::vector<std::string> accounts = values_of(form, "c", kind.id());
  if (kind.main().accounts.size() == 1) accounts = {kind.main().accounts.front().connection_id};
  std::string level = form.one(level_name(kind.id()));
  auto ticked = ticked_streams(form, kind, accounts);
  const bool unchanged = level == form.one(shown_level_name(kind.id()));
  if (unchanged && level != auth::level_of(kind, ticked)) level = auth::kCustom;
  if (level != auth::kCustom) {
    auth::choose_level(choices, kind, level, accounts);
    return;
  }
  for (auth::ChosenStream& stream : ticked) choices.streams.push_back(std::move(stream));
}

Writer pill(std::string_view name, std::string_view value, std::string_view label, bool on, std::int64_t count,
            std::size_t rank) {
  Writer out;
  out << Markup("<label class=\"pill\"><input type=\"checkbox\"") << Attribute("name", name) << Attribute("value", value);
  if (name == "f") out << Attribute("data-rank", std::to_string(rank));
  if (on) out << Markup(" checked");
  out << Markup("><span dir=\"auto\">") << Text(label) << Markup("</span>");
  if (count >= 0) out << Markup(" <span class=\"num\">") << Text(count) << Markup("</span>");
  out << Markup("</label>");
  return out;
}

Writer fixed_pill(std::string_view label) {
  Writer out;
  out << Markup("<span class=\"pill pill-fixed\">") << icon(Icon::kLock) << Text(label) << Markup("</span>");
  return out;
}

// The index of the lowest level that includes the field; the number of levels if none does.
std::size_t rank_of(const auth::Kind& kind, const auth::OfferedStream& stream, const std::string& field) {
  const auto found = std::ranges::find_if(kind.levels, [&](const auth::KindLevel& level) {
    const auth::ChosenStream* part = chosen_in(level.streams, stream.id());
    return part && contains(part->fields, field);
  });
  return static_cast<std::size_t>(found - kind.levels.begin());
}

std::string detail_of(const auth::Kind& kind, const auth::KindLevel& level) {
  if (!level.detail.empty()) return level.detail;
  std::string text;
  for (const auth::OfferedStream* stream : kind.streams) {
    const auth::ChosenStream* part = chosen_in(level.streams, stream->id());
    if (!part) continue;
    const std::string of = stream == &kind.main() ? "" : format(" of {}", auth::inside(stream->label));
    text += (text.empty() ? "" : "; ") + auth::fields_text(*stream, part->fields, kDetailFields) + of;
  }
  return text + ".";
}

Writer level_choice(const auth::Kind& kind, const std::string& chosen) {
  Writer out, details;
  const auto radio = [&](std::string_view id, std::string_view label, const std::string& mark) {
    out << Markup("<label") << Attribute("class", "level " + mark) << Markup("><input type=\"radio\"")
        << Attribute("name", level_name(kind.id())) << Attribute("value", id);
    if (id == chosen) out << Markup(" checked");
    out << Markup("><span>") << Text(label) << Markup("</span></label>");
  };
  out << hidden(shown_level_name(kind.id()), chosen) << Markup("<div class=\"levels\" role=\"radiogroup\"")
      << Attribute("aria-label", format("How much of {}", auth::inside(kind.main().label))) << Markup(">");
  radio(auth::kOff, "Off", "l0");
  for (std::size_t i = 0; i < kind.levels.size(); ++i) {
    const std::string mark = format("l{}", i + 1);
    radio(kind.levels[i].id, kind.levels[i].label, mark);
    details << Markup("<p") << Attribute("class", mark) << Markup(">") << Text(detail_of(kind, kind.levels[i])) << Markup("</p>");
  }
  radio(auth::kCustom, "Custom", "lc");
  out << Markup("</div><div class=\"level-says\" aria-live=\"polite\">") << details
      << Markup("<p class=\"lc\">Only the fields that you select.</p></div>");
  return out;
}

Writer account_choice(const auth::Kind& kind, const std::vector<auth::ChosenStream>& chosen) {
  Writer out;
  const auth::OfferedStream& main = kind.main();
  if (main.accounts.size() < 2) return out;
  std::vector<std::string> on = auth::usual_accounts(kind);
  for (const auth::OfferedStream* stream : kind.streams) {
    if (const auth::ChosenStream* has = chosen_in(chosen, stream->id())) on = has->connection_ids;
  }
  out << Markup("<div class=\"stack-2\"><p class=\"label\">Accounts</p><div class=\"pills\">");
  for (const auth::OfferedStream::Account& account : main.accounts) {
    out << pill("c", joined(kind.id(), account.connection_id), account.name, contains(on, account.connection_id), account.records,
                0);
  }
  out << Markup("</div></div>");
  return out;
}

class FieldChoice {
 public:
  FieldChoice(const auth::Kind& kind, const std::vector<auth::ChosenStream>& chosen, bool marks_new)
      : kind_(kind), chosen_(chosen), marks_new_(marks_new) {}

  Writer write() {
    Writer groups, technical, out;
    for (const auth::OfferedStream* stream : kind_.streams) {
      groups << groups_of(*stream);
      technical << technical_of(*stream);
    }
    out << Markup("<details class=\"choose\"><summary>Choose fields</summary><div class=\"fields\">") << groups;
    if (!technical.empty()) {
      out << Markup("<details><summary>Technical fields</summary><div class=\"pills\">") << technical
          << Markup("</div><p class=\"hint\">Locked fields are always included.</p></details>");
    }
    out << Markup("</div></details>");
    return out;
  }

 private:
  bool is_technical(const auth::OfferedField& field) const { return field.technical && !field.asked; }

  Writer one(const auth::OfferedStream& stream, const auth::OfferedField& field) {
    if (field.forced) return fixed_pill(field.label);
    const auth::ChosenStream* chosen = chosen_in(chosen_, stream.id());
    const bool is_new = marks_new_ && field.asked && !field.granted_before;
    return pill("f", joined(stream.id(), field.name), is_new ? field.label + " (new)" : field.label,
                chosen && contains(chosen->fields, field.name), -1, rank_of(kind_, stream, field.name));
  }

  // The fields of a stream by their lowest level. In a request with particulars, by whether they are requested.
  Writer groups_of(const auth::OfferedStream& stream) {
    Writer out;
    const auto group = [&](const std::string& heading, const auto& holds) {
      Writer pills;
      for (const auth::OfferedField& field : stream.fields) {
        if (!is_technical(field) && holds(field)) pills << one(stream, field);
      }
      if (pills.empty()) return;
      out << Markup("<div><p class=\"eyebrow\">") << Text(heading) << Markup("</p><div class=\"pills\">") << pills
          << Markup("</div></div>");
    };
    if (stream.asked) {
      group("Requested", [](const auth::OfferedField& field) { return field.asked; });
      group("Not requested", [](const auth::OfferedField& field) { return !field.asked; });
    } else if (&stream != &kind_.main() || stream.levels.empty()) {
      group(stream.label, [](const auth::OfferedField&) { return true; });
    } else {
      for (const model::Level& level : stream.levels) {
        group(level.label, [&](const auth::OfferedField& field) { return field.level == level.id; });
      }
    }
    return out;
  }

  Writer technical_of(const auth::OfferedStream& stream) {
    Writer out;
    for (const auth::OfferedField& field : stream.fields) {
      if (is_technical(field)) out << one(stream, field);
    }
    return out;
  }

  const auth::Kind& kind_;
  const std::vector<auth::ChosenStream>& chosen_;
  bool marks_new_;
};

Writer kind_choice(const auth::Kind& kind, const auth::Choices& choices, const KindFormOptions& options) {
  const auth::OfferedStream& main = kind.main();
  Writer out;
  out << Markup("<fieldset class=\"kind\"><legend class=\"unseen\">") << Text(main.label)
      << Markup("</legend><div class=\"kind-head\">") << icon(source_icon(main.source_key)) << Markup("<b>") << Text(main.label)
      << Markup("</b>");
  if (main.label.find(main.source_name) == std::string::npos) {
    out << Markup("<span class=\"quiet\">") << Text(main.source_name) << Markup("</span>");
  }
  if (options.any_asked) {
    out << (main.required ? Markup("<span class=\"badge\">Required</span>")
            : main.asked  ? Markup("<span class=\"badge\">Optional</span>")
                          : Markup("<span class=\"badge\">Not requested</span>"));
  }
  if (main.records >= 0) out << Markup("<span class=\"num\">") << Text(main.records) << Markup("</span>");
  out << Markup("</div>") << level_choice(kind, auth::level_of(kind, choices.streams)) << Markup("<div class=\"kind-more\">")
      << account_choice(kind, choices.streams);
  if (options.fault &&
      std::ranges::any_of(kind.streams, [&](const auto* stream) { return stream->id() == options.fault->param; })) {
    out << Markup("<p class=\"error\">") << Text(options.fault->message) << Markup("</p>");
  }
  if (main.has_field_choice) out << FieldChoice(kind, choices.streams, options.marks_new).write();
  else out << Markup("<p class=\"hint\">You can't choose fields for this kind of data.</p>");
  if (!main.has_time) out << Markup("<p class=\"hint\">These have no date, so the time range doesn't apply.</p>");
  out << Markup("</div></fieldset>\n");
  return out;
}

}  // namespace

auth::Choices read_choices(const Form& form, const auth::Offer& offer) {
  auth::Choices choices;
  for (const auth::Kind& kind : auth::kinds_of(offer)) read_kind(form, kind, choices);
  if (const std::string period = form.one("t"); !period.empty()) choices.period = period;
  if (const std::string duration = form.one("d"); !duration.empty()) choices.duration = duration;
  if (const std::string budget = form.one("b"); !budget.empty()) choices.budget = budget == "own" ? form.one("bn") : budget;
  choices.training = form.has("training");
  choices.replaces = form.has("replaces");
  return choices;
}

Writer kind_presets(const auth::Offer& offer, const auth::Choices& choices, bool known_client) {
  Writer out;
  out << Markup("<div class=\"presets\" role=\"group\" aria-label=\"Presets\" id=\"presets\">");
  if (known_client) {
    out << Markup(
        "<button class=\"preset\" name=\"preset\" value=\"same\"><b>Same as before</b><span>Its current "
        "access</span></button>");
  }
  for (const auth::KindPreset& preset : auth::presets_of(offer, choices)) {
    out << Markup("<button class=\"preset\" name=\"preset\"") << Attribute("value", preset.id)
        << (preset.active ? Markup(" aria-pressed=\"true\"><b>") : Markup(" aria-pressed=\"false\"><b>")) << Text(preset.label)
        << Markup("</b><span>") << Text(preset.detail) << Markup("</span></button>");
  }
  out << Markup("</div>");
  return out;
}

Writer kind_choices(const auth::Offer& offer, const auth::Choices& choices, KindFormOptions options) {
  options.any_asked = std::ranges::any_of(offer.streams, &auth::OfferedStream::asked);
  Writer out, others, empty;
  const auto kinds = auth::kinds_of(offer);
  const bool any_records = std::ranges::any_of(kinds, [](const auth::Kind& kind) { return kind.main().records != 0; });
  out << Markup("<div class=\"kinds\" id=\"kinds\">");
  for (const auth::Kind& kind : kinds) {
    const bool is_chosen = kind.main().asked || auth::level_of(kind, choices.streams) != auth::kOff;
    const bool is_empty = kind.main().records == 0 && any_records;
    (is_chosen || (!options.any_asked && !is_empty) ? out
     : options.any_asked                            ? others
                                                    : empty)
        << kind_choice(kind, choices, options);
  }
  if (!empty.empty()) out << Markup("<details><summary>Kinds without any data yet</summary>") << empty << Markup("</details>");
  if (!others.empty()) out << Markup("<details><summary>Not requested</summary>") << others << Markup("</details>");
  if (offer.streams.empty()) out << Markup("<p>No data yet. Import some with <code>ladder import</code>.</p>");
  out << Markup("</div>");
  return out;
}

}  // namespace ladder::pages
