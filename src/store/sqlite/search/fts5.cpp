// The tokenizer only splits what store/text/passages.h prepared: words with spaces between them, and pairs of characters behind a
// mark, which share the position of the word before them. Folding and cutting happened before, alike for both engines.
#include "store/sqlite/search/fts5.h"

#include "store/sqlite/engine/connection.h"
#include "store/text/passages.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>
#include <ranges>
#include <string_view>
#include <utility>

namespace ladder::store::sqlite {
namespace {

using GiveToken = int (*)(void*, int, const char*, int, int, int);

// It has no state, but FTS5 wants to hold one.
int make_tokenizer(void* state, const char**, int, Fts5Tokenizer** made) {
  *made = static_cast<Fts5Tokenizer*>(state);
  return SQLITE_OK;
}

void drop_tokenizer(Fts5Tokenizer*) {}

// In a query every word has a place of its own: a pair stands there instead of its first character.
int tokenize(Fts5Tokenizer*, void* context, int flags, const char* text, int size, GiveToken give) {
  const bool query = (flags & FTS5_TOKENIZE_QUERY) != 0;
  const char* const end = text + size;
  for (const char* at = text; at < end;) {
    const void* const space = std::memchr(at, ' ', static_cast<std::size_t>(end - at));
    const char* const stop = space ? static_cast<const char*>(space) : end;
    if (stop > at) {
      const bool beside = *at == kPairMark && !query;
      const int rc = give(context, beside ? FTS5_TOKEN_COLOCATED : 0, at, static_cast<int>(stop - at),
                          static_cast<int>(at - text), static_cast<int>(stop - text));
      if (rc != SQLITE_OK) return rc;
    }
    at = stop + 1;
  }
  return SQLITE_OK;
}

void show_hit(const Fts5ExtensionApi* api, Fts5Context* context, sqlite3_context* answer, int, sqlite3_value**) {
  HitSink* const sink = *static_cast<HitSink**>(api->xUserData(context));
  try {
    sqlite3_result_int(answer, sink && sink->hit(*api, context) ? 1 : 0);
  } catch (const std::bad_alloc&) {  // must not pass through the frames of C
    sqlite3_result_error_nomem(answer);
  }
}

fts5_api* find_api(sqlite3* db) {
  fts5_api* api = nullptr;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &statement, nullptr) == SQLITE_OK) {
    sqlite3_bind_pointer(statement, 1, static_cast<void*>(&api), "fts5_api_ptr", nullptr);
    sqlite3_step(statement);
  }
  sqlite3_finalize(statement);
  return api;
}

}  // namespace

Status register_words(sqlite3* db, HitSink** sink) {
  fts5_api* const api = find_api(db);
  if (!api) return std::unexpected(sqlite_error(db, sqlite3_errcode(db), "looking for FTS5"));
  static char state;
  fts5_tokenizer tokenizer{make_tokenizer, drop_tokenizer, tokenize};
  if (const int rc = api->xCreateTokenizer(api, "ladder", &state, &tokenizer, nullptr); rc != SQLITE_OK) {
    return std::unexpected(sqlite_error(db, rc, "adding the tokenizer"));
  }
  if (const int rc = api->xCreateFunction(api, "ladder_hit", static_cast<void*>(sink), show_hit, nullptr); rc != SQLITE_OK) {
    return std::unexpected(sqlite_error(db, rc, "adding the function that sees hits"));
  }
  return {};
}

std::vector<std::string> words_of_form(std::string_view form) {
  std::vector<std::string> words;
  for (const auto word : std::views::split(form, ' ')) words.emplace_back(word.begin(), word.end());
  return words;
}

std::vector<std::string> words_of(const WordQuery& query) {
  std::vector<std::string> words;
  for (const auto* const terms : {&query.terms, &query.excluded}) {
    for (const WordTerm& term : *terms) {
      words.insert(words.end(), term.words.begin(), term.words.end());
      for (const std::string& form : term.forms) std::ranges::move(words_of_form(form), std::back_inserter(words));
    }
  }
  std::ranges::sort(words);
  words.erase(std::ranges::unique(words).begin(), words.end());
  return words;
}

