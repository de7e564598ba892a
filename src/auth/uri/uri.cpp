#include "auth/uri/uri.h"

#include "base/text/format.h"

#include <algorithm>
#include <array>

namespace ladder::auth {
namespace {

constexpr std::size_t kMaxUriChars = 2048;
constexpr std::size_t kMaxDocumentAddressChars = 255;  // the maximum length of a client id in grants

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

bool is_uri_char(char c) { return c > 0x20 && c < 0x7F && std::string_view("\"<>\\^`{|}").find(c) == std::string_view::npos; }

bool is_scheme(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !text.empty() && letter(text.front()) && std::ranges::all_of(text, [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
  });
}

bool is_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Accepts a name, an IPv4 address or a bracketed IPv6 address that browsers cannot interpret differently.
bool is_plain_host(std::string_view host) {
  if (host.empty()) return false;
  const bool bracketed = host.front() == '[' && host.back() == ']' && host.size() > 2;
  const std::string_view inner = bracketed ? host.substr(1, host.size() - 2) : host;
  return std::ranges::all_of(inner, [&](char c) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
    return bracketed ? plain || c == ':' : plain || c == '_';
  });
}

bool split_authority(std::string_view authority, Uri& uri) {
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
    uri.has_user = true;
    authority.remove_prefix(at + 1);
  }
  const auto bracket = authority.rfind(']');
  const auto colon = authority.rfind(':');
  const bool has_port = colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  uri.host = lower(authority.substr(0, has_port ? colon : authority.size()));
  uri.port = has_port ? authority.substr(colon + 1) : std::string_view();
  return is_digits(uri.port) && uri.port.size() <= 5 && !(has_port && uri.port.empty());
}

constexpr std::array<std::string_view, 5> kKnownSchemes = {"cursor", "vscode", "vscode-insiders", "windsurf", "zed"};

}  // namespace

std::optional<Uri> parse_uri(std::string_view text) {
  if (text.empty() || text.size() > kMaxUriChars || !std::ranges::all_of(text, is_uri_char)) return std::nullopt;
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || !is_scheme(text.substr(0, colon))) return std::nullopt;
  Uri uri;
  uri.scheme = lower(text.substr(0, colon));
  std::string_view rest = text.substr(colon + 1);
  if (const auto hash = rest.find('#'); hash != std::string_view::npos) {
    uri.has_fragment = true;
    rest = rest.substr(0, hash);
  }
  if (const auto mark = rest.find('?'); mark != std::string_view::npos) {
    uri.query = rest.substr(mark);
    rest = rest.substr(0, mark);
  }
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    const auto slash = std::min(rest.find('/'), rest.size());
    if (!split_authority(rest.substr(0, slash), uri)) return std::nullopt;
    rest.remove_prefix(slash);
    if (!is_plain_host(uri.host)) return std::nullopt;
  }
  uri.path = rest;
  return uri;
}

bool is_loopback_host(std::string_view host) { return host == "localhost" || host == "127.0.0.1" || host == "[::1]"; }

std::string origin_of(const Uri& uri) {
  if (uri.host.empty()) return {};
  return format("{}://{}{}{}", uri.scheme, uri.host, uri.port.empty() ? "" : ":", uri.port);
}

bool is_acceptable_redirect(std::string_view text) {
  const auto uri = parse_uri(text);
  if (!uri || uri->has_fragment || uri->has_user) return false;
  if (uri->scheme == "https") return !uri->host.empty();
  if (uri->scheme == "http") return is_loopback_host(uri->host);
  // Private-use schemes: those of known programs, or reversed domain names, which do not collide.
  for (const std::string_view never : {"javascript", "data", "file", "blob", "about", "vbscript", "ws", "wss", "ftp"}) {
    if (uri->scheme == never) return false;
  }
  return std::ranges::find(kKnownSchemes, uri->scheme) != kKnownSchemes.end() || uri->scheme.find('.') != std::string::npos;
}

bool is_same_redirect(std::string_view registered, std::string_view requested) {
  if (!is_acceptable_redirect(requested)) return false;
  if (registered == requested) return true;
  const auto known = parse_uri(registered);
  const auto asked = parse_uri(requested);
  if (!known || !asked || known->scheme != "http" || asked->scheme != "http") return false;
  // Treats an absent path and "/" as equal, since programs use both.
  const auto path = [](const Uri& uri) { return uri.path.empty() ? std::string("/") : uri.path; };
  return is_loopback_host(known->host) && known->host == asked->host && path(*known) == path(*asked) &&
         known->query == asked->query;
}

bool is_document_address(std::string_view client_id) {
  if (client_id.size() > kMaxDocumentAddressChars) return false;
  const auto uri = parse_uri(client_id);
  if (!uri || uri->scheme != "https" || uri->has_user || uri->has_fragment || !uri->query.empty()) return false;
  if (uri->path.size() < 2) return false;
  const std::string path = uri->path + "/";
  return path.find("/./") == std::string::npos && path.find("/../") == std::string::npos;
}

std::string with_parameters(std::string_view uri, const std::vector<std::pair<std::string, std::string>>& parameters) {
  std::string out(uri);
  char join = out.find('?') == std::string::npos ? '?' : '&';
  for (const auto& [name, value] : parameters) {
    out += join;
    out += name;
    out += '=';
    for (const char c : value) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
                         c == '_' || c == '~';
      if (plain) out += c;
      else out += format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
    join = '&';
  }
  return out;
}

}  // namespace ladder::auth
