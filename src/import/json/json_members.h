// Members of JSON objects from outside, whatever they turn out to be: a member that is missing, null or of another kind than
// hoped for is simply empty.
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

// The named members of checked JSON, in the order of the names, found in one walk; null where one is missing or `object` is none.
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

// A string decoded, a number as it is written (ids of 64 bits stay whole); "" for anything else.
std::string text_of(const json::Value& value);
std::string text_of(const json::Value& object, std::string_view name);
bool is_true(const json::Value& value);
bool has_text(const json::Value& value);  // a string that is not empty
std::int64_t whole_number(const json::Value& value, std::int64_t otherwise);

// Seconds since 1970 with a fraction, as a number or as text; nullopt for what is no time between 1970 and 9999.
std::optional<Instant> seconds_of(const json::Value& value);
// RFC 3339 text; nullopt for anything else.
std::optional<Instant> instant_of(const json::Value& value);

// Checked JSON without the white space outside strings: fit to stand in a record.
std::string compact(std::string_view checked);

// The names of the members of a text's first object, as far as the text goes: [{"title": …, "mapping": … → title, mapping. Takes
// the beginning of a file, which need not be whole or valid.
std::vector<std::string> first_member_names(std::string_view head);
// Returns the first bracket of the text, '[' or '{'; 0 when something else comes before it.
char opening_bracket(std::string_view head);

// A record's key made of ids: joined by dots, or a digest when they are too long or have dots of their own before the last.
std::string joined_key(const std::vector<std::string_view>& ids);

}  // namespace ladder::imports
