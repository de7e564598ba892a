// Header fields, and helpers for requests and responses.
#include "http/message/message.h"

#include "base/text/format.h"
#include "base/text/utf8.h"
#include "json/writer.h"

#include <algorithm>
#include <array>
#include <ctime>

namespace ladder::http {

std::optional<std::string_view> Headers::get(std::string_view name) const {
  for (const auto& [field, value] : fields_) {
    if (equal_without_case(field, name)) return value;
  }
  return std::nullopt;
}

std::size_t Headers::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(fields_, [name](const auto& field) { return equal_without_case(field.first, name); }));
}

void Headers::set(std::string_view name, std::string value) {
  for (auto field = fields_.begin(); field != fields_.end(); ++field) {
    if (!equal_without_case(field->first, name)) continue;
    field->second = std::move(value);
    fields_.erase(
        std::remove_if(field + 1, fields_.end(), [name](const auto& other) { return equal_without_case(other.first, name); }),
        fields_.end());
    return;
  }
  add(name, std::move(value));
}

void Headers::add(std::string_view name, std::string value) { fields_.emplace_back(std::string(name), std::move(value)); }

void Headers::remove(std::string_view name) {
  std::erase_if(fields_, [name](const auto& field) { return equal_without_case(field.first, name); });
}

std::string_view Request::query() const {
  const auto mark = target.find('?');
  return mark == std::string::npos ? std::string_view() : std::string_view(target).substr(mark + 1);
}

Response Response::json(int status, std::string body) {
  Response response;
  response.status = status;
  response.headers.add("Content-Type", "application/json; charset=utf-8");
  response.body = std::move(body);
  return response;
}

namespace {

constexpr std::string_view kTokenMarks = "!#$%&'*+-.^_`|~";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_token_char(char c) { return is_letter(c) || is_digit(c) || kTokenMarks.find(c) != std::string_view::npos; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool is_token(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_token_char); }

bool is_field_value(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte != 0x7F) || c == '\t';
  });
}

bool is_digits(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_digit); }

bool equal_without_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return x == y || lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string_view media_type(std::string_view content_type) { return trimmed(content_type.substr(0, content_type.find(';'))); }

bool has_media_type(const Request& request, std::string_view type) {
  return equal_without_case(media_type(request.headers.get("Content-Type").value_or("")), type);
}

// The PDPP error envelope (PDPP "errors"):
//   {"error":{"type":…,"code":…,"message":…,"param"?,…details…,"available_connections"?,"retry_with"?,"request_id":…}}

namespace {

std::string_view type_of(int status) {
  switch (status) {
    case 400:
      return "invalid_request_error";
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 410:
      return "gone_error";
    case 413:
      return "request_entity_too_large_error";
    case 429:
      return "rate_limit_error";
    default:
      return "api_error";
  }
}

Response envelope(int status, const Error& error, std::string_view request_id) {
  json::Writer out;
  out.begin_object().key("error").begin_object();
  out.member("type", type_of(status)).member("code", error.wire());
  // All parts were validated earlier, but an invalid message must still not make the response invalid JSON.
  out.member("message", utf8::is_valid(error.message) ? std::string_view(error.message) : info(error.code).meaning);
  if (utf8::is_valid(error.param)) out.optional_member("param", error.param);
  if (error.more) {
    json::write_details(out, *error.more);
    if (!error.more->available_connections.empty()) out.member("retry_with", "connection_id");
  }
  out.optional_member("request_id", request_id).end_object().end_object();
  return Response::json(status, out.take());
}

}  // namespace

Code nearest_code(int status) {
  switch (status) {
    case 401:
      return Code::kAuthentication;
    case 403:
      return Code::kPermission;
    case 404:
      return Code::kNotFound;
    case 409:
      return Code::kConflict;
    case 410:
      return Code::kCursorExpired;
    case 413:
    case 431:
      return Code::kResourceLimit;
    case 429:
      return Code::kRateLimited;
    case 503:
    case 504:
      return Code::kDeadline;
    default:
      return status < 500 || status == 501 || status == 505 ? Code::kInvalidRequest : Code::kInternal;
  }
}

