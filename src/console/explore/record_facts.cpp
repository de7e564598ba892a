// The fields of a record in declared order. Fields that the viewer does not get are shown as gray bars.
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "console/explore/record_view.h"
#include "console/parts.h"
#include "json/scan/scan.h"
#include "model/field_path.h"

#include <algorithm>
#include <set>

namespace ladder::console {
namespace {

constexpr std::int64_t kValueChars = 300;    // longer values are read in windows
constexpr std::size_t kListedObjects = 100;  // longer lists are shown as JSON

bool is_nothing(const json::Value& value) {
  return value.kind == json::Kind::kNull || value.text == "\"\"" || value.text == "[]" || value.text == "{}";
}

bool is_day(std::string_view time) { return time.size() == 10; }  // without a time of day

bool is_blob(const json::Value& value) {
  return value.kind == json::Kind::kObject && api::blob_reference(value.text).has_value();
}

std::string declared(const api::FieldView& field, std::string_view keyword) { return text_of(field.schema_json, keyword); }

// Fields that only link records.
std::set<std::string> joining_fields(const RecordView& view) {
  const api::StreamView& stream = *view.stream.stream;
  std::set<std::string> names(stream.primary_key.begin(), stream.primary_key.end());
  for (const api::FieldView& field : stream.fields) {
    if (!declared(field, "x_pdpp_belongs_to").empty()) names.insert(field.name);
  }
  for (const api::StreamView& other : view.stream.source->streams) {
    for (const model::Relationship& relation : other.relationships) {
      if (relation.has_many ? relation.stream == stream.name : other.name == stream.name) names.insert(relation.foreign_key);
    }
  }
  // The title, text, time and author are always shown.
  for (const std::string& told :
       {view.stream.roles.title, view.stream.roles.text, view.stream.roles.time, view.stream.roles.author})
    names.erase(told);
  return names;
}

Writer read_link(const RecordView& view, const std::string& field, Markup label) {
  Writer out;
  out << Markup(" <a") << Attribute("href", view.address().with("field", model::format_field_path(field)).at("text"))
      << Markup(">") << label << Markup("</a>");
  return out;
}

// Joins scalars into a row. Empty for nested values.
std::string as_row(const json::Value& array) {
  std::string row;
  for (json::Elements element(array.text); element.next();) {
    const json::Value& value = element.value();
    if (value.kind == json::Kind::kObject || value.kind == json::Kind::kArray) return {};
    if (!row.empty()) row += ", ";
    row += value.kind == json::Kind::kString ? json::decode_string(json::raw_content(value)) : std::string(value.text);
  }
  return row;
}

Writer shortened(const RecordView& view, const std::string& field, std::string_view text, bool cut, Matches& matches) {
  Writer out;
  const bool is_long = utf8::count(text) > kValueChars;
  out << matches.marked(field, is_long ? utf8::slice(text, 0, kValueChars) : text);
  if (is_long || cut) out << Markup(" …") << read_link(view, field, Markup("Show all"));
  return out;
}

// The texts of an object: the first is its value, the others describe it. Texts that repeat a part of the value are omitted.
Writer object_line(const std::string& field, std::string_view object, Matches& matches) {
  std::string value, rest;
  for (json::Members member(object); member.next();) {
    if (member.value().kind != json::Kind::kString) continue;
    const std::string text = json::decode_string(json::raw_content(member.value()));
    if (text.empty()) continue;
    if (value.empty()) value = text;
    else if (value.find(text) == std::string::npos) rest += (rest.empty() ? "" : ", ") + text;
  }
  Writer out;
  out << matches.marked(field, value);
  if (!rest.empty()) out << Markup(" <span class=\"quiet\">") << matches.marked(field, rest) << Markup("</span>");
  return out;
}

// A list of objects, such as addresses with their labels. Empty for other values, and for long lists.
Writer object_lines(const std::string& field, const json::Value& array, Matches& matches) {
  Writer out;
  std::size_t count = 0;
  for (json::Elements element(array.text); element.next();) {
    if (element.value().kind != json::Kind::kObject || ++count > kListedObjects) return {};
    out << Markup("<li>") << object_line(field, element.value().text, matches) << Markup("</li>");
  }
  Writer list;
  if (count > 0) list << Markup("<ul>") << out << Markup("</ul>");
  return list;
}

Writer value_of(const RecordView& view, const api::FieldView* field, const std::string& name, const json::Value& value,
                Matches& matches) {
  Writer out;
  const auto cut =
      std::ranges::find_if(view.shown->cut, [&](const api::CutField& one) { return one.path == model::format_field_path(name); });
  const bool is_cut = cut != view.shown->cut.end();
  if (field && field->type == "html") {
    const std::int64_t chars = is_cut ? cut->size_chars : utf8::count(json::decode_string(json::raw_content(value)));
    out << Text(chars) << Markup(" characters of HTML.") << read_link(view, name, Markup("Show the source"));
    return out;
  }
  switch (value.kind) {
    case json::Kind::kString: {
      const std::string text = json::decode_string(json::raw_content(value));
      const std::string format_of_time = field ? declared(*field, "format") : std::string();
      const auto at = format_of_time.starts_with("date-time") ? parse_field_time(text) : std::nullopt;
      if (at) {
        out << Markup("<time") << Attribute("datetime", format_time(*at)) << Attribute("title", text) << Markup(">")
            << Text(is_day(text) ? month_day_text(*at, view.now) : full_moment(*at, view.now)) << Markup("</time>");
      } else {
        out << shortened(view, name, text, is_cut, matches);
      }
      return out;
    }
    case json::Kind::kBool:
      out << (value.text == "true" ? Markup("yes") : Markup("no"));
      return out;
    case json::Kind::kArray:
    case json::Kind::kObject: {
      const std::string row = value.kind == json::Kind::kArray ? as_row(value) : std::string();
      if (!row.empty()) return shortened(view, name, row, is_cut, matches);
      if (value.kind == json::Kind::kArray && !lists_pages(value)) out << object_lines(name, value, matches);
      if (out.empty()) out << Markup("<code>") << shortened(view, name, value.text, is_cut, matches) << Markup("</code>");
      return out;
    }
    default:
      if (is_cut) out << Text(cut->size_chars) << Markup(" characters.") << read_link(view, name, Markup("Show"));
      else out << Text(value.text);
      return out;
  }
}

struct Fact {
  std::string name;
  Writer line;
};

Writer listed(const std::vector<Fact>& facts) {
  Writer out;
  if (facts.empty()) return out;
  out << Markup("<dl class=\"facts\">");
  for (const Fact& fact : facts) out << fact.line;
  out << Markup("</dl>");
  return out;
}

// Returns whether the field belongs to the look of its record. Records without a look show every field that does not only link
// records.
bool is_main(const RecordView& view, const std::string& name, const json::Value& own, const std::set<std::string>& joining) {
  if (joining.contains(name) || lists_pages(own)) return false;
  const api::FieldView* const field = view.stream.field(name);
  return view.stream.look == Look::kFacts ||
         (field && (field->role == kDetailRole || name == view.stream.roles.url || name == view.stream.roles.author));
}

}  // namespace

std::string full_moment(Instant at, Instant now) {
  const std::string moment = moment_text(at, now);
  return moment.find(':') == std::string::npos ? format("{}, {}", moment, clock_text(at).substr(0, 5)) : moment;
}

Writer field_value(const RecordView& view, const std::string& name, Matches& matches) {
  const auto value = view.gets(name) ? json::member(view.shown->data, name) : std::nullopt;
  Writer out;
  if (value) out << value_of(view, view.stream.field(name), name, *value, matches);
  else out << withheld("not shared");
  return out;
}

RecordFacts record_facts(const RecordView& view, const std::set<std::string>& shown, Matches& matches) {
  const api::DocumentRoles& roles = view.stream.roles;
  const std::set<std::string> joining = joining_fields(view);
  std::vector<Fact> facts, ids;
  const auto add = [&](const std::string& name, const json::Value& own) {
    // The title is the heading unless it is too long. Text and files have their own sections.
    const bool is_text = name == roles.text && view.stream.look != Look::kPerson;
    if (is_nothing(own) || is_blob(own) || is_text || shown.contains(name)) return;
    if (name == roles.title && utf8::count(text_of(view.own.data, name)) <= api::kTitleChars) return;
    const api::FieldView* const field = view.stream.field(name);
    Writer line;
    line << Markup("<dt>") << Text(field ? label_of(*field) : heading_of(name)) << Markup("</dt><dd dir=\"auto\"")
         << Attribute("data-field", name) << Markup(">") << field_value(view, name, matches) << Markup("</dd>");
    (is_main(view, name, own, joining) ? facts : ids).push_back({name, std::move(line)});
  };
  for (const api::FieldView& field : view.stream.stream->fields) {
    if (const auto own = json::member(view.own.data, field.name)) add(field.name, *own);
  }
  for (json::Members member(view.own.data); member.next();) {
    const std::string name = json::decode_string(member.raw_name());
    if (!view.stream.field(name)) add(name, member.value());
  }
  // Time and author first, then in declared order.
  for (const std::string& first : {roles.author, roles.time}) {
    const auto found = std::ranges::find(facts, first, &Fact::name);
    if (found != facts.end()) std::rotate(facts.begin(), found, found + 1);
  }
  RecordFacts out{listed(facts), {}};
  if (ids.empty()) return out;
  // An app's view shows what is not shared without a click.
  out.details << Markup("<details") << (view.viewer.is_owner() ? Markup(">") : Markup(" open>"))
              << Markup("<summary>Details</summary>") << listed(ids) << Markup("</details>");
  return out;
}

}  // namespace ladder::console
