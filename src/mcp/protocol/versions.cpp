#include "mcp/protocol/versions.h"

#include <algorithm>

namespace ladder::mcp {
namespace {

// Accepts YYYY-MM-DD; such texts compare like dates.
bool is_date(std::string_view text) {
  if (text.size() != kModernVersion.size()) return false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool dash = at == 4 || at == 7;
    if (dash ? text[at] != '-' : text[at] < '0' || text[at] > '9') return false;
  }
  return true;
}

}  // namespace

bool is_legacy_version(std::string_view version) { return std::ranges::find(kLegacyVersions, version) != kLegacyVersions.end(); }

bool is_of_modern_era(std::string_view version) { return is_date(version) && version >= kModernVersion; }

std::string_view negotiate(std::string_view asked) {
  const auto* const found = std::ranges::find(kLegacyVersions, asked);
  return found != kLegacyVersions.end() ? *found : kLegacyVersions.front();
}

}  // namespace ladder::mcp
