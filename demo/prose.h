// Made-up sentences of any language of words.h, and times that go on evenly.
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

// An element of a JSON array with its first quote behind the middle made a control character: no JSON any more, and nothing after
// it stands where it should.
inline std::string broken(std::string element) {
  element[element.find('"', element.size() / 2)] = '\x01';
  return element;
}

}  // namespace demo
