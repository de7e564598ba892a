#include "base/columns.h"

#include "base/utf8.h"

#include <utf8proc.h>

namespace ladder {
namespace {

std::int64_t width_of(char32_t c) { return utf8proc_charwidth(static_cast<utf8proc_int32_t>(c)); }

}  // namespace

std::int64_t columns_of(std::string_view valid) {
  std::int64_t columns = 0;
  for (std::size_t at = 0; at < valid.size();) columns += width_of(utf8::next(valid, at));
  return columns;
}

std::string cut_to_columns(std::string_view valid, std::int64_t columns) {
  if (columns_of(valid) <= columns) return std::string(valid);
  std::int64_t used = 0;
  std::size_t end = 0;
  for (std::size_t at = 0; at < valid.size();) {
    used += width_of(utf8::next(valid, at));
    if (used > columns - 1) break;  // one is the mark's
    end = at;
  }
  return std::string(valid.substr(0, end)) + "…";
}

}  // namespace ladder
