#include "mcp/document.h"

#include "base/format.h"
#include "base/utf8.h"
#include "evidence/bounds.h"
#include "json/scan.h"
#include "mcp/calls.h"
#include "mcp/document_roles.h"
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
constexpr std::int64_t kLeastValueChars = 4;   // quotes, colon and comma around a value

// One field of the record, as far as it is in hand.
struct Part {
  std::string name, path;
  Kind kind = Kind::kNull;
  std::string raw;   // JSON, as it came
  std::string text;  // decoded, or the JSON of anything but a string
  const CutField* cut = nullptr;

  std::int64_t size_chars() const { return cut ? cut->size_chars : utf8::count(text); }
  bool is_text() const { return kind == Kind::kString && (!cut || cut->text_like); }
  bool is_binary() const { return cut && !cut->text_like; }
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
    if (part.is_binary()) return;  // told among the binary fields, and no part of the text
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

  // Beside a declared text the other fields stand as values.
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

  // Nothing of it is shown. What is no text cannot be read by windows, so it is named for another fetch.
  void leave_out(const Part& part) {
    const bool is_value = part.kind != Kind::kString && part.kind != Kind::kObject && part.kind != Kind::kArray && !part.cut;
    if (is_value) out_.omitted.push_back(part.name);
    else note(part, 0);
  }

  void note(const Part& part, std::int64_t shown) {
    if (part.is_binary()) return;  // told among the binary fields
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

void name_document(const Context& context, const port::Record& record, const std::vector<Part>& parts, const DocumentRoles& roles,
                   Document& out) {
  if (const Part* const title = text_part(parts, roles.title))
    out.title = evidence::shortened(title->text, evidence::kTitleChars);
  if (out.title.empty()) out.title = evidence::shortened(record.ref.record_id, evidence::kTitleChars);
  if (const Part* const time = text_part(parts, roles.time)) out.time = evidence::shortened(time->text, evidence::kSnippetChars);
  if (const Part* const author = text_part(parts, roles.author)) {
    out.author = evidence::shortened(author->text, evidence::kTitleChars);
  }
  const Part* const url = text_part(parts, roles.url);
  out.url = url && !url->cut && is_web_address(url->text) ? url->text : citation_url(context.options.provider_url, record.ref);
}

// It stands whole among the document's own members.
bool is_told(const Part& part, const DocumentRoles& roles, const Document& document) {
  if (part.kind != Kind::kString || part.cut) return false;
  return (part.name == roles.title && part.text == document.title) || (part.name == roles.time && part.text == document.time) ||
         (part.name == roles.author && part.text == document.author);
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
    if (&part == text || (text && is_told(part, roles, document))) continue;
    text ? builder.add_value(part) : builder.add_block(part);
  }
  builder.finish();
  for (LadderField& field : ladder_of(record).fields) {
    if (field.is_binary()) document.binary.push_back(std::move(field));
  }
  return document;
}

}  // namespace ladder::mcp
