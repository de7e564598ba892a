// Merges the newest records of all streams into one list. Each stream keeps its own cursor, so a page reads at most one page
// per stream.
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "console/explore/explore.h"
#include "console/parts.h"

#include <algorithm>
#include <charconv>
#include <map>

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

std::string name_of(const ShownStream& stream) {
  return format("{}/{}/{}", stream.source->connector_key, only_connection(stream), stream.stream->name);
}

// Returns whether the stream is listed by default: dated streams with text. Other streams are listed only if selected.
bool is_listed(const ExploreQuery& query, const ShownStream& stream) {
  if (line_fields(stream).empty() || !matches_filters(query, stream)) return false;
  return !query.streams.empty() || (stream.is_dated() && !api::roles_of(*stream.stream).text.empty());
}

api::RecordsRequest request_for(const ExploreQuery& query, const ShownStream& stream, const ListCursor& from) {
  api::RecordsRequest request;
  request.scope.connection_id = query.source.empty() ? only_connection(stream) : query.source;
  request.scope.connector_key = stream.source->connector_key;
  request.stream = stream.stream->name;
  request.fields = line_fields(stream);
  request.max_field_chars = kPreviewChars;
  request.limit = kListed;
  request.descending = query.order != "oldest";
  if (stream.is_dated()) {
    const auto until = query.until_time();
    const Instant upto = until ? std::min(*until - 1, from.upto) : from.upto;
    request.filters.push_back({stream.roles.time, "lte", format_time(upto)});
    if (const auto since = query.since_time()) request.filters.push_back({stream.roles.time, "gte", format_time(*since)});
  }
  if (const auto known = from.streams.find(name_of(stream)); known != from.streams.end()) request.cursor = known->second;
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
  const std::string preview = line.text.empty() ? "" : std::string(utf8::slice(line.text, 0, kPreviewChars));
  const std::string name = !line.title.empty()    ? line.title
                           : !line.author.empty() ? line.author
                                                  : heading_of(line.ref.stream) + " " + line.ref.record_id;
  Writer out;
  out << Markup("<li><span class=\"glyph\">") << icon(line.icon) << Markup("</span><div><div class=\"head\"><h3 dir=\"auto\"><a")
      << Attribute("href", record_address(line.ref, query)) << Markup(">") << Text(name) << Markup("</a></h3>");
  if (line.time) {
    out << Markup("<time class=\"small quiet\"") << Attribute("datetime", format_time(*line.time)) << Markup(">")
        << Text(moment_text(*line.time, context.now)) << Markup("</time>");
  }
  out << Markup("</div>");
  if (!line.author.empty() && name != line.author) {
    out << Markup("<p class=\"small soft\" dir=\"auto\">") << Text(line.author) << Markup("</p>");
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
  for (const ShownStream& one : context.streams.all()) {
    if (is_listed(query, one) || !matches_filters(query, one) || line_fields(one).empty()) continue;
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

Result<Writer> newest_records(const ExploreContext& context, const ExploreQuery& query) {
  LADDER_TRY(const ListCursor from, ListCursor::of(query.cursor, context.now));
  const bool descending = query.order != "oldest";
  ListCursor next{from.upto, from.streams};
  std::vector<Read> reads;
  for (const ShownStream& one : context.streams.all()) {
    if (!is_listed(query, one)) continue;
    Read read{&one, request_for(query, one, from), {}, false, {}, 0};
    if (read.request.cursor == kEndOfStream) continue;
    LADDER_TRY(api::RecordsPage page, context.server.reads().records(context.viewer.access, read.request));
    for (const api::Record& record : page.records) read.lines.push_back(line_of(record, one));
    read.has_more = page.has_more;
    read.next_cursor = page.next_cursor;
    reads.push_back(std::move(read));
  }
  std::vector<const RecordLine*> lines;
  while (std::ssize(lines) < kListed) {
    Read* const read = next_of(reads, descending);
    if (!read) break;
    lines.push_back(&read->next());
    ++read->taken;
  }
  if (lines.empty() && query.cursor.empty()) {
    Writer out = empty_list(context, query);
    out << unlisted_kinds(context, query);
    return out;
  }
  bool has_more = false;
  for (Read& read : reads) {
    std::string& cursor = next.streams[name_of(*read.stream)];
    const bool whole = read.is_empty();
    has_more = has_more || !whole || read.has_more;
    if (whole) {
      cursor = read.has_more ? read.next_cursor : std::string(kEndOfStream);
    } else if (read.taken > 0) {
      // Read a shorter page to get the cursor after the last used record.
      read.request.limit = static_cast<std::int64_t>(read.taken);
      LADDER_TRY(const api::RecordsPage shorter, context.server.reads().records(context.viewer.access, read.request));
      cursor = shorter.next_cursor;
    }
  }
  std::erase_if(next.streams, [](const auto& one) { return one.second.empty(); });
  Writer out;
  out << Markup("<div class=\"block-head\"><h2 id=\"found\">") << (descending ? Markup("Newest first") : Markup("Oldest first"))
      << Markup("</h2>");
  if (context.records >= 0)
    out << Markup("<span class=\"quiet\">") << pages::plural(context.records, "record", "records") << Markup("</span>");
  out << Markup("</div><ol class=\"card card-flush hits\">\n");
  for (const RecordLine* line : lines) out << entry(context, query, *line);
  out << Markup("</ol>");
  if (!query.cursor.empty() || has_more) {
    out << Markup("<p class=\"row small quiet more\">");
    if (!query.cursor.empty()) {
      out << Markup("<a class=\"btn btn-s\"") << Attribute("href", query.viewer_address()) << Markup(">First page</a>");
    }
    if (has_more) {
      out << Markup("<a class=\"btn btn-s\" rel=\"next\"")
          << Attribute("href", query.viewer_address().with("cursor", next.text())) << Markup(">Next page</a>");
    }
    out << Markup("</p>");
  }
  out << unlisted_kinds(context, query);
  return out;
}

}  // namespace ladder::console
