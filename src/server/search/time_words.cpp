#include "server/search/time_words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <utility>
#include <vector>

namespace ladder::server {
namespace {

constexpr std::size_t kMaxWords = 24;  // a longer text is pasted text rather than a question
constexpr std::int64_t kFirstYear = 1900, kLastYear = 2100;
constexpr int kMonths = 12, kDaysOfWeek = 7, kMonthsOfSeason = 3;

struct Token {
  std::string_view typed;
  std::string word;  // lower case, without trailing punctuation
};

struct Days {
  std::int64_t from = 0, to = 0;  // [from, to), days since 1970-01-01
};

// A range and the number of tokens that express it.
struct Found {
  Days days;
  std::size_t tokens = 1;
};

std::string lower_ascii(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::vector<Token> tokens_of(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n", kPunctuation = ".,;:?!";
  std::vector<Token> tokens;
  for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    const std::string_view typed = text.substr(at, end - at);
    tokens.push_back({typed, lower_ascii(typed.substr(0, typed.find_last_not_of(kPunctuation) + 1))});
    at = text.find_first_not_of(kBlanks, end);
  }
  return tokens;
}

template <std::size_t kCount>
bool is_one_of(const std::array<std::string_view, kCount>& names, std::string_view word) {
  return std::ranges::find(names, word) != names.end();
}

std::optional<std::int64_t> number_of(std::string_view word) {
  std::int64_t number = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
  if (word.empty() || read.ec != std::errc() || read.ptr != word.data() + word.size()) return std::nullopt;
  return number;
}

std::optional<std::int64_t> year_of(std::string_view word) {
  const auto year = number_of(word);
  return year && *year >= kFirstYear && *year <= kLastYear ? year : std::nullopt;
}

std::optional<int> day_of_month(std::string_view word) {
  for (const std::string_view ending : {"st", "nd", "rd", "th"}) {
    if (word.ends_with(ending)) word.remove_suffix(ending.size());
  }
  const auto day = number_of(word);
  return day && *day >= 1 && *day <= 31 ? std::optional(static_cast<int>(*day)) : std::nullopt;
}

// Returns 1 to 12, or 0 if the word is not a month.
int month_of(std::string_view word) {
  constexpr std::array<std::string_view, kMonths> kNames = {
      "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"};
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (word == kNames[i] || word == kNames[i].substr(0, 3)) return static_cast<int>(i) + 1;
  }
  return word == "sept" ? 9 : 0;
}

// Returns the season's first month, or 0 if the word is not a season.
int season_of(std::string_view word) {
  if (word == "spring") return 3;
  if (word == "summer") return 6;
  if (word == "autumn" || word == "fall") return 9;
  return word == "winter" ? 12 : 0;
}

// `month` may be outside of 1 to 12.
std::int64_t month_start(std::int64_t year, std::int64_t month) {
  const std::int64_t months = year * kMonths + month - 1, years = floor_div(months, kMonths);
  return days_of({years, static_cast<int>(months - years * kMonths) + 1, 1});
}

Days months(std::int64_t year, std::int64_t month, int count) {
  return {month_start(year, month), month_start(year, month + count)};
}

std::optional<Days> unit_at(std::string_view unit, std::int64_t today, int distance) {
  const CivilDate date = civil_date(today);
  if (unit == "week") {
    const std::int64_t monday = today - (weekday(today) + kDaysOfWeek - 1) % kDaysOfWeek + std::int64_t{distance} * kDaysOfWeek;
    return Days{monday, monday + kDaysOfWeek};
  }
  if (unit == "month") return months(date.year, date.month + distance, 1);
  if (unit == "year") return months(date.year + distance, 1, kMonths);
  return std::nullopt;
}

// Returns the most recent season that has ended.
Days last_season(int month, std::int64_t today) {
  std::int64_t year = civil_date(today).year;
  while (months(year, month, kMonthsOfSeason).to > today) --year;
  return months(year, month, kMonthsOfSeason);
}

std::optional<Days> one_day(std::int64_t year, int month, int day) {
  if (day > days_in_month(year, month)) return std::nullopt;
  const std::int64_t at = days_of({year, month, day});
  return Days{at, at + 1};
}

class Finder {
 public:
  Finder(const std::vector<Token>& tokens, std::int64_t today) : tokens_(tokens), today_(today) {}

  std::optional<Found> at(std::size_t i) const {
    if (auto found = named_day(i)) return found;
    if (auto found = relative(i)) return found;
    return dated(i);
  }
  std::string_view word(std::size_t i) const { return i < tokens_.size() ? std::string_view(tokens_[i].word) : ""; }

