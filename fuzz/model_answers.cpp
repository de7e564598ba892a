// The answer of a language model. The lines up to "--" are the passages, the rest is the answer. Every kept sentence cites
// existing passages that have its numbers, and the result stays within its limits.
#include "ask/answer.h"

#include "ask/ask_limits.h"
#include "base/text/utf8.h"
#include "frame.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ladder::fuzz {

void run(std::string_view input) {
  std::vector<std::string> evidence;
  while (!input.empty()) {
    const std::string_view line = take_line(input);
    if (line == "--") break;
    if (evidence.size() < limits::kAskPassages && utf8::is_valid(line)) evidence.emplace_back(line);
  }
  const Exact answer(input);
  const ask::CheckedAnswer checked = ask::check_answer(answer.view(), evidence);
  FUZZ_CHECK(checked.sentences.size() + checked.removed.size() <= limits::kAskSentences);
  std::int64_t chars = 0;
  for (const ask::Sentence& sentence : checked.sentences) {
    FUZZ_CHECK(!sentence.text.empty() && !sentence.citations.empty() && utf8::is_valid(sentence.text));
    for (const int number : sentence.citations) {
      FUZZ_CHECK(number >= 1 && static_cast<std::size_t>(number) <= evidence.size());
      FUZZ_CHECK(std::ranges::count(sentence.citations, number) == 1);
    }
    chars += utf8::count(sentence.text);
  }
  for (const ask::RemovedSentence& one : checked.removed) chars += utf8::count(one.text);
  FUZZ_CHECK(chars <= limits::kAskAnswerChars);
}

}  // namespace ladder::fuzz
