#include "import/formats/conversations.h"

namespace ladder::imports {

Status find_versions(Tree& tree, std::span<const EntryNo> parts, const ConversationKind& kind, Versions& versions) {
  if (parts.size() < 2) return {};
  for (const EntryNo entry : parts) {
    LADDER_CHECK(scan_elements(tree, entry, kind.accepts, [&](const JsonElement& element) -> Status {
      const auto [id, changed] = kind.identity(element.value);
      if (!id.empty()) versions.add(id, rank_of(changed, element.value.text));
      return {};
    }));
  }
  if (!versions.has_duplicates()) return {};
  for (const EntryNo entry : parts) {
    LADDER_CHECK(scan_elements(tree, entry, kind.accepts, [&](const JsonElement& element) -> Status {
      const auto [id, changed] = kind.identity(element.value);
      if (!versions.is_duplicated(id)) return {};
      const Rank rank = rank_of(changed, element.value.text);
      for (const std::string& message : kind.message_ids(element.value)) versions.add_part(id, message, rank);
      return {};
    }));
  }
  return {};
}

}  // namespace ladder::imports
