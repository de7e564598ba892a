// Decodes to UTF-8 with ICU's converters. Their tables are compiled into the library, so the sandbox opens no file. This file
// lists the differences between ICU's tables and the standard's indexes.
#include "base/mutex.h"
#include "base/text/utf8.h"
#include "import/charset/encoding.h"
#include "import/text/text.h"

#include <unicode/ucnv.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>

namespace ladder::imports::charset {
namespace {

constexpr char16_t kNoLetter = 0xFFFF;
constexpr char32_t kFirstOwnUse = 0xF8F0, kLastOwnUse = 0xF8FF;  // ICU maps undefined bytes here

struct Close {
  void operator()(UConverter* converter) const { ucnv_close(converter); }
};
using Converter = std::unique_ptr<UConverter, Close>;

// The converter stops at invalid bytes instead of replacing them. Returns null if ICU does not know the name.
Converter open_converter(const std::string& name) {
  UErrorCode problem = U_ZERO_ERROR;
  Converter converter(ucnv_open(name.c_str(), &problem));
  if (U_FAILURE(problem)) return nullptr;
  ucnv_setToUCallBack(converter.get(), UCNV_TO_U_CALLBACK_STOP, nullptr, nullptr, nullptr, &problem);
  return U_FAILURE(problem) ? nullptr : std::move(converter);
}

struct Pair {
  std::uint16_t from, to;
};

template <std::size_t count>
std::optional<char32_t> found_in(const std::array<Pair, count>& sorted, std::uint32_t from) {
  const auto at = std::ranges::lower_bound(sorted, from, {}, &Pair::from);
  if (at == sorted.end() || at->from != from) return std::nullopt;
  return at->to;
}

// Hong Kong characters that got a code point in Unicode after ICU's table was made.
constexpr std::array kBig5Moved = std::to_array<Pair>(
    {{0xF303, 0x31C0}, {0xF304, 0x31C1}, {0xF305, 0x31C2}, {0xF306, 0x31C3}, {0xF307, 0x31C4}, {0xF309, 0x31C5}, {0xF30C, 0x31C6},
     {0xF30D, 0x31C7}, {0xF310, 0x31C8}, {0xF312, 0x31C9}, {0xF313, 0x31CA}, {0xF314, 0x31CB}, {0xF315, 0x31CC}, {0xF317, 0x31CD},
     {0xF318, 0x31CE}, {0xF34A, 0x23DA}, {0xF34B, 0x23DB}, {0xF57A, 0x9FA6}, {0xF5A4, 0x9FA7}, {0xF5AB, 0x9FA8}, {0xF5CC, 0x9FA9},
     {0xF5CE, 0x9FAA}, {0xF5D0, 0x9FAB}, {0xF5D5, 0x9FAC}, {0xF5EC, 0x9FAD}, {0xF5ED, 0x9FAE}, {0xF5EF, 0x9FAF}, {0xF602, 0x9FB2},
     {0xF61C, 0x9FB3}, {0xF7E5, 0x31CF}, {0xF7EB, 0x9FB0}, {0xF7ED, 0x9FB1}});
// Byte pairs that the standard's index defines and ICU's table lacks; 0xA3C0 to 0xA3DF are the control pictures.
constexpr std::array kBig5Lacking = std::to_array<Pair>(
    {{0x87A4, 0x9F97}, {0x87AC, 0x9F96}, {0x8E69, 0x7BB8}, {0x8E6F, 0x7C06}, {0x8E7E, 0x7CCE}, {0x8EAB, 0x7DD2}, {0x8EB4, 0x7E1D},
     {0x8ECD, 0x8005}, {0x8ED0, 0x8028}, {0x8F57, 0x83C1}, {0x8F69, 0x84A8}, {0x8F6E, 0x840F}, {0x8FCB, 0x89A6}, {0x8FCC, 0x89A9},
     {0x8FFE, 0x8D77}, {0x906D, 0x90FD}, {0x907A, 0x92B9}, {0x90DC, 0x975C}, {0x90F1, 0x97FF}, {0x91BF, 0x9F16}, {0x9244, 0x8503},
     {0x92AF, 0x5159}, {0x92B0, 0x515B}, {0x92B1, 0x515D}, {0x92B2, 0x515E}, {0x92C8, 0x936E}, {0x92D1, 0x7479}, {0x9447, 0x6D67},
     {0x94CA, 0x799B}, {0x95D9, 0x9097}, {0x9644, 0x975D}, {0x96ED, 0x701E}, {0x96FC, 0x5B28}, {0x9B76, 0x7201}, {0x9B78, 0x77D7},
     {0x9B7B, 0x7E87}, {0x9BC6, 0x99D6}, {0x9BDE, 0x91D4}, {0x9BEC, 0x60DE}, {0x9BF6, 0x6FB6}, {0x9C42, 0x8F36}, {0x9C53, 0x4FBB},
     {0x9C62, 0x71DF}, {0x9C68, 0x9104}, {0x9C6B, 0x9DF0}, {0x9C77, 0x83CF}, {0x9CBC, 0x5C10}, {0x9CBD, 0x79E3}, {0x9CD0, 0x5A67},
     {0x9D57, 0x8F0B}, {0x9D5A, 0x7B51}, {0x9DC4, 0x62D0}, {0x9EA9, 0x6062}, {0x9EEF, 0x75F9}, {0x9EFD, 0x6C4A}, {0x9F60, 0x9B2E},
     {0x9F66, 0x9F17}, {0x9FCB, 0x50ED}, {0x9FD8, 0x5F0C}, {0xA063, 0x880F}, {0xA077, 0x62CE}, {0xA0D5, 0x7468}, {0xA0DF, 0x7162},
     {0xA0E4, 0x7250}, {0xA3E0, 0x2421}, {0xC6CF, 0x5EF4}, {0xC6D3, 0x65E0}, {0xC6D5, 0x7676}, {0xC6D7, 0x96B6}, {0xC6DE, 0x3003},
     {0xC6DF, 0x4EDD}, {0xFA5F, 0x5029}, {0xFA66, 0x507D}, {0xFABD, 0x5305}, {0xFAC5, 0x5344}, {0xFAD5, 0x537F}, {0xFB48, 0x5605},
     {0xFBB8, 0x5A77}, {0xFBF3, 0x5E75}, {0xFBF9, 0x5ED0}, {0xFC4F, 0x5F58}, {0xFC6C, 0x60A4}, {0xFCB9, 0x6490}, {0xFCE2, 0x6674},
     {0xFCF1, 0x675E}, {0xFDB7, 0x6C9C}, {0xFDB8, 0x6E1D}, {0xFDBB, 0x6E2F}, {0xFDF1, 0x716E}, {0xFE52, 0x732A}, {0xFE6F, 0x745C},
     {0xFEAA, 0x74E9}, {0xFEDD, 0x7809}});

// Corrects the differences from ICU in one encoding.
class IcuDifferences {
 public:
  explicit IcuDifferences(const Encoding& encoding)
      : is_big5_(encoding.name == "big5"),
        is_gb_(encoding.converter == "gb18030"),
        is_sjis_(encoding.name == "shift_jis"),
        is_wide_(encoding.family == Family::kWide || encoding.family == Family::kStateful) {}

