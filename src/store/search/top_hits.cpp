#include "store/search/top_hits.h"

#include "text/passages.h"
#include "text/words.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace ladder::store {
namespace {

constexpr std::size_t kFewRecords = 20;                  // among so few records, the ten best are not distinctive
constexpr std::size_t kSharedBy = 2;                     // number of the ten best
constexpr std::int64_t kBulkPercent = 70;                // weight of records sent to many people
constexpr std::int64_t kAddedPercent = 20;               // percent of the query that a second record of a group must add
constexpr std::int64_t kNearLengthPercent = 10;          // maximum difference in length of near copies, in percent
constexpr std::int64_t kFeedbackShare = 40;              // percent of the best first score
constexpr std::int64_t kMaxWordWeight = 65'535;          // maximum word weight that fits in a cursor
constexpr std::int64_t kMaxUsualLength = 4'000'000'000;  // characters; maximum that fits in a cursor

// The words of the query itself; feedback skips them.
std::set<std::uint32_t> words_of_query(const text::WordQuery& query) {
  std::set<std::uint32_t> hashes;
  const auto add = [&](std::string_view word) {
    hashes.insert(text::word_hash(word.starts_with(text::kPairMark) ? word.substr(1) : word));
  };
  for (const text::WordTerm& term : query.terms) {
    for (const std::string& word : term.words) add(word);
    for (const std::string& form : term.forms) add(form);
  }
  return hashes;
}

// Occurrences of a word, counted record by record.
struct WordCount {
  std::int64_t here = 0;     // in the current record
  std::int64_t records = 0;  // records of the head with it
  std::size_t best = 0;      // of the best records
  std::int64_t score = 0;    // sum of their scores
  std::size_t last = 0;      // the last record counted, from 1
};

// Maps the hashes of a few words to numbers: open addressing in a mostly empty table, since most words of a text are
// not in it.
class WordNumbers {
 public:
  explicit WordNumbers(std::size_t most) : slots_(std::bit_ceil(4 * most + 1)) {}

  void add(std::uint32_t hash, std::size_t number) {
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at].number != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = {hash, static_cast<std::uint32_t>(number + 1)};
  }
  // Returns nullopt if the word is not in the table.
  std::optional<std::size_t> find(std::uint32_t hash) const {
    for (std::size_t at = hash & (slots_.size() - 1); slots_[at].number != 0; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].hash == hash) return slots_[at].number - 1;
    }
    return std::nullopt;
  }

 private:
  struct Slot {
    std::uint32_t hash = 0, number = 0;  // 0: empty
  };
  std::vector<Slot> slots_;
};

}  // namespace

bool TopHits::needs_words() const { return search_.query->terms.size() > 1; }  // a single term has no feedback

TopHitText TopHits::read(std::size_t scope, const RecordRow& record) const {
  text::RankedText reading = search_.reading(scope, record);
  TopHitText read{.chars = reading.chars,
                  .whole = reading.whole,
                  .has_words = needs_words(),
                  .words = {},
                  .groups = std::move(reading.groups),
                  .wording = reading.wording,
                  .sketch = {},
                  .bulk = reading.bulk};
  const bool has_copies = search_.scopes[scope].copies != 0 && reading.chars >= text::kMinNearChars;
  if (!read.has_words && !has_copies) return read;
  std::vector<std::uint32_t> words = text::beginning_words(reading);
  if (has_copies) read.sketch = text::near_sketch(reading, words);
  if (read.has_words) read.words = std::move(words);
  return read;
}

void TopHits::add(text::HitSortKey sort_key, const RecordRow& record, const text::TermCounts& counts) {
  auto text = std::make_shared<const TopHitText>(read(sort_key.scope, record));
  add(std::move(sort_key), std::move(text), counts);
}

void TopHits::add(text::HitSortKey sort_key, std::shared_ptr<const TopHitText> text, const text::TermCounts& counts) {
  Read& read = records_.emplace_back();
  read.first = sort_key.score;
  read.sort_key = std::move(sort_key);
  read.counts = counts;
  read.text = std::move(text);
}

void TopHits::measure(const text::WordWeights& weights) {
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const std::int64_t added = added_.empty() ? 0 : added_[i];
    const Read& read = records_[i];
    records_[i].sort_key.score =
        text::measured_score(weights, read.first, read.counts, text::length_of(weights, read.text->chars), added,
                             read.text->bulk ? kBulkPercent : 100);
  }
}

std::vector<const TopHits::Read*> TopHits::best() const {
  std::vector<const Read*> best;
  best.reserve(records_.size());
  for (const Read& read : records_) best.push_back(&read);
  const std::size_t count = std::min(kFeedbackRecords, best.size());
  std::ranges::partial_sort(best, best.begin() + static_cast<std::ptrdiff_t>(count), [](const Read* a, const Read* b) {
    return text::comes_before(text::WordOrder::kScore, a->sort_key, b->sort_key);
  });
  best.resize(count);
  return best;
}

