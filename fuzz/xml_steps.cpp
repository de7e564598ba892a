// XML files: for any bytes the steps end, elements are balanced, and every text and name is valid UTF-8.
#include "base/text/utf8.h"
#include "frame.h"
#include "import/xml/xml_reader.h"

#include <string>
#include <vector>

namespace ladder::fuzz {

void run(std::string_view input) {
  using Step = imports::XmlReader::Step;
  imports::BytesInMemory bytes(input);
  imports::XmlReader xml(bytes);
  std::vector<std::string> open;
  for (;;) {
    const auto step = xml.next();
    FUZZ_CHECK(step.has_value());
    FUZZ_CHECK(xml.offset() >= 0);
    if (*step == Step::kDone || *step == Step::kDamaged) {
      FUZZ_CHECK(*step == Step::kDone ? open.empty() : !xml.why().empty());
      return;
    }
    FUZZ_CHECK(utf8::is_valid(xml.text()));
    if (*step == Step::kText) FUZZ_CHECK(!xml.text().empty() && !open.empty());
    if (*step == Step::kStart) open.emplace_back(xml.name());
    if (*step == Step::kStart) FUZZ_CHECK(xml.depth() == open.size());
    if (*step != Step::kEnd) continue;
    FUZZ_CHECK(!open.empty() && open.back() == xml.name());
    open.pop_back();
  }
}

}  // namespace ladder::fuzz
