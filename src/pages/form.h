// Browser input: form fields and the session cookie. Parsing is bounded and strict. Repeated values keep their order.
#pragma once

#include "http/message/message.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::pages {

// "__Host-" means that no other host and no page without TLS can set the cookie. Chromium and Firefox accept such a cookie over
// plain http from localhost, so one name works for both.
inline constexpr std::string_view kCookieName = "__Host-ladder";

// An uploaded file. The content points into the request body.
struct FormFile {
  std::string field, name;  // name: the file name without folders
  std::string_view content;
};

class Form {
 public:
  // Returns nullopt if the input is not percent-encoded UTF-8 or has more than 4,096 fields.
  static std::optional<Form> parse(std::string_view encoded);

  // Parses multipart/form-data (RFC 7578). Returns nullopt if the body is malformed or has more than 4,096 parts. `body` must
  // outlive the files of the form.
  static std::optional<Form> parse_multipart(std::string_view content_type, std::string_view body);
  static bool is_multipart(std::string_view content_type);

  std::string one(std::string_view name) const;  // the first value, or empty
  std::vector<std::string> all(std::string_view name) const;
  bool has(std::string_view name) const;
  std::string repeated() const;  // a name that occurs twice, or empty
  const std::vector<FormFile>& files() const { return files_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
  std::vector<FormFile> files_;
};

// Returns the cookie, or an empty string if there is none or more than one.
std::string cookie_of(const http::Request& request, std::string_view name = kCookieName);

// Returns the client address. Behind a local TLS proxy, or one that the operator trusts, every peer is the proxy, so the last
// entry of its X-Forwarded-For is used. From any other peer the header is ignored.
std::string caller_address(const http::Request& request, std::string_view base);

}  // namespace ladder::pages
