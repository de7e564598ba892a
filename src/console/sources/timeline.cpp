#include "console/sources/timeline.h"

#include "base/text/format.h"
#include "console/parts.h"

#include <algorithm>
#include <set>

namespace ladder::console {
namespace {

constexpr int kPast = 39, kFuture = 2;  // years around this one that bars are drawn for; a wrong date does not flatten them all
constexpr int kLeast = 10;              // years that are drawn at least, so that bars stay bars
constexpr int kYearWidth = 10, kHeight = 34;
constexpr int kAxisSteps = 5;

struct Years {
  int first = 0, last = 0;
  int step = 1;  // between two labels; the first and the last year have one
};

Years drawn_years(const std::vector<Holding>& holdings, int this_year) {
  Years years{this_year, this_year, 1};
  for (const Holding& holding : holdings) {
    if (holding.by_year.empty()) continue;
    years.first = std::min(years.first, holding.by_year.begin()->first);
    years.last = std::max(years.last, holding.by_year.rbegin()->first);
  }
  years.last = std::min(years.last, this_year + kFuture);
  years.first = std::min(std::max(years.first, this_year - kPast), years.last - kLeast + 1);
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
  // In lower case, as attributes are written here; parsers of HTML know what is meant.
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
    out << Markup("<p class=\"hint\">") << pages::plural(outside, "record lies", "records lie")
        << Markup(" outside of these years; the table has all of them.</p>");
  }
  out << year_table(holdings) << Markup("</div>");
  return out;
}

}  // namespace ladder::console
