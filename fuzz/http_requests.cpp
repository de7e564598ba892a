// The bytes of a connection. The served requests do not depend on how the bytes are cut. Each is within every limit,
// has one framing, and parses to the same request when written in the plainest form.
#include "http/beast/parsers.h"

#include "base/text/format.h"
#include "frame.h"
#include "http/message/message.h"
#include "http/middleware/host_check.h"
#include "http/middleware/request_headers.h"

#include <algorithm>

namespace ladder::fuzz {
namespace {

using http::Request;
using http::RequestParser;

constexpr std::size_t kMaxHeadBytes = 1000;
constexpr std::size_t kMaxBodyBytes = 500;

// Returns the requests before the first error.
std::vector<Request> served(std::string_view bytes, Chance* cuts) {
  RequestParser parser(kMaxHeadBytes);
  std::vector<Request> requests;
  std::string pending;
  while (!bytes.empty()) {
    pending.append(take_piece(bytes, cuts));
    const Exact exact(pending);
    std::string_view left = exact.view();
    while (!left.empty()) {
      const RequestParser::Step step = parser.put(left);
      if (step == RequestParser::Step::kFault) {
        FUZZ_CHECK(parser.fault_status() >= 400 && parser.fault_status() <= 501 && !parser.fault().empty());
        return requests;
      }
      if (step == RequestParser::Step::kMore) break;
      if (step == RequestParser::Step::kHead && parser.has_body()) {
        parser.allow_body(kMaxBodyBytes);
        continue;
      }
      requests.push_back(std::move(parser.request()));
      parser.restart();
    }
    pending.erase(0, pending.size() - left.size());
  }
  return requests;
}

bool alike(const Request& a, const Request& b) {
  return a.method == b.method && a.target == b.target && a.body == b.body && a.headers.all() == b.headers.all();
}

void check_sound(const Request& request) {
  FUZZ_CHECK(http::is_token(request.method) && request.method.size() <= http::kMaxMethodBytes);
  FUZZ_CHECK(request.target.starts_with('/') || request.target == "*");
  FUZZ_CHECK(request.target.size() <= kMaxHeadBytes);
  FUZZ_CHECK(std::ranges::all_of(request.target, [](char c) { return c > ' ' && c < 0x7F && c != '#'; }));
  FUZZ_CHECK(request.headers.all().size() <= http::kMaxHeaderFields + 1);  // an absolute target adds a Host
  for (const auto& [name, value] : request.headers.all()) FUZZ_CHECK(http::is_token(name) && http::is_field_value(value));
  FUZZ_CHECK(request.headers.count("Host") <= 1);
  FUZZ_CHECK(request.headers.count("Content-Length") + request.headers.count("Transfer-Encoding") <= 1);
  FUZZ_CHECK(request.body.size() <= kMaxBodyBytes);
}

void check_names(const Request& request) {
  if (const auto token = http::bearer_token(request)) FUZZ_CHECK(request.headers.get("Authorization")->ends_with(*token));
  const auto host = http::parse_host(request.headers.get("Host").value_or(""));
  if (!host) return;
  const bool brackets = host->host.find(':') != std::string::npos;
  const std::string again = (brackets ? "[" + host->host + "]" : host->host) + (host->port.empty() ? "" : ":" + host->port);
  FUZZ_CHECK(http::parse_host(again) == host);
}

std::string plainly(Request& request) {
  request.headers.remove("Transfer-Encoding");
  request.headers.remove("Expect");
  if (request.headers.count("Host") == 0) request.headers.set("Host", "h");
  request.headers.set("Content-Length", std::to_string(request.body.size()));
  std::string out = format("{} {} HTTP/1.1\r\n", request.method, request.target);
  for (const auto& [name, value] : request.headers.all()) out += format("{}: {}\r\n", name, value);
  return out + "\r\n" + request.body;
}

}  // namespace

void run(std::string_view input) {
  std::vector<Request> whole = served(input, nullptr);
  Chance cuts(input);
  const std::vector<Request> pieces = served(input, &cuts);
  FUZZ_CHECK(std::ranges::equal(whole, pieces, alike));
  for (Request& request : whole) {
    check_sound(request);
    check_names(request);
    const std::string text = plainly(request);
    if (text.size() - request.body.size() > kMaxHeadBytes) continue;
    const std::vector<Request> again = served(text, nullptr);
    FUZZ_CHECK(again.size() == 1 && alike(again[0], request));
  }
}

}  // namespace ladder::fuzz
