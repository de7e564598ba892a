#include "mcp/render/document.h"

#include "api/preview.h"
#include "api/schema.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "json/scan/scan.h"
#include "mcp/render/calls.h"
#include "mcp/render/content_ladder_json.h"
#include "mcp/render/record_answer.h"
#include "model/field_path.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace ladder::mcp {
namespace {

using api::CutField;
using api::DocumentRoles;
using api::LadderField;
using api::PreviewStatus;
using api::roles_of;
using json::Kind;

constexpr std::int64_t kLeastShownChars = 32;  // shorter values are not shown partially
constexpr std::int64_t kLeastValueChars = 4;   // quotes, colon and comma around a value

// The available part of a field.
struct Part {
  std::string name, path;
  Kind kind = Kind::kNull;
  std::string raw;   // JSON, as received
  std::string text;  // decoded text, or the JSON of a non-string
  const CutField* cut = nullptr;

  std::int64_t size_chars() const { return cut ? cut->size_chars : utf8::count(text); }
  bool is_text() const { return kind == Kind::kString && (!cut || cut->text_like); }
  bool is_binary() const { return cut && !cut->text_like; }
  bool is_hidden() const { return cut && (!cut->text_like || kind == Kind::kNull); }  // no part of it is available
};

std::vector<Part> parts_of(const api::Record& record, const api::StreamView* declared) {
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
    return std::ranges::find(declared->fields, part.name, &api::FieldView::name) - declared->fields.begin();
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
  if (part.cut) field = api::ladder_field(*part.cut);
  field.path = part.path;
  field.type = part.kind == Kind::kObject ? "object" : part.kind == Kind::kArray ? "array" : part.cut ? part.cut->type : "string";
  field.size_chars = part.size_chars();
  field.status = shown_chars >= field.size_chars ? PreviewStatus::kComplete : PreviewStatus::kTruncated;
  field.preview = api::CharRange{0, shown_chars};
  field.resume.offset_chars = shown_chars;
  if (field.status == PreviewStatus::kComplete) field.resume.offset_chars = 0;
  return field;
}

class Builder {
 public:
  Builder(const DocumentBounds& bounds, Document& out) : bounds_(bounds), out_(out) {}

  // The text consists of one declared field.
  void take_text(const Part& part) {
    const std::int64_t shown = std::min(utf8::count(part.text), bounds_.text_chars);
    out_.text = utf8::slice(part.text, 0, shown);
    out_.text_chars = part.size_chars();
    out_.text_complete = shown >= out_.text_chars;
    note(part, shown);
  }

  // Adds "path: value", one field after another.
  void add_block(const Part& part) {
    if (part.is_binary()) return;  // listed with the binary fields, not part of the text
    const std::string label = format("{}{}: ", out_.text.empty() ? "" : "\n", part.path);
    out_.text_chars += utf8::count(label) + part.size_chars();
    const std::int64_t shown = part.is_hidden() ? 0 : fitting(part, bounds_.text_chars - used_ - utf8::count(label));
    if (shown < part.size_chars()) out_.text_complete = false;
    if (part.is_hidden() || (shown == 0 && !part.text.empty())) return leave_out(part);
    out_.text += label;
    out_.text += utf8::slice(part.text, 0, shown);
    used_ += utf8::count(label) + shown;
    note(part, shown);
  }

