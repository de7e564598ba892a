// The records of all kinds by day, the newest first, and what happened on the same day in earlier years.
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "console/console.h"
#include "console/explore/explore.h"
#include "console/parts.h"
#include "console/reading/names.h"
#include "pages/form.h"

#include <algorithm>
#include <array>

namespace ladder::console {
namespace {

constexpr std::int64_t kLines = 40;       // of a page
constexpr std::size_t kShownOfDay = 8;    // entries; a link leads to the others
constexpr int kYearsBack = 15;            // searched for the same day
constexpr std::size_t kMemories = 6;      // shown
constexpr std::int64_t kMemoryLines = 3;  // read for each
constexpr std::int64_t kPreviewChars = 140;

// "2026-11-16"
std::string date_text(const CivilDate& day) { return format("{:04}-{:02}-{:02}", day.year, day.month, day.day); }
CivilDate day_of(Instant at) { return civil_date(floor_div(as_local(at), kDay)); }

std::optional<CivilDate> date_of(const std::string& text) {
  const auto at = text.size() == 10 ? parse_time(text) : std::nullopt;
  return at ? std::optional(civil_date(floor_div(*at, kDay))) : std::nullopt;
}

// An entry of a day: a record, or the messages of one conversation.
struct Entry {
  const RecordLine* line = nullptr;  // the last one
  std::int64_t records = 1;
};

std::vector<Entry> entries_of(const ExploreContext& context, const std::vector<RecordLine>& lines, std::size_t from,
                              std::size_t end) {
  std::vector<Entry> entries;
  for (std::size_t i = from; i < end; ++i) {
    const ShownStream* const stream = context.streams.find(lines[i].ref);
    const bool is_chat = stream && stream->look == Look::kChat && !lines[i].title.empty();
    const auto same = std::ranges::find_if(entries, [&](const Entry& one) {
      return is_chat && one.line->ref.stream == lines[i].ref.stream &&
             one.line->ref.connection_id == lines[i].ref.connection_id && one.line->title == lines[i].title;
    });
    if (same != entries.end()) ++same->records;
    else entries.push_back({&lines[i], 1});
  }
  return entries;
}

std::string name_of(const RecordLine& line) {
  if (!line.title.empty()) return line.title;
  return line.author.empty() ? heading_of(line.ref.stream) : mailbox_of(line.author).name;
}

Writer entry_line(const ExploreQuery& query, const Entry& entry) {
  const RecordLine& line = *entry.line;
  const std::string author = line.author.empty() || name_of(line) == line.author ? "" : mailbox_of(line.author).name;
  Writer out;
  out << Markup("<li><time") << Attribute("datetime", format_time(*line.time)) << Markup(">")
      << Text(clock_text(*line.time).substr(0, 5)) << Markup("</time>") << icon(line.icon) << Markup("<div><h3 dir=\"auto\"><a")
      << Attribute("href", record_address(line.ref, query).at("here")) << Markup(">") << html::Prose(name_of(line));
  if (entry.records > 1) out << Markup(", ") << plural(entry.records, "message", "messages");
  out << Markup("</a></h3><p class=\"small soft\" dir=\"auto\">") << Text(author);
  const std::string text(utf8::slice(line.preview(), 0, kPreviewChars));
  if (!author.empty() && !text.empty()) out << Markup(": ");
  out << html::Prose(text) << Markup("</p></div></li>\n");
  return out;
}

Url all_of_day(const CivilDate& day) {
  return Url::path("/explore").with("since", date_text(day)).with("until", date_text(day)).with("order", "oldest");
}

Writer day_section(const ExploreContext& context, const ExploreQuery& query, const CivilDate& day,
                   const std::vector<Entry>& entries, bool is_cut) {
  static constexpr std::array<std::string_view, 7> kDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                            "Thursday", "Friday", "Saturday"};
  const Instant at = *entries.front().line->time;
  const std::string date = month_day_text(at, context.now);
  Writer out;
  out << Markup("<section class=\"tl-day\"><header><h2>") << Text(date) << Markup("</h2><p class=\"small quiet\">")
      << (day == day_of(context.now) ? Text(std::string_view("Today"))
                                     : Text(kDays[static_cast<std::size_t>(weekday(floor_div(as_local(at), kDay)))]))
      << Markup("</p></header><ol class=\"tl-list\">");
  for (std::size_t i = 0; i < entries.size() && i < kShownOfDay; ++i) out << entry_line(query, entries[i]);
  out << Markup("</ol>");
  if (is_cut || entries.size() > kShownOfDay) {
    out << Markup("<p class=\"small\"><a") << Attribute("href", all_of_day(day)) << Markup(">All of ") << Text(date)
        << Markup("</a></p>");
  }
  out << Markup("</section>");
  return out;
}

struct Days {
  Writer html;
  std::optional<CivilDate> earlier;  // the next page begins there
};

Result<Days> days_upto(const ExploreContext& context, const CivilDate& last) {
  ExploreQuery query;
  query.until = date_text(last);
  LADDER_TRY(const DatedLines found, newest_lines(context, query, kLines));
  Days days;
  for (std::size_t from = 0; from < found.lines.size();) {
    const CivilDate day = day_of(*found.lines[from].time);
    std::size_t end = from;
    while (end < found.lines.size() && day_of(*found.lines[end].time) == day) ++end;
    const bool is_cut = end == found.lines.size() && found.has_more;
    // The last day may continue on the next page, so it begins that page, unless it is the only one.
    if (is_cut && from > 0) {
      days.earlier = day;
      break;
    }
    days.html << day_section(context, ExploreQuery(), day, entries_of(context, found.lines, from, end), is_cut);
    if (is_cut) days.earlier = civil_date(floor_div(as_local(*found.lines[from].time), kDay) - 1);
    from = end;
  }
  return days;
}

// The same day in earlier years.
Result<Writer> memories(const ExploreContext& context, const CivilDate& day) {
  Writer cards;
  std::size_t shown = 0;
  for (int years = 1; years <= kYearsBack && shown < kMemories; ++years) {
    CivilDate then = day;
    then.year -= years;
    if (then.day > days_in_month(then.year, then.month)) continue;
    ExploreQuery query;
    query.since = query.until = date_text(then);
    LADDER_TRY(const DatedLines found, newest_lines(context, query, kMemoryLines));
    if (found.lines.empty()) continue;
    ++shown;
    const auto told = std::ranges::find_if(found.lines, [](const RecordLine& line) { return !line.text.empty(); });
    const RecordLine& line = told != found.lines.end() ? *told : found.lines.front();
    cards << Markup("<li class=\"memory\"><a") << Attribute("href", Url::path("/timeline").with("day", date_text(then)))
          << Markup("><span class=\"say\" dir=\"auto\">") << html::Prose(utf8::slice(line.preview(), 0, kPreviewChars))
          << Markup("</span><b>") << plural(years, "year", "years") << Markup(" ago</b><span class=\"small soft\" dir=\"auto\">")
          << Text(name_of(line)) << Markup("</span></a></li>");
  }
  Writer out;
  if (shown == 0) return out;
  out << Markup(
             "<section aria-labelledby=\"otd\"><div class=\"block-head\"><h2 id=\"otd\">On this day</h2></div><ul "
             "class=\"memories\">")
      << cards << Markup("</ul></section>");
  return out;
}

Writer go_to_day(const CivilDate& day) {
  Writer out;
  out << Markup(
             "<form class=\"row nowrap\" action=\"/timeline\" method=\"get\"><label class=\"unseen\" for=\"day\">Go to a "
             "date</label><input class=\"input input-s\" id=\"day\" name=\"day\" type=\"date\"")
      << Attribute("value", date_text(day)) << Markup("><button class=\"btn btn-s\">Go</button></form>");
  return out;
}

}  // namespace

