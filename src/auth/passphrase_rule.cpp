// The rule for new passphrases. It rejects an attacker's first guesses: few different characters, a repeated short
// piece, alphabet or keyboard runs, and common words. It does not estimate the strength of the rest.
#include "auth/owners.h"
#include "base/text/format.h"
#include "crypto/passphrase.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

namespace ladder::auth {
namespace {

constexpr std::size_t kMinDistinct = 5;
constexpr std::size_t kMinPiece = 8;  // a passphrase that repeats a shorter piece is rejected
constexpr std::size_t kMinScore = 8;  // characters, with a run or a common word counting as kRunScore
constexpr std::size_t kRunScore = 2;
constexpr std::size_t kMinRun = 3;

// Lower case, without spaces. Longer words come first, so that they match before their parts.
constexpr std::array<std::string_view, 32> kCommonWords = {"correcthorsebatterystaple",
                                                           "administrator",
                                                           "passphrase",
                                                           "iloveyou",
                                                           "password",
                                                           "passw0rd",
                                                           "p4ssw0rd",
                                                           "p@ssw0rd",
                                                           "changeme",
                                                           "football",
                                                           "baseball",
                                                           "sunshine",
                                                           "princess",
                                                           "trustno1",
                                                           "superman",
                                                           "starwars",
                                                           "whatever",
                                                           "letmein",
                                                           "welcome",
                                                           "michael",
                                                           "charlie",
                                                           "monkey",
                                                           "dragon",
                                                           "master",
                                                           "shadow",
                                                           "secret",
                                                           "hunter",
                                                           "ladder",
                                                           "qazwsx",
                                                           "admin",
                                                           "login",
                                                           "hello"};

constexpr std::array<std::string_view, 4> kKeyboardRows = {"1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"};

std::string plain(std::string_view passphrase) {
  std::string out;
  for (const char c : passphrase) {
    if (c != ' ') out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

// Returns the step between two neighbors in the alphabet, the digits or a keyboard row; nullopt if they are not
// neighbors.
std::optional<int> step_of(char from, char to) {
  if (std::abs(to - from) <= 1) return to - from;
  for (const std::string_view row : kKeyboardRows) {
    const auto a = row.find(from), b = row.find(to);
    if (a == std::string_view::npos || b == std::string_view::npos) continue;
    const int step = static_cast<int>(b) - static_cast<int>(a);
    if (std::abs(step) == 1) return step;
  }
  return std::nullopt;
}

std::size_t run_at(std::string_view text, std::size_t at) {
  std::size_t length = 1;
  std::optional<int> step;
  for (; at + length < text.size(); ++length) {
    const auto next = step_of(text[at + length - 1], text[at + length]);
    if (!next || (step && *next != *step)) break;
    step = next;
  }
  return length;
}

// Returns the number of characters to guess, if runs and common words are tried first.
std::size_t score_of(std::string_view text) {
  std::size_t score = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto word = std::ranges::find_if(kCommonWords, [&](std::string_view one) { return text.substr(at).starts_with(one); });
    const std::size_t run = run_at(text, at);
    if (word != kCommonWords.end() || run >= kMinRun) {
      score += kRunScore;
      at += std::max(word == kCommonWords.end() ? 0 : word->size(), run);
    } else {
      ++score;
      ++at;
    }
  }
  return score;
}

bool repeats_short_piece(std::string_view text) {
  for (std::size_t piece = 1; piece < kMinPiece && piece * 2 <= text.size(); ++piece) {
    if (text.substr(piece) == text.substr(0, text.size() - piece)) return true;
  }
  return false;
}

}  // namespace

Status check_passphrase(std::string_view passphrase) {
  const auto refuse = [](std::string why) { return fail(Code::kInvalidRequest, std::move(why), "passphrase"); };
  if (passphrase.size() < crypto::kMinPassphraseBytes || passphrase.size() > crypto::kMaxPassphraseBytes) {
    return refuse(format("Use {} to {} characters.", crypto::kMinPassphraseBytes, crypto::kMaxPassphraseBytes));
  }
  const std::string text = plain(passphrase);
  if (std::set<char>(text.begin(), text.end()).size() < kMinDistinct) {
    return refuse(
        "This passphrase is easy to guess: it has only a few different characters. Four words that do not belong "
        "together are good.");
  }
  if (repeats_short_piece(text)) {
    return refuse(
        "This passphrase is easy to guess: it repeats one short piece. Four words that do not belong together are good.");
  }
  if (score_of(text) < kMinScore) {
    return refuse(
        "This passphrase is easy to guess: it is made of very common words, or of characters in a row. Four words that "
        "do not belong together are good.");
  }
  return {};
}

Status check_passphrase(std::string_view passphrase, std::string_view typed_again) {
  LADDER_CHECK(check_passphrase(passphrase));
  if (passphrase == typed_again) return {};
  return fail(Code::kInvalidRequest, "The two passphrases are not the same. Type it twice.", "passphrase");
}

}  // namespace ladder::auth
