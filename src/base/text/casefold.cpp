// Case folding with the generated two-stage table, and a Knuth-Morris-Pratt search over folded code points that skips
// eight bytes at a time where no match can start.
#include "base/text/casefold.h"

#include "base/text/block.h"
#include "base/text/utf8.h"

namespace ladder {
namespace {

#include "base/text/casefold_table.inc"

char32_t fold_ascii(char32_t c) { return c - U'A' < 26 ? c + 0x20 : c; }

char32_t fold_any(char32_t c) {
  if (c < 0x80) return fold_ascii(c);
  if (c >= kFoldEnd) return c;
  const std::size_t block = kFoldBlock[c / 128];
  return static_cast<char32_t>(static_cast<std::int32_t>(c) + kFoldDelta[block * 128 + c % 128]);
}

// Adds 0x20 to every byte A..Z of an ASCII word: bit 7 of the two sums means "at least A" and "beyond Z".
std::uint64_t fold_ascii_word(std::uint64_t word) {
  const std::uint64_t at_least_a = word + (0x80 - 'A') * kEveryByte;
  const std::uint64_t beyond_z = word + (0x80 - 'Z' - 1) * kEveryByte;
  return word + ((at_least_a & ~beyond_z & kHighBits) >> 2);
}

bool is_ascii_letter(char32_t folded) { return folded - U'a' < 26; }

// The two ASCII letters that non-ASCII characters fold to: U+017F long s and U+212A Kelvin sign.
bool has_fold_beyond_ascii(char32_t folded) { return folded == U's' || folded == U'k'; }

std::uint64_t in_every_byte(char32_t ascii) { return ascii * kEveryByte; }
std::uint64_t case_bit(char32_t folded) { return is_ascii_letter(folded) ? 0x20 * kEveryByte : 0; }

}  // namespace

char32_t fold(char32_t code_point) { return fold_any(code_point); }

std::string fold(std::string_view valid_utf8) {
  std::string out;
  out.reserve(valid_utf8.size());
  for (std::size_t at = 0; at < valid_utf8.size();) {
    if (at + kWordBytes <= valid_utf8.size()) {
      const std::uint64_t word = load_word(valid_utf8.data() + at);
      if ((word & kHighBits) == 0) {
        char bytes[kWordBytes];
        store_word(bytes, fold_ascii_word(word));
        out.append(bytes, kWordBytes);
        at += kWordBytes;
        continue;
      }
    }
    utf8::append(out, fold_any(utf8::next(valid_utf8, at)));
  }
  return out;
}

FoldedFinder::FoldedFinder(std::string_view valid_utf8_needle) {
  for (std::size_t at = 0; at < valid_utf8_needle.size();) needle_.push_back(fold_any(utf8::next(valid_utf8_needle, at)));
  if (needle_.empty()) {  // violates the contract, but is harmless: the empty string is found at 0
    found_ = 0;
    return;
  }
  failure_.assign(needle_.size(), 0);
  for (std::size_t i = 1, border = 0; i < needle_.size(); ++i) {
    while (border > 0 && needle_[i] != needle_[border]) border = failure_[border - 1];
    if (needle_[i] == needle_[border]) ++border;
    failure_[i] = static_cast<std::uint32_t>(border);
  }
  filter_ = make_filter(needle_);
}

FoldedFinder::Filter FoldedFinder::make_filter(const std::vector<char32_t>& needle) {
  Filter filter;
  const char32_t first = needle[0];
  if (first >= 0x80) {
    filter.first = 0xFF * kEveryByte;  // not a byte of UTF-8: only the high bits stop the search
    filter.high_stop = kHighBits;
    return filter;
  }
  filter.first = in_every_byte(first);
  filter.first_case = case_bit(first);
  if (has_fold_beyond_ascii(first)) filter.high_stop = kHighBits;
  if (needle.size() > 1 && needle[1] < 0x80 && !has_fold_beyond_ascii(needle[1])) {
    filter.second = in_every_byte(needle[1]);
    filter.second_case = case_bit(needle[1]);
    filter.second_care = ~std::uint64_t{0};
  }
  return filter;
}

// The next position at or after `at` where a match may start; always the start of a code point.
std::size_t FoldedFinder::find_candidate(std::string_view text, std::size_t at) const {
  const Filter filter = filter_;
  for (; at + kWordBytes < text.size(); at += kWordBytes) {  // one byte more than a word: the byte after the last one
    const std::uint64_t word = load_word(text.data() + at);
    const std::uint64_t followers = load_word(text.data() + at + 1);
    const std::uint64_t differs =
        ((word | filter.first_case) ^ filter.first) | (((followers | filter.second_case) ^ filter.second) & filter.second_care);
    const std::uint64_t stops = zero_bytes(differs) | (word & filter.high_stop);
    if (stops != 0) {
      at += first_marked_byte(stops);
      break;
    }
  }
  // Skip the rest of a rejected code point.
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  return at;
}

bool FoldedFinder::step(char32_t folded) {
  while (matched_ > 0 && needle_[matched_] != folded) matched_ = failure_[matched_ - 1];
  if (needle_[matched_] == folded) ++matched_;
  return matched_ == needle_.size();
}

std::optional<std::int64_t> FoldedFinder::feed(std::string_view valid_utf8) {
  if (found_) return found_;
  for (std::size_t at = 0; at < valid_utf8.size();) {
    if (matched_ == 0) {
      at = find_candidate(valid_utf8, at);
      if (at == valid_utf8.size()) break;
    }
    if (step(fold_any(utf8::next(valid_utf8, at)))) {
      fed_ += utf8::count(valid_utf8.substr(0, at));
      found_ = fed_ - needle_chars();
      return found_;
    }
  }
  fed_ += utf8::count(valid_utf8);
  return std::nullopt;
}

}  // namespace ladder
