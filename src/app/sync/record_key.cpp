#include "app/sync/record_key.h"

#include "json/parse.h"

#include <boost/json/value.hpp>

namespace ladder::app {

std::string record_key(const imports::wire::RecordHeader& head, std::string_view data) {
  constexpr std::size_t kMaxText = imports::wire::kMaxKeyBytes;
  if (!head.key.empty()) return {};
  for (const std::string_view begin : {R"({"id":)", R"({"path":)"}) {
    if (!data.starts_with(begin)) continue;
    const std::string_view text = data.substr(begin.size(), kMaxText);
    if (!text.starts_with('"')) return {};
    std::size_t end = 1;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    if (end >= text.size()) return {};
    const auto parsed = json::parse(text.substr(0, end + 1), kMaxText, 1);
    return parsed && parsed->is_string() ? std::string(parsed->as_string()) : std::string();
  }
  return {};
}

}  // namespace ladder::app
