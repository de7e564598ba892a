// The XML of a WebDAV server. It is refused, or gives a bounded tree of valid UTF-8; escaping a text and parsing it gives the
// text; and a reference in it never leads credentials away from an encrypted server.
#include "sync/dav/xml.h"

#include "base/text/format.h"
#include "base/text/utf8.h"
#include "frame.h"
#include "sync/dav/client.h"

#include <algorithm>
#include <string>

namespace ladder::fuzz {
namespace {

using namespace sync::dav;  // NOLINT(google-build-using-namespace): the parts that are tested

void check_element(const Element& element, std::size_t depth) {
  FUZZ_CHECK(depth <= 64);
  FUZZ_CHECK(!element.name.empty() && element.name.find_first_of("<>&") == std::string::npos);
  FUZZ_CHECK(utf8::is_valid(element.text) && utf8::is_valid(element.name));
  FUZZ_CHECK(!element.space || utf8::is_valid(*element.space));
  const auto target = resolve("https://dav.mail.example/ann/", element.text);
  if (target) {
    FUZZ_CHECK(target->starts_with("https://"));
    const std::string host = target->substr(8, target->find_first_of(":/", 8) - 8);
    FUZZ_CHECK(host == "mail.example" || host.ends_with(".mail.example"));
  }
  for (const Element& child : element.children) check_element(child, depth + 1);
}

}  // namespace

void run(std::string_view input) {
  const auto root = parse_xml(input);
  if (root) check_element(*root, 1);
  else FUZZ_CHECK(root.error().code == Code::kRsProtocol);
  const bool is_text =
      utf8::is_valid(input) && std::ranges::none_of(input, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (is_text) {
    const auto again = parse_xml(format("<a>{}</a>", xml_escaped(input)));
    FUZZ_CHECK(again && again->text == input);
  }
}

}  // namespace ladder::fuzz
