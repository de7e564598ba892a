// Merges the newest records of all streams into one list: up to now, then those with a later time, then those without one. Each
// stream keeps its own cursor in each part, so a page reads at most one page per stream and part.
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "console/explore/explore.h"
#include "console/parts.h"
#include "console/reading/names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

namespace ladder::console {
namespace {

using html::Prose;

constexpr std::int64_t kPreviewChars = 200;
constexpr std::string_view kEndOfStream = "-";  // cursor of an exhausted stream

// The list cursor: the upper time limit, and the cursor of every stream read so far.
struct ListCursor {
  Instant upto = 0;
  std::map<std::string, std::string> streams;  // by source and stream

  std::string text() const {
    std::string out = std::to_string(upto);
    for (const auto& [name, cursor] : streams) (((out += '\n') += name) += '\t') += cursor;
    return out;
  }

  static Result<ListCursor> of(const std::string& text, Instant now) {
    ListCursor read{now, {}};
    if (text.empty()) return read;
    std::string_view rest = text;
    const auto line = [&] {
      const std::string_view taken = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), taken.size() + 1));
      return taken;
    };
    const std::string_view upto = line();
    const auto [end, error] = std::from_chars(upto.data(), upto.data() + upto.size(), read.upto);
    if (error != std::errc() || end != upto.data() + upto.size()) {
      return fail(Code::kInvalidCursor, "the list cannot continue from this cursor; start again", "cursor");
    }
    while (!rest.empty()) {
      const std::string_view one = line();
      const std::size_t tab = one.find('\t');
      if (tab != std::string_view::npos) read.streams[std::string(one.substr(0, tab))] = one.substr(tab + 1);
    }
    return read;
  }
};

// Empty if the stream has several connections, which are read as one.
std::string only_connection(const ShownStream& stream) {
  const auto& connections = stream.stream->connections;
  return connections.size() == 1 ? connections.front().connection_id : std::string();
}

// The parts of the list, in order. The oldest first, and within a range of dates, everything is in the first part.
enum class Part : std::uint8_t { kPast, kFuture, kUndated };
constexpr std::array kParts = {Part::kPast, Part::kFuture, Part::kUndated};

std::string name_of(const ShownStream& stream, Part part) {
  return format("{}/{}/{}/{}", static_cast<int>(part), stream.source->connector_key, only_connection(stream),
                stream.stream->name);
}

bool is_in(const ExploreQuery& query, const ShownStream& stream, Part part) {
  const bool has_range = !query.since.empty() || !query.until.empty();
  if (!stream.is_dated()) return part == Part::kUndated && !has_range;
  return part == Part::kPast || (!has_range && query.order != "oldest");
}

api::RecordsRequest request_for(const ExploreQuery& query, const ShownStream& stream, Part part, const ListCursor& from) {
  api::RecordsRequest request;
  const std::string only = only_connection(stream);
  request.scope.connection_id = only.empty() ? query.source : only;
  request.scope.connector_key = stream.source->connector_key;
  request.stream = stream.stream->name;
  request.fields = line_fields(stream);
  request.max_field_chars = kPreviewChars;
  request.limit = kListed;
  request.descending = part == Part::kPast && query.order != "oldest";
  if (stream.is_dated()) {
    const auto filter = [&](std::string_view op, Instant at) {
      request.filters.push_back({stream.roles.time, std::string(op), format_time(at)});
    };
    const auto since = query.since_time(), until = query.until_time();
    if (since) filter("gte", *since);
    if (until) filter("lt", *until);
    if (!since && !until && query.order != "oldest" && part == Part::kPast) filter("lte", from.upto);
    if (part == Part::kFuture) filter("gt", from.upto);
    request.undated = part == Part::kUndated;
  }
  if (const auto known = from.streams.find(name_of(stream, part)); known != from.streams.end()) request.cursor = known->second;
  return request;
}

struct Read {
  const ShownStream* stream = nullptr;
  api::RecordsRequest request;
  std::vector<RecordLine> lines;
  bool has_more = false;
  std::string next_cursor;
  std::size_t taken = 0;

  bool is_empty() const { return taken == lines.size(); }
  const RecordLine& next() const { return lines[taken]; }
};

// Returns the stream with the next record. Records without a time come last.
Read* next_of(std::vector<Read>& reads, bool descending) {
  Read* best = nullptr;
  for (Read& read : reads) {
    if (read.is_empty()) continue;
    if (!best) {
      best = &read;
      continue;
    }
    const auto& a = read.next().time;
    const auto& b = best->next().time;
    if (a && (!b || (descending ? *a > *b : *a < *b))) best = &read;
  }
  return best;
}

