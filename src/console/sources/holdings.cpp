#include "console/sources/holdings.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "console/parts.h"
#include "console/reading/look.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <set>

namespace ladder::console {
namespace {

constexpr auto kCountTimeout = std::chrono::milliseconds(150);  // per stream; counters answer immediately or are not ready

// Returns the owner access with a short deadline, so that a full scan is cancelled.
server::Access with_short_deadline(const server::Access& owner) {
  server::Access limited = owner;
  limited.set_arrived(std::chrono::steady_clock::now() - std::chrono::milliseconds(limits::kScanDeadlineMs) + kCountTimeout);
  return limited;
}

// Parses a key such as "2026-01-01", in quotes.
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

Status add_years(server::Reads& reads, const server::Access& owner, const api::StreamView& stream, Holding& holding) {
  const api::FieldView* const time = time_field(stream);
  if (!time || !stream.count_aggregation || !time->group_by_time.usable) return {};
  api::AggregateRequest request;
  request.scope.connection_id = holding.connection.connection_id;
  request.stream = stream.name;
  request.group_by_time = time->name;
  request.granularity = api::Granularity::kYear;
  request.limit = 100;
  const auto counted = reads.aggregate(with_short_deadline(owner), request);
  if (!counted && counted.error().code == Code::kDeadline) return {};
  if (!counted) return std::unexpected(counted.error());
  for (const api::Group& group : counted->groups) {
    if (const auto year = year_of(group.key_json)) holding.by_year[*year] += group.count;
  }
  return {};
}

Status add_period(server::Reads& reads, const server::Access& owner, const api::StreamView& stream, Holding& holding) {
  if (stream.consent_time_field.empty()) return {};
  api::RecordsRequest request;
  request.scope.connection_id = holding.connection.connection_id;
  request.stream = stream.name;
  request.limit = 1;
  request.fields = stream.primary_key;
  request.window = true;
  const auto page = reads.records(with_short_deadline(owner), request);
  if (!page && page.error().code == Code::kDeadline) return {};
  if (!page) return std::unexpected(page.error());
  if (!page->window) return {};
  const auto earliest = parse_time(page->window->earliest_at), latest = parse_time(page->window->latest_at);
  if (earliest) holding.first = std::min(holding.first.value_or(*earliest), *earliest);
  if (latest) holding.last = std::max(holding.last.value_or(*latest), *latest);
  return {};
}

std::vector<std::string> link_streams(const api::SchemaView& schema, const std::string& source_key) {
  std::vector<std::string> names;
  for (const api::SourceView& source : schema.sources) {
    if (source.connector_key != source_key) continue;
    for (const api::StreamView& stream : source.streams) {
      if (only_links(source, stream)) names.push_back(stream.name);
    }
  }
  return names;
}

bool has_own_name(const server::ConnectionSummary& connection, const std::string& source_name) {
  const std::string& own = connection.display_name;
  return !own.empty() && own != connection.connection_id && own != connection.source_key && own != source_name;
}

void name(std::vector<Holding>& all, const api::SchemaView& schema) {
  for (Holding& holding : all) {
    const server::ConnectionSummary& connection = holding.connection;
    const auto source = std::ranges::find(schema.sources, connection.source_key, &api::SourceView::connector_key);
    const std::string shown =
        source == schema.sources.end() || source->display_name.empty() ? connection.source_key : source->display_name;
    holding.source_name = shown;
    // The name of the source is enough for the only connection without a name.
    const bool alone = std::ranges::count_if(all, [&](const Holding& one) {
                         return one.connection.source_key == connection.source_key && !has_own_name(one.connection, shown);
                       }) == 1;
    const bool is_named = has_own_name(connection, shown);
    holding.name = is_named ? connection.display_name : alone ? shown : connection.connection_id;
    holding.detail = holding.name == shown ? "" : shown;
  }
}

}  // namespace

bool Holding::only_links(std::string_view stream) const { return std::ranges::find(link_streams, stream) != link_streams.end(); }

std::int64_t Holding::lost() const {
  std::int64_t sum = 0;
  for (const server::ImportAccount& account : imports) sum += account.lost;
  return sum;
}

bool Holding::broken_off() const {
  return std::ranges::any_of(imports, [](const server::ImportAccount& account) { return !account.complete; });
}

void exclude_running_imports(std::vector<Holding>& holdings, Instant since) {
  for (Holding& holding : holdings) {
    for (server::ImportAccount& account : holding.imports) account.complete = account.complete || account.kept_at >= since;
  }
}

Result<std::vector<Holding>> holdings(server::Sources& sources, server::Reads& reads, server::Imports& imports,
                                      const server::Access& owner, Depth depth) {
  LADDER_TRY(auto connections, sources.connections(owner));
  api::SchemaRequest all;
  all.counted = false;
  LADDER_TRY(const api::SchemaView schema, reads.schema(owner, all));
  std::vector<Holding> made;
  for (server::ConnectionSummary& connection : connections) {
    Holding& holding = made.emplace_back();
    holding.connection = std::move(connection);
    holding.link_streams = link_streams(schema, holding.connection.source_key);
    for (const auto& stream : holding.connection.streams) {
      if (!holding.only_links(stream.stream)) holding.records += stream.records;
    }
    auto accounts = imports.accounts(owner, holding.connection.connection_id);
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
      LADDER_CHECK(depth == Depth::kYears ? add_years(reads, owner, stream, holding) : add_period(reads, owner, stream, holding));
    }
  }
  name(made, schema);
  std::ranges::stable_sort(made, std::greater{}, &Holding::last_import);
  return made;
}

