#include "text/forms/number_forms.h"

#include <algorithm>
#include <cstddef>

namespace ladder::text {
namespace {

constexpr std::size_t kDigitGroup = 3;
constexpr std::size_t kMinPhone = 9, kMaxPhone = 15;  // digits, up to the maximum of E.164
constexpr std::size_t kMinPhoneGroup = 2;

// Country codes of ITU-T E.164: one or two digits, or three if no shorter code matches.
constexpr std::string_view kShortCodes =
    "1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 "
    "93 "
    "94 95 98";
constexpr std::string_view kLongCodes = "2 35 37 38 42 50 59 67 68 85 88 96 97 99";  // and one more digit

std::string joined(std::span<const std::string> groups, std::string_view between = {}) {
  std::string text;
  for (const std::string& group : groups) {
    if (!text.empty()) text += between;
    text += group;
  }
  return text;
}

bool begins_with_one_of(std::string_view codes, std::string_view number, std::size_t& length) {
  for (std::string_view rest = codes; !rest.empty();) {
    const std::string_view code = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), code.size() + 1));
    if (!number.starts_with(code)) continue;
    length = code.size();
    return true;
  }
  return false;
}

// The length of the country code at the start of an international number; 0 for none.
std::size_t code_length(std::string_view number) {
  std::size_t length = 0;
  if (begins_with_one_of(kShortCodes, number, length)) return length;
  return begins_with_one_of(kLongCodes, number, length) ? 3 : 0;
}

std::string in_thousands(std::string_view number) {
  std::string grouped(number);
  for (std::size_t at = number.size(); at > kDigitGroup;) grouped.insert(at -= kDigitGroup, 1, ' ');
  return grouped;
}

// Adds the number as one word, in two and three groups, and in pairs.
void add_groupings(const std::string& number, std::vector<std::string>& forms) {
  const std::size_t size = number.size();
  forms.push_back(number);
  for (std::size_t a = kMinPhoneGroup; a + kMinPhoneGroup <= size; ++a) {
    forms.push_back(number.substr(0, a) + " " + number.substr(a));
    for (std::size_t b = a + kMinPhoneGroup; a <= 5 && b + kMinPhoneGroup <= size; ++b) {
      forms.push_back(number.substr(0, a) + " " + number.substr(a, b - a) + " " + number.substr(b));
    }
  }
  std::string pairs = number;
  for (std::size_t at = size; at > 2;) pairs.insert(at -= 2, 1, ' ');
  forms.push_back(std::move(pairs));
}

// Adds the forms of a national number: with the leading 0, without it as after a country code, and in one word with
// each known code.
void add_phone_forms(const std::string& digits, std::vector<std::string>& forms) {
  const bool trunk = digits.front() == '0' && digits[1] != '0';
  const std::string foreign = digits.starts_with("00") ? digits.substr(2) : digits;
  const std::size_t code = trunk ? 0 : code_length(foreign);
  if (!trunk) add_groupings(foreign, forms);
  const std::string national = trunk ? digits.substr(1) : foreign.substr(code);
  if (national.size() + kMinPhoneGroup < kMinPhone) return;
  add_groupings(national, forms);
  if (trunk || code > 0) add_groupings("0" + national, forms);
  if (!trunk) return;
  for (std::string_view rest = kShortCodes; !rest.empty();) {
    const std::string_view each = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), each.size() + 1));
    forms.push_back(std::string(each) + national);
  }
}

// Returns whether these are thousands: groups of three digits after a first group of at most three.
bool are_thousands(std::span<const std::string> groups) {
  return groups.size() > 1 && groups.front().size() <= kDigitGroup &&
         std::ranges::all_of(groups.subspan(1), [](const std::string& group) { return group.size() == kDigitGroup; });
}

}  // namespace

bool are_digits(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

bool may_be_phone(std::span<const std::string> groups) {
  const std::size_t size = joined(groups).size();
  return std::ranges::all_of(groups, are_digits) && size >= kMinPhone && size <= kMaxPhone;
}

std::vector<std::string> number_forms(std::span<const std::string> groups) {
  std::vector<std::string> forms;
  if (groups.empty() || !std::ranges::all_of(groups, are_digits)) return forms;
  const std::string digits = joined(groups);
  const bool is_one = groups.size() == 1;
  if (is_one && digits.size() > kDigitGroup && digits.front() != '0') forms.push_back(in_thousands(digits));
  if (are_thousands(groups)) forms.push_back(digits);
  // With decimals: "1 234,56" and "1234.56".
  constexpr std::size_t kMaxDecimals = 2;
  if (!is_one && groups.back().size() <= kMaxDecimals) {
    const auto whole = groups.first(groups.size() - 1);
    if (are_thousands(whole)) forms.push_back(joined(whole) + " " + groups.back());
    if (whole.size() == 1 && whole[0].size() > kDigitGroup) forms.push_back(in_thousands(whole[0]) + " " + groups.back());
  }
  if (may_be_phone(groups)) add_phone_forms(digits, forms);
  const std::string itself = joined(groups, " ");
  std::vector<std::string> made;
  for (std::string& form : forms) {
    if (form != itself && std::ranges::find(made, form) == made.end()) made.push_back(std::move(form));
  }
  return made;
}

}  // namespace ladder::text
