// Checks the answer of a language model, which is untrusted text. A sentence is kept only if it cites a passage that exists,
// and if the cited passages contain its words. The check compares words and numbers; it does not understand the sentence.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::ask {

struct Sentence {
  std::string text;            // without its citations
  std::vector<int> citations;  // numbers of passages, each once
  bool begins_paragraph = false;
};

enum class Removal : std::uint8_t { kNoCitation, kUnknownPassage, kNotSupported };

struct RemovedSentence {
  std::string text;
  Removal why = Removal::kNoCitation;
};

struct CheckedAnswer {
  std::vector<Sentence> sentences;
  std::vector<RemovedSentence> removed;
  bool cut = false;  // the answer was longer than its limits
};

// `evidence` holds the text of passage 1, 2, …, with its title, author and time.
CheckedAnswer check_answer(std::string_view answer, std::span<const std::string> evidence);

std::string_view reason_of(Removal why);  // "it cites no passage"

}  // namespace ladder::ask
