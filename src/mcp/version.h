// The protocol versions that are spoken, and the two eras they belong to.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ladder::mcp {

enum class Era : std::uint8_t {
  kLegacy,  // a handshake, then requests
  kModern,  // every request stands alone and says in _meta which version it speaks
};

inline constexpr std::string_view kModernVersion = "2026-07-28";
inline constexpr std::array<std::string_view, 3> kLegacyVersions = {"2025-11-25", "2025-06-18", "2025-03-26"};  // newest first
inline constexpr std::string_view kVersionWithBatches = "2025-03-26";  // the only one; also what a missing header means

bool is_legacy_version(std::string_view version);
// Whether a version, known or not, belongs to the modern era: a date of its first version or later.
bool is_of_modern_era(std::string_view version);
// What initialize answers: the version asked for, or else the newest legacy one.
std::string_view negotiate(std::string_view asked);

}  // namespace ladder::mcp
