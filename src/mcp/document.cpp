#include "mcp/document.h"

#include "base/format.h"
#include "base/utf8.h"
#include "evidence/bounds.h"
#include "json/scan.h"
#include "mcp/calls.h"
#include "mcp/document_roles.h"
#include "mcp/ladder_json.h"
#include "mcp/record_view.h"
#include "model/field_path.h"

#include <algorithm>

namespace ladder::mcp {
namespace {

using evidence::CutField;
using evidence::LadderField;
using evidence::PreviewStatus;
using json::Kind;

constexpr std::int64_t kLeastShownChars = 32;  // less of a value is not worth a line

// One field of the record, as far as it is in hand.
struct Part {
  std::string name, path;
  Kind kind = Kind::kNull;
  std::string raw;   // JSON, as it came
  std::string text;  // decoded, or the JSON of anything but a string
  const CutField* cut = nullptr;

  std::int64_t size_chars() const { return cut ? cut->size_chars : utf8::count(text); }
  bool is_text() const { return kind == Kind::kString && (!cut || cut->text_like); }
  bool is_hidden() const { return cut && (!cut->text_like || kind == Kind::kNull); }  // nothing of it is in hand
};

std::vector<Part> parts_of(const port::Record& record, const port::StreamView* declared) {
  std::vector<Part> parts;
  const json::Value object = json::value_of(record.data);
  if (object.kind != Kind::kObject) return parts;
  for (json::Members members(object.text); members.next();) {
    Part part;
    part.name = json::decode_string(members.raw_name());
    part.path = model::format_field_path(part.name);
    part.kind = members.value().kind;
    part.raw = members.value().text;
    part.text = part.kind == Kind::kString ? json::decode_string(json::raw_content(members.value())) : part.raw;
    const auto cut = std::ranges::find(record.cut, part.path, &CutField::path);
    if (cut != record.cut.end()) part.cut = &*cut;
    parts.push_back(std::move(part));
  }
  if (!declared) return parts;
  const auto place = [&](const Part& part) {
    return std::ranges::find(declared->fields, part.name, &port::FieldView::name) - declared->fields.begin();
  };
  std::ranges::stable_sort(parts, {}, place);
  return parts;
}

const Part* text_part(const std::vector<Part>& parts, const std::string& name) {
  if (name.empty()) return nullptr;
  const auto found = std::ranges::find(parts, name, &Part::name);
  return found != parts.end() && found->is_text() ? &*found : nullptr;
}

LadderField described(const Part& part, std::int64_t shown_chars) {
  LadderField field;
  if (part.cut) field = evidence::ladder_field(*part.cut);
  field.path = part.path;
  field.type = part.kind == Kind::kObject ? "object" : part.kind == Kind::kArray ? "array" : part.cut ? part.cut->type : "string";
  field.size_chars = part.size_chars();
  field.status = shown_chars >= field.size_chars ? PreviewStatus::kComplete : PreviewStatus::kTruncated;
  field.preview = evidence::CharRange{0, shown_chars};
  field.resume.offset_chars = shown_chars;
  if (field.status == PreviewStatus::kComplete) field.resume.offset_chars = 0;
  return field;
}

class Builder {
 public:
  Builder(const DocumentBounds& bounds, Document& out) : bounds_(bounds), out_(out) {}

  // The whole text is one field, as declared.
  void take_text(const Part& part) {
    const std::int64_t shown = std::min(utf8::count(part.text), bounds_.text_chars);
    out_.text = utf8::slice(part.text, 0, shown);
    out_.text_chars = part.size_chars();
    out_.text_complete = shown >= out_.text_chars;
    note(part, shown);
  }

  // "path: value", one field after the other.
  void add_block(const Part& part) {
    const std::string label = format("{}{}: ", out_.text.empty() ? "" : "\n", part.path);
    out_.text_chars += utf8::count(label) + part.size_chars();
    const std::int64_t shown = part.is_hidden() ? 0 : fitting(part, bounds_.text_chars - used_ - utf8::count(label));
    if (shown < part.size_chars()) out_.text_complete = false;
    if (part.is_hidden() || (shown == 0 && !part.text.empty())) return note(part, 0);
    out_.text += label;
    out_.text += utf8::slice(part.text, 0, shown);
    used_ += utf8::count(label) + shown;
    note(part, shown);
  }

  // Beside a declared text the other fields stand as values.
  void add_value(const Part& part) {
    if (part.is_hidden()) return note(part, 0);
    const std::int64_t shown = fitting(part, bounds_.field_chars);
    const bool whole = shown >= utf8::count(part.text) && !part.cut;
    if (!whole && part.kind != Kind::kString) return note(part, 0);
    values_ += values_.empty() ? "{" : ",";
    json::append_string(values_, part.name);
    values_ += ':';
    if (whole) values_ += part.raw;
    else json::append_string(values_, utf8::slice(part.text, 0, shown));
    note(part, shown);
  }

  void finish() {
    if (!values_.empty()) out_.fields = values_ + "}";
  }

 private:
  std::int64_t fitting(const Part& part, std::int64_t room) const {
    const std::int64_t chars = utf8::count(part.text);
    const std::int64_t most = std::min({chars, bounds_.field_chars, std::max<std::int64_t>(0, room)});
    return most < chars && most < kLeastShownChars ? 0 : most;
  }