  // Appends a character as decoded by ICU, or U+FFFD if the standard does not define it.
  void append(std::string& out, char32_t letter, std::size_t& errors) const {
    if (is_sjis_)
      letter = letter == 0x1C ? 0x1A : letter == 0x7F ? 0x1C : letter == 0x1A ? 0x7F : letter;  // IBM's control characters
    if (is_gb_ && letter == 0xE5E5) letter = 0x3000;
    if (is_big5_ && letter >= 0xE000 && letter <= 0xF8FF) {
      // Two letters with an accent that Unicode writes as two code points.
      if (letter == 0xF325 || letter == 0xF327 || letter == 0xF344 || letter == 0xF346) {
        utf8::append(out, letter < 0xF340 ? 0xCA : 0xEA);
        letter = letter == 0xF325 || letter == 0xF344 ? 0x304 : 0x30C;
      } else {
        letter = found_in(kBig5Moved, letter).value_or(utf8::kReplacement);
      }
    }
    const bool is_control = letter >= 0x80 && letter < 0xA0 && !is_gb_;
    if (!is_wide_ && (is_control || (letter >= kFirstOwnUse && letter <= kLastOwnUse))) letter = utf8::kReplacement;
    if (letter == utf8::kReplacement) ++errors;
    utf8::append(out, letter);
  }

