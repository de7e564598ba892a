// Generated sentences in any language of words.h, and evenly spaced times.
#pragma once

#include "base/time/time.h"
#include "dice.h"
#include "words.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace demo {

inline std::string prose(Dice& dice, std::size_t sentences) {
  const Language& language = dice.pick(kLanguages);
  std::string text;
  for (std::size_t i = 0; i < sentences; ++i) {
    text.append(dice.pick(language.who)).append(language.space).append(dice.pick(language.does));
    text.append(language.space).append(dice.pick(language.what));
    if (dice.below(7) == 0) text.append(" ").append(dice.pick(kEmoji));
    text.append(language.full_stop);
  }
  return text;
}

inline constexpr std::int64_t kFirstSecond = 1'735'689'600;  // 2025-01-01

// Returns an element of a JSON array with the first quote after the middle replaced by a control character. The array
// is then invalid JSON from there on.
inline std::string broken(std::string element) {
  element[element.find('"', element.size() / 2)] = '\x01';
  return element;
}

}  // namespace demo
