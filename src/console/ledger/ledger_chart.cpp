#include "console/ledger/ledger_chart.h"
#include "console/parts.h"

#include "base/text/format.h"
#include "server/ledger/entry_text.h"

#include <algorithm>
#include <array>

namespace ladder::console {
namespace {

constexpr double kTop = 8, kGap = 1;
constexpr double kBarShare = 0.72;  // share of the width of a day

std::string svg_number(double at) { return format("{:.1f}", at); }

}  // namespace

std::int64_t scale_step(std::int64_t most) {
  constexpr std::int64_t kLines = 5;
  for (std::int64_t power = 1;; power *= 10) {
    for (const std::int64_t step : {power, 2 * power, 5 * power}) {
      if (step * kLines >= most) return step;
    }
  }
}

std::string scale_text(std::int64_t number) {
  constexpr std::int64_t kThousand = 1'000, kMillion = 1'000'000;
  const auto in = [number](std::int64_t unit, char letter) {
    const std::int64_t tenths = number * 10 / unit;
    return tenths % 10 == 0 ? format("{}{}", tenths / 10, letter) : format("{}.{}{}", tenths / 10, tenths % 10, letter);
  };
  if (number >= kMillion) return in(kMillion, 'M');
  return number >= kThousand ? in(kThousand, 'k') : std::to_string(number);
}

LedgerChart::LedgerChart(const std::vector<server::LedgerUse>& uses, ClientFaces& faces, std::int64_t today) : today_(today) {
  for (const server::LedgerUse& use : uses) {
    const std::int64_t day = use.day - (today - kDays + 1);
    if (day < 0 || day >= kDays) continue;
    auto client = std::ranges::find(clients_, use.client_id, [](const Client& one) { return one.face.client_id; });
    if (client == clients_.end()) {
      clients_.push_back({faces.at(use.client_id), std::vector<std::int64_t>(kDays)});
      client = std::prev(clients_.end());
    }
    client->chars[static_cast<std::size_t>(day)] += use.chars;
    chars_ += use.chars;
    answers_ += use.answers;
  }
  std::ranges::stable_sort(clients_, {}, [](const Client& one) { return one.face.slot; });
}

std::int64_t LedgerChart::total(std::int64_t day) const {
  std::int64_t sum = 0;
  for (const Client& client : clients_) sum += client.chars[static_cast<std::size_t>(day)];
  return sum;
}

std::string LedgerChart::day_name(std::int64_t day) const {
  static constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  if (day == kDays - 1) return "Today";
  const CivilDate date = civil_date(today_ - kDays + 1 + day);
  return format("{} {}", date.day, kMonths[static_cast<std::size_t>(date.month - 1)]);
}

Writer LedgerChart::legend() const {
  Writer out;
  out << Markup("<div class=\"legend\">");
  for (const Client& client : clients_) out << client_link(client.face);
  out << Markup("</div>");
  return out;
}

Writer LedgerChart::charts() const {
  Writer out;
  out << Markup(
             "<svg class=\"chart chart-wide\" viewBox=\"0 0 920 232\" role=\"img\" aria-labelledby=\"dc1\"><title id=\"dc1\">"
             "Characters read by day and app, last 30 days. The table below has the numbers.</title>")
      << chart({920, 232, 210, 44, kDays, 5})
      << Markup(
             "</svg><svg class=\"chart chart-small\" viewBox=\"0 0 340 190\" role=\"img\" aria-labelledby=\"dc2\"><title "
             "id=\"dc2\">Characters read by day and app, last 14 days. The table below has the numbers.</title>")
      << chart({340, 190, 168, 44, kFewDays, 4}) << Markup("</svg>");
  return out;
}

Writer LedgerChart::chart(const Shape& shape) const {
  Writer out;
  const std::int64_t first = kDays - shape.days;
  std::int64_t most = 1;
  for (std::int64_t day = first; day < kDays; ++day) most = std::max(most, total(day));
  const std::int64_t step = scale_step(most);
  const std::int64_t lines = (most + step - 1) / step;
  const double height = shape.base - kTop;
  const auto y_of = [&](std::int64_t chars) {
    return shape.base - height * static_cast<double>(chars) / static_cast<double>(step * lines);
  };
  for (std::int64_t line = 0; line <= lines; ++line) {
    const double y = y_of(line * step);
    out << Markup("<path") << Attribute("class", line == 0 ? "base" : "grid")
        << Attribute("d", format("M{} {}H{}", svg_number(shape.left), svg_number(y), svg_number(shape.width)))
        << Markup("/><text") << Attribute("x", svg_number(shape.left - 8)) << Attribute("y", svg_number(y + 4))
        << Markup(" text-anchor=\"end\">") << Text(scale_text(line * step)) << Markup("</text>");
  }
  const double room = (shape.width - shape.left) / static_cast<double>(shape.days);
  for (std::int64_t day = first; day < kDays; ++day) {
    const double x = shape.left + room * (static_cast<double>(day - first) + (1 - kBarShare) / 2);
    std::string said;
    double bottom = shape.base;
    Writer bars;
    for (const Client& client : clients_) {
      const std::int64_t chars = client.chars[static_cast<std::size_t>(day)];
      if (chars == 0) continue;
      // Keep a small amount visible.
      const double tall = std::max(1.5, shape.base - y_of(chars));
      bars << Markup("<rect") << Attribute("class", "c " + colour(client.face)) << Attribute("x", svg_number(x))
           << Attribute("y", svg_number(bottom - tall)) << Attribute("width", svg_number(room * kBarShare))
           << Attribute("height", svg_number(std::max(1.0, tall - kGap))) << Markup(" rx=\"1.5\"/>");
      bottom -= tall;
      said += format("{}{} {}", said.empty() ? "" : ", ", client.face.short_name(), grouped(chars));
    }
    if (!said.empty()) {
      out << Markup("<g>") << bars << Markup("<title>") << Text(format("{}: {}", day_name(day), said)) << Markup("</title></g>");
    }
    const std::int64_t before_today = kDays - 1 - day;
    if (before_today % shape.label_every != 0) continue;
    out << Markup("<text") << Attribute("x", svg_number(before_today == 0 ? shape.width : x + room * kBarShare / 2))
        << Attribute("y", svg_number(shape.base + 17)) << Attribute("text-anchor", before_today == 0 ? "end" : "middle")
        << Markup(">") << Text(day_name(day)) << Markup("</text>");
  }
  return out;
}

Writer LedgerChart::table() const {
  Writer out;
  out << Markup(
      "<details><summary>The same as a table</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"Characters by day and app\"><table class=\"table\"><caption class=\"unseen\">Characters by day and "
      "app</caption><thead><tr><th scope=\"col\">Day</th>");
  for (const Client& client : clients_) {
    out << Markup("<th scope=\"col\" class=\"n\"><bdi>") << Text(client.face.short_name()) << Markup("</bdi></th>");
  }
  out << Markup("<th scope=\"col\" class=\"n\">All</th></tr></thead><tbody>");
  for (std::int64_t day = kDays - 1; day >= 0; --day) {
    const std::int64_t sum = total(day);
    if (sum == 0) continue;
    out << Markup("<tr><th scope=\"row\"><a")
        << Attribute("href", Url::path("/ledger?day=", server::date_of_day(today_ - kDays + 1 + day))) << Markup(">")
        << Text(day_name(day)) << Markup("</a></th>");
    for (const Client& client : clients_) {
      out << Markup("<td class=\"n\">") << Text(client.chars[static_cast<std::size_t>(day)]) << Markup("</td>");
    }
    out << Markup("<td class=\"n\">") << Text(sum) << Markup("</td></tr>");
  }
  out << Markup("</tbody></table></div></details>");
  return out;
}

}  // namespace ladder::console
