#include "console/sources/holdings.h"

#include "base/limits.h"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace ladder::console {
namespace {

constexpr auto kPatience = std::chrono::milliseconds(150);  // for one stream: its counters answer at once or are not there

// The owner's access with so little time that a count by looking at every record is given up.
server::Access in_a_hurry(const server::Access& owner) {
  server::Access hurried = owner;
  hurried.set_arrived(std::chrono::steady_clock::now() - std::chrono::milliseconds(limits::kScanDeadlineMs) + kPatience);
  return hurried;
}

// Of a key such as "2026-01-01" in quotes.
std::optional<int> year_of(const std::optional<std::string>& key_json) {
  if (!key_json || key_json->size() < 6) return std::nullopt;
  int year = 0;
  const char* const begin = key_json->data() + 1;
  const auto [end, error] = std::from_chars(begin, key_json->data() + key_json->size(), year);
  return error == std::errc() && end > begin ? std::optional(year) : std::nullopt;
}

const api::FieldView* time_field(const api::StreamView& stream) {
  const auto found = std::ranges::find(stream.fields, stream.consent_time_field, &api::FieldView::name);
  return found == stream.fields.end() ? nullptr : &*found;
}

Status add_years(server::ResourceServer& server, const server::Access& owner, const api::StreamView& stream, Holding& holding) {
  const api::FieldView* const time = time_field(stream);
  if (!time || !stream.count_aggregation || !time->group_by_time.usable) return {};
  api::AggregateRequest request;
  request.scope.connection_id = holding.connection.connection_id;
  request.stream = stream.name;
  request.group_by_time = time->name;
  request.granularity = api::Granularity::kYear;
  request.limit = 100;
  const auto counted = server.aggregate(in_a_hurry(owner), request);
  if (!counted && counted.error().code == Code::kDeadline) return {};
  if (!counted) return std::unexpected(counted.error());
  for (const api::Group& group : counted->groups) {
    if (const auto year = year_of(group.key_json)) holding.by_year[*year] += group.count;
  }
  return {};
}

Status add_period(server::ResourceServer& server, const server::Access& owner, const api::StreamView& stream, Holding& holding) {
  if (stream.consent_time_field.empty()) return {};
  api::RecordsRequest request;
  request.scope.connection_id = holding.connection.connection_id;
  request.stream = stream.name;
  request.limit = 1;
  request.fields = stream.primary_key;
  request.window = true;
  const auto page = server.records(in_a_hurry(owner), request);
  if (!page && page.error().code == Code::kDeadline) return {};
  if (!page) return std::unexpected(page.error());
  if (!page->window) return {};
  const auto earliest = parse_time(page->window->earliest_at), latest = parse_time(page->window->latest_at);
  if (earliest) holding.first = std::min(holding.first.value_or(*earliest), *earliest);
  if (latest) holding.last = std::max(holding.last.value_or(*latest), *latest);
  return {};
}

void name(std::vector<Holding>& all, const api::SchemaView& schema) {
  for (Holding& holding : all) {
    const server::ConnectionSummary& connection = holding.connection;
    const auto source = std::ranges::find(schema.sources, connection.source_key, &api::SourceView::connector_key);
    const std::string shown =
        source == schema.sources.end() || source->display_name.empty() ? connection.source_key : source->display_name;
    const bool alone =
        std::ranges::count(all, connection.source_key, [](const Holding& one) { return one.connection.source_key; }) == 1;
    const std::string own = connection.display_name.empty() ? connection.connection_id : connection.display_name;
    holding.name = alone ? shown : own;
    holding.detail = !alone ? shown : own != connection.source_key && own != shown ? own : "";
  }
}

}  // namespace

std::int64_t Holding::lost() const {
  std::int64_t sum = 0;
  for (const server::ImportAccount& account : imports) sum += account.lost;
  return sum;
}

bool Holding::broken_off() const {
  return std::ranges::any_of(imports, [](const server::ImportAccount& account) { return !account.complete; });
}

void leave_out_running(std::vector<Holding>& holdings, Instant since) {
  for (Holding& holding : holdings) {
    for (server::ImportAccount& account : holding.imports) account.complete = account.complete || account.kept_at >= since;
  }
}

Result<std::vector<Holding>> holdings(server::ResourceServer& server, const server::Access& owner, Depth depth) {
  LADDER_TRY(auto connections, server.connections(owner));
  api::SchemaRequest all;
  all.counted = false;
  LADDER_TRY(const api::SchemaView schema, server.schema(owner, all));
  std::vector<Holding> made;
  for (server::ConnectionSummary& connection : connections) {
    Holding& holding = made.emplace_back();
    holding.connection = std::move(connection);
    for (const auto& stream : holding.connection.streams) holding.records += stream.records;
    auto accounts = server::import_accounts(server, owner, holding.connection.connection_id);
    if (accounts) holding.imports = *std::move(accounts);
    else if (accounts.error().code != Code::kConnectionNotFound) return std::unexpected(accounts.error());
    std::ranges::stable_sort(holding.imports, std::greater{}, &server::ImportAccount::kept_at);
    if (depth == Depth::kCounts || holding.connection.status != "active") continue;
    const auto source = std::ranges::find(schema.sources, holding.connection.source_key, &api::SourceView::connector_key);
    if (source == schema.sources.end()) continue;
    for (const api::StreamView& stream : source->streams) {
      const auto count =
          std::ranges::find(holding.connection.streams, stream.name, &server::ConnectionSummary::StreamCount::stream);
      if (count == holding.connection.streams.end() || count->records == 0) continue;
      LADDER_CHECK(depth == Depth::kYears ? add_years(server, owner, stream, holding)
                                          : add_period(server, owner, stream, holding));
    }
  }
  name(made, schema);
  std::ranges::stable_sort(made, std::greater{}, &Holding::last_import);
  return made;
}

}  // namespace ladder::console