  // Decodes bytes that ICU does not know.
  std::optional<char32_t> letter(std::string_view bytes) const {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    if (is_gb_ && bytes.size() == 1 && byte(0) == 0x80) return 0x20AC;
    if (!is_big5_ || bytes.size() != 2) return std::nullopt;
    const std::uint32_t pair = byte(0) * 256U + byte(1);
    if (pair >= 0xA3C0 && pair <= 0xA3DF) return 0x2400 + (pair - 0xA3C0);
    return found_in(kBig5Lacking, pair);
  }

 private:
  bool is_big5_, is_gb_, is_sjis_, is_wide_;
};

class Writer {
 public:
  explicit Writer(const Encoding& encoding) : differences_(encoding) {}

  void unit(char16_t unit) {
    if (unit >= 0xD800 && unit < 0xDC00) {
      end_pair();
      high_ = unit;
    } else if (unit >= 0xDC00 && unit < 0xE000) {
      const bool whole = high_ != 0;
      const char32_t letter = 0x10000 + ((static_cast<char32_t>(high_) - 0xD800) << 10) + (unit - 0xDC00U);
      high_ = 0;
      differences_.append(out.text, whole ? letter : utf8::kReplacement, out.errors);
    } else {
      end_pair();
      differences_.append(out.text, unit, out.errors);
    }
  }
  void broken(std::string_view bytes) {
    end_pair();
    const std::optional<char32_t> letter = differences_.letter(bytes);
    utf8::append(out.text, letter.value_or(utf8::kReplacement));
    if (!letter) ++out.errors;
  }
  void end_pair() {
    if (high_ == 0) return;
    high_ = 0;
    differences_.append(out.text, utf8::kReplacement, out.errors);
  }

  Decoded out;

