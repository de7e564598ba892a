#include "auth/kinds.h"

#include "auth/text_formatting.h"
#include "base/text/format.h"
#include "model/declaration/roles.h"

#include <algorithm>

namespace ladder::auth {
namespace {

bool includes(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool belongs_to(const OfferedStream& part, const OfferedStream& main) {
  return part.part_of == main.stream && part.source_key == main.source_key && !part.asked && !main.asked &&
         part.levels.size() == main.levels.size();
}

// The fields of a stream that a grant of it includes only if they are chosen.
std::vector<std::string> optional_fields(const OfferedStream& stream, const std::vector<std::string>& of) {
  std::vector<std::string> fields;
  for (const OfferedField& field : stream.fields) {
    if (!field.forced && includes(of, field.name)) fields.push_back(field.name);
  }
  return fields;
}

std::vector<std::string> all_fields(const OfferedStream& stream) {
  std::vector<std::string> fields;
  fields.reserve(stream.fields.size());
  for (const OfferedField& field : stream.fields) fields.push_back(field.name);
  return fields;
}

bool has_optional_fields(const OfferedStream& stream) {
  return stream.has_field_choice && std::ranges::any_of(stream.fields, [](const OfferedField& field) { return !field.forced; });
}

KindLevel single_level(const Kind& kind, std::string id, std::string label, const std::vector<std::string>& fields) {
  return {std::move(id), std::move(label), "", {{kind.id(), {}, fields}}};
}

KindLevel requested_level(const Kind& kind) {
  std::vector<std::string> asked;
  for (const OfferedField& field : kind.main().fields) {
    if (field.asked) asked.push_back(field.name);
  }
  return single_level(kind, "asked", "What it asks for", asked);
}

// Bounds the declared level at `index` to the offered fields. A level without any optional field of a stream does not include it.
KindLevel bounded_level(const Kind& kind, std::size_t index) {
  const model::Level& declared = kind.main().levels[index];
  KindLevel level{declared.id, declared.label, declared.detail, {}};
  for (const OfferedStream* stream : kind.streams) {
    const std::vector<std::string>& wanted = stream->levels[index].fields;
    const auto fields = optional_fields(*stream, wanted);
    const bool is_bounded = std::ranges::any_of(wanted, [&](const std::string& name) {
      return std::ranges::find(stream->fields, name, &OfferedField::name) == stream->fields.end();
    });
    if (is_bounded) level.detail.clear();  // it would promise too much
    const bool is_last = index + 1 == stream->levels.size();
    if (!fields.empty() || (is_last && !has_optional_fields(*stream))) level.streams.push_back({stream->id(), {}, fields});
  }
  return level;
}

bool same_share(const KindLevel& one, const KindLevel& other) {
  return std::ranges::equal(one.streams, other.streams,
                            [](const ChosenStream& a, const ChosenStream& b) { return a.id == b.id && a.fields == b.fields; });
}

void add_levels(Kind& kind) {
  if (kind.main().asked) return kind.levels.push_back(requested_level(kind));
  if (!kind.main().has_field_choice || !kind.main().part_of.empty() || kind.main().levels.empty()) {
    return kind.levels.push_back(single_level(kind, "all", "Everything", all_fields(kind.main())));
  }
  for (std::size_t i = 0; i < kind.main().levels.size(); ++i) {
    KindLevel level = bounded_level(kind, i);
    if (level.streams.empty() || (!kind.levels.empty() && same_share(kind.levels.back(), level))) continue;
    kind.levels.push_back(std::move(level));
  }
}

const ChosenStream* find_chosen(const std::vector<ChosenStream>& chosen, const std::string& id) {
  const auto found = std::ranges::find(chosen, id, &ChosenStream::id);
  return found == chosen.end() ? nullptr : &*found;
}

// Compares optional fields only. A stream of which only the required fields are chosen counts as chosen if it has no others,
// or if the level consists of them.
bool shares(const KindLevel& level, const Kind& kind, const std::vector<ChosenStream>& chosen) {
  return std::ranges::all_of(kind.streams, [&](const OfferedStream* stream) {
    const ChosenStream* wanted = find_chosen(level.streams, stream->id());
    const ChosenStream* has = find_chosen(chosen, stream->id());
    if (!wanted || !has) return !wanted && (!has || optional_fields(*stream, has->fields).empty());
    return optional_fields(*stream, wanted->fields) == optional_fields(*stream, has->fields);
  });
}

}  // namespace

bool has_content(const OfferedStream& stream) {
  const auto is_text = [](const OfferedField& field) {
    return std::ranges::find(model::roles::kText, field.role) != model::roles::kText.end();
  };
  return stream.part_of.empty() || std::ranges::any_of(stream.fields, is_text);
}

std::vector<Kind> kinds_of(const Offer& offer) {
  std::vector<Kind> kinds;
  std::vector<const OfferedStream*> parts;
  for (const OfferedStream& stream : offer.streams) {
    const bool is_part = std::ranges::any_of(offer.streams, [&](const OfferedStream& main) { return belongs_to(stream, main); });
    if (is_part) parts.push_back(&stream);
    else kinds.push_back({{&stream}, {}});
  }
  for (Kind& kind : kinds) {
    for (const OfferedStream* part : parts) {
      if (belongs_to(*part, kind.main())) kind.streams.push_back(part);
    }
    add_levels(kind);
  }
  return kinds;
}

const KindLevel* find_level(const Kind& kind, std::string_view id) {
  const auto found = std::ranges::find(kind.levels, id, &KindLevel::id);
  return found == kind.levels.end() ? nullptr : &*found;
}

std::string level_of(const Kind& kind, const std::vector<ChosenStream>& chosen) {
  for (const KindLevel& level : kind.levels) {
    if (std::ranges::any_of(level.streams, [&](const ChosenStream& one) { return find_chosen(chosen, one.id) != nullptr; }) &&
        shares(level, kind, chosen)) {
      return level.id;
    }
  }
  const bool any = std::ranges::any_of(kind.streams, [&](const OfferedStream* stream) {
    const ChosenStream* has = find_chosen(chosen, stream->id());
    return has && !optional_fields(*stream, has->fields).empty();
  });
  return std::string(any ? kCustom : kOff);
}

std::vector<std::string> usual_accounts(const Kind& kind) {
  std::vector<std::string> all, asked;
  for (const OfferedStream* stream : kind.streams) {
    for (const OfferedStream::Account& account : stream->accounts) {
      if (!includes(all, account.connection_id)) all.push_back(account.connection_id);
      if (account.asked && !includes(asked, account.connection_id)) asked.push_back(account.connection_id);
    }
  }
  if (!kind.main().asked) return all;
  return asked.size() == 1 ? asked : std::vector<std::string>();
}

bool choose_level(Choices& choices, const Kind& kind, std::string_view level, const std::vector<std::string>& accounts) {
  const KindLevel* wanted = find_level(kind, level);
  if (!wanted && level != kOff) return false;
  std::erase_if(choices.streams, [&](const ChosenStream& one) {
    return std::ranges::any_of(kind.streams, [&](const OfferedStream* stream) { return stream->id() == one.id; });
  });
  if (!wanted) return true;
  for (ChosenStream chosen : wanted->streams) {
    chosen.connection_ids = accounts;
    choices.streams.push_back(std::move(chosen));
  }
  return true;
}

std::string stream_title(const Offer& offer, const OfferedStream& stream) {
  const auto same = std::ranges::count(offer.streams, stream.label, &OfferedStream::label);
  return same > 1 ? format("{} ({})", stream.label, stream.source_name) : stream.label;
}

std::string fields_text(const OfferedStream& stream, const std::vector<std::string>& fields, std::size_t most) {
  // Technical fields come last: they say least to a person.
  std::vector<std::string> labels, technical;
  for (const std::string& name : fields) {
    const auto field = std::ranges::find(stream.fields, name, &OfferedField::name);
    if (field == stream.fields.end()) labels.push_back(name);
    else (field->technical ? technical : labels).push_back(field->label);
  }
  labels.insert(labels.end(), technical.begin(), technical.end());
  if (labels.size() > most + 1) {
    const std::size_t more = labels.size() - most;
    labels.resize(most);
    labels.push_back(format("{} more fields", more));
  }
  return listed(labels);
}

std::string share_text(const Kind& kind, const std::vector<ChosenStream>& chosen) {
  constexpr std::size_t kShown = 6;
  if (const KindLevel* level = find_level(kind, level_of(kind, chosen)); level && !kind.main().asked) return inside(level->label);
  std::string text;
  for (const OfferedStream* stream : kind.streams) {
    const ChosenStream* has = find_chosen(chosen, stream->id());
    if (!has) continue;
    auto fields = optional_fields(*stream, has->fields);
    if (fields.empty()) fields = all_fields(*stream);
    const std::string which = stream == &kind.main() ? "" : format(" of {}", inside(stream->label));
    text += (text.empty() ? "" : "; ") + fields_text(*stream, fields, kShown) + which;
  }
  return text;
}

std::string share_text(const Offer& offer, const grant::Grant& grant, const OfferedStream& stream) {
  constexpr std::size_t kShown = 6;
  const grant::StreamGrant* granted = grant.stream(stream.stream);
  if (!granted) return "nothing";
  for (const Kind& kind : kinds_of(offer)) {
    if (std::ranges::none_of(kind.streams, [&](const OfferedStream* one) { return one->id() == stream.id(); })) continue;
    std::vector<ChosenStream> chosen;
    for (const OfferedStream* part : kind.streams) {
      if (const grant::StreamGrant* its = grant.stream(part->stream)) chosen.push_back({part->id(), {}, its->fields});
    }
    const KindLevel* level = find_level(kind, level_of(kind, chosen));
    if (level && !kind.main().asked)
      return kind.id() == stream.id() ? inside(level->label) : format("included in “{}”", level->label);
  }
  const auto fields = optional_fields(stream, granted->fields);
  return fields_text(stream, fields.empty() ? granted->fields : fields, kShown);
}

namespace {

constexpr std::string_view kText = "text", kOverview = "overview", kAsked = "asked", kNeeded = "needed", kOnly = "only ";
constexpr std::size_t kMostSources = 3;  // presets for one source; the levels are just as close for more

bool says_what(const Kind& kind, const KindLevel& level) {
  return std::ranges::any_of(kind.streams, [&](const OfferedStream* stream) {
    const auto chosen = std::ranges::find(level.streams, stream->id(), &ChosenStream::id);
    return chosen != level.streams.end() && std::ranges::any_of(stream->fields, [&](const OfferedField& field) {
             return field.is_text && std::ranges::find(chosen->fields, field.name) != chosen->fields.end();
           });
  });
}

// The lowest level with text, or the highest if none has any.
std::string text_level(const Kind& kind) {
  const auto found = std::ranges::find_if(kind.levels, [&](const KindLevel& level) { return says_what(kind, level); });
  return found == kind.levels.end() ? kind.levels.back().id : found->id;
}

std::string level_without_text(const Kind& kind) {
  const KindLevel& lowest = kind.levels.front();
  return says_what(kind, lowest) || kind.levels.size() == 1 ? std::string(kOff) : lowest.id;
}

// Returns the level that the preset sets; empty for an unknown preset.
std::string preset_level(const Kind& kind, std::string_view preset, bool any_asked) {
  std::string off(kOff);
  if (preset == "none") return off;
  if (preset == kAsked) return kind.main().asked ? text_level(kind) : off;
  if (preset == kNeeded) return kind.main().required ? text_level(kind) : off;
  if (any_asked) return "";
  if (preset == kText) return text_level(kind);
  if (preset == kOverview) return level_without_text(kind);
  if (preset.starts_with(kOnly)) return kind.main().source_key == preset.substr(kOnly.size()) ? text_level(kind) : off;
  return "";
}

bool is_active(const Offer& offer, const Choices& choices, const std::string& preset) {
  const Choices set = with_preset(offer, choices, preset);
  return set.period == choices.period && std::ranges::all_of(kinds_of(offer), [&](const Kind& kind) {
           return level_of(kind, set.streams) == level_of(kind, choices.streams);
         });
}

bool selects_something(const Offer& offer, const std::string& preset) { return !with_preset(offer, {}, preset).streams.empty(); }

std::vector<const OfferedStream*> sources_of(const Offer& offer) {
  std::vector<const OfferedStream*> sources;
  for (const OfferedStream& stream : offer.streams) {
    if (std::ranges::none_of(sources, [&](const OfferedStream* one) { return one->source_key == stream.source_key; })) {
      sources.push_back(&stream);
    }
  }
  return sources;
}

}  // namespace

Choices with_preset(const Offer& offer, Choices choices, std::string_view preset) {
  const bool any_asked = std::ranges::any_of(offer.streams, &OfferedStream::asked);
  for (const Kind& kind : kinds_of(offer)) {
    const std::string level = preset_level(kind, preset, any_asked);
    if (!level.empty()) choose_level(choices, kind, level, usual_accounts(kind));
  }
  if (preset == kText && !any_asked) choices.period = "12m";
  return choices;
}

std::vector<KindPreset> presets_of(const Offer& offer, const Choices& choices) {
  std::vector<KindPreset> presets = {{std::string(kNeeded), "Only what it requires", "Required data"},
                                     {std::string(kAsked), "Everything it asks for", "Required and optional data"},
                                     {std::string(kText), "All kinds, with text", "The last 12 months"},
                                     {std::string(kOverview), "All kinds, without text", "For example titles, people and dates"}};
  const auto sources = sources_of(offer);
  for (std::size_t i = 0; sources.size() > 1 && i < std::min(sources.size(), kMostSources); ++i) {
    presets.push_back({std::string(kOnly) + sources[i]->source_key, format("Only {}", sources[i]->source_name), "With text"});
  }
  std::erase_if(presets, [&](const KindPreset& preset) { return !selects_something(offer, preset.id); });
  for (KindPreset& preset : presets) preset.active = is_active(offer, choices, preset.id);
  return presets;
}

}  // namespace ladder::auth