std::vector<text::FeedbackWord> TopHits::learn_words() const {
  if (records_.size() <= kFewRecords) return {};
  const std::vector<const Read*> best = this->best();
  const std::int64_t most = std::max<std::int64_t>(best.front()->sort_key.score, 1);
  const std::set<std::uint32_t> asked = words_of_query(*search_.query);
  std::unordered_map<std::uint32_t, WordCount> counted;
  std::int64_t first = 0;
  for (const Read* const read : best) {
    first = std::max(first, read->first);
    std::unordered_map<std::uint32_t, int> occurrences;
    for (const std::uint32_t word : read->text->words) ++occurrences[word];
    for (const auto& [word, count] : occurrences) {
      if (asked.contains(word)) continue;
      WordCount& known = counted[word];
      ++known.best;
      known.score += text::saturated(4 * std::min(count, 32)) * read->sort_key.score / most;
    }
  }
  std::erase_if(counted, [](const auto& entry) { return entry.second.best < kSharedBy; });
  std::vector<std::pair<std::uint32_t, WordCount>> shared(counted.begin(), counted.end());
  WordNumbers numbers(shared.size());
  for (std::size_t i = 0; i < shared.size(); ++i) numbers.add(shared[i].first, i);
  for (std::size_t i = 0; i < records_.size(); ++i) {
    for (const std::uint32_t word : records_[i].text->words) {
      const auto known = numbers.find(word);
      if (!known || shared[*known].second.last == i + 1) continue;
      shared[*known].second.last = i + 1;
      ++shared[*known].second.records;
    }
  }
  const auto all = std::ssize(records_);
  std::vector<std::pair<std::int64_t, std::uint32_t>> ranked;  // by value
  for (const auto& [word, count] : shared) {
    if (2 * count.records > all) continue;
    const double rarity = std::log(static_cast<double>(all + 1) / (static_cast<double>(count.records) + 0.5));
    ranked.emplace_back(-count.score * std::llround(1'000 * rarity) / 1'000, word);
  }
  std::ranges::sort(ranked);
  if (ranked.size() > kFeedbackWords) ranked.resize(kFeedbackWords);
  std::int64_t sum = 0;
  for (const auto& [value, word] : ranked) sum -= value;
  // Texts that were not read cannot have the words, so feedback counts less the more of them there are.
  const std::int64_t percent =
      kFeedbackShare * std::ranges::count_if(records_, [](const Read& read) { return read.text->whole; }) / all;
  std::vector<text::FeedbackWord> feedback;
  for (const auto& [value, word] : ranked) {
    const std::int64_t weight = -value * first / std::max<std::int64_t>(sum, 1) * percent / 100;
    if (weight > 0) feedback.push_back({word, static_cast<std::int32_t>(std::min(weight, kMaxWordWeight))});
  }
  return feedback;
}

void TopHits::add_feedback(const text::WordWeights& weights) {
  const std::span<const text::FeedbackWord> feedback = weights.feedback;
  WordNumbers numbers(feedback.size());
  for (std::size_t i = 0; i < feedback.size(); ++i) numbers.add(feedback[i].hash, i);
  added_.assign(records_.size(), 0);
  std::int64_t sum = 0, read_whole = 0;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    std::array<int, kFeedbackWords> occurrences{};
    for (const std::uint32_t word : records_[i].text->words) {
      if (const auto known = numbers.find(word)) ++occurrences[*known];
    }
    const std::int64_t length = text::length_of(weights, records_[i].text->chars);
    for (std::size_t word = 0; word < feedback.size(); ++word) {
      if (occurrences[word] == 0) continue;
      added_[i] += feedback[word].weight * text::saturated(4 * std::min(occurrences[word], 32), length) / 1'000;
    }
    if (!records_[i].text->whole) continue;
    sum += added_[i];
    ++read_whole;
  }
  // A text that was not read gets the average of the others.
  for (std::size_t i = 0; i < records_.size(); ++i) {
    if (!records_[i].text->whole && read_whole > 0) added_[i] = std::max(added_[i], sum / read_whole);
  }
}

std::vector<std::size_t> TopHits::order() const {
  std::vector<std::size_t> order(records_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return text::comes_before(search_.order, records_[a].sort_key, records_[b].sort_key);
  });
  return order;
}

// Records with a common group name are in one group, also transitively.
void TopHits::unite_groups() {
  groups_.clear();
  const auto first_of = [&](std::size_t record) {
    while (records_[record].group != record) record = records_[record].group;
    return record;
  };
  for (std::size_t i = 0; i < records_.size(); ++i) {
    records_[i].group = i;
    for (const std::string& name : records_[i].text->groups) {
      const auto [known, added] = groups_.emplace(name, i);
      const std::size_t a = first_of(i), b = first_of(known->second);
      records_[std::max(a, b)].group = std::min(a, b);
    }
  }
  for (Read& read : records_) read.group = first_of(read.group);
}

