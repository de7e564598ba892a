// Office files and books: the bytes of a file, or, if the first line is "zip", a list of parts ("name", "length" and the bytes)
// from which the target makes a zip, so that changed bytes reach the readers of the parts. For any file the answer is complete,
// its text is valid UTF-8, and a second read gives the same.
#include "base/text/number.h"
#include "base/text/utf8.h"
#include "frame.h"
#include "import/office/read_document.h"
#include "import/testing/archive_maker.h"

namespace ladder::fuzz {
namespace {

std::string answer_of(std::string_view bytes) {
  std::string answer;
  imports::write_office_document(bytes, [&](std::string_view piece) {
    answer += piece;
    return true;
  });
  return answer;
}

std::string zip_of(std::string_view parts) {
  imports::testing::ZipMaker zip;
  while (!parts.empty()) {
    const std::string_view name = take_line(parts);
    const std::size_t size = std::min(parse_number<std::size_t>(take_line(parts)).value_or(0), parts.size());
    zip.add(name.substr(0, 200), parts.substr(0, size));
    parts.remove_prefix(size);
  }
  return zip.bytes();
}

}  // namespace

void run(std::string_view input) {
  std::string_view rest = input;
  const std::string bytes = take_line(rest) == "zip" ? zip_of(rest) : std::string(input);
  const std::string answer = answer_of(bytes);
  FUZZ_CHECK(answer_of(bytes) == answer);
  constexpr std::size_t kMaxTextBytes = 1 << 20;
  const imports::DocumentText read = imports::document_from_answer(answer, "", kMaxTextBytes);
  FUZZ_CHECK(utf8::is_valid(read.text) && read.text.size() <= kMaxTextBytes);
  FUZZ_CHECK(read.is_read || !read.problems.empty());
  for (const std::string& problem : read.problems) FUZZ_CHECK(!problem.empty() && utf8::is_valid(problem));
}

}  // namespace ladder::fuzz
