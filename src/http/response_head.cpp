#include "http/response_head.h"

#include "base/format.h"
#include "http/syntax.h"

#include <algorithm>
#include <array>
#include <ctime>

namespace ladder::http {
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
