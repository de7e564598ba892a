// The tokenizer only splits what store/passages.h prepared: words with spaces between them, and pairs of characters behind a
// mark, which share the position of the word before them. Folding and cutting happened before, alike for both engines.
#include "store/sqlite/word_tokenizer.h"

#include "store/passages.h"
#include "store/sqlite/errors.h"

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

}  // namespace ladder::store::sqlite
