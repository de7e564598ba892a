#include "growth_store.h"

#include "report.h"

#include "base/text/format.h"

#include <algorithm>

namespace ladder::bench {
namespace {

constexpr std::int64_t kPiece = 50'000;  // events per ingest call
constexpr Instant kSince = kFirstEvent + 182 * kDay, kUntil = kFirstEvent + 547 * kDay;

constexpr const char* kLogDeclaration = R"({"protocol_version":"0.1.0",
  "source":{"kind":"connector","id":"https://sources.example/log"},"declaration_version":"1",
  "publisher":{"id":"https://sources.example/"},"display":{"name":"Log"},
  "streams":[{"name":"events","semantics":"mutable_state","primary_key":["id"],"cursor_field":"at",
    "consent_time_field":"at","selection":{"fields":true,"resources":true},
    "query":{"range_filters":{"at":["gte","lt"],"size":["gte","lt"]},
      "aggregations":{"count":true,"sum":["size"],"group_by":["kind"],"group_by_time":["at"]}},
    "schema":{"type":"object","required":["id","at"],"properties":{"id":{"type":"string"},"kind":{"type":"string"},
      "size":{"type":"integer"},"text":{"type":"string"},"at":{"type":"string","format":"date-time"}}}},)";

std::string plain_stream(const std::string& name) {
  return format(R"({{"name":"{}","semantics":"mutable_state","primary_key":["id"],"cursor_field":"at",
    "consent_time_field":"at","selection":{{"fields":true,"resources":true}},
    "query":{{"range_filters":{{"at":["gte","lt"]}},"aggregations":{{"count":true,"group_by_time":["at"]}}}},
    "schema":{{"type":"object","required":["id","at"],"properties":{{"id":{{"type":"string"}},"text":{{"type":"string"}},
      "at":{{"type":"string","format":"date-time"}}}}}}}})",
                name);
}

std::string log_declaration() { return kLogDeclaration + plain_stream("logins") + "," + plain_stream("alarms") + "]}"; }

std::string wide_name(int n) { return format("stream-{:03}", n); }

std::string wide_declaration() {
  std::string text = R"({"protocol_version":"0.1.0","source":{"kind":"connector","id":"https://sources.example/wide"},
    "declaration_version":"1","publisher":{"id":"https://sources.example/"},"display":{"name":"Wide"},"streams":[)";
  for (int n = 0; n < kWideStreams; ++n) text += (n == 0 ? "" : ",") + plain_stream(wide_name(n));
  return text + "]}";
}

std::string event_line(std::int64_t n, std::int64_t events) {
  const std::string key = event_key(n);
  const std::int64_t chars = n % kLongEvery == 0 ? kLongChars : 40;
  return format(R"({{"key":"{}","data":{{"id":"{}","kind":"kind-{}","size":{},"at":"{}","text":"{}"}}}})", key, key,
                event_kind(n), event_size(n), format_time(event_time(n, events)), prose(chars, static_cast<std::uint64_t>(n))) +
         "\n";
}

// Returns records for one of the many streams.
std::string wide_lines(std::int64_t records) {
  std::string lines;
  for (std::int64_t n = 0; n < records; ++n) {
    lines +=
        format(R"({{"key":"{}","data":{{"id":"{}","at":"{}","text":"short"}}}})", n, n, format_time(event_time(n, records))) +
        "\n";
  }
  return lines;
}

}  // namespace

Instant event_time(std::int64_t n, std::int64_t events) {
  const std::int64_t milliseconds = kEventDays * kDay / 1000 / events * n;
  return kFirstEvent + milliseconds * 1000;
}
std::int64_t event_kind(std::int64_t n) { return n * 5 / 3 % kEventKinds; }
std::int64_t event_size(std::int64_t n) { return n * 717 % kEventSizes; }
std::string event_key(std::int64_t n) { return format("event-{:08}", n); }

GrowthStore::GrowthStore(const std::string& engine, std::int64_t events)
    : place_(engine), name_(place_.name_in_table()), events_(events), scene_(std::make_unique<Scene>(place_, Scene::Set::kUp)) {
  fill();
  owner_ = std::make_unique<server::Access>(scene_->owner());
  days_ = std::make_unique<server::Access>(client(kSince, kUntil));
  hours_ = std::make_unique<server::Access>(client(kSince + kDay / 2, kUntil + kDay / 2));
  api::RecordsRequest request;
  request.stream = "events";
  second_page_ = must(server().reads().records(owner(), request)).next_cursor;
}

void GrowthStore::fill() {
  progress(format("{}: writing {} records", name_, events_));
  const server::Access owner = scene_->owner();
  must(server().sources().add(owner, log_declaration(), "log"));
  must(server().sources().add_connection(owner, "log", "", "log"));
  must(server().sources().add(owner, wide_declaration(), "wide"));
  must(server().sources().add_connection(owner, "wide", "", "wide"));
  for (std::int64_t from = 0; from < events_; from += kPiece) {
    std::string lines;
    for (std::int64_t n = from; n < std::min(from + kPiece, events_); ++n) lines += event_line(n, events_);
    scene_->ingest({"log", "events"}, lines);
  }
  const std::string lines = wide_lines(std::max<std::int64_t>(2, events_ / 5'000));
  for (int n = 0; n < kWideStreams; ++n) scene_->ingest({"wide", wide_name(n)}, lines);
}

server::Access GrowthStore::client(Instant since, Instant until) {
  server::GrantRequest request;
  request.client_id = "bench";
  for (const char* stream : {"events", "logins", "alarms"}) {
    request.streams.push_back(
        {.connection_id = "log", .stream = stream, .fields = {}, .since = since, .until = until, .records = {}});
  }
  return must(server().accesses().authenticate(must(server().grants().create(scene_->owner(), request)).token));
}

}  // namespace ladder::bench