namespace {

void add_to(Holding& group, const Holding& member) {
  group.records += member.records;
  for (const auto& [year, count] : member.by_year) group.by_year[year] += count;
  if (member.first) group.first = std::min(group.first.value_or(*member.first), *member.first);
  if (member.last) group.last = std::max(group.last.value_or(*member.last), *member.last);
  group.imports.insert(group.imports.end(), member.imports.begin(), member.imports.end());
}

constexpr int kPastYears = 39,
              kFutureYears = 2;  // years before and after this year to draw; a wrong date does not flatten the bars
constexpr int kMinYears = 10;    // minimum number of years
constexpr int kYearWidth = 10, kHeight = 34;
constexpr int kAxisSteps = 5;

struct Years {
  int first = 0, last = 0;
  int step = 1;  // years between labels; the first and last year are labeled
};

Years drawn_years(const std::vector<Holding>& holdings, int this_year) {
  Years years{this_year, this_year, 1};
  for (const Holding& holding : holdings) {
    if (holding.by_year.empty()) continue;
    years.first = std::min(years.first, holding.by_year.begin()->first);
    years.last = std::max(years.last, holding.by_year.rbegin()->first);
  }
  years.last = std::min(years.last, this_year + kFutureYears);
  years.first = std::min(std::max(years.first, this_year - kPastYears), years.last - kMinYears + 1);
  years.step = (years.last - years.first + kAxisSteps - 1) / kAxisSteps;
  const int steps = (years.last - years.first + years.step - 1) / years.step;
  years.first = years.last - steps * years.step;
  return years;
}

std::string span_text(const Holding& holding) {
  if (holding.by_year.empty()) return format("{}: {} records", holding.name, grouped(holding.records));
  const int first = holding.by_year.begin()->first, last = holding.by_year.rbegin()->first;
  const std::string span = first == last ? std::to_string(first) : format("{} to {}", first, last);
  return format("{}: {} records, {}", holding.name, grouped(holding.records), span);
}

Writer bars(const Holding& holding, const Years& years) {
  std::int64_t most = 0;
  for (const auto& [year, count] : holding.by_year) {
    if (year >= years.first && year <= years.last) most = std::max(most, count);
  }
  Writer out;
  // Lowercase, because Attribute allows nothing else. HTML parsers correct it.
  const int width = (years.last - years.first + 1) * kYearWidth;
  out << Markup("<svg class=\"years\"") << Attribute("viewbox", format("0 0 {} {}", width, kHeight))
      << Markup(" preserveAspectRatio=\"none\" role=\"img\"") << Attribute("aria-label", span_text(holding)) << Markup(">");
  for (const auto& [year, count] : holding.by_year) {
    if (year < years.first || year > years.last || count == 0) continue;
    const double height = std::max(1.0, kHeight * static_cast<double>(count) / static_cast<double>(most));
    out << Markup("<rect") << Attribute("x", format("{:.1f}", (year - years.first) * kYearWidth + 1.6))
        << Attribute("y", format("{:.1f}", kHeight - height)) << Markup(" width=\"6.8\"")
        << Attribute("height", format("{:.1f}", height)) << Markup("/>");
  }
  out << Markup("</svg>");
  return out;
}

Writer axis(const Years& years) {
  Writer out;
  out << Markup("<div class=\"span-row\"><span class=\"axis\" aria-hidden=\"true\">");
  for (int year = years.first; year <= years.last; year += years.step) {
    out << Markup("<span>") << Text(std::to_string(year)) << Markup("</span>");
  }
  out << Markup("</span></div>");
  return out;
}

Writer year_table(const std::vector<Holding>& holdings) {
  std::set<int> years;
  for (const Holding& holding : holdings) {
    for (const auto& [year, count] : holding.by_year) years.insert(year);
  }
  Writer out;
  out << Markup(
      "<details><summary>The same as a table</summary><div class=\"scroll\" tabindex=\"0\" role=\"group\" "
      "aria-label=\"Records by source and year\"><table class=\"table\"><caption class=\"unseen\">Records by source "
      "and year</caption><thead><tr><th scope=\"col\">Year</th>");
  for (const Holding& holding : holdings) {
    out << Markup("<th scope=\"col\" class=\"n\"><bdi>") << Text(holding.name) << Markup("</bdi></th>");
  }
  out << Markup("</tr></thead><tbody>");
  for (const int year : years) {
    out << Markup("<tr><th scope=\"row\">") << Text(std::to_string(year)) << Markup("</th>");
    for (const Holding& holding : holdings) {
      const auto found = holding.by_year.find(year);
      out << Markup("<td class=\"n\">") << Text(found == holding.by_year.end() ? 0 : found->second) << Markup("</td>");
    }
    out << Markup("</tr>");
  }
  out << Markup("</tbody></table></div></details>");
  return out;
}

}  // namespace

