#include "pages/form.h"

#include "base/text/utf8.h"
#include "http/message/message.h"
#include "http/message/query.h"
#include "http/middleware/host_check.h"

#include <algorithm>
#include <set>

namespace ladder::pages {
namespace {

constexpr std::size_t kMaxFields = 4096;
constexpr std::size_t kMaxAddressBytes = 64;
constexpr std::size_t kMaxPartHeadBytes = 8 * 1024;
constexpr std::size_t kMaxBoundaryBytes = 70;  // RFC 2046
constexpr std::string_view kMultipart = "multipart/form-data";

// Returns the boundary parameter, or an empty string if it is missing or invalid.
std::string_view boundary_of(std::string_view content_type) {
  constexpr std::string_view kName = "boundary=";
  std::string_view found;
  for (std::string_view rest = content_type.substr(kMultipart.size()); !rest.empty();) {
    if (rest.front() != ';') return {};
    rest.remove_prefix(1);
    const std::size_t end = std::min(rest.find(';'), rest.size());
    const std::string_view parameter = http::trimmed(rest.substr(0, end));
    rest.remove_prefix(end);
    if (parameter.size() <= kName.size() || !http::equal_without_case(parameter.substr(0, kName.size()), kName)) continue;
    if (!found.empty()) return {};
    found = parameter.substr(kName.size());
  }
  if (found.size() > 2 && found.front() == '"' && found.back() == '"') found = found.substr(1, found.size() - 2);
  const bool plain = !found.empty() && found.size() <= kMaxBoundaryBytes && std::ranges::all_of(found, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("'()+_,-./:=?").find(c) != std::string_view::npos;
  });
  return plain ? found : std::string_view();
}

// Decodes a quoted name. Browsers escape only quotes and line ends.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view three = text.substr(i, 3);
    const char c = three == "%22" ? '"' : three == "%0D" ? '\r' : three == "%0A" ? '\n' : '\0';
    out += c == '\0' ? text[i] : c;
    i += c == '\0' ? 0 : 2;
  }
  return out;
}

struct PartHead {
  std::optional<std::string> name, file;
};

// Parses `Content-Disposition: form-data; name="files"; filename="mail.mbox"`. Returns nullopt for anything else.
std::optional<PartHead> read_disposition(std::string_view value) {
  constexpr std::string_view kKind = "form-data";
  if (!value.starts_with(kKind)) return std::nullopt;
  PartHead head;
  for (std::string_view rest = value.substr(kKind.size()); !rest.empty();) {
    if (!rest.starts_with("; ")) return std::nullopt;
    rest.remove_prefix(2);
    const std::size_t quote = rest.find("=\"");
    const std::size_t end = quote == std::string_view::npos ? quote : rest.find('"', quote + 2);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view name = rest.substr(0, quote);
    std::optional<std::string>* const into = name == "name" ? &head.name : name == "filename" ? &head.file : nullptr;
    if (into == nullptr || into->has_value()) return std::nullopt;
    *into = unescaped(rest.substr(quote + 2, end - quote - 2));
    if (!utf8::is_valid(**into)) return std::nullopt;
    rest.remove_prefix(end + 1);
  }
  return head.name ? std::optional(std::move(head)) : std::nullopt;
}

std::optional<PartHead> read_part_head(std::string_view text) {
  std::optional<PartHead> head;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\r\n"), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 2, text.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !http::is_token(line.substr(0, colon))) return std::nullopt;
    if (!http::equal_without_case(line.substr(0, colon), "Content-Disposition")) continue;
    if (head) return std::nullopt;
    head = read_disposition(http::trimmed(line.substr(colon + 1)));
    if (!head) return std::nullopt;
  }
  return head;
}

}  // namespace

bool Form::is_multipart(std::string_view content_type) {
  return http::equal_without_case(content_type.substr(0, kMultipart.size()), kMultipart);
}

std::optional<Form> Form::parse_multipart(std::string_view content_type, std::string_view body) {
  const std::string_view boundary = boundary_of(content_type);
  if (boundary.empty()) return std::nullopt;
  const std::string first = "--" + std::string(boundary), next = "\r\n" + first;
  if (!body.starts_with(first)) return std::nullopt;
  body.remove_prefix(first.size());
  for (Form form; body.starts_with("\r\n");) {
    body.remove_prefix(2);
    const std::size_t head_end = body.substr(0, kMaxPartHeadBytes).find("\r\n\r\n");
    if (head_end == std::string_view::npos) return std::nullopt;
    auto head = read_part_head(body.substr(0, head_end));
    body.remove_prefix(head_end + 4);
    const std::size_t end = body.find(next);
    if (!head || end == std::string_view::npos || form.fields_.size() + form.files_.size() == kMaxFields) return std::nullopt;
    const std::string_view content = body.substr(0, end);
    body.remove_prefix(end + next.size());
    if (head->file) {
      const std::size_t folder = head->file->find_last_of("/\\");
      form.files_.push_back(
          {*std::move(head->name), folder == std::string::npos ? *head->file : head->file->substr(folder + 1), content});
    } else {
      if (!utf8::is_valid(content)) return std::nullopt;
      form.fields_.emplace_back(*std::move(head->name), content);
    }
    if (body == "--" || body == "--\r\n") return form;
  }
  return std::nullopt;
}

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

std::string cookie_of(const http::Request& request, std::string_view name) {
  std::string found;
  for (const auto& [header_name, header] : request.headers.all()) {
    if (!http::equal_without_case(header_name, "Cookie")) continue;
    for (std::string_view left = header; !left.empty();) {
      const std::size_t end = std::min(left.find(';'), left.size());
      const std::string_view pair = http::trimmed(left.substr(0, end));
      left.remove_prefix(std::min(end + 1, left.size()));
      if (pair.size() <= name.size() || !pair.starts_with(name) || pair[name.size()] != '=') continue;
      if (!found.empty()) return {};  // one of the two could have been injected
      found = pair.substr(name.size() + 1);
    }
  }
  return found;
}

std::string caller_address(const http::Request& request, std::string_view base) {
  const bool behind_proxy = request.from_trusted_proxy ||
                            (base.starts_with("https:") && !request.over_tls && http::is_loopback(request.remote_address));
  const auto named = request.headers.get("X-Forwarded-For");
  if (!behind_proxy || !named || request.headers.count("X-Forwarded-For") != 1) return request.remote_address;
  const auto comma = named->rfind(',');
  const std::string_view last = http::trimmed(comma == std::string_view::npos ? *named : named->substr(comma + 1));
  const bool plain = !last.empty() && last.size() <= kMaxAddressBytes &&
                     last.find_first_not_of("0123456789abcdefABCDEF.:[]") == std::string_view::npos;
  return plain ? std::string(last) : request.remote_address;
}

}  // namespace ladder::pages
