#include "import/archive_names.h"

#include "import/text.h"

#include <algorithm>
#include <array>

namespace ladder::imports {
namespace {

constexpr std::array<std::string_view, 5> kEndings = {".tar.gz", ".tgz", ".zip", ".tar", ".gz"};

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view ending_of(std::string_view lower_name) {
  const auto found = std::ranges::find_if(kEndings, [&](std::string_view ending) { return lower_name.ends_with(ending); });
  return found == kEndings.end() ? std::string_view() : *found;
}

// Fourteen digits, in groups or not: "20240101T000000", "2024-01-01-12-00-00".
bool begins_with_time_stamp(std::string_view text) {
  if (!text.starts_with("20")) return false;
  int digits = 0;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    const bool between = digits >= 4 && digits % 2 == 0 && (c == '-' || c == '_' || (c == 'T' && digits == 8));
    if (!digit && !between) return false;
    digits += digit ? 1 : 0;
    if (digits == 14) return true;
  }
  return false;
}

}  // namespace

bool is_archive_name(const std::string& name) { return !ending_of(lower_ascii(without_piece_number(name))).empty(); }

std::string without_piece_number(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot == 0) return name;
  std::string_view end = std::string_view(name).substr(dot + 1);
  if (end.starts_with("part")) end.remove_prefix(4);
  const bool letters = end.size() == 2 && end != "gz" && std::ranges::all_of(end, [](char c) { return c >= 'a' && c <= 'z'; });
  if (!letters && !(is_digits(end) && end.size() >= 2)) return name;
  const std::string lower = lower_ascii(std::string_view(name).substr(0, dot));
  return ending_of(lower).empty() ? name : name.substr(0, dot);
}

std::string without_ending(const std::string& name) { return name.substr(0, name.size() - ending_of(lower_ascii(name)).size()); }

std::string without_part_number(const std::string& name) {
  const std::size_t dash = name.find_last_of("-_");
  if (dash == std::string::npos || dash == 0) return name;
  const std::string_view end = std::string_view(name).substr(dash + 1);
  return is_digits(end) && end.size() == 3 ? name.substr(0, dash) : name;
}

std::string without_time_stamp(const std::string& name) {
  for (std::size_t dash = name.find_first_of("-_", 1); dash != std::string::npos; dash = name.find_first_of("-_", dash + 1)) {
    if (begins_with_time_stamp(std::string_view(name).substr(dash + 1))) return name.substr(0, dash);
  }
  return name;
}

}  // namespace ladder::imports