Response error_response(const Error& error, std::string_view request_id) {
  return envelope(error.http_status(), error, request_id);
}

Response refusal(int status, std::string_view message, std::string_view request_id) {
  return envelope(status, Error{nearest_code(status), std::string(message)}, request_id);
}

namespace {

struct Reason {
  int status;
  std::string_view phrase;
};

constexpr std::array kReasons = {
    Reason{100, "Continue"},
    Reason{200, "OK"},
    Reason{201, "Created"},
    Reason{202, "Accepted"},
    Reason{204, "No Content"},
    Reason{206, "Partial Content"},
    Reason{302, "Found"},
    Reason{303, "See Other"},
    Reason{304, "Not Modified"},
    Reason{400, "Bad Request"},
    Reason{401, "Unauthorized"},
    Reason{403, "Forbidden"},
    Reason{404, "Not Found"},
    Reason{405, "Method Not Allowed"},
    Reason{406, "Not Acceptable"},
    Reason{408, "Request Timeout"},
    Reason{409, "Conflict"},
    Reason{410, "Gone"},
    Reason{412, "Precondition Failed"},
    Reason{413, "Content Too Large"},
    Reason{415, "Unsupported Media Type"},
    Reason{416, "Range Not Satisfiable"},
    Reason{417, "Expectation Failed"},
    Reason{421, "Misdirected Request"},
    Reason{422, "Unprocessable Content"},
    Reason{425, "Too Early"},
    Reason{429, "Too Many Requests"},
    Reason{431, "Request Header Fields Too Large"},
    Reason{500, "Internal Server Error"},
    Reason{501, "Not Implemented"},
    Reason{502, "Bad Gateway"},
    Reason{503, "Service Unavailable"},
    Reason{504, "Gateway Timeout"},
};

constexpr std::array<std::string_view, 4> kOurs = {"Content-Length", "Transfer-Encoding", "Connection", "Date"};

bool is_ours(std::string_view name) {
  return std::ranges::any_of(kOurs, [name](std::string_view ours) { return equal_without_case(ours, name); });
}

bool is_sound(const std::pair<std::string, std::string>& field) { return is_token(field.first) && is_field_value(field.second); }

}  // namespace

std::string_view reason_phrase(int status) {
  const auto found = std::ranges::find(kReasons, status, &Reason::status);
  return found != kReasons.end() ? found->phrase : "Status";
}

bool headers_are_sound(const Headers& headers) { return std::ranges::all_of(headers.all(), is_sound); }

std::string response_head(int status, const Headers& headers, const HeadShape& shape, std::string_view date) {
  std::string out;
  out.reserve(512);
  out.append("HTTP/1.1 ")
      .append(std::to_string(status))
      .append(" ")
      .append(reason_phrase(status))
      .append("\r\nDate: ")
      .append(date);
  for (const auto& field : headers.all()) {
    if (is_ours(field.first) || !is_sound(field)) continue;
    out.append("\r\n").append(field.first).append(": ").append(field.second);
  }
  if (shape.framing == Framing::kLength) out.append("\r\nContent-Length: ").append(std::to_string(shape.length));
  if (shape.framing == Framing::kChunked) out.append("\r\nTransfer-Encoding: chunked");
  if (shape.persistence == Persistence::kClose) out.append("\r\nConnection: close");
  if (shape.persistence == Persistence::kKeepAliveSaid) out.append("\r\nConnection: keep-alive");
  return out.append("\r\n\r\n");
}

std::string http_date(std::int64_t unix_seconds) {
  constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t seconds = unix_seconds;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[static_cast<std::size_t>(parts.tm_wday)], parts.tm_mday,
                kMonths[static_cast<std::size_t>(parts.tm_mon)], parts.tm_year + 1900, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace ladder::http
