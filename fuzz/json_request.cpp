// Small documents from outside (requests, declarations, grants): parsing is bounded and agrees with the strict check,
// and the canonical text of an accepted document is a fixed point.
#include "frame.h"
#include "json/parse.h"
#include "json/scan/scan.h"

#include <boost/json/parse.hpp>

namespace ladder::fuzz {
namespace {

constexpr std::size_t kBytes = 4096;
constexpr std::size_t kDepth = 16;

void check_refused(std::string_view text, const Error& error) {
  FUZZ_CHECK(error.code == Code::kInvalidRequest && !error.message.empty());
  const bool is_valid = text.size() <= kBytes && json::check(text, kDepth).has_value();
  if (!is_valid) return;
  // Only two things are rejected beyond the grammar.
  const bool twice = error.message.find("already has a member with this name") != std::string::npos;
  const bool too_large = error.message.find("too large") != std::string::npos;
  FUZZ_CHECK(twice || too_large);
}

void check_accepted(std::string_view text, const boost::json::value& tree) {
  FUZZ_CHECK(text.size() <= kBytes);
  FUZZ_CHECK(json::check(text, kDepth).has_value());
  const std::string canonical = json::canonical(tree);
  FUZZ_CHECK(json::check(canonical, kDepth).has_value());
  // Only numbers may grow (1e15), and by no more than this.
  const auto again = json::parse(canonical, 16 * kBytes, kDepth);
  FUZZ_CHECK(again.has_value());
  FUZZ_CHECK(json::canonical(*again) == canonical);
  FUZZ_CHECK(json::canonical(boost::json::value(tree)) == canonical);
  // Surrounding white space changes nothing.
  const auto spaced = json::parse("\r\n\t " + std::string(text) + " \n", kBytes + 6, kDepth);
  FUZZ_CHECK(spaced && json::canonical(*spaced) == canonical);
  FUZZ_CHECK(!json::parse(text, text.size() - 1, kDepth));
}

// No other parser accepts what ours rejects for its grammar.
void check_against_boost(std::string_view text) {
  boost::json::parse_options options;
  options.max_depth = kDepth;
  boost::json::error_code error;
  boost::json::parse(boost::json::string_view(text.data(), text.size()), error, {}, options);
  if (!error) FUZZ_CHECK(json::check(text, kDepth).has_value());
}

}  // namespace

void run(std::string_view input) {
  check_against_boost(input);
  const auto tree = json::parse(input, kBytes, kDepth);
  if (!tree) return check_refused(input, tree.error());
  check_accepted(input, *tree);
}

}  // namespace ladder::fuzz