Result<http::Response> Console::timeline_page(Visit& visit) {
  server::ResourceServer& server = authorization_.server();
  LADDER_TRY(ClientFaces faces, ClientFaces::of(authorization_, *visit.owner));
  LADDER_TRY(const Viewer viewer, viewer_of(authorization_, *visit.owner, faces, ""));
  LADDER_TRY(const ShownStreams streams, ShownStreams::arranged(server, *visit.owner));
  const ExploreContext context{server, *visit.owner, viewer, faces, streams, authorization_.now(), {}};
  const CivilDate today = day_of(context.now);
  const CivilDate day = date_of(visit.form.one("day")).value_or(today);
  LADDER_TRY(const Days days, days_upto(context, day));
  LADDER_TRY(const Writer earlier_years, memories(context, day));
  pages::Frame frame = visit.frame;
  frame.title = "Timeline";
  Writer main;
  main << Markup("<div class=\"page-head\"><div><h1>Timeline</h1><p class=\"lead\">Everything with a date, day by day.</p></div>")
       << go_to_day(day) << Markup("</div>") << earlier_years << Markup("<section class=\"stack-5\" aria-label=\"Days\">");
  if (days.html.empty()) main << Markup("<p class=\"soft\">There is nothing on this day or before it.</p>");
  main << days.html << Markup("</section>");
  main << Markup("<p class=\"row small\">");
  if (day != today) main << Markup("<a class=\"btn btn-s\" href=\"/timeline\">Today</a>");
  if (days.earlier) {
    main << Markup("<a class=\"btn btn-s\" rel=\"next\"")
         << Attribute("href", Url::path("/timeline").with("day", date_text(*days.earlier))) << Markup(">Show earlier days</a>");
  }
  main << Markup("</p>\n");
  return pages::page(200, frame, main);
}

}  // namespace ladder::console
