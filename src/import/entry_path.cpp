#include "import/entry_path.h"

#include "base/format.h"
#include "base/utf8.h"
#include "import/limits.h"
#include "import/text.h"

#include <algorithm>
#include <cctype>

namespace ladder::imports {
namespace {

bool is_absolute(std::string_view path) {
  const bool drive = path.size() >= 2 && path[1] == ':' && std::isalpha(static_cast<unsigned char>(path[0])) != 0;
  return path.starts_with('/') || drive;
}

// Names from older systems are in Windows-1252; two of them stay two.
std::string readable(std::string_view name) {
  if (utf8::is_valid(name)) return std::string(name);
  std::string text = to_utf8_raw(name);
  return text.empty() ? replace_invalid(name) : text;
}

}  // namespace

std::expected<std::string, std::string> entry_path(std::string_view raw) {
  if (raw.size() > limits::kMaxPathBytes)
    return std::unexpected(format("the path is longer than {} bytes", limits::kMaxPathBytes));
  if (raw.find('\0') != std::string_view::npos) return std::unexpected("the path holds a NUL");
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
