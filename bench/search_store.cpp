#include "search_store.h"

#include "report.h"

#include "base/text/format.h"
#include "server/window/field_text.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace ladder::bench {
namespace {

constexpr std::int64_t kVocabulary = 20'000;
constexpr std::int64_t kPiece = 20'000;  // records per ingest call
constexpr Instant kFirstTime = 1'704'067'200 * kSecond;

std::string stream_name(int n) { return format("texts-{:03}", n); }

std::string declaration(int streams) {
  std::string text = R"({"protocol_version":"0.1.0","source":{"kind":"connector","id":"https://sources.example/texts"},
    "declaration_version":"1","publisher":{"id":"https://sources.example/"},"display":{"name":"Texts"},"streams":[)";
  for (int n = 0; n < streams; ++n) {
    text += format(R"({}{{"name":"{}","semantics":"mutable_state","primary_key":["id"],"cursor_field":"at",
      "consent_time_field":"at","selection":{{"fields":true,"resources":true}},"query":{{"search":{{"lexical_fields":["text"]}}}},
      "schema":{{"type":"object","required":["id","at"],"properties":{{"id":{{"type":"string"}},"text":{{"type":"string"}},
        "at":{{"type":"string","format":"date-time"}}}}}}}})",
                   n == 0 ? "" : ",", stream_name(n));
  }
  return text + "]}";
}

// Draws ranks by Zipf's law, with a precomputed cumulative distribution.
class Dice {
 public:
  Dice() {
    double sum = 0;
    for (std::int64_t rank = 0; rank < kVocabulary; ++rank) upto_.push_back(sum += 1.0 / static_cast<double>(rank + 1));
    for (double& share : upto_) share /= sum;
  }
  std::int64_t rank(double where) const { return std::ranges::lower_bound(upto_, where) - upto_.begin(); }

 private:
  std::vector<double> upto_;
};

std::string line_of(std::string_view id, std::int64_t n, std::string_view text) {
  return format(R"({{"key":"{}","data":{{"id":"{}","at":"{}","text":"{}"}}}})", id, id, format_time(kFirstTime + n * kSecond),
                text) +
         "\n";
}

class QuietObserver final : public server::IngestObserver {
 public:
  void durable_through(std::int64_t, const server::IngestReport&) override {}
};

}  // namespace

std::string zipf_word(std::int64_t rank) {
  std::string word;
  for (std::int64_t left = rank + 27; left > 0; left /= 26) word += static_cast<char>('a' + left % 26);
  return word + static_cast<char>('a' + rank % 7);
}

std::string zipf_text(std::int64_t n) {
  static const Dice dice;
  std::mt19937_64 random(static_cast<std::uint64_t>(n) + 1);
  std::uniform_real_distribution<double> anywhere(0, 1);
  std::string text;
  while (std::ssize(text) < kTextChars) text += zipf_word(dice.rank(anywhere(random))) + " ";
  text.resize(static_cast<std::size_t>(kTextChars));
  return text;
}

SearchStore::SearchStore(const std::string& engine, std::int64_t records, Spread spread, const std::string& keep,
                         std::string_view suffix)
    : place_(engine, keep, format("{}{}{}", records, spread == Spread::kOneStream ? "" : "_streams", suffix)),
      name_(place_.name_in_table()),
      records_(records),
      scene_(std::make_unique<Scene>(place_, place_.is_filled() ? Scene::Set::kAlready : Scene::Set::kUp)) {
  const int streams = spread == Spread::kOneStream ? 1 : kStreamCount;
  if (!place_.is_filled()) fill(streams);
  place_.note_filled();
  grant(streams);
}

void SearchStore::ingest(const std::string& stream, std::string_view lines) {
  server::TextBytes bytes(lines);
  server::LineSource source(bytes, limits::kMaxLineBytes);
  QuietObserver observer;
  const server::IngestReport report = must(server().ingest().put_records(scene_->owner(), {"texts", stream}, source, observer));
  if (report.accepted != report.attempted) give_up("not every line was taken: " + server::to_json(report).substr(0, 2000));
}

void SearchStore::fill(int streams) {
  progress(format("{}: writing {} records into {} streams", name_, records_, streams));
  must(server().sources().add(scene_->owner(), declaration(streams), "texts"));
  must(server().sources().add_connection(scene_->owner(), "texts", "", "texts"));
  const std::int64_t each = records_ / streams;
  for (int stream = 0; stream < streams; ++stream) {
    for (std::int64_t from = 0; from < each; from += kPiece) {
      std::string lines;
      for (std::int64_t i = from; i < std::min(from + kPiece, each); ++i) {
        const std::int64_t n = stream * each + i;
        lines += line_of(format("r{:07}", n), n, zipf_text(n));
      }
      ingest(stream_name(stream), lines);
    }
  }
  must(server().maintenance().sweep(scene_->owner(), Deadline::after(std::chrono::minutes(5))));
}

void SearchStore::grant(int streams) {
  server::GrantRequest request;
  request.client_id = "bench";
  for (int stream = 0; stream < streams; ++stream) {
    request.streams.push_back({.connection_id = "texts",
                               .stream = stream_name(stream),
                               .fields = {"id", "text", "at"},
                               .since = {},
                               .until = {},
                               .records = {}});
  }
  client_ = std::make_unique<server::Access>(
      must(server().accesses().authenticate(must(server().grants().create(scene_->owner(), request)).token)));
}

void SearchStore::put(const std::string& id, const std::string& text) { ingest(stream_name(0), line_of(id, 0, text)); }

}  // namespace ladder::bench
