// The warnings of a search: the time range and words it used, and the streams it did not search.
#include "base/text/format.h"
#include "server/search/search_read.h"
#include "text/word_rank.h"

#include <algorithm>

namespace ladder::server {
namespace {

std::string joined(const std::vector<std::string>& words, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(words.size(), most); ++i) text += (i == 0 ? "" : ", ") + words[i];
  if (words.size() > most) text += format(" and {} more", words.size() - most);
  return text;
}

}  // namespace

void SearchRead::warn_of_time_words(api::SearchPage& page) const {
  if (!time_words_) return;
  if (!times_are_words_) {
    page.warnings.push_back(
        {"time_range",
         format("nothing was found in the time range of \"{}\", so these words were searched in records of all times",
                time_words_->words),
         "q",
         {}});
    return;
  }
  std::string range, details;
  for (const auto& [name, at] : {std::pair("since", times_.since), std::pair("until", times_.until)}) {
    if (!at) continue;
    range += format(" {} {}", name, format_time(*at));
    details += format("{}\"{}\":\"{}\"", details.empty() ? "" : ",", name, format_time(*at));
  }
  page.warnings.push_back(
      {"time_range",
       format("\"{}\" was used as a time range:{}; set since or until to search another", time_words_->words, range), "q",
       "{" + details + "}"});
}

// Records that contain only such words are not hits, so the count is a lower bound.
void SearchRead::warn_of_common_words(const text::WordWeights& weights, api::SearchPage& page) const {
  if (!text::leaves_out_terms(query_, weights)) return;
  std::string words;
  for (std::size_t term = 0; term < query_.terms.size(); ++term) {
    if ((weights.finders >> term & 1) == 0) words += (words.empty() ? "" : ", ") + query_.terms[term].typed;
  }
  page.warnings.push_back({"common_words", format("too common to find records by; used only for ranking: {}", words), "q", {}});
}

void SearchRead::warn_of_words(api::SearchPage& page) const {
  constexpr std::size_t kNamedWords = 100;
  if (!query_.left_out.empty()) {
    page.warnings.push_back(
        {"words_left_out",
         format("the question has too many words, so the most common are left out: {}", joined(query_.left_out, kNamedWords)),
         "q",
         {}});
  }
  if (!changes_.splits.empty()) {
    std::string compounds;
    for (const auto& [term, parts] : changes_.splits) {
      compounds += format("{}{} → {}, {}", compounds.empty() ? "" : "; ", query_.terms[term].typed, parts.first, parts.second);
    }
    page.warnings.push_back({"words_split", format("also searched by their parts: {}", compounds), "q", {}});
  }
  for (const Correction& correction : changes_.corrections) {
    page.warnings.push_back(
        {"words_corrected",
         format("corrected: {} → {}", query_.terms[correction.term].typed, joined(correction.words, correction.words.size())),
         "q",
         {}});
  }
}

void SearchRead::warn_of_times(api::SearchPage& page) const {
  if (!times_.since && !times_.until) return;
  std::set<std::string> timeless;
  for (const SearchStream* place : plan_->streams()) {
    const ConnectionStream& stream = place->stream();
    if (!place->scope.timed) timeless.insert(stream.connection->row.connection_id + "/" + stream.declared->name);
  }
  if (timeless.empty()) return;
  std::string names;
  for (const std::string& name : timeless) names += (names.empty() ? "" : ", ") + name;
  page.warnings.push_back({"streams_without_time",
                           format("not searched because you can't read the times of their records: {}", names),
                           times_are_words_ ? "q" : (request_.since ? "since" : "until"),
                           {}});
}

}  // namespace ladder::server