std::vector<Holding> arranged(const std::vector<Holding>& holdings, const Arrangement& arrangement) {
  std::vector<Holding> shown;
  std::map<std::string, std::size_t> groups;  // the place of each in `shown`
  for (const Holding& holding : holdings) {
    const std::string& id = holding.connection.connection_id;
    if (arrangement.is_hidden(id)) continue;
    const std::string group = arrangement.group_of(id);
    const auto known = groups.find(group);
    if (!group.empty() && known != groups.end()) {
      add_to(shown[known->second], holding);
      continue;
    }
    if (!group.empty()) groups[group] = shown.size();
    shown.push_back(holding);
    if (!group.empty()) shown.back().name = group;
  }
  return shown;
}

Writer timeline(const std::vector<Holding>& holdings, int this_year) {
  const Years years = drawn_years(holdings, this_year);
  Writer out;
  out << Markup("<div class=\"card stack\"><div class=\"span-rows\">");
  std::int64_t outside = 0;
  for (const Holding& holding : holdings) {
    out << Markup("<div class=\"span-row\"><span class=\"name\">") << pages::icon(source_icon(holding.connection.source_key))
        << Markup("<bdi") << Attribute("title", holding.name) << Markup(">") << Text(holding.name) << Markup("</bdi></span>")
        << bars(holding, years) << Markup("<span class=\"n\">") << Text(holding.records) << Markup("</span></div>");
    for (const auto& [year, count] : holding.by_year) outside += year < years.first || year > years.last ? count : 0;
  }
  out << axis(years) << Markup("</div>");
  if (outside > 0) {
    out << Markup("<p class=\"hint\">")
        << pages::plural(outside, "record is", "records are outside these years. The table includes all of them.</p>");
  }
  out << year_table(holdings) << Markup("</div>");
  return out;
}

}  // namespace ladder::console
