#include "store/postgres/search/lexemes.h"

#include "store/postgres/engine/wire_values.h"
#include "store/text/passages.h"

#include <algorithm>
#include <bit>
#include <system_error>

namespace ladder::store::postgres {
namespace {

constexpr std::uint16_t kEarlyLabel = 3 << 14;  // A
constexpr std::int64_t kLastPosition = (1 << 14) - 1;

char column_letter(int column) { return static_cast<char>(column < 26 ? 'A' + column : 'a' + (column - 26)); }

void append_quoted(std::string& out, std::string_view prefix, std::string_view word) {
  out += '\'';
  out += prefix;
  for (const char c : word) {
    if (c == '\'' || c == '\\') out += c;
    out += c;
  }
  out += '\'';
}

void append_words(std::string& out, std::string_view prefix, const WordTerm& term) {
  for (std::size_t i = 0; i < term.words.size(); ++i) {
    if (i > 0) out += " <-> ";
    append_quoted(out, prefix, term.words[i]);
  }
  if (term.prefix) out += ":*";
}

template <class Use>
void each_column(WordColumns columns, Use use) {
  for (; columns != 0; columns &= columns - 1) use(std::countr_zero(columns));
}

void append_alternatives(std::string& out, std::string alternative) {
  if (!out.empty()) out += " | ";
  out += "(" + std::move(alternative) + ")";
}

// A form as a term of its own.
WordTerm form_alone(std::string_view form) {
  WordTerm alone;
  while (!form.empty()) {
    alone.words.emplace_back(form.substr(0, form.find(' ')));
    form.remove_prefix(std::min(form.size(), alone.words.back().size() + 1));
  }
  return alone;
}

}  // namespace

std::string lexeme_prefix(OwnerNo owner, int column) {
  std::string prefix = std::to_string(owner);
  prefix += column_letter(column);
  return prefix;
}

void WordVector::add(OwnerNo owner, int column, std::string_view passage_words, bool first) {
  const std::string prefix = lexeme_prefix(owner, column);
  std::int64_t position = 0;
  while (!passage_words.empty()) {
    const std::string_view word = passage_words.substr(0, passage_words.find(' '));
    passage_words.remove_prefix(std::min(passage_words.size(), word.size() + 1));
    if (!word.starts_with(kPairMark)) ++position;  // a pair stands where its first character does
    const auto kept = static_cast<std::uint16_t>(std::min(position, kLastPosition));
    const std::uint16_t label = first && position <= kEarlyWords ? kEarlyLabel : 0;
    entries_.push_back({.start = static_cast<std::uint32_t>(bytes_.size()),
                        .size = static_cast<std::uint32_t>(prefix.size() + word.size()),
                        .position = static_cast<std::uint16_t>(kept | label)});
    bytes_ += prefix;
    bytes_ += word;
  }
}

std::string WordVector::take() {
  std::ranges::stable_sort(entries_, {}, [this](const Entry& entry) { return lexeme(entry); });
  std::string out;
  out.reserve(bytes_.size() + entries_.size() * 5 + 4);
  put_big_endian<std::int32_t>(out, 0);
  std::int32_t lexemes = 0;
  for (auto from = entries_.begin(); from != entries_.end();) {
    const std::string_view name = lexeme(*from);
    const auto to = std::find_if(from, entries_.end(), [&](const Entry& entry) { return lexeme(entry) != name; });
    out += name;
    out += '\0';
    put_big_endian(out, static_cast<std::uint16_t>(to - from));
    for (; from != to; ++from) put_big_endian(out, from->position);
    ++lexemes;
  }
  const std::int32_t swapped = big_endian(lexemes);
  std::memcpy(out.data(), &swapped, sizeof swapped);
  bytes_.clear();
  entries_.clear();
  return out;
}

std::string term_query(OwnerNo owner, WordColumns columns, const WordTerm& term) {
  std::string query;
  each_column(columns, [&](int column) {
    std::string words;
    const std::string prefix = lexeme_prefix(owner, column);
    append_words(words, prefix, term);
    append_alternatives(query, std::move(words));
    for (const std::string& form : term.forms) {
      std::string phrase;
      append_words(phrase, prefix, form_alone(form));
      append_alternatives(query, std::move(phrase));
    }
  });
  return query;
}

std::string form_query(OwnerNo owner, WordColumns columns, std::string_view form) {
  return term_query(owner, columns, form_alone(form));
}

std::string query_array(std::span<const std::optional<std::string>> texts) {
  std::string out = "{";
  for (const auto& query : texts) {
    if (out.size() > 1) out += ',';
    if (!query) {
      out += "NULL";
      continue;
    }
    out += '"';
    for (const char c : *query) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    out += '"';
  }
  return out + "}";
}

namespace {

constexpr std::int64_t kMergedBytes = 384 * 1024;  // about twice as much in the list
constexpr std::size_t kSmallWrite = 32 * 1024;

// Any fixed number; programs that merge the same lists meet here.
constexpr Statement kMerge{R"(
  SELECT count(gin_clean_pending_list(c.oid)) FROM pg_catalog.pg_class c
  WHERE c.oid IN ('ladder.words_gin'::regclass, 'ladder.passages_gin'::regclass) AND pg_has_role(c.relowner, 'USAGE')
    AND pg_try_advisory_xact_lock(7663002))"};

}  // namespace

void NewWords::add(Pool& pool, std::size_t bytes) {
  const std::int64_t before = bytes_.fetch_add(static_cast<std::int64_t>(bytes));
  if (before + static_cast<std::int64_t>(bytes) < kMergedBytes) return;
  bytes_ = 0;
  if (bytes > kSmallWrite) (void)pool.run(merge);
  else merge_beside(pool);
}

void NewWords::merge_beside(Pool& pool) {
  if (merging_.exchange(true)) return;
  try {
    thread_ = std::jthread([this, &pool] {
      (void)pool.run(merge);
      merging_ = false;
      merging_.notify_all();
    });
  } catch (const std::system_error&) {  // there is no thread to be had: the next one tries again
    merging_ = false;
    merging_.notify_all();
  }
}

Status NewWords::merge(Connection& connection) {
  LADDER_TRY(const Rows merged, connection.run_one(kMerge));
  return {};
}

}  // namespace ladder::store::postgres
