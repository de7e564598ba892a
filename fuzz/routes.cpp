// The method and path of a request, "METHOD PATH" on the first line, against the real route table: no route and a
// reason, or parameters that are valid UTF-8 and that, fully percent-encoded, match the same route with the same
// parameters.
#include "rest/routes.h"

#include "base/text/bytes.h"
#include "base/text/utf8.h"
#include "frame.h"

namespace ladder::fuzz {
namespace {

const http::Router& router() {
  static const http::Router made = http::Router::create(rest::http_routes(rest::routes(http::Placement::kHere))).value();
  return made;
}

std::string encoded(std::string_view text) {
  std::string out;
  for (const char c : text) out += '%' + to_hex(std::string_view(&c, 1));
  return out;
}

// Returns the pattern with the parameters filled in.
std::string path_of(const http::Match& match) {
  std::string path(match.route->pattern);
  for (const auto& [name, value] : match.path) {
    const std::string mark = "{" + std::string(name) + "}";
    path.replace(path.find(mark), mark.size(), encoded(value));
  }
  return path;
}

}  // namespace

void run(std::string_view input) {
  const Exact line(take_line(input));
  const std::size_t space = line.view().find(' ');
  const std::string_view method = line.view().substr(0, space);
  const std::string_view path = space == std::string_view::npos ? std::string_view() : line.view().substr(space + 1);
  const auto match = router().match(method, path);
  if (!match) {
    const http::NoMatch& none = match.error();
    FUZZ_CHECK(none.status == 400 || none.status == 404 || none.status == 405);
    FUZZ_CHECK(!none.message.empty() && utf8::is_valid(none.message));
    FUZZ_CHECK(none.allow.empty() == (none.status != 405));
    return;
  }
  for (const auto& [name, value] : match->path) FUZZ_CHECK(!value.empty() && utf8::is_valid(value));
  const auto again = router().match(method, path_of(*match));
  FUZZ_CHECK(again && again->route == match->route && again->path == match->path);
}

}  // namespace ladder::fuzz
