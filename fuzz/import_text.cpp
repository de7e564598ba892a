// Text from outside: the first line is the charset that a header names, the rest the bytes. The output is valid UTF-8;
// valid UTF-8 stays unchanged; UTF-16 equals the result of a plain decoder; an HTML page has a charset or none, and the
// pruned page has the tree of the full page.
#include "base/text/utf8.h"
#include "frame.h"
#include "import/charset/encoding.h"
#include "import/charset/read_text.h"
#include "import/html/html_text.h"
#include "import/testing/memory_tree.h"
#include "import/testing/page_tree.h"
#include "import/tree/text_file.h"

namespace ladder::fuzz {
namespace {

constexpr std::size_t kMaxComparedBytes = 4096;

// Encodes UTF-16, little-endian, for comparison.
std::string wide(std::string_view valid) {
  std::string out = "\xFF\xFE";
  const auto put = [&](unsigned unit) {
    out += static_cast<char>(unit & 0xFF);
    out += static_cast<char>(unit >> 8 & 0xFF);
  };
  for (std::size_t at = 0; at < valid.size();) {
    const auto letter = static_cast<unsigned>(utf8::next(valid, at));
    if (letter < 0x10000) {
      put(letter);
    } else {
      put(0xD800 + ((letter - 0x10000) >> 10));
      put(0xDC00 + ((letter - 0x10000) & 0x3FF));
    }
  }
  return out;
}

void check_opened(const std::string& bytes, const std::string& expected) {
  imports::testing::MemoryTree tree({{"a", bytes}});
  const auto opened = imports::open_text(tree, 0);
  FUZZ_CHECK(opened.has_value() && opened->guessed.empty());
  const auto text = imports::read_to_end(*opened->bytes, expected.size() + 1);
  FUZZ_CHECK(text.has_value() && *text == expected);
}

}  // namespace

void run(std::string_view input) {
  const std::string charset(take_line(input));
  const Exact bytes(input);
  FUZZ_CHECK(utf8::is_valid(imports::to_utf8(bytes.view(), charset)));
  const std::string raw = imports::to_utf8_raw(bytes.view());
  FUZZ_CHECK(utf8::is_valid(raw));
  if (utf8::is_valid(bytes.view()) && !bytes.view().starts_with("\xEF\xBB\xBF"))
    FUZZ_CHECK(raw == bytes.view() || imports::is_wide(bytes.view()) || imports::charset::has_escapes(bytes.view()));
  // A named charset can always be decoded, with replacements for invalid bytes, and a guessed name can be looked up.
  if (const imports::charset::Encoding* named = imports::charset::find_encoding(charset))
    FUZZ_CHECK(utf8::is_valid(imports::charset::decode(bytes.view(), *named).text));
  const imports::ReadText read = imports::read_text(bytes.view(), charset);
  FUZZ_CHECK(utf8::is_valid(read.text));
  FUZZ_CHECK(read.guessed.empty() || imports::charset::find_encoding(read.guessed) != nullptr);
  imports::testing::MemoryTree tree({{"a", std::string(bytes.view())}});
  const auto opened = imports::open_utf8(tree, 0);
  FUZZ_CHECK(opened.has_value());
  const std::string decoded = imports::from_wide(bytes.view());
  FUZZ_CHECK(utf8::is_valid(decoded) && (imports::is_wide(bytes.view()) || decoded.empty()));
  const std::string valid = valid_utf8(bytes.view());
  // A NUL after the byte order mark would make it another mark.
  if (!valid.starts_with('\0')) {
    const std::string widened = wide(valid);
    FUZZ_CHECK(imports::from_wide(widened) == valid && imports::to_utf8_raw(widened) == valid);
    check_opened(widened, valid);
  }
  const imports::HtmlText page = imports::html_to_text(bytes.view(), charset);
  FUZZ_CHECK(utf8::is_valid(page.text) && utf8::is_valid(page.title));
  FUZZ_CHECK(page.text.empty() || (page.text.front() != '\n' && page.text.back() != '\n'));
  FUZZ_CHECK(page.text.find("\n\n\n") == std::string::npos);
  FUZZ_CHECK(imports::html_charset(bytes.view(), "koi8-r") == "koi8-r");
  // Without its limits gumbo takes quadratic time.
  if (valid.size() <= kMaxComparedBytes)
    FUZZ_CHECK(imports::testing::tree_of_pruned_page(valid) == imports::testing::tree_of_page(valid));
}

}  // namespace ladder::fuzz
