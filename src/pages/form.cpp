#include "pages/form.h"

#include "http/message/message.h"
#include "http/message/query.h"
#include "http/middleware/host_check.h"

#include <algorithm>
#include <set>

namespace ladder::pages {
namespace {

constexpr std::size_t kMaxFields = 4096;
constexpr std::size_t kMaxAddressBytes = 64;

}  // namespace

std::optional<Form> Form::parse(std::string_view encoded) {
  Form form;
  for (std::size_t at = 0; at < encoded.size();) {
    const std::size_t found = encoded.find('&', at);
    const std::size_t end = found == std::string_view::npos ? encoded.size() : found;
    const std::string_view pair = encoded.substr(at, end - at);
    at = end + 1;
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    auto name = http::percent_decoded(pair.substr(0, equals), http::Plus::kSpace);
    auto value = http::percent_decoded(pair.substr(std::min(equals + 1, pair.size())), http::Plus::kSpace);
    if (!name || !value || form.fields_.size() == kMaxFields) return std::nullopt;
    form.fields_.emplace_back(*std::move(name), *std::move(value));
  }
  return form;
}

std::string Form::one(std::string_view name) const {
  for (const auto& [key, value] : fields_) {
    if (key == name) return value;
  }
  return {};
}

std::vector<std::string> Form::all(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [key, value] : fields_) {
    if (key == name) values.push_back(value);
  }
  return values;
}

bool Form::has(std::string_view name) const {
  return std::ranges::any_of(fields_, [&](const auto& field) { return field.first == name; });
}

std::string Form::repeated() const {
  std::set<std::string_view> seen;
  for (const auto& [name, value] : fields_) {
    if (!seen.insert(name).second) return name;
  }
  return {};
}

std::string cookie_of(const http::Request& request) {
  std::string found;
  for (const auto& [name, header] : request.headers.all()) {
    if (!http::equal_without_case(name, "Cookie")) continue;
    for (std::string_view left = header; !left.empty();) {
      const std::size_t end = std::min(left.find(';'), left.size());
      const std::string_view pair = http::trimmed(left.substr(0, end));
      left.remove_prefix(std::min(end + 1, left.size()));
      if (pair.size() <= kCookieName.size() || !pair.starts_with(kCookieName) || pair[kCookieName.size()] != '=') continue;
      if (!found.empty()) return {};  // of two, either could be a stranger's
      found = pair.substr(kCookieName.size() + 1);
    }
  }
  return found;
}

std::string caller_address(const http::Request& request, std::string_view base) {
  const bool behind_proxy = base.starts_with("https:") && !request.over_tls && http::is_loopback(request.remote_address);
  const auto named = request.headers.get("X-Forwarded-For");
  if (!behind_proxy || !named || request.headers.count("X-Forwarded-For") != 1) return request.remote_address;
  const auto comma = named->rfind(',');
  const std::string_view last = http::trimmed(comma == std::string_view::npos ? *named : named->substr(comma + 1));
  const bool plain = !last.empty() && last.size() <= kMaxAddressBytes &&
                     last.find_first_not_of("0123456789abcdefABCDEF.:[]") == std::string_view::npos;
  return plain ? std::string(last) : request.remote_address;
}

}  // namespace ladder::pages
