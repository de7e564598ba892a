// The filters of the Search page: menus with every choice and its number of records, and a chip for each active filter.
#include "base/text/format.h"
#include "console/explore/explore.h"
#include "console/parts.h"

#include <algorithm>

namespace ladder::console {
namespace {

Writer choice(Markup kind, Markup name, std::string_view value, std::string_view label, bool on, std::int64_t count) {
  Writer out;
  out << Markup("<label class=\"opt\"><input type=\"") << kind << Markup("\" name=\"") << name << Markup("\"")
      << Attribute("value", value);
  if (on) out << Markup(" checked");
  out << Markup("><span dir=\"auto\">") << Text(label) << Markup("</span>");
  if (count >= 0) out << Markup("<span class=\"num\">") << Text(count) << Markup("</span>");
  out << Markup("</label>");
  return out;
}

struct ConnectionOption {
  std::string value, name;  // value: as in ExploreQuery::source
};

// The visible connections; those of a group are one option. Duplicate names get the id appended.
std::vector<ConnectionOption> connection_options(const ShownStreams& streams) {
  std::vector<ConnectionOption> options;
  for (const ShownStream& one : streams.all()) {
    for (const api::ConnectionView& connection : one.stream->connections) {
      const std::string group = streams.arrangement().group_of(connection.connection_id);
      const std::string value = group.empty() ? connection.connection_id : std::string(Arrangement::kGroupPrefix) + group;
      if (std::ranges::find(options, value, &ConnectionOption::value) != options.end()) continue;
      options.push_back({value, streams.connection_name(connection.connection_id)});
    }
  }
  std::map<std::string, int> names;
  for (const ConnectionOption& option : options) ++names[option.name];
  for (ConnectionOption& option : options) {
    if (names[option.name] > 1) option.name += " (" + option.value + ")";
  }
  return options;
}

// Records that only belong to others are shown with those, unless the query names their kind.
bool is_left_out(const ExploreQuery& query, const ShownStream& stream) {
  return stream.only_links() && std::ranges::find(query.streams, stream.stream->name) == query.streams.end();
}

// The kinds to choose from.
std::vector<std::string> kinds_of(const ShownStreams& streams, const ExploreQuery& query) {
  std::vector<std::string> kinds;
  for (const ShownStream& one : streams.all()) {
    if (is_left_out(query, one)) continue;
    if (std::ranges::find(kinds, one.stream->name) == kinds.end()) kinds.push_back(one.stream->name);
  }
  return kinds;
}

// The records of a choice. Hits are not counted by choice, so a search shows no numbers.
std::int64_t count_of(const ExploreContext& context, const ExploreQuery& query, std::string_view source, std::string_view kind) {
  if (context.counts.empty() || !query.q.empty()) return -1;
  const auto connections = context.streams.arrangement().connections_of(source);
  std::int64_t sum = 0;
  for (const auto& [name, count] : context.counts) {
    const bool is_wanted =
        (source.empty() || std::ranges::find(connections, name.first) != connections.end()) &&
        (kind.empty() ? query.streams.empty() || std::ranges::find(query.streams, name.second) != query.streams.end()
                      : name.second == kind);
    if (is_wanted) sum += count;
  }
  return sum;
}

Writer date_field(Markup name, Markup label, const std::string& value) {
  Writer out;
  out << Markup("<div class=\"field\"><label for=\"") << name << Markup("\">") << label
      << Markup("</label><input class=\"input input-s\" type=\"date\" id=\"") << name << Markup("\" name=\"") << name
      << Markup("\"") << Attribute("value", value) << Markup("></div>");
  return out;
}

Writer filter_menu(Markup id, Markup label, const Writer& choices) {
  Writer out;
  out << Markup("<details class=\"drop-down\" name=\"filter\" data-menu><summary>") << label << icon(Icon::kDown)
      << Markup("</summary><fieldset class=\"sheet-menu\" id=\"") << id << Markup("\"><legend class=\"unseen\">") << label
      << Markup("</legend>") << choices << Markup("<button class=\"btn btn-s\">Apply</button></fieldset></details>");
  return out;
}

Writer chip(Markup what, std::string_view value, const ExploreQuery& without) {
  Writer out;
  out << Markup("<span class=\"chip\"><span>") << what << Markup(" <b dir=\"auto\">") << Text(value) << Markup("</b></span><a")
      << Attribute("href", without.viewer_address()) << Attribute("aria-label", "Remove the filter " + std::string(value))
      << Markup(">") << icon(Icon::kBad) << Markup("</a></span>");
  return out;
}

bool has_range(const ExploreQuery& query) { return query.since_time() || query.until_time(); }

// Counts the records of one stream in the range of dates.
Result<std::int64_t> count_in_range(const ExploreContext& context, const ExploreQuery& query, const ShownStream& stream,
                                    const std::string& connection_id) {
  if (!stream.is_dated()) return 0;
  api::RecordsRequest request;
  request.scope = {connection_id, stream.source->connector_key};
  request.stream = stream.stream->name;
  request.fields = line_fields(stream);
  request.max_field_chars = 1;
  request.limit = 1;
  request.count = api::CountKind::kExact;
  if (const auto since = query.since_time()) request.filters.push_back({stream.roles.time, "gte", format_time(*since)});
  if (const auto until = query.until_time()) request.filters.push_back({stream.roles.time, "lt", format_time(*until)});
  LADDER_TRY(const api::RecordsPage page, context.server.reads().records(context.viewer.access, request));
  return page.count.value;
}

}  // namespace

Result<RecordCounts> record_counts(const ExploreContext& context, const ExploreQuery& query) {
  RecordCounts counts;
  if (!context.viewer.is_owner()) return counts;
  if (!has_range(query) || !query.q.empty()) {
    LADDER_TRY(const auto connections, context.server.sources().connections(context.owner));
    for (const server::ConnectionSummary& connection : connections) {
      if (context.streams.arrangement().is_hidden(connection.connection_id)) continue;
      for (const auto& stream : connection.streams) counts[{connection.connection_id, stream.stream}] = stream.records;
    }
    for (const ShownStream& one : context.streams.all()) {
      if (!is_left_out(query, one)) continue;
      for (const api::ConnectionView& connection : one.stream->connections)
        counts.erase({connection.connection_id, one.stream->name});
    }
    return counts;
  }
  for (const ShownStream& one : context.streams.all()) {
    if (line_fields(one).empty() || is_left_out(query, one)) continue;
    for (const api::ConnectionView& connection : one.stream->connections) {
      LADDER_TRY(counts[std::pair(connection.connection_id, one.stream->name)],
                 count_in_range(context, query, one, connection.connection_id));
    }
  }
  return counts;
}

Writer filter_menus(const ExploreContext& context, const ExploreQuery& query) {
  Writer sources, kinds, dates, orders;
  sources << choice("radio", "source", "", "All", query.source.empty(), count_of(context, query, "", ""));
  for (const ConnectionOption& option : connection_options(context.streams)) {
    sources << choice("radio", "source", option.value, option.name, query.source == option.value,
                      count_of(context, query, option.value, ""));
  }
  for (const std::string& kind : kinds_of(context.streams, query)) {
    const bool on = std::ranges::find(query.streams, kind) != query.streams.end();
    kinds << choice("checkbox", "stream", kind, heading_of(kind), on, count_of(context, query, query.source, kind));
  }
  dates << date_field("since", "From", query.since) << date_field("until", "To", query.until);
  orders << choice("radio", "order", "", "Best match", query.order.empty(), -1)
         << choice("radio", "order", "newest", "Newest first", query.order == "newest", -1)
         << choice("radio", "order", "oldest", "Oldest first", query.order == "oldest", -1);
  Writer out;
  out << Markup("<div class=\"filterbar\">") << filter_menu("by-source", "Source", sources)
      << filter_menu("by-kind", "Kind", kinds) << filter_menu("by-date", "Date", dates) << filter_menu("by-order", "Sort", orders)
      << Markup("</div>");
  return out;
}

Writer filter_chips(const ExploreContext& context, const ExploreQuery& query) {
  Writer chips;
  ExploreQuery without = query;
  if (!query.source.empty()) {
    without.source.clear();
    const bool is_group = query.source.starts_with(Arrangement::kGroupPrefix);
    chips << chip(
        "Source",
        is_group ? query.source.substr(Arrangement::kGroupPrefix.size()) : context.streams.connection_name(query.source),
        without);
  }
  for (const std::string& kind : query.streams) {
    without = query;
    std::erase(without.streams, kind);
    chips << chip("Kind", heading_of(kind), without);
  }
  without = query;
  without.since.clear();
  if (!query.since.empty()) chips << chip("From", query.since, without);
  without = query;
  without.until.clear();
  if (!query.until.empty()) chips << chip("To", query.until, without);
  without = query;
  without.order.clear();
  if (!query.order.empty()) chips << chip("Sort", query.order == "newest" ? "newest first" : "oldest first", without);
  Writer out;
  if (chips.empty()) return out;
  ExploreQuery wide;
  wide.q = query.q;
  wide.as = query.as;
  out << Markup("<div class=\"filterbar\">") << chips << Markup("<a class=\"small\"") << Attribute("href", wide.viewer_address())
      << Markup(">Clear filters</a></div>");
  return out;
}

}  // namespace ladder::console
