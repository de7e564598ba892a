// Measures whether a search ranks the right records first: nDCG@10 over judged queries, against FTS5's OR with bm25 on
// the same documents, plain and with Porter's stemmer. Each query is searched as written, by its content words, and by
// its three rarest words.
//
//   bench_relevance [FOLDER] [--misses]     default FOLDER: bench/relevance/life; --misses lists queries without their answer
#include "relevance_collection.h"
#include "relevance_floor.h"
#include "report.h"

#include "base/text/casefold.h"
#include "base/text/format.h"
#include "base/text/utf8.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

namespace ladder::bench {
namespace {

constexpr std::size_t kDepth = 10, kFirst = 3, kRarest = 3;
constexpr int kAnswer = 3;  // the grade of a record that answers the question
constexpr double kLeastWhole = 1.03, kLeastRarest = 1, kLeastFirstThree = 0.9;

// Returns the stop words of a language.
const std::set<std::string>& common_words(const std::string& language) {
  static const auto set_of = [](const char* text) {
    std::istringstream in(text);
    std::set<std::string> words;
    for (std::string word; in >> word;) words.insert(word);
    return words;
  };
  static const std::map<std::string, std::set<std::string>> lists = {
      {"en",
       set_of("a about an and any are as at be been between by can did do does for from has have how i if in into is it its "
              "may me must my not of on one or our s so some such than that the there these this those to us use used using "
              "was we were what when where which who why will with would you your")},
      {"de",
       set_of("am an auf aus bei das dem den der des die ein eine einen er es für gegen hat ich im in ist man mein mit nach "
              "pro sie und viel von wann was welche welchen wer wie wir wo zu zum zur über")},
      {"fr",
       set_of("a au aux c ce cet cette chez d dans de des du elle en est et faut il j je l la le les ma mon ne on ou où par "
              "pour pourquoi quand que quel quelle quelles quels qui s se sur t un une à")},
      {"es",
       set_of("a al como con cuándo cuánto de del dónde el en es la las lo los me mi para por qué que quién se su un una y")},
      {"tr", set_of("bir bu da de kim mi mı ne neye nerede nasıl var ve zaman")},
  };
  const auto found = lists.find(language);
  return found == lists.end() ? lists.at("en") : found->second;
}

bool is_word_char(char32_t c) {
  if (c < 0x80) return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return c > 0xBF && (c < 0x2000 || c > 0x206F) && (c < 0x3000 || c > 0x303F);  // punctuation of Latin scripts, general and CJK
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (is_word_char(utf8::next(text, at))) words.back() += text.substr(begin, at - begin);
    else if (!words.back().empty()) words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  for (std::string& word : words) word = fold(word);
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

double gain(const std::vector<int>& grades) {
  double sum = 0;
  for (std::size_t i = 0; i < std::min(grades.size(), kDepth); ++i)
    sum += (std::exp2(grades[i]) - 1) / std::log2(static_cast<double>(i) + 2);
  return sum;
}

double ndcg(const std::vector<std::string>& ranked, const std::map<std::string, int>& truth) {
  std::vector<int> best, had;
  for (const auto& [id, grade] : truth) best.push_back(grade);
  std::ranges::sort(best, std::greater());
  for (const std::string& id : ranked) had.push_back(truth.contains(id) ? truth.at(id) : 0);
  const double ideal = gain(best);
  return ideal > 0 ? gain(had) / ideal : 0;
}

// The score of one way of searching over all queries.
struct Score {
  double sum = 0;
  std::size_t asked = 0, empty = 0, in_first_three = 0;

  bool add(const std::vector<std::string>& ranked, const std::map<std::string, int>& truth) {
    sum += ndcg(ranked, truth);
    ++asked;
    empty += ranked.empty() ? 1 : 0;
    const auto end = ranked.begin() + static_cast<std::ptrdiff_t>(std::min(ranked.size(), kFirst));
    const bool answered =
        std::any_of(ranked.begin(), end, [&](const std::string& id) { return truth.contains(id) && truth.at(id) == kAnswer; });
    in_first_three += answered ? 1 : 0;
    return answered;
  }
  double mean() const { return asked == 0 ? 0 : sum / static_cast<double>(asked); }
  double first_three() const { return asked == 0 ? 0 : static_cast<double>(in_first_three) / static_cast<double>(asked); }
};

struct Form {
  std::string name;
  double bar;
  Score ladder = {}, plain = {}, stemmed = {};

  const Score& floor() const { return plain.mean() > stemmed.mean() ? plain : stemmed; }
};

class Measurement {
 public:
  explicit Measurement(Collection& collection)
      : collection_(collection),
        plain_("unicode61", collection.documents()),
        stemmed_("porter unicode61", collection.documents()) {}

  void run(bool misses) {
    for (const JudgedQuestion& question : collection_.questions()) {
      const std::vector<std::string> words = words_of(question.text);
      std::vector<std::string> content = words;
      std::erase_if(content, [&](const std::string& word) { return common_words(question.language).contains(word); });
      if (content.empty()) content = words;
      const bool answered = ask(whole_, question, question.text, words);
      Score& language = languages_[question.language];
      language.in_first_three += answered ? 1 : 0;
      ++language.asked;
      if (misses && !answered) {
        std::vector<std::string> found = collection_.ask(question.text);
        found.resize(std::min(found.size(), kFirst));
        progress(format("{:>4} {} {}  -  {}", question.id, question.language, question.text, joined(found)));
      }
      ask(content_, question, joined(content), content);
      const std::vector<std::string> rarest = rarest_of(content);
      ask(rarest_, question, joined(rarest), rarest);
    }
  }

  int report() const {
    Report report(format("{} questions, {} documents; nDCG@10", collection_.questions().size(), collection_.documents().size()));
    for (const Form* form : {&whole_, &content_, &rarest_}) {
      report.at_least(form->name, format("{:.3f}", form->ladder.mean()),
                      format("{:.3f} plain, {:.3f} porter", form->plain.mean(), form->stemmed.mean()),
                      form->ladder.mean() / std::max(form->floor().mean(), 0.001), form->bar);
    }
    for (const Form* form : {&whole_, &content_, &rarest_})
      report.below(form->name + ": without a hit", format("{} of {}", form->ladder.empty, form->ladder.asked),
                   form != &whole_ || form->ladder.empty == 0, form == &whole_ ? "0" : "-");
    if (collection_.is_life()) {
      const Score& floor = whole_.plain.first_three() > whole_.stemmed.first_three() ? whole_.plain : whole_.stemmed;
      report.below("answer in the first three hits (floor " + format("{:.2f})", floor.first_three()),
                   format("{:.2f}", whole_.ladder.first_three()), whole_.ladder.first_three() >= kLeastFirstThree,
                   format(">= {}", kLeastFirstThree));
      for (const auto& [language, score] : languages_)
        report.below("  of the questions in " + language, format("{} of {}", score.in_first_three, score.asked), true, "-");
    }
    report.print();
    return report.exit_code();
  }

 private:
  bool ask(Form& form, const JudgedQuestion& question, const std::string& text, const std::vector<std::string>& words) {
    form.plain.add(plain_.ask(words), question.grades);
    form.stemmed.add(stemmed_.ask(words), question.grades);
    return form.ladder.add(collection_.ask(text), question.grades);
  }

  std::vector<std::string> rarest_of(std::vector<std::string> words) {
    const auto rarity = [&](const std::string& word) {
      const std::int64_t documents = plain_.documents_with(word);
      return documents == 0 ? std::numeric_limits<std::int64_t>::max() : documents;  // a word in no document would never match
    };
    std::vector<std::string> distinct;
    for (const std::string& word : words) {
      if (std::ranges::find(distinct, word) == distinct.end()) distinct.push_back(word);
    }
    std::ranges::stable_sort(distinct, {}, rarity);
    distinct.resize(std::min(distinct.size(), kRarest));
    return distinct;
  }

  Collection& collection_;
  RelevanceFloor plain_, stemmed_;
  Form whole_{"whole questions", kLeastWhole}, content_{"content words", kLeastWhole},
      rarest_{"the three rarest words", kLeastRarest};
  std::map<std::string, Score> languages_;
};

int run(int argc, char** argv) {
  std::filesystem::path folder = DEFAULT_COLLECTION;
  bool misses = false;
  for (const std::string_view word : std::vector<std::string_view>(argv + 1, argv + argc)) {
    if (word == "--misses") misses = true;
    else folder = word;
  }
  Collection collection(folder);
  Measurement measurement(collection);
  measurement.run(misses);
  return measurement.report();
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) { return ladder::bench::run(argc, argv); }
