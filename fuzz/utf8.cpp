// UTF-8 against a decoder written from the definition: the same verdict on any bytes, the same code points on valid
// ones.
#include "base/text/utf8.h"

#include "frame.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace ladder::fuzz {
namespace {

struct Decoded {
  char32_t code_point = 0;
  std::size_t length = 0;
};

// Decodes one code point bit by bit: the number of leading ones is the length, and overlong forms are invalid.
std::optional<Decoded> decode_one(std::string_view bytes) {
  const auto lead = static_cast<std::uint8_t>(bytes[0]);
  const auto ones = static_cast<std::size_t>(std::countl_one(lead));
  if (ones == 0) return Decoded{lead, 1};
  if (ones == 1 || ones > 4 || bytes.size() < ones) return std::nullopt;
  char32_t code_point = lead & (0xFFU >> (ones + 1));
  for (std::size_t i = 1; i < ones; ++i) {
    const auto byte = static_cast<std::uint8_t>(bytes[i]);
    if (std::countl_one(byte) != 1) return std::nullopt;
    code_point = code_point * 64 + byte % 64;
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code_point < kLeast[ones] || code_point > 0x10FFFF || code_point / 0x800 == 0xD800 / 0x800) return std::nullopt;
  return Decoded{code_point, ones};
}

struct Walk {
  std::u32string code_points;
  std::vector<std::size_t> starts;  // the start of each code point, and the end
  std::size_t invalid = std::string_view::npos;
};

Walk walk(std::string_view bytes) {
  Walk out;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const auto one = decode_one(bytes.substr(at));
    if (!one) {
      out.invalid = at;
      break;
    }
    out.starts.push_back(at);
    out.code_points.push_back(one->code_point);
    at += one->length;
  }
  out.starts.push_back(at);
  return out;
}

// The functions read eight bytes at a time; the verdict does not depend on the alignment.
void check_alignments(std::string_view bytes, std::size_t invalid) {
  for (std::size_t shift = 1; shift < 9; ++shift) {
    const Exact moved(std::string(shift, 'a') + std::string(bytes));
    const std::size_t expected = invalid == std::string_view::npos ? invalid : invalid + shift;
    FUZZ_CHECK(utf8::find_invalid(moved.view()) == expected);
  }
}

void check_valid(std::string_view valid, const Walk& expected) {
  const auto count = static_cast<std::int64_t>(expected.code_points.size());
  FUZZ_CHECK(utf8::is_valid(valid));
  FUZZ_CHECK(utf8::count(valid) == count);
  FUZZ_CHECK(utf8::decode(valid) == expected.code_points);
  FUZZ_CHECK(utf8::encode(expected.code_points) == valid);
  std::size_t at = 0;
  for (std::int64_t n = 0; n < count; ++n) {
    FUZZ_CHECK(utf8::offset_of(valid, n) == at);
    FUZZ_CHECK(utf8::next(valid, at) == expected.code_points[static_cast<std::size_t>(n)]);
    FUZZ_CHECK(at == expected.starts[static_cast<std::size_t>(n) + 1]);
  }
  FUZZ_CHECK(utf8::offset_of(valid, count) == valid.size());
  FUZZ_CHECK(utf8::offset_of(valid, count + 1000) == valid.size());
}

void check_slices(std::string_view valid, const Walk& expected, Chance& chance) {
  const std::size_t count = expected.code_points.size();
  for (int round = 0; round < 8; ++round) {
    const std::size_t start = chance.below(count + 2);
    const std::size_t length = chance.below(count + 2);
    const std::size_t from = std::min(start, count);
    const std::size_t to = std::min(from + length, count);
    const std::string_view slice = utf8::slice(valid, static_cast<std::int64_t>(start), static_cast<std::int64_t>(length));
    FUZZ_CHECK(slice == valid.substr(expected.starts[from], expected.starts[to] - expected.starts[from]));
    if (!slice.empty()) FUZZ_CHECK(slice.data() == valid.data() + expected.starts[from]);
  }
}

// For invalid UTF-8 the counts are meaningless, but no read is out of bounds.
void check_bounds(std::string_view bytes, Chance& chance) {
  FUZZ_CHECK(utf8::count(bytes) <= static_cast<std::int64_t>(bytes.size()));
  FUZZ_CHECK(utf8::offset_of(bytes, static_cast<std::int64_t>(chance.below(bytes.size() + 2))) <= bytes.size());
  FUZZ_CHECK(utf8::slice(bytes, static_cast<std::int64_t>(chance.below(bytes.size() + 1)), 3).size() <= bytes.size());
  FUZZ_CHECK(utf8::decode(bytes).size() <= bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t before = at;
    utf8::next(bytes, at);
    FUZZ_CHECK(at > before && at <= bytes.size());
  }
}

// Encodes arbitrary numbers as code points: an invalid one becomes U+FFFD, and the result is always valid.
void check_encode(std::string_view bytes) {
  std::u32string numbers;
  std::u32string expected;
  for (std::size_t at = 0; at + 3 <= bytes.size(); at += 3) {
    char32_t number = 0;
    for (std::size_t i = 0; i < 3; ++i) number = number << 8 | static_cast<std::uint8_t>(bytes[at + i]);
    numbers.push_back(number);
    expected.push_back(number > 0x10FFFF || (number >= 0xD800 && number <= 0xDFFF) ? utf8::kReplacement : number);
  }
  const std::string encoded = utf8::encode(numbers);
  FUZZ_CHECK(utf8::is_valid(encoded));
  FUZZ_CHECK(utf8::decode(encoded) == expected);
}

}  // namespace

void run(std::string_view input) {
  const Walk expected = walk(input);
  FUZZ_CHECK(utf8::find_invalid(input) == expected.invalid);
  FUZZ_CHECK(utf8::is_ascii(input) == std::ranges::all_of(input, [](char c) { return static_cast<std::uint8_t>(c) < 0x80; }));
  check_alignments(input, expected.invalid);
  Chance chance(input);
  const Exact valid(input.substr(0, expected.starts.back()));
  check_valid(valid.view(), expected);
  check_slices(valid.view(), expected, chance);
  check_bounds(input, chance);
  check_encode(input);
}

}  // namespace ladder::fuzz
