#include "import/tree/archive_names.h"

#include "base/text/format.h"
#include "base/text/utf8.h"
#include "import/charset/read_text.h"
#include "import/io/limits.h"
#include "import/text/text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace ladder::imports {
namespace {

constexpr std::array<std::string_view, 5> kEndings = {".tar.gz", ".tgz", ".zip", ".tar", ".gz"};

std::string_view ending_of(std::string_view lower_name) {
  const auto found = std::ranges::find_if(kEndings, [&](std::string_view ending) { return lower_name.ends_with(ending); });
  return found == kEndings.end() ? std::string_view() : *found;
}

// Two-letter extensions that are not piece numbers: "x.tar.gz", "x.tar.xz".
bool is_packing(std::string_view end) { return end == "gz" || end == "xz" || end == "lz"; }

// Matches fourteen digits, grouped or not: "20240101T000000", "2024-01-01-12-00-00".
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
  const bool letters =
      end.size() == 2 && !is_packing(end) && std::ranges::all_of(end, [](char c) { return c >= 'a' && c <= 'z'; });
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

namespace {

bool is_absolute(std::string_view path) {
  const bool drive = path.size() >= 2 && path[1] == ':' && std::isalpha(static_cast<unsigned char>(path[0])) != 0;
  return path.starts_with('/') || drive;
}

// Names from older systems are decoded as Windows-1252, so that different names stay different.
std::string readable(std::string_view name) {
  if (utf8::is_valid(name)) return std::string(name);
  std::string text = to_utf8_raw(name);
  return text.empty() ? replace_invalid(name) : text;
}

}  // namespace

std::expected<std::string, std::string> entry_path(std::string_view raw) {
  if (raw.size() > limits::kMaxPathBytes)
    return std::unexpected(format("the path is longer than {} bytes", limits::kMaxPathBytes));
  if (raw.find('\0') != std::string_view::npos) return std::unexpected("the path contains a NUL");
  std::string text(raw);
  std::ranges::replace(text, '\\', '/');
  if (is_absolute(text)) return std::unexpected("the path is absolute");
  std::string path;
  std::size_t depth = 0;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t slash = std::min(text.find('/', at), text.size());
    const std::string_view part = std::string_view(text).substr(at, slash - at);
    at = slash + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") return std::unexpected("the path leads outside the archive (\"..\")");
    if (++depth > limits::kMaxPathDepth)
      return std::unexpected(format("the path is deeper than {} folders", limits::kMaxPathDepth));
    if (!path.empty()) path += '/';
    path += readable(part);
  }
  if (path.empty()) return std::unexpected("the path is empty");
  return path;
}

bool is_clutter(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  return name.starts_with("._") || name == ".DS_Store" || name == "Thumbs.db" || name == "desktop.ini" ||
         path.starts_with("__MACOSX/") || path.find("/__MACOSX/") != std::string_view::npos;
}

}  // namespace ladder::imports
