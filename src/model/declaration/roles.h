// The words of x_pdpp_role that Ladder knows: those of its own declarations and of the reference's. The first field of a
// stream with one of the words, in their order, has the role.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace ladder::model::roles {

inline constexpr std::array<std::string_view, 3> kTitle = {"primary-title", "title", "context"};
inline constexpr std::array<std::string_view, 3> kText = {"primary-text", "body", "text"};
inline constexpr std::array<std::string_view, 2> kTime = {"event-time", "time"};
inline constexpr std::array<std::string_view, 2> kAuthor = {"actor", "author"};
inline constexpr std::array<std::string_view, 2> kUrl = {"source-url", "url"};

inline bool is_one_of(std::string_view role, std::span<const std::string_view> words) {
  return std::ranges::find(words, role) != words.end();
}

}  // namespace ladder::model::roles