  void note(const Part& part, std::int64_t shown) {
    if (part.cut && !part.cut->text_like) return;  // told among the binary fields
    const bool container = part.kind == Kind::kObject || part.kind == Kind::kArray;
    if (part.kind != Kind::kString && !container && !part.cut) return;
    LadderField field = described(part, shown);
    if (field.status != PreviewStatus::kComplete) out_.more.push_back(std::move(field));
    else if (part.kind == Kind::kString) out_.whole.push_back(std::move(field));
  }

  const DocumentBounds& bounds_;
  Document& out_;
  std::string values_;
  std::int64_t used_ = 0;
};

bool is_web_address(std::string_view text) {
  return (text.starts_with("https://") || text.starts_with("http://")) &&
         text.find_first_of(" \t\r\n\"") == std::string_view::npos;
}

void name_document(const Context& context, const port::Record& record, const std::vector<Part>& parts, const DocumentRoles& roles,
                   Document& out) {
  if (const Part* const title = text_part(parts, roles.title))
    out.title = evidence::shortened(title->text, evidence::kTitleChars);
  if (out.title.empty()) {
    const std::string& source = !record.display_name.empty()    ? record.display_name
                                : !record.connector_key.empty() ? record.connector_key
                                                                : record.ref.connection_id;
    out.title =
        evidence::shortened(format("{} / {} / {}", source, record.ref.stream, record.ref.record_id), evidence::kTitleChars);
  }
  if (const Part* const time = text_part(parts, roles.time)) out.time = evidence::shortened(time->text, evidence::kSnippetChars);
  const Part* const url = text_part(parts, roles.url);
  out.url = url && !url->cut && is_web_address(url->text) ? url->text : citation_url(context.options.provider_url, record.ref);
}

void write_more(json::Writer& out, const port::Record& record, const std::vector<LadderField>& more, bool every_call) {
  if (more.empty()) return;
  write_call(out, "continue", read_call(record.ref, more.front().path, more.front().resume));
  out.key("fields_more").begin_array();
  for (const LadderField& field : more) {
    out.begin_object().member("field_path", field.path).member("size_chars", field.size_chars);
    out.member("shown_chars", field.resume.offset_chars);
    if (every_call) write_call(out, "read", read_call(record.ref, field.path, field.resume));
    out.end_object();
  }
  out.end_array();
}

void write_children(json::Writer& out, const port::Record& record) {
  if (record.expanded.empty()) return;
  out.key("expanded").begin_object();
  for (const port::Expansion& expansion : record.expanded) {
    out.key(expansion.name).begin_object().member("has_more", expansion.has_more).key("records").begin_array();
    for (const port::Record& child : expansion.records) {
      out.begin_object().member("id", model::format_record_id(child.ref)).key("data").raw(child.data.empty() ? "{}" : child.data);
      std::vector<LadderField> cut;
      for (const LadderField& field : ladder_of(child).fields) {
        if (!field.is_binary()) cut.push_back(field);
      }
      write_more(out, child, cut, true);
      out.end_object();
    }
    out.end_array().end_object();
  }
  out.end_object();
}

}  // namespace

Document make_document(const Context& context, const port::Record& record, const port::StreamView* declared,
                       const DocumentBounds& bounds) {
  const std::vector<Part> parts = parts_of(record, declared);
  const DocumentRoles roles = declared ? roles_of(*declared) : DocumentRoles{};
  Document document;
  document.id = model::format_record_id(record.ref);
  name_document(context, record, parts, roles, document);
  Builder builder(bounds, document);
  const Part* const text = text_part(parts, roles.text);
  if (text) builder.take_text(*text);
  for (const Part& part : parts) {
    if (&part == text) continue;
    text ? builder.add_value(part) : builder.add_block(part);
  }
  builder.finish();
  for (LadderField& field : ladder_of(record).fields) {
    if (field.is_binary()) document.binary.push_back(std::move(field));
  }
  return document;
}

void write_document(json::Writer& out, const port::Record& record, const Document& document, const DocumentBounds& bounds) {
  out.member("id", document.id).member("title", document.title).member("text", document.text).member("url", document.url);
  out.key("metadata").begin_object().member("stream", record.ref.stream).member("record_id", record.ref.record_id);
  out.optional_member("connection_id", record.ref.connection_id).optional_member("connector_key", record.connector_key);
  out.optional_member("display_name", record.display_name).optional_member("time", document.time);
  out.optional_member("emitted_at", record.emitted_at);
  out.member("text_complete", document.text_complete).member("text_chars", document.text_chars);
  write_more(out, record, document.more, bounds.every_read_call);
  if (!document.binary.empty()) {
    out.key("binary_fields").begin_array();
    for (const LadderField& field : document.binary) write_binary_field(out, record.ref, field);
    out.end_array();
  }
  if (!document.fields.empty()) out.key("fields").raw(document.fields);
  write_children(out, record);
  out.end_object();
}

evidence::LadderRecord ladder_of(const port::Record& record, const Document& document, const DocumentBounds& bounds) {
  constexpr std::size_t kMostWhole = 8;
  evidence::LadderRecord ladder{record.ref};
  ladder.fields = document.more;
  if (bounds.whole_fields_in_ladder) {
    std::vector<LadderField> whole = document.whole;
    std::ranges::stable_sort(whole, std::ranges::greater(), &LadderField::size_chars);
    if (whole.size() > kMostWhole) whole.resize(kMostWhole);
    ladder.fields.insert(ladder.fields.end(), whole.begin(), whole.end());
  }
  ladder.fields.insert(ladder.fields.end(), document.binary.begin(), document.binary.end());
  return ladder;
}

}  // namespace ladder::mcp
