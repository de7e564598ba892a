#include "server/search/search_cursor.h"

#include "base/text/bytes.h"
#include "crypto/hash.h"
#include "store/search/top_hits.h"
#include "text/record_languages.h"

#include <set>

namespace ladder::server {
namespace {

constexpr std::string_view kPurpose = "search-cursor";
constexpr std::size_t kPadding = 128;
constexpr std::size_t kBindingBytes = 16;

void put_term(std::string& out, const text::WordTerm& term) {
  out += term.prefix ? '*' : '.';
  out += term.must ? '+' : '.';
  put_sized(out, term.field);
  put_varint(out, term.words.size());
  for (const std::string& word : term.words) put_sized(out, word);
}

void put_time(std::string& out, const std::optional<Instant>& time) {
  out += time ? '\1' : '\0';
  put_u64_be(out, static_cast<std::uint64_t>(time.value_or(0)));
}

// Writes the low bytes of a number in big-endian order.
void put_number(std::string& out, std::int64_t number, int bytes) {
  for (int at = bytes - 1; at >= 0; --at) out += static_cast<char>(number >> (8 * at) & 0xFF);
}

constexpr int kTermBytes = 2, kScoreBytes = 4, kHashBytes = 4;
constexpr std::int64_t kNoScore = 0xFFFF'FFFF;
constexpr std::size_t kMaxShown = 1'000;

// Writes the weights that the next page needs; feedback weights only if the next page still has measured hits.
void put_weights(std::string& out, const SearchPosition& position) {
  const text::WordWeights& weights = position.weights;
  put_varint(out, weights.terms.size());
  for (const std::int32_t weight : weights.terms) put_number(out, weight, kTermBytes);
  put_number(out, weights.finders, kScoreBytes);
  const bool measured = weights.measured_above != text::kNothingMeasured;
  put_number(out, measured ? weights.measured_above + 1 : kNoScore, kScoreBytes);
  put_number(out, weights.usual_chars, kScoreBytes);
  const bool used = measured && position.score > weights.measured_above;
  put_varint(out, used ? weights.feedback.size() : 0);
  if (!used) return;
  for (const text::FeedbackWord& word : weights.feedback) {
    put_number(out, word.hash, kHashBytes);
    put_number(out, word.weight, kTermBytes);
  }
}

void put_changes(std::string& out, const QueryChanges& changes) {
  put_varint(out, changes.chosen.size());
  for (const std::uint8_t term : changes.chosen) out += static_cast<char>(term);
  put_varint(out, changes.corrections.size());
  for (const Correction& correction : changes.corrections) {
    out += static_cast<char>(correction.term);
    put_varint(out, correction.words.size());
    for (const std::string& word : correction.words) put_sized(out, word);
  }
  put_varint(out, changes.splits.size());
  for (const Split& split : changes.splits) {
    out += static_cast<char>(split.term);
    for (const std::string& part : {split.parts.first, split.parts.second}) put_sized(out, part);
  }
  put_varint(out, changes.languages.size());
  for (const text::Language language : changes.languages) out += static_cast<char>(language);
}

void put_record(std::string& out, const SearchedRecord& record) {
  put_time(out, record.time);
  for (const std::string& text : {record.key, record.connection_id, record.stream}) put_sized(out, text);
}

// Reads back the serialized values; good() is false after malformed input.
class Unpacker {
 public:
  Unpacker(std::string_view bytes, std::size_t at) : bytes_(bytes), at_(at) {}
  bool good() const { return good_; }

  bool flag() {
    if (!has(1)) return false;
    return bytes_[at_++] != '\0';
  }
  std::int64_t number() {
    if (!has(8)) return 0;
    at_ += 8;
    return static_cast<std::int64_t>(get_u64_be(bytes_.substr(at_ - 8, 8)));
  }
  std::int64_t number(int bytes) {
    if (!has(static_cast<std::uint64_t>(bytes))) return 0;
    std::int64_t read = 0;
    for (; bytes > 0; --bytes) read = read << 8 | static_cast<unsigned char>(bytes_[at_++]);
    return read;
  }
  std::size_t count(std::size_t most) {
    const auto read = good_ ? get_varint(bytes_, at_) : std::nullopt;
    good_ = read && *read <= most;
    return good_ ? static_cast<std::size_t>(*read) : 0;
  }
  std::string text() {
    const auto read = good_ ? get_sized(bytes_, at_) : std::nullopt;
    good_ = read.has_value();
    return std::string(read.value_or(""));
  }
  std::optional<Instant> time() {
    const bool known = flag();
    const Instant at = number();
    return known ? std::optional(at) : std::nullopt;
  }
  SearchedRecord record() {
    SearchedRecord read;
    read.time = time();
    for (std::string* into : {&read.key, &read.connection_id, &read.stream}) *into = text();
    return read;
  }
  QueryChanges changes() {
    QueryChanges read;
    for (std::size_t left = count(text::kMaxWordTerms); left > 0; --left) read.chosen.push_back(byte());
    for (std::size_t left = count(text::kMaxWordTerms); left > 0; --left) {
      Correction& correction = read.corrections.emplace_back();
      correction.term = byte();
      for (std::size_t words = count(text::kMaxWordTerms); words > 0; --words) correction.words.push_back(text());
    }
    for (std::size_t left = count(text::kMaxWordTerms); left > 0; --left) {
      Split& split = read.splits.emplace_back();
      split.term = byte();
      for (std::string* part : {&split.parts.first, &split.parts.second}) *part = text();
    }
    for (std::size_t left = count(text::kMaxRecordLanguages); left > 0; --left) {
      const std::uint8_t language = byte();
      good_ = good_ && language < text::kLanguages;
      read.languages.push_back(static_cast<text::Language>(language));
    }
    return read;
  }
  std::uint8_t byte() { return static_cast<std::uint8_t>(number(1)); }
  text::WordWeights weights() {
    text::WordWeights read;
    for (std::size_t left = count(text::kMaxWordTerms); left > 0; --left)
      read.terms.push_back(static_cast<std::int32_t>(number(kTermBytes)));
    read.finders = static_cast<std::uint32_t>(number(kScoreBytes));
    const std::int64_t above = number(kScoreBytes);
    read.measured_above = above == kNoScore ? text::kNothingMeasured : above - 1;
    read.usual_chars = number(kScoreBytes);
    for (std::size_t left = count(store::kFeedbackWords); left > 0; --left) {
      const auto hash = static_cast<std::uint32_t>(number(kHashBytes));
      read.feedback.push_back({hash, static_cast<std::int32_t>(number(kTermBytes))});
    }
    return read;
  }

