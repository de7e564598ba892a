// The start of a record in its look. Which fields it shows follows from their roles.
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "console/explore/record_view.h"
#include "console/parts.h"
#include "console/reading/names.h"
#include "json/scan/scan.h"

#include <algorithm>
#include <array>

namespace ladder::console {
namespace {

constexpr std::size_t kNamedRecipients = 3;

bool has_value(const RecordView& view, std::string_view field) {
  if (field.empty()) return false;
  const auto own = json::member(view.own.data, field);
  return own && own->kind != json::Kind::kNull && own->text != "\"\"" && own->text != "[]";
}

// The author's name and address, or a gray bar.
Writer author_line(const RecordView& view, const std::string& field, Matches& matches) {
  Writer out;
  out << Markup("<p dir=\"auto\"") << Attribute("data-field", field) << Markup(">");
  if (!view.gets(field)) {
    out << withheld(heading_of(field) + ": not shared");
  } else {
    const std::string text = text_of(view.shown->data, field);
    const Mailbox author = mailbox_of(text);
    out << Markup("<b><bdi>") << person_link(view, author.name, matches.marked(field, author.name)) << Markup("</bdi></b>");
    if (!author.address.empty() && author.address != author.name) {
      out << Markup(" <span class=\"quiet small\">") << matches.marked(field, author.address) << Markup("</span>");
    }
  }
  out << Markup("</p>");
  return out;
}

Writer time_line(const RecordView& view, const std::string& field) {
  Writer out;
  if (!has_value(view, field)) return out;
  if (!view.gets(field)) {
    out << Markup("<span") << Attribute("data-field", field) << Markup(">") << withheld(heading_of(field) + ": not shared")
        << Markup("</span>");
  } else if (const std::string text = text_of(view.shown->data, field); const auto at = parse_field_time(text)) {
    out << Markup("<time") << Attribute("datetime", format_time(*at)) << Attribute("title", text)
        << Attribute("data-field", field) << Markup(">")
        << Text(text.size() == 10 ? month_day_text(*at, view.now) : full_moment(*at, view.now)) << Markup("</time>");
  }
  return out;
}

// The first text of an object.
std::string first_text(std::string_view object) {
  for (json::Members member(object); member.next();) {
    if (member.value().kind == json::Kind::kString) return json::decode_string(json::raw_content(member.value()));
  }
  return {};
}

// The people in a text, or in a list of texts or objects.
void add_names(const json::Value& value, std::vector<std::string>& names) {
  const auto add = [&](std::string_view list) {
    for (const Mailbox& one : mailboxes_of(list)) names.push_back(one.name);
  };
  if (value.kind == json::Kind::kString) add(json::decode_string(json::raw_content(value)));
  if (value.kind != json::Kind::kArray) return;
  for (json::Elements element(value.text); element.next();) {
    if (element.value().kind == json::Kind::kString) add(json::decode_string(json::raw_content(element.value())));
    if (element.value().kind == json::Kind::kObject) add(first_text(element.value().text));
  }
}

// "To Nora Lindqvist, workshop and 3 more"
std::string recipients_text(const RecordView& view, const std::vector<std::string>& fields) {
  std::vector<std::string> names;
  for (const std::string& field : fields) {
    const auto value = view.gets(field) ? json::member(view.shown->data, field) : std::nullopt;
    if (value) add_names(*value, names);
  }
  const std::string before = view.stream.look == Look::kMail ? "To " : "With ";
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kNamedRecipients; ++i) text += (i > 0 ? ", " : before) + names[i];
  if (names.size() > kNamedRecipients) text += format(" and {} more", names.size() - kNamedRecipients);
  return text.empty() ? "Recipients" : text;
}

Writer recipients(const RecordView& view, std::set<std::string>& shown, Matches& matches) {
  std::vector<std::string> fields;
  for (const api::FieldView* field : fields_with_role(*view.stream.stream, kRecipientRole)) {
    if (has_value(view, field->name)) fields.push_back(field->name);
  }
  Writer out;
  if (fields.empty()) return out;
  out << Markup("<details class=\"to\"") << (view.viewer.is_owner() ? Markup(">") : Markup(" open>"))
      << Markup("<summary dir=\"auto\">") << Text(recipients_text(view, fields)) << Markup("</summary><dl class=\"facts\">");
  for (const std::string& field : fields) {
    out << Markup("<dt>") << Text(label_of(*view.stream.field(field))) << Markup("</dt><dd dir=\"auto\"")
        << Attribute("data-field", field) << Markup(">") << field_value(view, field, matches) << Markup("</dd>");
    shown.insert(field);
  }
  out << Markup("</dl></details>");
  return out;
}

RecordHead written_head(const RecordView& view, const api::DocumentRoles& roles, Matches& matches) {
  RecordHead head;
  const bool has_author = has_value(view, roles.author);
  const std::string author = has_author && view.gets(roles.author) ? text_of(view.shown->data, roles.author) : std::string();
  if (has_author) head.fields.insert(roles.author);
  if (has_value(view, roles.time)) head.fields.insert(roles.time);
  const Writer time = time_line(view, roles.time);
  const Writer to = recipients(view, head.fields, matches);
  if (!has_author && time.empty() && to.empty()) return head;
  head.html << (has_author || view.stream.look == Look::kMail ? Markup("<header class=\"mail-head\">")
                                                              : Markup("<header class=\"small quiet\">"));
  if (has_author) head.html << avatar(mailbox_of(author).name, "") << author_line(view, roles.author, matches);
  else if (view.stream.look == Look::kMail) head.html << Markup("<p class=\"quiet wide\">No sender</p>");
  if (time.empty()) head.html << Markup("<span class=\"small quiet\">No date</span>");
  else head.html << time;
  head.html << to << Markup("</header>");
  return head;
}

// A line of the head of an event, with an icon.
void add_row(const RecordView& view, RecordHead& head, Icon of, const std::string& field, Matches& matches) {
  if (!has_value(view, field)) return;
  head.html << Markup("<p class=\"row nowrap\">") << icon(of) << Markup("<span dir=\"auto\"") << Attribute("data-field", field)
            << Markup(">") << field_value(view, field, matches) << Markup("</span></p>");
  head.fields.insert(field);
}

// The end of an event; only its time of day if the event ends on the day on which it begins.
Writer end_of_event(const RecordView& view, Instant begin, const std::string& field) {
  const std::string text = view.gets(field) ? text_of(view.shown->data, field) : std::string();
  const auto end = parse_field_time(text);
  if (!end || text.size() == 10 || floor_div(as_local(*end), kDay) != floor_div(as_local(begin), kDay))
    return time_line(view, field);
  Writer out;
  out << Markup("<time") << Attribute("datetime", format_time(*end)) << Attribute("title", text) << Attribute("data-field", field)
      << Markup(">") << Text(clock_text(*end).substr(0, 5)) << Markup("</time>");
  return out;
}

RecordHead event_head(const RecordView& view, const api::DocumentRoles& roles, Matches& matches) {
  static constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  RecordHead head;
  const auto at = view.gets(roles.time) ? parse_field_time(text_of(view.shown->data, roles.time)) : std::nullopt;
  head.html << Markup("<header class=\"event-head\">");
  if (at) {
    const CivilDate day = civil_date(floor_div(as_local(*at), kDay));
    head.html << Markup("<span class=\"day-tile\" aria-hidden=\"true\"><b>") << Text(std::to_string(day.day)) << Markup("</b>")
              << Text(kMonths[static_cast<std::size_t>(day.month - 1)]) << Markup("</span>");
  }
  head.html << Markup("<div class=\"stack-2\"><p>") << time_line(view, roles.time);
  if (has_value(view, roles.time)) head.fields.insert(roles.time);
  else head.html << Markup("<span class=\"quiet\">No date</span>");
  for (const api::FieldView* end : fields_with_role(*view.stream.stream, kEndTimeRole)) {
    if (!has_value(view, end->name)) continue;
    head.html << Markup(" to ") << (at ? end_of_event(view, *at, end->name) : time_line(view, end->name));
    head.fields.insert(end->name);
  }
  head.html << Markup("</p>");
  for (const api::FieldView* place : fields_with_role(*view.stream.stream, kLocationRole)) {
    add_row(view, head, Icon::kHome, place->name, matches);
  }
  add_row(view, head, Icon::kPerson, roles.author, matches);
  head.html << recipients(view, head.fields, matches) << Markup("</div></header>");
  return head;
}

}  // namespace

Writer person_link(const RecordView& view, std::string_view name, const Writer& label) {
  if (!view.viewer.is_owner()) return label;  // the page shows what the owner sees
  Writer out;
  out << Markup("<a class=\"person\"") << Attribute("href", Url::path("/person").with("name", name)) << Markup(">") << label
      << Markup("</a>");
  return out;
}

Writer avatar(std::string_view name, Markup size) {
  Writer out;
  out << Markup("<span class=\"avatar ") << size << Markup("\" aria-hidden=\"true\">") << Text(initials_of(name))
      << Markup("</span>");
  return out;
}

RecordHead record_head(const RecordView& view, Matches& matches) {
  // The roles of all fields: those that the viewer does not see are shown as bars.
  const api::DocumentRoles roles = api::roles_of(*view.stream.stream);
  switch (view.stream.look) {
    case Look::kFacts:
    case Look::kPerson:
      return {};
    case Look::kEvent:
      return event_head(view, roles, matches);
    case Look::kMail:
    case Look::kChat:
    case Look::kDocument:
      break;
  }
  return written_head(view, roles, matches);
}

}  // namespace ladder::console