 private:
  // Capitalization inside a question indicates a name ("USA Today").
  std::optional<Found> named_day(std::size_t i) const {
    if (i > 0 && !tokens_[i].typed.starts_with(tokens_[i].word.substr(0, 1))) return std::nullopt;
    constexpr std::array<std::string_view, 3> kNames = {"yesterday", "today", "tomorrow"};
    for (std::size_t name = 0; name < kNames.size(); ++name) {
      const std::int64_t day = today_ + static_cast<std::int64_t>(name) - 1;
      if (word(i) == kNames[name]) return Found{{day, day + 1}, 1};
    }
    return std::nullopt;
  }

  std::optional<Found> relative(std::size_t i) const {
    constexpr std::array<std::string_view, 3> kNames = {"last", "this", "next"};
    const auto name = std::ranges::find(kNames, word(i));
    if (name == kNames.end() || (i > 0 && word(i - 1) == "the") || word(i + 2) == "of") return std::nullopt;
    const int distance = static_cast<int>(name - kNames.begin()) - 1;
    if (const auto days = unit_at(word(i + 1), today_, distance)) return Found{*days, 2};
    const int season = season_of(word(i + 1));
    if (season == 0 || distance != -1) return std::nullopt;
    return Found{last_season(season, today_), 2};
  }

  std::optional<Found> dated(std::size_t i) const {
    if (const auto day = day_of_month(word(i)); day && month_of(word(i + 1)) != 0) {
      const auto year = year_of(word(i + 2));
      const auto days = year ? one_day(*year, month_of(word(i + 1)), *day) : std::nullopt;
      return days ? std::optional(Found{*days, 3}) : std::nullopt;
    }
    if (const int month = month_of(word(i)); month != 0) {
      if (i > 0 && day_of_month(word(i - 1))) return std::nullopt;  // the month does not have that day
      if (const auto year = year_of(word(i + 1))) return Found{months(*year, month, 1), 2};
      const auto day = day_of_month(word(i + 1));
      const auto year = year_of(word(i + 2));
      const auto days = day && year ? one_day(*year, month, *day) : std::nullopt;
      return days ? std::optional(Found{*days, 3}) : std::nullopt;
    }
    // A winter spans two years, so a single year is ambiguous.
    const int season = season_of(word(i));
    if (const auto year = year_of(word(i + 1)); year && season != 0 && season != kMonths) {
      return Found{months(*year, season, kMonthsOfSeason), 2};
    }
    const auto year = i > 0 && word(i - 1) == "in" ? year_of(word(i)) : std::nullopt;
    return year ? std::optional(Found{months(*year, 1, kMonths), 1}) : std::nullopt;
  }

  const std::vector<Token>& tokens_;
  const std::int64_t today_;
};

TimeRange range_of(const Days& days, std::string_view before) {
  const Instant from = days.from * kDay, to = days.to * kDay;
  if (before == "since") return {from, std::nullopt};
  if (before == "after") return {to, std::nullopt};
  if (before == "before") return {std::nullopt, from};
  if (before == "until") return {std::nullopt, to};
  return {from, to};
}

}  // namespace

std::optional<TimeWords> find_time_words(std::string_view question, Instant now) {
  // Before these words, a time starts a longer range or is one of several.
  constexpr std::array<std::string_view, 8> kContinuations = {"to", "until", "till", "on", "onwards", "and", "or", "-"};
  constexpr std::array<std::string_view, 10> kBefore = {"in",    "on",    "during", "from",  "for",
                                                        "since", "after", "before", "until", "of"};
  constexpr std::array<std::string_view, 5> kUnclear = {"between", "by", "and", "or", "not"};
  if (question.find('"') != std::string_view::npos) return std::nullopt;
  const std::vector<Token> tokens = tokens_of(question);
  if (tokens.size() > kMaxWords) return std::nullopt;
  const Finder finder(tokens, floor_div(now, kDay));
  std::optional<TimeWords> told;
  std::size_t from = 0, to = 0;  // the tokens of the time expression
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto found = finder.at(i);
    if (!found) continue;
    if (told) return std::nullopt;
    const std::string_view before = i > 0 ? finder.word(i - 1) : "";
    if (is_one_of(kUnclear, before) || is_one_of(kContinuations, finder.word(i + found->tokens))) return std::nullopt;
    told = TimeWords{range_of(found->days, before), {}, {}};
    from = is_one_of(kBefore, before) ? i - 1 : i;
    to = i + found->tokens;
    i = to - 1;
  }
  if (!told) return std::nullopt;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::string& text = i >= from && i < to ? told->words : told->rest;
    if (!text.empty()) text += ' ';
    text += tokens[i].typed;
  }
  return told;
}

bool has_no_search_words(std::string_view question) {
  constexpr std::array<std::string_view, 24> kFillers = {"what", "happened", "did", "do",   "i",    "have", "my",  "the",
                                                         "is",   "was",      "are", "were", "show", "me",   "all", "everything",
                                                         "list", "anything", "on",  "in",   "a",    "we",   "had", "there"};
  return std::ranges::all_of(tokens_of(question), [&](const Token& token) { return is_one_of(kFillers, token.word); });
}

}  // namespace ladder::server