 private:
  IcuDifferences differences_;
  char16_t high_ = 0;  // the high surrogate of a pair
};

Decoded converted(std::string_view bytes, const Encoding& encoding) {
  Writer writer(encoding);
  const Converter converter = open_converter(encoding.converter);
  if (!converter) return {replace_invalid(bytes), bytes.size()};
  writer.out.text.reserve(bytes.size() + bytes.size() / 2);
  std::array<char16_t, 4096> piece;
  const char* source = bytes.data();
  const char* const end = source + bytes.size();
  for (;;) {
    char16_t* target = piece.data();
    UErrorCode problem = U_ZERO_ERROR;
    ucnv_toUnicode(converter.get(), &target, piece.data() + piece.size(), &source, end, nullptr, true, &problem);
    for (const char16_t* unit = piece.data(); unit < target; ++unit) writer.unit(*unit);
    if (problem == U_BUFFER_OVERFLOW_ERROR) continue;
    if (U_SUCCESS(problem)) break;
    std::array<char, 32> wrong{};
    auto count = static_cast<std::int8_t>(wrong.size());
    UErrorCode ignored = U_ZERO_ERROR;
    ucnv_getInvalidChars(converter.get(), wrong.data(), &count, &ignored);
    writer.broken(std::string_view(wrong.data(), U_FAILURE(ignored) ? 0U : static_cast<std::size_t>(count)));
    if (source == end) break;
  }
  writer.end_pair();
  return std::move(writer.out);
}

using Table = std::array<char16_t, 256>;

// 0xA0 to 0xFF of ISO-8859-16.
constexpr std::array<char16_t, 96> kLatin10 = {
    0xA0,  0x104, 0x105, 0x141, 0x20AC, 0x201E, 0x160, 0xA7,  0x161, 0xA9,  0x218, 0xAB, 0x179, 0xAD,  0x17A, 0x17B,
    0xB0,  0xB1,  0x10C, 0x142, 0x17D,  0x201D, 0xB6,  0xB7,  0x17E, 0x10D, 0x219, 0xBB, 0x152, 0x153, 0x178, 0x17C,
    0xC0,  0xC1,  0xC2,  0x102, 0xC4,   0x106,  0xC6,  0xC7,  0xC8,  0xC9,  0xCA,  0xCB, 0xCC,  0xCD,  0xCE,  0xCF,
    0x110, 0x143, 0xD2,  0xD3,  0xD4,   0x150,  0xD6,  0x15A, 0x170, 0xD9,  0xDA,  0xDB, 0xDC,  0x118, 0x21A, 0xDF,
    0xE0,  0xE1,  0xE2,  0x103, 0xE4,   0x107,  0xE6,  0xE7,  0xE8,  0xE9,  0xEA,  0xEB, 0xEC,  0xED,  0xEE,  0xEF,
    0x111, 0x144, 0xF2,  0xF3,  0xF4,   0x151,  0xF6,  0x15B, 0x171, 0xF9,  0xFA,  0xFB, 0xFC,  0x119, 0x21B, 0xFF};

Table make_table(const Encoding& encoding) {
  Table table;
  table.fill(kNoLetter);
  if (encoding.name == "iso-8859-16") {
    for (std::size_t i = 0; i < 0xA0; ++i) table[i] = static_cast<char16_t>(i);
    std::ranges::copy(kLatin10, table.begin() + 0xA0);
    return table;
  }
  const Converter converter = open_converter(encoding.converter);
  for (std::size_t i = 0; converter && i < table.size(); ++i) {
    const char byte = static_cast<char>(i);
    std::array<char16_t, 4> letter{};
    UErrorCode problem = U_ZERO_ERROR;
    ucnv_reset(converter.get());
    const std::int32_t count = ucnv_toUChars(converter.get(), letter.data(), letter.size(), &byte, 1, &problem);
    if (U_SUCCESS(problem) && count == 1 && !(letter[0] >= 0xE000 && letter[0] <= 0xF8FE)) table[i] = letter[0];
  }
  // IBM's tables swap three control characters.
  if (table['A'] == u'A') {
    for (std::size_t i = 0; i < 0x80; ++i) table[i] = static_cast<char16_t>(i);
  }
  if (encoding.name == "windows-1255") table[0xCA] = 0x5BA;  // HOLAM HASER FOR VAV, which ICU's table lacks
  return table;
}

const Table& table_of(const Encoding& encoding) {
  static Mutex mutex;
  static std::map<const Encoding*, Table> tables;
  const MutexLock lock(mutex);
  const auto found = tables.find(&encoding);
  return found != tables.end() ? found->second : tables.emplace(&encoding, make_table(encoding)).first->second;
}

Decoded from_single_bytes(std::string_view bytes, const Encoding& encoding) {
  const Table& table = table_of(encoding);
  Decoded out;
  out.text.reserve(bytes.size() + bytes.size() / 2);
  for (const char c : bytes) {
    const char16_t letter = table[static_cast<unsigned char>(c)];
    if (letter == kNoLetter) ++out.errors;
    utf8::append(out.text, letter == kNoLetter ? utf8::kReplacement : letter);
  }
  return out;
}

}  // namespace

Decoded decode(std::string_view bytes, const Encoding& encoding) {
  if (encoding.family == Family::kSingleByte) return from_single_bytes(bytes, encoding);
  if (encoding.family != Family::kUtf8) return converted(bytes, encoding);
  Decoded out{replace_invalid(bytes), 0};
  if (out.text == bytes) return out;
  constexpr std::string_view kMark = "\xEF\xBF\xBD";
  for (std::size_t at = out.text.find(kMark); at != std::string::npos; at = out.text.find(kMark, at + kMark.size())) ++out.errors;
  return out;
}

}  // namespace ladder::imports::charset
