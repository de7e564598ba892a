// Conversations of chat exports. A conversation may occur in several parts of one export, so its versions are found before the
// first one is sent (versions.h).
#pragma once

#include "import/formats/versions.h"
#include "import/json/json_elements.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports {

// How a format recognizes conversations and identifies them.
struct ConversationKind {
  struct Identity {
    std::string id;  // "" if it has none
    std::optional<Instant> changed;
  };
  SalvagedElements::Accepts accepts;
  Identity (*identity)(const json::Value& conversation);
  std::vector<std::string> (*message_ids)(const json::Value& conversation);
};

Status find_versions(Tree& tree, std::span<const EntryNo> parts, const ConversationKind& kind, Versions& versions);

// Listed among the problems of a conversation that was not valid UTF-8.
inline constexpr std::string_view kRepairedProblem =
    "it was not valid UTF-8 and was read as Windows-1252, or with replacement characters";

}  // namespace ladder::imports
