// Presets of the consent form: each sets every kind of data, whatever was chosen before.
#include "api/schema.h"
#include "auth/kinds.h"
#include "base/text/format.h"

#include <algorithm>

namespace ladder::auth {
namespace {

constexpr std::string_view kText = "text", kOverview = "overview", kAsked = "asked", kNeeded = "needed", kOnly = "only ";
constexpr std::size_t kMostSources = 3;  // presets for one source; the levels are just as close for more

bool says_what(const Kind& kind, const KindLevel& level) {
  return std::ranges::any_of(kind.streams, [&](const OfferedStream* stream) {
    const auto chosen = std::ranges::find(level.streams, stream->id(), &ChosenStream::id);
    return chosen != level.streams.end() && std::ranges::any_of(stream->fields, [&](const OfferedField& field) {
             return api::is_text_role(field.role) && std::ranges::find(chosen->fields, field.name) != chosen->fields.end();
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
  const std::string off(kOff);
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