namespace {

using Kind = PhraseMeaning::Kind;

// Writes an expression, phrase by phrase.
class Maker {
 public:
  explicit Maker(const WordQuery& query) : query_(query) {}

  void open() {
    made_.text += '(';
    begins_ = true;
  }
  void next_group() {
    made_.text += ") AND (";
    begins_ = true;
    group_ = made_.groups++;
  }
  void beside() {
    made_.text += ") AND (";
    begins_ = true;
    group_ = PhraseMeaning::kBeside;
  }
  void close() { made_.text += ')'; }
  void term(std::size_t number, bool again = false) {
    const WordTerm& term = query_.terms[number];
    add({again ? Kind::kAgain : Kind::kTerm, number, term.words, term.prefix, group_});
    for (const std::string& form : term.forms) {
      add({again ? Kind::kAgain : Kind::kForm, number, words_of_form(form), false, group_});
    }
  }
  void excluded() {
    for (std::size_t i = 0; i < query_.excluded.size(); ++i) {
      add({Kind::kExcluded, i, query_.excluded[i].words, query_.excluded[i].prefix, group_});
    }
  }
  WordExpression take() { return std::move(made_); }

 private:
  // Words have neither quotes nor spaces in them.
  void add(PhraseMeaning phrase) {
    if (!begins_) made_.text += " OR ";
    begins_ = false;
    made_.text += '"';
    for (std::size_t i = 0; i < phrase.words.size(); ++i) made_.text += (i == 0 ? "" : " ") + phrase.words[i];
    made_.text += phrase.prefix ? "\" *" : "\"";
    made_.phrases.push_back(std::move(phrase));
  }

  const WordQuery& query_;
  WordExpression made_;
  std::size_t group_ = 0;
  bool begins_ = true;
};

bool finds(const WordWeights& weights, std::size_t term) { return (weights.finders >> term & 1) != 0; }

}  // namespace

WordExpression WordTerms::candidates(const WordWeights& weights) const {
  Maker maker(query_);
  std::vector<std::size_t> in, beside;
  const bool must = std::ranges::any_of(query_.terms, &WordTerm::must);
  for (std::size_t term = 0; term < query_.terms.size(); ++term) {
    ((must ? query_.terms[term].must : finds(weights, term)) ? in : beside).push_back(term);
  }
  maker.open();
  for (const std::size_t term : in) {
    if (must && term != in.front()) maker.next_group();
    maker.term(term);
  }
  if (beside.empty() && query_.excluded.empty()) {
    maker.close();
    return maker.take();
  }
  // FTS5's NOT would look at columns that do not count. "A or else X" is true wherever A is, and tells where X is.
  maker.beside();
  for (const std::size_t term : in) {
    maker.term(term, true);
    if (must) break;
  }
  for (const std::size_t term : beside) maker.term(term);
  maker.excluded();
  maker.close();
  return maker.take();
}

WordExpression WordTerms::finders(const WordWeights& weights) const {
  Maker maker(query_);
  const auto must = std::ranges::find_if(query_.terms, &WordTerm::must);
  for (std::size_t term = 0; term < query_.terms.size(); ++term) {
    if (must == query_.terms.end() ? finds(weights, term) : &query_.terms[term] == &*must) maker.term(term);
  }
  return maker.take();
}

WordExpression WordTerms::any() const {
  Maker maker(query_);
  for (std::size_t term = 0; term < query_.terms.size(); ++term) maker.term(term);
  maker.excluded();
  return maker.take();
}

WordExpression WordTerms::one(std::size_t term) const {
  Maker maker(query_);
  maker.term(term);
  return maker.take();
}

}  // namespace ladder::store::sqlite