  // If there is a declared text, the other fields are separate values.
  void add_value(const Part& part) {
    const std::int64_t shown = part.is_hidden() ? 0 : fitting(part, bounds_.text_chars - used_);
    const bool whole = shown >= utf8::count(part.text) && !part.cut && !part.is_hidden();
    if (!whole && (part.kind != Kind::kString || shown == 0)) return leave_out(part);
    used_ += shown + utf8::count(part.name) + kLeastValueChars;
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

  // Shows nothing of the field. Non-text values cannot be read by windows, so they are listed for another fetch.
  void leave_out(const Part& part) {
    const bool is_value = part.kind != Kind::kString && part.kind != Kind::kObject && part.kind != Kind::kArray && !part.cut;
    if (is_value) out_.omitted.push_back(part.name);
    else note(part, 0);
  }

  void note(const Part& part, std::int64_t shown) {
    if (part.is_binary()) return;  // listed with the binary fields
    const bool container = part.kind == Kind::kObject || part.kind == Kind::kArray;
    if (part.kind != Kind::kString && !container && !part.cut) return;
    LadderField field = described(part, shown);
    if (field.status != PreviewStatus::kComplete) out_.more.push_back(std::move(field));
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

void name_document(const Context& context, const api::Record& record, const std::vector<Part>& parts, const DocumentRoles& roles,
                   Document& out) {
  if (const Part* const title = text_part(parts, roles.title)) out.title = api::shortened(title->text, api::kTitleChars);
  if (out.title.empty()) out.title = api::shortened(record.ref.record_id, api::kTitleChars);
  if (const Part* const time = text_part(parts, roles.time)) out.time = api::shortened(time->text, api::kSnippetChars);
  if (const Part* const author = text_part(parts, roles.author)) {
    out.author = api::shortened(author->text, api::kTitleChars);
  }
  const Part* const url = text_part(parts, roles.url);
  out.url = url && !url->cut && is_web_address(url->text) ? url->text : citation_url(context.options.provider_url, record.ref);
}

// The document's own members contain the complete field.
bool is_listed(const Part& part, const DocumentRoles& roles, const Document& document) {
  if (part.kind != Kind::kString || part.cut) return false;
  return (part.name == roles.title && part.text == document.title) || (part.name == roles.time && part.text == document.time) ||
         (part.name == roles.author && part.text == document.author);
}

}  // namespace

Document make_document(const Context& context, const api::Record& record, const api::StreamView* declared,
                       const DocumentBounds& bounds) {
  const std::vector<Part> parts = parts_of(record, declared);
  const DocumentRoles roles = declared ? api::roles_of(*declared) : DocumentRoles{};
  Document document;
  document.id = model::format_record_id(record.ref);
  name_document(context, record, parts, roles, document);
  Builder builder(bounds, document);
  const Part* const text = text_part(parts, roles.text);
  if (text) builder.take_text(*text);
  for (const Part& part : parts) {
    if (&part == text || (text && is_listed(part, roles, document))) continue;
    text ? builder.add_value(part) : builder.add_block(part);
  }
  builder.finish();
  for (LadderField& field : ladder_of(record).fields) {
    if (field.is_binary()) document.binary.push_back(std::move(field));
  }
  return document;
}

// A document as JSON, the same in both channels, with the content ladder next to it (PDPP "documents" and "content ladder").

namespace {

using api::LadderField;

constexpr std::size_t kMaxOmitted = 24;  // names of values that the next fetch requests

std::span<const LadderField> first_of(const std::vector<LadderField>& fields, std::size_t most) {
  return std::span(fields).first(std::min(most, fields.size()));
}

// Writes the call that continues reading, then every listed field.
void write_more(json::Writer& out, const api::Record& record, const std::vector<LadderField>& more, std::size_t most,
                bool every_call) {
  if (more.empty()) return;
  write_call(out, "continue", read_call(record.ref, more.front().path, more.front().resume));
  if (most == 0) return;
  out.key("fields_more").begin_array();
  for (const LadderField& field : first_of(more, most)) {
    out.begin_object().member("field_path", field.path).member("size_chars", field.size_chars);
    out.member("shown_chars", field.resume.offset_chars);
    if (every_call) write_call(out, "read", read_call(record.ref, field.path, field.resume));
    out.end_object();
  }
  out.end_array();
}

void write_binary(json::Writer& out, const api::Record& record, std::span<const LadderField> binary) {
  if (binary.empty()) return;
  out.key("binary_fields").begin_array();
  for (const LadderField& field : binary) write_binary_field(out, record.ref, field);
  out.end_array();
}

// Writes the number of values that did not fit, and the call that shows the next ones.
void write_omitted(json::Writer& out, const api::Record& record, const std::vector<std::string>& omitted, std::size_t most) {
  if (omitted.empty()) return;
  out.member("fields_omitted", std::ssize(omitted));
  if (most == 0) return;
  out.key("fetch_omitted").begin_object().member("tool", "fetch").key("args");
  out.begin_object().member("id", model::format_record_id(record.ref)).key("fields").begin_array();
  for (std::size_t i = 0; i < std::min({most, kMaxOmitted, omitted.size()}); ++i) out.string(omitted[i]);
  out.end_array().end_object().end_object();
}

// Writes the number of fields that are not listed: the schema names them, and fetch with fields shows them.
void write_unlisted(json::Writer& out, const api::Record& record, std::size_t count) {
  if (count == 0) return;
  json::Writer args;
  args.begin_object().member("stream", record.ref.stream).optional_member("connection_id", record.ref.connection_id);
  out.member("fields_unlisted", count);
  write_call(out, "list_fields", {"schema", args.end_object().take()});
}

void write_children(json::Writer& out, const api::Record& record) {
  if (record.expanded.empty()) return;
  out.key("expanded").begin_object();
  for (const api::Expansion& expansion : record.expanded) {
    out.key(expansion.name).begin_object().member("has_more", expansion.has_more);
    if (expansion.has_more) out.member("more", kMoreRelated);
    out.key("records").begin_array();
    for (const api::Record& child : expansion.records) {
      out.begin_object().member("id", model::format_record_id(child.ref)).key("data").raw(child.data.empty() ? "{}" : child.data);
      std::vector<LadderField> cut, binary;
      for (LadderField& field : ladder_of(child).fields) (field.is_binary() ? binary : cut).push_back(std::move(field));
      write_more(out, child, cut, cut.size(), true);
      write_binary(out, child, binary);
      out.end_object();
    }
    out.end_array().end_object();
  }
  out.end_object();
}

}  // namespace

void write_document(json::Writer& out, const api::Record& record, const Document& document, const DocumentBounds& bounds) {
  out.member("id", document.id).member("title", document.title).member("text", document.text).member("url", document.url);
  out.key("metadata").begin_object().member("stream", record.ref.stream);
  out.optional_member("connection_id", record.ref.connection_id).optional_member("connector_key", record.connector_key);
  out.optional_member("display_name", record.display_name).optional_member("author", document.author);
  if (!document.time.empty()) out.member("time", document.time);
  else out.optional_member("emitted_at", record.emitted_at);
  out.member("text_complete", document.text_complete);
  if (!document.text_complete) out.member("text_chars", document.text_chars);
  const auto binary = first_of(document.binary, bounds.most_binary());
  write_more(out, record, document.more, bounds.most_listed, bounds.every_read_call);
  write_binary(out, record, binary);
  write_omitted(out, record, document.omitted, bounds.most_listed);
  const std::size_t listed = std::min(bounds.most_listed, document.more.size()) + binary.size();
  write_unlisted(out, record, document.more.size() + document.binary.size() - listed);
  if (!document.fields.empty()) out.key("fields").raw(document.fields);
  write_children(out, record);
  out.end_object();
}

api::LadderRecord ladder_of(const api::Record& record, const Document& document, const DocumentBounds& bounds) {
  api::LadderRecord ladder{record.ref};
  const auto add = [&](std::span<const LadderField> fields) {
    ladder.fields.insert(ladder.fields.end(), fields.begin(), fields.end());
  };
  add(first_of(document.more, bounds.most_listed));
  add(first_of(document.binary, bounds.most_binary()));
  return ladder;
}

}  // namespace ladder::mcp
