// Query strings: parsing is bounded, the result respects the named limits, and an error names a parameter or nothing.
#include "base/text/utf8.h"
#include "http/message/query.h"

#include "frame.h"

namespace ladder::fuzz {

void run(std::string_view input) {
  const Exact bytes(input);
  const auto query = http::Query::parse(bytes.view());
  if (!query) {
    FUZZ_CHECK(query.error().code == Code::kInvalidRequest);
    FUZZ_CHECK(utf8::is_valid(query.error().message));
    return;
  }
  FUZZ_CHECK(query->all().size() <= http::kMaxQueryParameters);
  for (const http::Parameter& parameter : query->all()) {
    FUZZ_CHECK(parameter.path.size() <= http::kMaxQueryDepth);
    FUZZ_CHECK(utf8::is_valid(parameter.name) && utf8::is_valid(parameter.value));
    FUZZ_CHECK(query->has(parameter.name));
    const auto one = query->one(parameter.name);
    if (one && *one) FUZZ_CHECK(**one == parameter.value);
    const auto many = query->many(parameter.name);
    if (many) FUZZ_CHECK(many->size() <= query->all().size());
    FUZZ_CHECK(parameter.spelled().starts_with(parameter.name));
  }
}

}  // namespace ladder::fuzz