namespace {

// A bit for each term of the record that can find records.
std::uint32_t terms_of(const text::WordWeights& weights, const text::TermCounts& counts) {
  std::uint32_t terms = 0;
  for (std::size_t term = 0; term < weights.terms.size(); ++term) {
    if (counts[term] > 0) terms |= std::uint32_t{1} << term;
  }
  return terms & weights.finders;
}

std::int64_t weight_of(const text::WordWeights& weights, std::uint32_t terms) {
  std::int64_t weight = 0;
  for (std::size_t term = 0; term < weights.terms.size(); ++term) {
    if ((terms >> term & 1) != 0) weight += weights.terms[term];
  }
  return weight;
}

}  // namespace

// The best record of a group may rank first because it is short or close to the subject. The member with most of the
// query takes its position.
void TopHits::choose_from_group(const text::WordWeights& weights, std::span<const std::size_t> members) {
  const auto terms = [&](std::size_t at) { return terms_of(weights, records_[at].counts); };
  const auto most = [&](auto value) { return *std::ranges::max_element(members, {}, value); };  // the first of equals
  const std::size_t shown = most([&](std::size_t at) { return weight_of(weights, terms(at)); });
  std::swap(records_[shown].sort_key.score, records_[members.front()].sort_key.score);
  const auto added = [&](std::size_t at) { return weight_of(weights, terms(at) & ~terms(shown)); };
  const std::size_t second = most(added);
  const std::int64_t score = records_[shown].sort_key.score - 1;
  if (100 * added(second) < kAddedPercent * weight_of(weights, weights.finders) || added(second) == 0) return;
  if (score <= std::max<std::int64_t>(weights.measured_above, 0)) return;
  records_[second].sort_key.score = score;
  records_[second].is_second = true;
}

void TopHits::choose_from_groups(const text::WordWeights& weights) {
  unite_groups();
  std::unordered_map<std::size_t, std::vector<std::size_t>> groups;
  for (const std::size_t at : order()) groups[records_[at].group].push_back(at);
  for (const auto& [first, members] : groups) {
    if (members.size() > 1) choose_from_group(weights, members);
  }
}

void TopHits::fold() {
  unite_groups();
  std::unordered_map<std::size_t, std::size_t> first_of_group;
  std::vector<std::size_t> with_sketch;  // of shown records
  const auto is_near = [&](const Read& a, const Read& b) {
    return a.sort_key.scope == b.sort_key.scope &&
           std::abs(a.text->chars - b.text->chars) * 100 <= kNearLengthPercent * a.text->chars &&
           text::nearly_same(a.text->sketch, b.text->sketch) &&
           std::ranges::equal(a.counts, b.counts, {}, [](int count) { return count > 0; }, [](int count) { return count > 0; });
  };
  for (const std::size_t at : order()) {
    Read& read = records_[at];
    const bool is_part = !read.text->groups.empty();
    const auto group = is_part ? first_of_group.find(read.group) : first_of_group.end();
    const auto wording = read.text->wording == 0 ? wordings_.end() : wordings_.find(read.text->wording);
    const auto near = std::ranges::find_if(with_sketch, [&](std::size_t shown) { return is_near(records_[shown], read); });
    read.shown = false;
    if (group != first_of_group.end() && !read.is_second) ++records_[group->second].more;
    else if (wording != wordings_.end()) ++records_[wording->second].alike;
    else if (near != with_sketch.end()) ++records_[*near].alike;
    else read.shown = true;
    if (!read.shown) continue;
    if (group != first_of_group.end()) read.more = kIsSecond;
    else if (is_part) first_of_group.emplace(read.group, at);
    if (read.text->wording != 0) wordings_.emplace(read.text->wording, at);
    if (!read.text->sketch.empty()) with_sketch.push_back(at);
  }
}

bool TopHits::passes(std::size_t scope, const RecordRow& record) const {
  if ((groups_.empty() && wordings_.empty()) || !search_.scopes[scope].folds()) return true;
  const text::RankedText reading = search_.reading(scope, record);
  return std::ranges::none_of(reading.groups, [&](const std::string& name) { return groups_.contains(name); }) &&
         (reading.wording == 0 || !wordings_.contains(reading.wording));
}

bool folds(const WordSearch& search) {
  return search.fold && search.reading && std::ranges::any_of(search.scopes, &WordScope::folds);
}

// The median. A few digests and newsletters contain every word of a question and are in every head; with the mean,
// their length would hide itself.
std::int64_t TopHits::usual_length() const {
  std::vector<std::int64_t> lengths;
  lengths.reserve(records_.size());
  for (const Read& read : records_) lengths.push_back(read.text->chars);
  const auto middle = lengths.begin() + std::ssize(lengths) / 2;
  std::ranges::nth_element(lengths, middle);
  return std::min(*middle, kMaxUsualLength);
}

void TopHits::rank(text::WordWeights& weights, bool learn) {
  if (records_.empty()) return;
  if (learn) {
    weights.usual_chars = usual_length();
    measure(weights);
    weights.feedback = learn_words();
  }
  if (!weights.feedback.empty()) add_feedback(weights);
  measure(weights);
  if (folds(search_)) choose_from_groups(weights);
}

}  // namespace ladder::store