Writer entry(const ExploreContext& context, const ExploreQuery& query, const RecordLine& line) {
  const std::string preview = std::string(utf8::slice(line.preview(), 0, kPreviewChars));
  const std::string name = !line.title.empty()    ? line.title
                           : !line.author.empty() ? line.author
                                                  : heading_of(line.ref.stream) + " " + line.ref.record_id;
  Writer out;
  out << Markup("<li><span class=\"glyph\">") << icon(line.icon) << Markup("</span><div><div class=\"head\"><h3 dir=\"auto\"><a")
      << Attribute("href", record_address(line.ref, query)) << Markup(">") << Prose(name) << Markup("</a></h3>");
  if (line.time) {
    out << Markup("<time class=\"small quiet\"") << Attribute("datetime", format_time(*line.time)) << Markup(">")
        << Text(moment_text(*line.time, context.now)) << Markup("</time>");
  }
  out << Markup("</div>");
  if (!line.author.empty() && name != line.author) {
    out << Markup("<p class=\"small soft\" dir=\"auto\">") << Text(mailbox_of(line.author).name) << Markup("</p>");
  }
  if (!preview.empty()) {
    out << Markup("<p class=\"ev\" dir=\"auto\">") << Prose(preview)
        << (utf8::count(preview) >= kPreviewChars ? Markup(" …") : Markup("")) << Markup("</p>");
  }
  out << Markup("<p class=\"meta\"><span dir=\"auto\">") << Text(context.streams.connection_name(line.ref.connection_id))
      << Markup("</span>") << seen_by(context, line.ref) << Markup("</p></div></li>\n");
  return out;
}

// Links to the kinds that are not listed.
Writer unlisted_kinds(const ExploreContext& context, const ExploreQuery& query) {
  Writer out;
  if (!query.streams.empty() || !query.cursor.empty()) return out;
  std::set<std::string> linked;  // several connections may have the same kind
  for (const ShownStream& one : context.streams.all()) {
    if (is_listed(query, one) || !matches_filters(query, one) || line_fields(one).empty() || one.only_links()) continue;
    if (!linked.insert(one.stream->name).second) continue;
    ExploreQuery only = query;
    only.streams = {one.stream->name};
    out << Markup("<a class=\"btn btn-s\"") << Attribute("href", only.viewer_address()) << Markup(">")
        << Text(one.stream->label.empty() ? heading_of(one.stream->name) : one.stream->label) << Markup("</a> ");
  }
  Writer whole;
  if (out.empty()) return whole;
  whole << Markup("<p class=\"row small quiet more\"><span>Not in this list:</span> ") << out << Markup("</p>");
  return whole;
}

Writer empty_list(const ExploreContext& context, const ExploreQuery& query) {
  Writer out;
  out << Markup("<div class=\"card empty\">");
  if (query.is_narrowed()) {
    ExploreQuery wide;
    wide.as = query.as;
    out << Markup("<h2 id=\"found\">No matching records</h2><p><a class=\"btn btn-s\"")
        << Attribute("href", wide.viewer_address()) << Markup(">Clear filters</a></p>");
  } else if (context.viewer.is_owner()) {
    out << Markup(
        "<h2 id=\"found\">Nothing here yet</h2><p>Import your mail, chats, notes and files to search them here.</p><p><a "
        "class=\"btn btn-act\" href=\"/import\">Import files</a></p>");
  } else {
    out << Markup("<h2 id=\"found\">This app has no access</h2><p>It can't see any records.</p>");
  }
  out << Markup("</div>");
  return out;
}

}  // namespace

