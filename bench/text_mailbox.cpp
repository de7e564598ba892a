#include "text_mailbox.h"

#include "base/text/format.h"
#include "base/time/time.h"
#include "dice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::bench {
namespace {

constexpr std::size_t kVocabulary = 40'000;
// Ranks of words with one and with two syllables; the others have three.
constexpr std::size_t kShortWords = 100, kMiddlingWords = 4'000;
constexpr double kZipfShift = 2.7;  // flattens the frequencies of the most common words
constexpr std::array<std::string_view, 24> kBegin = {"b", "c", "d", "f", "g",  "h",  "k",  "l",  "m",  "n",  "p",  "r",
                                                     "s", "t", "v", "w", "st", "tr", "sh", "ch", "br", "pl", "nd", "ck"};
constexpr std::array<std::string_view, 10> kMiddle = {"a", "e", "i", "o", "u", "e", "a", "i", "ea", "ou"};
constexpr std::array<std::string_view, 8> kEnd = {"", "n", "s", "r", "t", "d", "ng", ""};
constexpr std::size_t kLineChars = 66;
constexpr std::size_t kMaxQuoted = 4'000;
constexpr Instant kFirst = 1'577'836'800 * kSecond;  // 2020-01-01

std::string spelled(std::size_t rank) {
  demo::Dice dice(rank);
  std::string word;
  const int syllables = rank < kShortWords ? 1 : rank < kMiddlingWords ? 2 : 3;
  for (int i = 0; i < syllables; ++i) word.append(dice.pick(kBegin)).append(dice.pick(kMiddle));
  return word.append(dice.pick(kEnd));
}

class Letters {
 public:
  explicit Letters(std::uint64_t seed) : dice_(seed) {
    double sum = 0;
    for (std::size_t rank = 0; rank < kVocabulary; ++rank) {
      words_.push_back(spelled(rank));
      upto_.push_back(sum += 1 / (static_cast<double>(rank) + kZipfShift));
    }
  }

  std::string next(std::int64_t number) {
    const bool begins = last_.empty() || dice_.below(5) < 2;
    if (begins) {
      last_.clear();
      thread_ = number;
      subject_ = sentence(3 + dice_.below(5));
    }
    const std::string from = person(), to = person();
    // One letter in ten is long.
    const double paragraphs = dice_.below(10) == 0 ? 15 + unevenly(30) : 1 + unevenly(3);
    std::string body;
    for (double left = paragraphs; left > 0; --left) body += paragraph() + "\n";
    if (!last_.empty() && dice_.below(10) < 7) {
      body += format("On Monday {} wrote:\n", to);
      bool line_begins = true;
      for (const char c : std::string_view(last_).substr(0, kMaxQuoted)) {
        if (line_begins) body += "> ";
        body += c;
        line_begins = c == '\n';
      }
      body += "\n";
    }
    body += format("-- \n{}\n", from);
    last_ = body;
    return headers(number, from, to, begins) + body + "\n";
  }

 private:
  double share() { return static_cast<double>(dice_.next() >> 11) / static_cast<double>(std::uint64_t{1} << 53); }
  double unevenly(double mean) { return std::floor(-mean * std::log1p(-share())); }
  const std::string& word() {
    const auto at = std::ranges::lower_bound(upto_, share() * upto_.back());
    return words_[static_cast<std::size_t>(at - upto_.begin())];
  }

  std::string sentence(std::size_t words) {
    std::string text = word();
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
    for (; words > 1; --words) {
      if (dice_.below(14) == 0) text += ',';
      text.append(" ").append(word());
    }
    return text;
  }

  // Wraps lines as mail programs do.
  std::string paragraph() {
    std::string text;
    for (std::size_t left = 1 + dice_.below(5); left > 0; --left) text += sentence(6 + dice_.below(13)) + ". ";
    std::size_t column = 0;
    for (char& c : text) {
      if (c == ' ' && column > kLineChars) {
        c = '\n';
        column = 0;
      }
      ++column;
    }
    return text + "\n";
  }

  std::string person() {
    const std::size_t who = dice_.below(120);
    return format("{} <{}@example.org>", spelled(kMiddlingWords + who), spelled(kMiddlingWords + who));
  }

  // Mail servers add much noise to the headers.
  std::string headers(std::int64_t number, std::string_view from, std::string_view to, bool begins) {
    const Instant at = kFirst + number * 3'600 * kSecond;
    const std::string date = format_time(at);
    std::string text =
        format("From - {}\nX-GM-THRID: {}\nX-Gmail-Labels: Inbox,Opened\nReceived: by 10.{}.3.7 with SMTP id {:016x}\n", date,
               1'700'000'000'000'000'001 + thread_, number % 200, dice_.next());
    text += "DKIM-Signature: v=1; a=rsa-sha256; d=example.org; s=20210112;\n b=";
    for (int i = 0; i < 10; ++i) text += format("{:016x}", dice_.next());
    text += format("\nMIME-Version: 1.0\nMessage-ID: <{}@example.org>\n", number);
    if (!begins)
      text += format("In-Reply-To: <{0}@example.org>\nReferences: <{1}@example.org>\n <{0}@example.org>\n", number - 1, thread_);
    const std::string day = date.substr(8, 2);
    constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const std::string_view month = kMonths[static_cast<std::size_t>(std::stoi(date.substr(5, 2)) - 1)];
    return text + format("From: {}\nTo: {}\nSubject: {}{}\nDate: {} {} {} {} +0000\nContent-Type: text/plain; charset=utf-8\n\n",
                         from, to, begins ? "" : "Re: ", subject_, day, month, date.substr(0, 4), date.substr(11, 8));
  }

  demo::Dice dice_;
  std::vector<std::string> words_;
  std::vector<double> upto_;
  std::string last_, subject_;
  std::int64_t thread_ = 0;
};

}  // namespace

std::int64_t write_text_mailbox(const std::filesystem::path& file, std::uint64_t seed, std::int64_t bytes) {
  std::ofstream out(file, std::ios::binary);
  Letters letters(seed);
  std::int64_t number = 0;
  for (std::int64_t written = 0; written < bytes; ++number) {
    const std::string letter = letters.next(number);
    out << letter;
    written += std::ssize(letter);
  }
  return number;
}

}  // namespace ladder::bench