 private:
  bool has(std::uint64_t bytes) {
    good_ = good_ && bytes <= bytes_.size() - at_;
    return good_;
  }

  std::string_view bytes_;
  std::size_t at_;
  bool good_ = true;
};

}  // namespace

std::string search_binding(const Access& access, const api::SearchRequest& request, const text::WordQuery& query,
                           const std::set<std::string>& kinds) {
  std::string bytes;
  put_varint(bytes, static_cast<std::uint64_t>(access.owner()));
  std::set<std::string> grants;
  for (const auto& held : access.grants()) grants.insert(held->grant.grant_id);
  const std::set<std::string> streams(request.streams.begin(), request.streams.end());
  for (const auto& names : {grants, streams, kinds}) {
    put_varint(bytes, names.size());
    for (const std::string& name : names) put_sized(bytes, name);
  }
  for (const auto& terms : {query.terms, query.excluded}) {
    put_varint(bytes, terms.size());
    for (const text::WordTerm& term : terms) put_term(bytes, term);
  }
  put_sized(bytes, request.scope.connection_id);
  for (const std::string& id : request.connections) put_sized(bytes, id);
  put_time(bytes, request.since);
  put_time(bytes, request.until);
  bytes += static_cast<char>(request.order);
  put_sized(bytes, request.group);
  for (const std::string& wording : request.also) put_sized(bytes, wording);
  for (const api::Filter& filter : request.filters) {
    for (const std::string& part : {filter.field, filter.op, filter.value}) put_sized(bytes, part);
  }
  return std::string(crypto::view(crypto::sha256(bytes)).substr(0, kBindingBytes));
}

std::string seal_search(const crypto::Sealer& sealer, std::string_view binding, const SearchPosition& position) {
  std::string plain(binding);
  put_u64_be(plain, static_cast<std::uint64_t>(position.score));
  put_record(plain, position.last);
  put_weights(plain, position);
  plain += position.head_end ? '\1' : '\0';
  if (position.head_end) {
    put_u64_be(plain, static_cast<std::uint64_t>(position.head_end->score));
    put_record(plain, position.head_end->record);
  }
  put_changes(plain, position.changes);
  put_varint(plain, position.shown.size());
  for (const std::uint32_t hash : position.shown) put_number(plain, hash, kHashBytes);
  plain += position.times ? '\1' : '\0';
  if (position.times) {
    put_time(plain, position.times->since);
    put_time(plain, position.times->until);
  }
  plain.resize((plain.size() + kPadding - 1) / kPadding * kPadding, '\0');
  return sealer.seal_fresh(kPurpose, plain);
}

Result<SearchPosition> open_search(const crypto::Sealer& sealer, std::string_view binding, std::string_view sealed) {
  LADDER_TRY(const std::string plain, sealer.open(kPurpose, sealed));
  if (plain.size() < kBindingBytes || std::string_view(plain).substr(0, kBindingBytes) != binding) {
    return fail(
        Code::kCursorMismatch,
        "the cursor belongs to another search; use it with the words, streams, times and filters it came with, or start again "
        "without it",
        "cursor");
  }
  Unpacker unpacker(plain, kBindingBytes);
  SearchPosition position;
  position.score = unpacker.number();
  position.last = unpacker.record();
  position.weights = unpacker.weights();
  if (unpacker.flag()) {
    position.head_end.emplace();
    position.head_end->score = unpacker.number();
    position.head_end->record = unpacker.record();
  }
  position.changes = unpacker.changes();
  for (std::size_t left = unpacker.count(kMaxShown); left > 0; --left) {
    position.shown.push_back(static_cast<std::uint32_t>(unpacker.number(kHashBytes)));
  }
  if (unpacker.flag()) {
    position.times.emplace();
    position.times->since = unpacker.time();
    position.times->until = unpacker.time();
  }
  if (!unpacker.good()) {
    return fail(Code::kInvalidCursor, "the cursor is not one that this server made; start again without it", "cursor");
  }
  return position;
}

}  // namespace ladder::server
