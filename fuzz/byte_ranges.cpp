// Range and If-None-Match: the size of a blob on the first line, its tag on the second, then the header's value. A
// range lies inside the blob and equals a straightforward reading of the header; a tag in a list is found there.
#include "rest/blobs.h"

#include "base/text/format.h"
#include "frame.h"

#include <charconv>
#include <string>

namespace ladder::fuzz {

using Kind = rest::ByteRange::Kind;

void run(std::string_view input) {
  std::int64_t size = 0;
  const std::string_view digits = take_line(input);
  std::from_chars(digits.data(), digits.data() + digits.size(), size);
  size = std::max<std::int64_t>(size, 0);
  const std::string tag = format("\"{}\"", std::hash<std::string_view>()(take_line(input)));
  const Exact header(input);

  const rest::ByteRange range = rest::byte_range(header.view(), size);
  FUZZ_CHECK(range.first >= 0 && range.length >= 0 && range.first <= size && range.length <= size - range.first);
  if (range.kind == Kind::kPart) {
    FUZZ_CHECK(range.length > 0);
    const std::string plain = format("bytes={}-{}", range.first, range.first + range.length - 1);
    FUZZ_CHECK(rest::byte_range(plain, size) == range);
    const std::string to_the_end = format("bytes={}-", range.first);
    FUZZ_CHECK(rest::byte_range(to_the_end, range.first + range.length) == range);
  }
  if (size > 0) FUZZ_CHECK(rest::byte_range(format("bytes={}-", size), size).kind == Kind::kUnsatisfiable);

  const bool named = rest::names_etag(header.view(), tag);
  if (header.view().find(tag) == std::string_view::npos && header.view().find('*') == std::string_view::npos) FUZZ_CHECK(!named);
  FUZZ_CHECK(rest::names_etag(tag, tag) && rest::names_etag("W/" + tag + ", \"x\"", tag));
}

}  // namespace ladder::fuzz
