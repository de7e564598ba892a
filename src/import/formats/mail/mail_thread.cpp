#include "import/formats/mail/mail_thread.h"

#include "base/text/casefold.h"
#include "base/text/format.h"
#include "import/formats/mail/quoted_time.h"
#include "import/formats/record_members.h"
#include "import/text/text.h"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

namespace ladder::imports::mail {
namespace {

constexpr std::size_t kMaxTagBytes = 40;
constexpr std::size_t kSpecificBytes =
    16;  // "Confidential agreement" may identify a thread of two people; "Hello" and "Invoice" do not
constexpr std::size_t kMaxParticipants = 50;
constexpr std::string_view kBlanks = " \t\r\n";

// Written before a colon, case-folded. Mail programs use the language of their user.
constexpr auto kAnswerPrefixes = std::to_array<std::string_view>(
    {"re",  "fw",   "fwd",  "aw",    "antw", "wg",   "sv",     "vs",   "vb",   "vl",         "tr",     "rif",
     "r",   "i",    "ynt",  "ilt",   "odp",  "pd",   "res",    "enc",  "rv",   "ref",        "atb",    "απ",
     "πρθ", "σχετ", "отв",  "ответ", "на",   "пер",  "пересл", "hg",   "vá",   "továbbítás", "doorst", "bls",
     "trs", "回复", "答复", "转发",  "回覆", "轉寄", "返信",   "転送", "답장", "전달",       "回信",   "رد"});

std::string one_spaced(std::string_view text) {
  std::string out;
  for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    if (!out.empty()) out += ' ';
    out += text.substr(at, end - at);
    at = text.find_first_not_of(kBlanks, end);
  }
  return out;
}

// Returns the size of "[2]", "(2)" or "^2" at the start, 0 if there is none.
std::size_t counter_size(std::string_view text) {
  const std::size_t digits = text.find_first_not_of("0123456789", 1);
  if (text.empty() || digits == 1) return 0;
  const std::size_t end = std::min(digits, text.size());
  if (text.front() == '^') return end;
  const bool closed =
      end < text.size() && ((text.front() == '[' && text[end] == ']') || (text.front() == '(' && text[end] == ')'));
  return closed ? end + 1 : 0;
}

// Returns the size of the prefix with its colon, 0 if there is none.
std::size_t prefix_size(std::string_view folded) {
  constexpr std::string_view kWideColon = "：";
  for (const std::string_view prefix : kAnswerPrefixes) {
    if (!folded.starts_with(prefix)) continue;
    const auto skip_blanks = [&](std::size_t from) { return std::min(folded.find_first_not_of(' ', from), folded.size()); };
    std::size_t at = skip_blanks(prefix.size());
    at = skip_blanks(at + counter_size(folded.substr(at)));
    if (folded.substr(at).starts_with(':')) return at + 1;
    if (folded.substr(at).starts_with(kWideColon)) return at + kWideColon.size();
  }
  return 0;
}

std::size_t tag_size(std::string_view folded) {
  if (!folded.starts_with('[')) return 0;
  const std::size_t end = folded.find(']');
  return end > kMaxTagBytes ? 0 : end + 1;  // also without a bracket
}

std::string quarter_of(std::optional<Instant> time) {
  if (!time) return {};
  const CivilDate date = civil_date(floor_div(*time, kDay));
  return format("{}-{}", date.year, (date.month - 1) / 3);
}

std::string key(std::string_view subject, std::string_view evidence) {
  return "derived-" + digest_id({"thread", subject, evidence});
}

}  // namespace

Subject normalized_subject(std::string_view subject) {
  const std::string folded = one_spaced(fold(subject));
  Subject out;
  std::string_view rest = folded;
  for (;;) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    const std::size_t prefix = prefix_size(rest), skipped = prefix != 0 ? prefix : tag_size(rest);
    if (skipped == 0) break;
    rest.remove_prefix(skipped);
    out.is_answer = out.is_answer || prefix != 0;
  }
  for (constexpr std::string_view kForwarded = "(fwd)"; rest.ends_with(kForwarded); rest = trim(rest)) {
    rest.remove_suffix(kForwarded.size());
    out.is_answer = true;
  }
  out.text = rest;
  return out;
}

DerivedThread derive_thread(const ThreadClues& clues) {
  const Subject subject = normalized_subject(clues.subject);
  if (subject.text.empty()) return {{}, subject.is_answer};
  if (const std::string quoted = quoted_minute(clues.text); !quoted.empty())
    return {key(subject.text, quoted), subject.is_answer};
  if (!subject.is_answer) {
    const std::string own = written_minute(clues.date);
    return {own.empty() ? std::string() : key(subject.text, own), false};
  }
  std::set<std::string> people;
  for (const std::string& each : clues.participants) people.insert(lower_ascii(each));
  if (people.size() < 2 || people.size() > kMaxParticipants || subject.text.size() < kSpecificBytes) return {{}, true};
  std::string evidence = quarter_of(clues.sent_at);
  for (const std::string& each : people) evidence += '\n' + each;
  return {key(subject.text, evidence), true};
}

}  // namespace ladder::imports::mail
