// The tokenizer only splits what store/text/passages.h prepared: words with spaces between them, and pairs of characters behind a
// mark, which share the position of the word before them. Folding and cutting happened before, alike for both engines.
#include "store/sqlite/search/fts5.h"

#include "store/sqlite/engine/connection.h"
#include "store/text/passages.h"

#include <algorithm>
#include <cstring>
#include <new>

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

namespace {

using Kind = PhraseMeaning::Kind;

// Words have neither quotes nor spaces in them.
std::string phrase(const WordTerm& term) {
  std::string text = "\"";
  for (const std::string& word : term.words) {
    if (text.size() > 1) text += ' ';
    text += word;
  }
  text += '"';
  if (term.prefix) text += " *";
  return text;
}

// Writes an expression, phrase by phrase.
class Maker {
 public:
  explicit Maker(const WordQuery& query) : query_(query) {}

  void open() {
    made_.text += '(';
    begins_ = true;
  }
  void close() { made_.text += ')'; }
  void both() { made_.text += " AND "; }
  void term(std::size_t term, bool again = false) {
    add(phrase(query_.terms[term]), {again ? Kind::kAgain : Kind::kTerm, term});
    for (const std::string& form : query_.terms[term].forms) add('"' + form + '"', {again ? Kind::kAgain : Kind::kForm, term});
  }
  void excluded() {
    for (std::size_t i = 0; i < query_.excluded.size(); ++i) add(phrase(query_.excluded[i]), {Kind::kExcluded, i});
  }
  WordExpression take() { return std::move(made_); }

 private:
  void add(const std::string& text, PhraseMeaning meaning) {
    if (!begins_) made_.text += " OR ";
    begins_ = false;
    made_.text += text;
    made_.phrases.push_back(meaning);
  }

  const WordQuery& query_;
  WordExpression made_;
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
    if (must && term != in.front()) {
      maker.close();
      maker.both();
      maker.open();
    }
    maker.term(term);
  }
  maker.close();
  if (beside.empty() && query_.excluded.empty()) return maker.take();
  // FTS5's NOT would look at columns that do not count. "A or else X" is true wherever A is, and tells where X is.
  maker.both();
  maker.open();
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
