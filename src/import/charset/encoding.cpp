// The labels come from the standard's table. Additional labels of mail programs (cp949, ms936, UTF-7) are listed with the
// encoding they mean; any other name is looked up in ICU.
#include "import/charset/encoding.h"

#include "base/mutex.h"
#include "import/io/limits.h"
#include "import/text/text.h"

#include <uchardet/uchardet.h>
#include <unicode/ucnv.h>
#include <unicode/ucsdet.h>
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace ladder::imports::charset {
namespace {

constexpr std::size_t kMaxLabelBytes = 64;

struct Row {
  std::string_view name, converter;
  Family family;
  std::string_view labels;  // separated by blanks
};
// ICU has no converter for ISO-8859-16; decode() has its table.
constexpr std::array kRows = {
    Row{"utf-8", "UTF-8", Family::kUtf8, "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8"},
    Row{"ibm866", "ibm-866", Family::kSingleByte, "866 cp866 csibm866 ibm866"},
    Row{"iso-8859-2", "iso-8859-2", Family::kSingleByte,
        "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2"},
    Row{"iso-8859-3", "iso-8859-3", Family::kSingleByte,
        "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3"},
    Row{"iso-8859-4", "iso-8859-4", Family::kSingleByte,
        "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4"},
    Row{"iso-8859-5", "iso-8859-5", Family::kSingleByte,
        "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988"},
    Row{"iso-8859-6", "iso-8859-6", Family::kSingleByte,
        "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i iso-ir-127 "
        "iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987"},
    Row{"iso-8859-7", "iso-8859-7", Family::kSingleByte,
        "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 "
        "sun_eu_greek"},
    Row{"iso-8859-8", "iso-8859-8", Family::kSingleByte,
        "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 "
        "visual"},
    Row{"iso-8859-8-i", "iso-8859-8", Family::kSingleByte, "csiso88598i iso-8859-8-i logical"},
    Row{"iso-8859-10", "iso-8859-10", Family::kSingleByte, "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6"},
    Row{"iso-8859-13", "iso-8859-13", Family::kSingleByte, "iso-8859-13 iso8859-13 iso885913"},
    Row{"iso-8859-14", "iso-8859-14", Family::kSingleByte, "iso-8859-14 iso8859-14 iso885914"},
    Row{"iso-8859-15", "iso-8859-15", Family::kSingleByte, "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9"},
    Row{"iso-8859-16", "", Family::kSingleByte, "iso-8859-16"},
    Row{"koi8-r", "koi8-r", Family::kSingleByte, "cskoi8r koi koi8 koi8-r koi8_r"},
    Row{"koi8-u", "koi8-u", Family::kSingleByte, "koi8-ru koi8-u"},
    Row{"macintosh", "macintosh", Family::kSingleByte, "csmacintosh mac macintosh x-mac-roman"},
    Row{"windows-874", "windows-874", Family::kSingleByte, "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874"},
    Row{"windows-1250", "windows-1250", Family::kSingleByte, "cp1250 windows-1250 x-cp1250"},
    Row{"windows-1251", "windows-1251", Family::kSingleByte, "cp1251 windows-1251 x-cp1251"},
    Row{"windows-1252", "windows-1252", Family::kSingleByte,
        "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 "
        "iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252"},
    Row{"windows-1253", "windows-1253", Family::kSingleByte, "cp1253 windows-1253 x-cp1253"},
    Row{"windows-1254", "windows-1254", Family::kSingleByte,
        "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254"},
    Row{"windows-1255", "windows-1255", Family::kSingleByte, "cp1255 windows-1255 x-cp1255"},
    Row{"windows-1256", "windows-1256", Family::kSingleByte, "cp1256 windows-1256 x-cp1256"},
    Row{"windows-1257", "windows-1257", Family::kSingleByte, "cp1257 windows-1257 x-cp1257"},
    Row{"windows-1258", "windows-1258", Family::kSingleByte, "cp1258 windows-1258 x-cp1258"},
    Row{"x-mac-cyrillic", "x-mac-cyrillic", Family::kSingleByte, "mac-cyrillic x-mac-cyrillic x-mac-ukrainian"},
    Row{"gbk", "gb18030", Family::kMultiByte,
        "chinese cp936 csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 ms936 x-gbk"},
    Row{"gb18030", "gb18030", Family::kMultiByte, "gb18030"},
    Row{"big5", "ibm-1375_P100-2008", Family::kMultiByte, "big5 big5-hkscs cn-big5 cp950 csbig5 x-x-big5"},
    Row{"euc-jp", "euc-jp", Family::kMultiByte, "cseucpkdfmtjapanese euc-jp x-euc-jp"},
    Row{"iso-2022-jp", "iso-2022-jp-2", Family::kStateful, "csiso2022jp iso-2022-jp iso-2022-jp-1 iso-2022-jp-2"},
    Row{"shift_jis", "ibm-943_P15A-2003", Family::kMultiByte,
        "cp932 csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis"},
    Row{"euc-kr", "windows-949", Family::kMultiByte,
        "cp949 cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 ms949 uhc "
        "windows-949"},
    Row{"utf-16be", "utf-16be", Family::kWide, "unicodefffe utf-16be"},
    Row{"utf-16le", "utf-16le", Family::kWide, "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le"},
    Row{"hz-gb-2312", "HZ", Family::kStateful, "hz hz-gb-2312"},
    Row{"iso-2022-kr", "iso-2022-kr", Family::kStateful, "csiso2022kr iso-2022-kr"},
    Row{"iso-2022-cn", "iso-2022-cn", Family::kStateful, "iso-2022-cn iso-2022-cn-ext"},
    Row{"utf-7", "UTF-7", Family::kStateful, "csunicode11utf7 unicode-1-1-utf-7 utf-7 utf7 x-unicode-2-0-utf-7"},
};

using Labels = std::unordered_map<std::string_view, const Encoding*>;

const Labels& labels() {
  static const Labels all = [] {
    static std::array<Encoding, kRows.size()> encodings;
    Labels found;
    for (std::size_t i = 0; i < kRows.size(); ++i) {
      encodings[i] = {std::string(kRows[i].name), std::string(kRows[i].converter), kRows[i].family};
      for (std::string_view rest = kRows[i].labels; !rest.empty();) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        found.emplace(rest.substr(0, end), &encodings[i]);
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
    return found;
  }();
  return all;
}

std::string plain_label(std::string_view label) {
  std::string plain = lower_ascii(trim(label));
  std::erase_if(plain, [](char c) { return c == '"' || c == '\''; });
  const std::size_t language = plain.find('*');  // RFC 2231: "utf-8*en"
  return plain.substr(0, language);
}

std::optional<Family> family_of(UConverterType type) {
  switch (type) {
    case UCNV_SBCS:
    case UCNV_LATIN_1:
    case UCNV_US_ASCII:
      return Family::kSingleByte;
    case UCNV_DBCS:
    case UCNV_MBCS:
    case UCNV_UTF8:
    case UCNV_CESU8:
      return Family::kMultiByte;
    case UCNV_UTF16:
    case UCNV_UTF16_BigEndian:
    case UCNV_UTF16_LittleEndian:
    case UCNV_UTF32:
    case UCNV_UTF32_BigEndian:
    case UCNV_UTF32_LittleEndian:
      return Family::kWide;
    case UCNV_ISO_2022:
    case UCNV_HZ:
    case UCNV_UTF7:
      return Family::kStateful;
    default:
      return std::nullopt;
  }
}

// Looks up a name that only ICU knows. The cache is bounded because ICU knows a fixed number of names.
const Encoding* find_converter(const std::string& label) {
  static Mutex mutex;
  static std::map<std::string, Encoding> known;
  const bool fits = std::ranges::all_of(label, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == ':' || c == '+';
  });
  if (label.empty() || label.size() > kMaxLabelBytes || !fits) return nullptr;
  UErrorCode problem = U_ZERO_ERROR;
  UConverter* converter = ucnv_open(label.c_str(), &problem);
  if (U_FAILURE(problem)) return nullptr;
  const std::optional<Family> family = family_of(ucnv_getType(converter));
  const std::string name = ucnv_getName(converter, &problem);
  ucnv_close(converter);
  if (!family || U_FAILURE(problem)) return nullptr;
  // ICU accepts "Latin-1" and "ISO_8859-1" alike. If ICU maps the label to a name in the standard, the standard's encoding is
  // used.
  for (const char* kind : {"MIME", "IANA"}) {
    problem = U_ZERO_ERROR;
    const char* standard = ucnv_getStandardName(label.c_str(), kind, &problem);
    if (standard == nullptr || U_FAILURE(problem)) continue;
    if (const auto found = labels().find(lower_ascii(standard)); found != labels().end()) return found->second;
  }
  const MutexLock lock(mutex);
  return &known.try_emplace(name, Encoding{lower_ascii(name), name, *family}).first->second;
}

}  // namespace

const Encoding* find_encoding(std::string_view label) {
  if (label.size() > 4 * kMaxLabelBytes) return nullptr;
  const std::string plain = plain_label(label);
  const auto found = labels().find(plain);
  return found != labels().end() ? found->second : find_converter(plain);
}

// Tries uchardet first and ICU's detector if that fails: of 80 short texts in 40 encodings uchardet identifies 62 and ICU 39
// (docs/use/import-sources.md). A result counts only if every byte is valid in that encoding.

namespace {

constexpr std::size_t kGuessBytes = 256 * limits::kKiB;
constexpr std::size_t kSlowGuessBytes = 16 * limits::kKiB;  // ICU's detector tries every encoding on all of it
constexpr std::size_t kFewLetters = 4;                      // fewer are not enough to identify a Latin alphabet
constexpr std::int32_t kSure = 50;                          // ICU's confidence, of 100

bool is_high(char c) { return static_cast<unsigned char>(c) >= 0x80; }

// Returns the part around the first non-ASCII bytes, in whole lines if possible.
std::string_view sample_of(std::string_view bytes) {
  const auto first = std::ranges::find_if(bytes, [](char c) { return is_high(c) || c == '\x1B'; });
  const auto at = static_cast<std::size_t>(first - bytes.begin());
  if (at < kGuessBytes / 2) return bytes.substr(0, kGuessBytes);
  const std::size_t line = bytes.substr(0, at).rfind('\n');
  return bytes.substr(line == std::string_view::npos ? at : line + 1, kGuessBytes);
}

// A truncated sample may end inside a character.
bool fits(std::string_view sample, const Encoding& encoding, bool is_cut) {
  return decode(sample, encoding).errors <= (is_cut ? 1U : 0U);
}

const Encoding* by_uchardet(std::string_view sample) {
  struct Delete {
    void operator()(uchardet_t detector) const { uchardet_delete(detector); }
  };
  const std::unique_ptr<std::remove_pointer_t<uchardet_t>, Delete> detector(uchardet_new());
  if (!detector || uchardet_handle_data(detector.get(), sample.data(), sample.size()) != 0) return nullptr;
  uchardet_data_end(detector.get());
  const std::string_view name = uchardet_get_charset(detector.get());
  return name.empty() || name == "ASCII" ? nullptr : find_encoding(name);
}

const Encoding* by_icu(std::string_view sample) {
  struct Close {
    void operator()(UCharsetDetector* detector) const { ucsdet_close(detector); }
  };
  UErrorCode problem = U_ZERO_ERROR;
  const std::unique_ptr<UCharsetDetector, Close> detector(ucsdet_open(&problem));
  if (U_FAILURE(problem)) return nullptr;
  ucsdet_setText(detector.get(), sample.data(), static_cast<std::int32_t>(sample.size()), &problem);
  const UCharsetMatch* match = ucsdet_detect(detector.get(), &problem);
  if (match == nullptr || U_FAILURE(problem) || ucsdet_getConfidence(match, &problem) < kSure) return nullptr;
  const char* name = ucsdet_getName(match, &problem);
  return name == nullptr || U_FAILURE(problem) ? nullptr : find_encoding(name);
}

bool is_latin(std::string_view name) {
  constexpr std::array<std::string_view, 14> kLatin = {
      "windows-1250", "windows-1252", "windows-1254", "windows-1257", "windows-1258", "iso-8859-2",  "iso-8859-3",
      "iso-8859-4",   "iso-8859-10",  "iso-8859-13",  "iso-8859-14",  "iso-8859-15",  "iso-8859-16", "macintosh"};
  return std::ranges::find(kLatin, name) != kLatin.end();
}

// Text in an alphabet without ASCII letters consists mostly of bytes over 127.
bool is_likely(const Encoding& encoding, std::string_view sample) {
  const auto high = static_cast<std::size_t>(std::ranges::count_if(sample, is_high));
  if (encoding.family == Family::kSingleByte && (is_latin(encoding.name) || encoding.name.starts_with("ibm8")))
    return high >= kFewLetters;
  const auto letters = static_cast<std::size_t>(
      std::ranges::count_if(sample, [](char c) { return is_high(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }));
  return high >= kFewLetters || high * 2 >= letters;
}

}  // namespace

bool has_escapes(std::string_view bytes) {
  for (std::size_t at = bytes.find('\x1B'); at != std::string_view::npos; at = bytes.find('\x1B', at + 1)) {
    const std::string_view rest = bytes.substr(at + 1, 2);
    if (rest == "$B" || rest == "$@" || rest == "$)" || rest == "$(") return true;
  }
  return false;
}

const Encoding* guess_wide(std::string_view bytes) {
  constexpr std::size_t kLookedAt = 4 * limits::kKiB, kFewest = 4, kOneInSo = 5;
  const std::string_view sample = bytes.substr(0, std::min(bytes.size(), kLookedAt) / 2 * 2);
  std::size_t zeros[2] = {0, 0};
  for (std::size_t i = 0; i < sample.size(); ++i) zeros[i % 2] += sample[i] == '\0' ? 1 : 0;
  const std::size_t half = zeros[0] > 0 ? 0 : 1;
  if (zeros[1 - half] > 0 || zeros[half] < kFewest || zeros[half] * kOneInSo < sample.size() / 2) return nullptr;
  const Encoding* wide = find_encoding(half == 0 ? "utf-16be" : "utf-16le");
  return fits(sample, *wide, sample.size() < bytes.size()) ? wide : nullptr;
}

const Encoding* guess_encoding(std::string_view bytes) {
  const std::string_view sample = sample_of(bytes);
  // Text contains no control characters, except the escapes of ISO-2022.
  if (std::ranges::any_of(sample, [](char c) { return static_cast<unsigned char>(c) < 0x09; })) return nullptr;
  const bool is_cut = sample.size() < bytes.size();
  if (std::ranges::none_of(bytes, is_high)) {
    const Encoding* named = has_escapes(bytes) ? by_uchardet(sample) : nullptr;
    return named != nullptr && named->family == Family::kStateful && fits(sample, *named, is_cut) ? named : nullptr;
  }
  const auto accepted = [&](const Encoding* one) {
    return one != nullptr && one->family != Family::kWide && one->family != Family::kUtf8 && is_likely(*one, sample) &&
           fits(sample, *one, is_cut);
  };
  if (const Encoding* named = by_uchardet(sample); accepted(named)) return named;
  if (const Encoding* named = by_icu(sample.substr(0, kSlowGuessBytes)); accepted(named)) return named;
  const Encoding* western = find_encoding("windows-1252");
  // In Windows-1252 0x81, 0x8D, 0x8F, 0x90 and 0x9D are control characters, which do not occur in text.
  const bool has_controls =
      std::ranges::any_of(sample, [](char c) { return c == '\x81' || c == '\x8D' || c == '\x8F' || c == '\x90' || c == '\x9D'; });
  return has_controls ? nullptr : western;
}

}  // namespace ladder::imports::charset
