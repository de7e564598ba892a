// Kinds of data: the streams of an offer as people know them (mail with its attachments), and how much of each an owner
// can share. The levels come from the declarations (model/declaration/levels.cpp), bounded by the offer.
#pragma once

#include "auth/consent.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::auth {

inline constexpr std::string_view kOff = "off", kCustom = "custom";

// One level of a kind, with what it includes of each stream. It includes the levels before it.
struct KindLevel {
  std::string id, label, detail;
  std::vector<ChosenStream> streams;  // without accounts
};

struct Kind {
  std::vector<const OfferedStream*> streams;  // the main one first
  std::vector<KindLevel> levels;              // lowest first

  const OfferedStream& main() const { return *streams.front(); }
  std::string id() const { return main().id(); }
};

// Returns false for a stream that only links records of another one, such as the folders of mail. Its numbers mean nothing to
// the owner, so pages do not count it.
bool has_content(const OfferedStream& stream);

// The result points into the offer.
std::vector<Kind> kinds_of(const Offer& offer);

// Returns kOff, the id of the level that shares exactly these fields, or kCustom.
std::string level_of(const Kind& kind, const std::vector<ChosenStream>& chosen);
const KindLevel* find_level(const Kind& kind, std::string_view id);

// The accounts that are selected with a kind: all, or the requested one. Empty if the request could mean several: then the
// owner must choose.
std::vector<std::string> usual_accounts(const Kind& kind);

// Replaces what is chosen of the kind by one of its levels; kOff removes it. Returns false for an unknown level.
bool choose_level(Choices& choices, const Kind& kind, std::string_view level, const std::vector<std::string>& accounts);

// A button that sets all kinds at once.
struct KindPreset {
  std::string id, label, detail;
  bool active = false;  // the choices are what it sets
};
// Returns the presets that select something. A preset never selects data that a request with particulars does not name.
std::vector<KindPreset> presets_of(const Offer& offer, const Choices& choices);
// Applies a preset. An unknown one changes nothing.
Choices with_preset(const Offer& offer, Choices choices, std::string_view preset);

// The label of a stream. It names the source if another stream has the same label.
std::string stream_title(const Offer& offer, const OfferedStream& stream);
// Describes the shared fields of a kind within a sentence: "headers and text", or the labels of the fields.
std::string share_text(const Kind& kind, const std::vector<ChosenStream>& chosen);
// Describes what a grant shares of one of its streams, in the same way. `stream` is of the grant's source.
std::string share_text(const Offer& offer, const grant::Grant& grant, const OfferedStream& stream);
// The labels of a stream's fields. More than `most` are counted: "Subject, From and 12 more fields".
std::string fields_text(const OfferedStream& stream, const std::vector<std::string>& fields, std::size_t most);

}  // namespace ladder::auth
