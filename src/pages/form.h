// A browser's input: the fields of a form and the session's cookie. Bounded and strict; several values of a name stay in
// order.
#pragma once

#include "http/message/message.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::pages {

// "__Host-": no other host and no page without TLS can set it. Chromium and Firefox take such a cookie over plain http from this
// machine as well, so that one name serves both.
inline constexpr std::string_view kCookieName = "__Host-ladder";

// A file of a form, with the bytes as they lie in the request's body.
struct FormFile {
  std::string field, name;  // the name without folders
  std::string_view content;
};

class Form {
 public:
  // Nothing when it is not percent-encoded UTF-8, or has more than 4,096 fields.
  static std::optional<Form> parse(std::string_view encoded);

  // multipart/form-data (RFC 7578): nothing when it is not exactly that, or has more than 4,096 parts. `body` must outlive the
  // form's files.
  static std::optional<Form> parse_multipart(std::string_view content_type, std::string_view body);
  static bool is_multipart(std::string_view content_type);

  std::string one(std::string_view name) const;  // the first; empty when there is none
  std::vector<std::string> all(std::string_view name) const;
  bool has(std::string_view name) const;
  std::string repeated() const;  // a name that occurs twice; empty when none does
  const std::vector<FormFile>& files() const { return files_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
  std::vector<FormFile> files_;
};

// The session's cookie; empty when there is none, or more than one.
std::string cookie_of(const http::Request& request);

// The address that a request comes from. Behind a proxy on this machine that speaks TLS for us every peer is the proxy, so its
// own last word on whom it serves counts; from anybody else that header is a claim.
std::string caller_address(const http::Request& request, std::string_view base);

}  // namespace ladder::pages
