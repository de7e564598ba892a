// Access to members of untrusted JSON objects. A member that is missing, null or of another type is returned as empty.
#pragma once

#include "base/time/time.h"
#include "json/scan/scan.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports {

// Finds the named members of checked JSON in one pass, in the order of the names. A member is null if it is missing or `object`
// is not an object.
template <std::size_t N>
std::array<json::Value, N> members_of(const json::Value& object, const std::array<std::string_view, N>& names) {
  std::array<json::Value, N> found{};
  if (object.kind != json::Kind::kObject) return found;
  for (json::Members member(object.text); member.next();) {
    for (std::size_t i = 0; i < N; ++i) {
      if (found[i].text.empty() && json::name_equals(member.raw_name(), names[i])) {
        found[i] = member.value();
        break;
      }
    }
  }
  return found;
}

json::Value member_of(const json::Value& object, std::string_view name);

// Returns a decoded string, or a number as written (64-bit ids are not rounded); "" for anything else.
std::string text_of(const json::Value& value);
std::string text_of(const json::Value& object, std::string_view name);
bool is_true(const json::Value& value);
bool has_text(const json::Value& value);  // a non-empty string
std::int64_t integer_or(const json::Value& value, std::int64_t otherwise);

// Seconds since 1970 with a fraction, as a number or as text; nullopt for anything that is not a time between 1970 and 9999.
std::optional<Instant> seconds_of(const json::Value& value);
// RFC 3339 text; nullopt for anything else.
std::optional<Instant> instant_of(const json::Value& value);

// Returns checked JSON without white space outside strings, as records require it.
std::string compact(std::string_view checked);

// Returns the member names of the first object, as far as the text goes: [{"title": …, "mapping": … → title, mapping. The text
// is the start of a file and may be incomplete or invalid.
std::vector<std::string> first_member_names(std::string_view head);
// Returns the first bracket of the text, '[' or '{'; 0 if other text comes first.
char opening_bracket(std::string_view head);

// Builds a record key from ids: joined by dots, or a digest if they are too long or an id other than the last contains dots.
std::string joined_key(const std::vector<std::string_view>& ids);

}  // namespace ladder::imports
