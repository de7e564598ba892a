// uchardet looks first, ICU's detector where that has no answer: of 80 short texts in 40 encodings uchardet names 62 rightly and
// ICU 39 (docs/import.md). An answer counts only when every byte is a letter of that encoding.
#include "import/charset/guess.h"

#include "import/limits.h"

#include <uchardet/uchardet.h>
#include <unicode/ucsdet.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

namespace ladder::imports::charset {
namespace {

constexpr std::size_t kGuessBytes = 256 * limits::kKiB;
constexpr std::size_t kSlowGuessBytes = 16 * limits::kKiB;  // ICU's detector tries every encoding on all of it
constexpr std::size_t kFewLetters = 4;                      // fewer tell nothing of a Latin alphabet
constexpr std::int32_t kSure = 50;                          // of 100, by ICU

bool is_high(char c) { return static_cast<unsigned char>(c) >= 0x80; }

// The part with the first letters that are not ASCII, whole lines where there are any.
std::string_view sample_of(std::string_view bytes) {
  const auto first = std::ranges::find_if(bytes, [](char c) { return is_high(c) || c == '\x1B'; });
  const auto at = static_cast<std::size_t>(first - bytes.begin());
  if (at < kGuessBytes / 2) return bytes.substr(0, kGuessBytes);
  const std::size_t line = bytes.substr(0, at).rfind('\n');
  return bytes.substr(line == std::string_view::npos ? at : line + 1, kGuessBytes);
}

// A cut sample may end within a letter.
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

// An alphabet in which every letter is written with bytes over 127 has many of them.
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
  // Controls are in no text, the escapes of ISO-2022 aside.
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
  // 0x81, 0x8D, 0x8F, 0x90 and 0x9D are controls there, which nobody writes.
  const bool has_controls =
      std::ranges::any_of(sample, [](char c) { return c == '\x81' || c == '\x8D' || c == '\x8F' || c == '\x90' || c == '\x9D'; });
  return has_controls ? nullptr : western;
}

}  // namespace ladder::imports::charset
