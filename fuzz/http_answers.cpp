// Another server's response. The first line says whether it answers a HEAD request ("head"); the rest is the
// connection's bytes until it closes. The result does not depend on how the bytes are cut, and stays within the limits.
#include "http/beast/parsers.h"

#include "frame.h"
#include "http/message/message.h"

#include <optional>

namespace ladder::fuzz {
namespace {

using http::ClientResponse;
using http::ResponseParser;

constexpr std::size_t kMaxBodyBytes = 500;

std::optional<ClientResponse> answer(std::string_view bytes, bool head_only, Chance* cuts) {
  ResponseParser parser(kMaxBodyBytes, head_only);
  std::string pending;
  while (!bytes.empty()) {
    pending.append(take_piece(bytes, cuts));
    const Exact exact(pending);
    std::string_view left = exact.view();
    const ResponseParser::Step step = parser.put(left);
    if (step == ResponseParser::Step::kDone) return std::move(parser.response());
    if (step == ResponseParser::Step::kFault) FUZZ_CHECK(!parser.fault().empty());
    if (step != ResponseParser::Step::kMore) return std::nullopt;
    pending.erase(0, pending.size() - left.size());
  }
  if (parser.put_end() == ResponseParser::Step::kDone) return std::move(parser.response());
  FUZZ_CHECK(!parser.fault().empty());
  return std::nullopt;
}

}  // namespace

void run(std::string_view input) {
  const bool head_only = take_line(input) == "head";
  const auto whole = answer(input, head_only, nullptr);
  Chance chance(input);
  const auto pieces = answer(input, head_only, &chance);
  FUZZ_CHECK(whole.has_value() == pieces.has_value());
  if (!whole) return;
  FUZZ_CHECK(whole->status == pieces->status && whole->body == pieces->body);
  FUZZ_CHECK(whole->headers.all() == pieces->headers.all());
  FUZZ_CHECK(whole->body.size() <= kMaxBodyBytes);
  for (const auto& [name, value] : whole->headers.all()) FUZZ_CHECK(http::is_token(name) && http::is_field_value(value));
}

}  // namespace ladder::fuzz
