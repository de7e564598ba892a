// Tests that the request parser gives the same result however the input is split.
#include "http/beast/parsers.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ladder::http {
namespace {

// Returns the bodies and targets of all requests in `bytes`, then the status of the error; feeds pieces of these sizes.
std::string outcome(std::string_view bytes, const std::vector<std::size_t>& pieces) {
  RequestParser parser(1000);
  std::string pending, out;
  std::size_t piece = 0;
  while (!bytes.empty()) {
    const std::size_t size = pieces.empty() ? bytes.size() : std::max<std::size_t>(1, pieces[piece++ % pieces.size()]);
    pending.append(bytes.substr(0, size));
    bytes.remove_prefix(std::min(size, bytes.size()));
    std::string_view view = pending;
    while (!view.empty()) {
      const auto step = parser.put(view);
      if (step == RequestParser::Step::kFault) return out + std::to_string(parser.fault_status());
      if (step == RequestParser::Step::kMore) break;
      if (step == RequestParser::Step::kHead && parser.has_body()) {
        parser.allow_body(500);
        continue;
      }
      out += parser.request().method + " " + parser.request().target + " " + parser.request().body + ";";
      parser.restart();
    }
    pending.erase(0, pending.size() - view.size());
  }
  return out;
}

const std::vector<std::string> kParts = {
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST /x?y HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
    "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x\r\nde\r\n0\r\nT: v\r\n\r\n",
    "GET /old HTTP/1.0\r\n\r\n",
    "POST /e HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST /big HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1f5\r\n",
    "POST /both HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
    "bad\r\n\r\n",
    "GET /long HTTP/1.1\r\nHost: a\r\nX: " + std::string(1200, 'x') + "\r\n\r\n",
};

TEST(RequestParser, ParsesValidRequests) {
  std::string all;
  for (std::size_t at = 0; at < 5; ++at) all += kParts[at];
  EXPECT_EQ(outcome(all, {}), "GET / ;POST /x?y hello;POST /c abcde;GET /old ;POST /e ;");
  EXPECT_EQ(outcome(all, {1}), outcome(all, {}));
  EXPECT_EQ(outcome(kParts[5], {}), "413");
  EXPECT_EQ(outcome(kParts[6], {}), "400");
  EXPECT_EQ(outcome(kParts[7], {}), "400");
  EXPECT_EQ(outcome(kParts[8], {}), "431");
}

RC_GTEST_PROP(RequestParser, SplitsDoNotMatter, ()) {
  std::string bytes;
  for (const auto at : *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, kParts.size())))
    bytes += kParts[at];
  const auto pieces = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 40)));
  RC_ASSERT(outcome(bytes, pieces) == outcome(bytes, {}));
}

// An error in an endless head is detected at once if the bytes arrive at once, and later otherwise. The splits must never
// change which requests are served.
RC_GTEST_PROP(RequestParser, SplitsOfDamagedBytesDoNotMatter, ()) {
  std::string bytes;
  for (const auto at : *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 6))) bytes += kParts[at];
  for (const auto& [where, what] : *rc::gen::container<std::vector<std::pair<std::size_t, char>>>(
           rc::gen::pair(rc::gen::arbitrary<std::size_t>(), rc::gen::arbitrary<char>()))) {
    if (!bytes.empty()) bytes[where % bytes.size()] = what;
  }
  const auto pieces = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 40)));
  const auto served = [](const std::string& text) { return text.substr(0, text.rfind(';') + 1); };
  RC_ASSERT(served(outcome(bytes, pieces)) == served(outcome(bytes, {})));
}

}  // namespace
}  // namespace ladder::http