namespace {

struct ListPage {
  std::vector<RecordLine> lines;
  bool has_more = false;
  ListCursor next;
  std::int64_t limit = kListed;
};

// Reads the next records of one part of the list, up to the length of a page.
Status read_part(const ExploreContext& context, const ExploreQuery& query, Part part, const ListCursor& from, ListPage& page) {
  std::vector<Read> reads;
  for (const ShownStream& one : context.streams.all()) {
    if (!is_listed(query, one) || !is_in(query, one, part)) continue;
    Read read{&one, request_for(query, one, part, from), {}, false, {}, 0};
    read.request.limit = page.limit;
    if (read.request.cursor == kEndOfStream) continue;
    LADDER_TRY(api::RecordsPage found, context.server.reads().records(context.viewer.access, read.request));
    for (const api::Record& record : found.records) read.lines.push_back(line_of(record, one));
    read.has_more = found.has_more;
    read.next_cursor = found.next_cursor;
    reads.push_back(std::move(read));
  }
  const bool descending = part == Part::kPast && query.order != "oldest";
  while (std::ssize(page.lines) < page.limit) {
    Read* const read = next_of(reads, descending);
    if (!read) break;
    page.lines.push_back(read->next());
    ++read->taken;
  }
  for (Read& read : reads) {
    std::string& cursor = page.next.streams[name_of(*read.stream, part)];
    const bool whole = read.is_empty();
    page.has_more = page.has_more || !whole || read.has_more;
    if (whole) {
      cursor = read.has_more ? read.next_cursor : std::string(kEndOfStream);
    } else if (read.taken > 0) {
      // Read a shorter page to get the cursor after the last used record.
      read.request.limit = static_cast<std::int64_t>(read.taken);
      LADDER_TRY(const api::RecordsPage shorter, context.server.reads().records(context.viewer.access, read.request));
      cursor = shorter.next_cursor;
    }
  }
  return {};
}

// The number of records that the filters include, or -1.
std::int64_t listed_records(const ExploreContext& context, const ExploreQuery& query) {
  if (context.counts.empty()) return -1;
  std::int64_t sum = 0;
  for (const ShownStream& one : context.streams.all()) {
    if (!is_listed(query, one)) continue;
    for (const api::ConnectionView& connection : one.stream->connections) {
      const auto count = context.counts.find({connection.connection_id, one.stream->name});
      if (query.takes(connection.connection_id) && count != context.counts.end()) sum += count->second;
    }
  }
  return sum;
}

Writer list_heading(Markup words) {
  Writer out;
  out << Markup("<li class=\"list-part\">") << words << Markup("</li>");
  return out;
}

Writer entries(const ExploreContext& context, const ExploreQuery& query, const ListPage& page) {
  Writer list;
  list << Markup("<ol class=\"card card-flush hits\">\n");
  bool future = false, undated = false;
  for (const RecordLine& line : page.lines) {
    const bool is_future = line.time && *line.time > page.next.upto && query.since.empty() && query.until.empty();
    if (is_future && !future && query.order != "oldest") list << list_heading("After today");
    if (!line.time && !undated) list << list_heading("Without a date");
    future = future || is_future;
    undated = undated || !line.time;
    list << entry(context, query, line);
  }
  list << Markup("</ol>");
  return with_pane(list);
}

}  // namespace

Result<DatedLines> newest_lines(const ExploreContext& context, const ExploreQuery& query, std::int64_t limit) {
  const ListCursor from{context.now, {}};
  ListPage page{{}, false, from, limit};
  LADDER_CHECK(read_part(context, query, Part::kPast, from, page));
  return DatedLines{std::move(page.lines), page.has_more};
}

Result<Writer> newest_records(const ExploreContext& context, const ExploreQuery& query) {
  LADDER_TRY(const ListCursor from, ListCursor::of(query.cursor, context.now));
  ListPage page{{}, false, from};
  for (const Part part : kParts) {
    if (!page.has_more) LADDER_CHECK(read_part(context, query, part, from, page));
  }
  if (page.lines.empty() && query.cursor.empty()) {
    Writer out = empty_list(context, query);
    out << unlisted_kinds(context, query);
    return out;
  }
  std::erase_if(page.next.streams, [](const auto& one) { return one.second.empty(); });
  Writer out;
  out << Markup("<div class=\"block-head\"><h2 id=\"found\">")
      << (query.order == "oldest" ? Markup("Oldest first") : Markup("Newest first")) << Markup("</h2>");
  if (const std::int64_t records = listed_records(context, query); records >= 0)
    out << Markup("<span class=\"quiet\">") << pages::plural(records, "record", "records") << Markup("</span>");
  out << Markup("</div>") << entries(context, query, page);
  if (!query.cursor.empty() || page.has_more) {
    out << Markup("<p class=\"row small quiet more\">");
    if (!query.cursor.empty()) {
      out << Markup("<a class=\"btn btn-s\"") << Attribute("href", query.viewer_address()) << Markup(">First page</a>");
    }
    if (page.has_more) {
      out << Markup("<a class=\"btn btn-s\" rel=\"next\"")
          << Attribute("href", query.viewer_address().with("cursor", page.next.text())) << Markup(">Next page</a>");
    }
    out << Markup("</p>");
  }
  out << unlisted_kinds(context, query);
  return out;
}

}  // namespace ladder::console
