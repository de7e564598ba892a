// A document as JSON, the same in both channels, and the ladder beside it (contract mcp-adapter 2.5 and 3).
#include "mcp/calls.h"
#include "mcp/document.h"
#include "mcp/ladder_json.h"
#include "mcp/record_view.h"

#include <algorithm>
#include <span>

namespace ladder::mcp {
namespace {

using evidence::LadderField;

constexpr std::size_t kMostOmitted = 24;  // names of values that the next fetch asks for

std::span<const LadderField> first_of(const std::vector<LadderField>& fields, std::size_t most) {
  return std::span(fields).first(std::min(most, fields.size()));
}

// Where reading goes on, then every field that is listed.
void write_more(json::Writer& out, const port::Record& record, const std::vector<LadderField>& more, std::size_t most,
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

void write_binary(json::Writer& out, const port::Record& record, std::span<const LadderField> binary) {
  if (binary.empty()) return;
  out.key("binary_fields").begin_array();
  for (const LadderField& field : binary) write_binary_field(out, record.ref, field);
  out.end_array();
}

// Values for which there was no room: how many, and the call that shows the next of them.
void write_omitted(json::Writer& out, const port::Record& record, const std::vector<std::string>& omitted, std::size_t most) {
  if (omitted.empty()) return;
  out.member("fields_omitted", std::ssize(omitted));
  if (most == 0) return;
  out.key("fetch_omitted").begin_object().member("tool", "fetch").key("args");
  out.begin_object().member("id", model::format_record_id(record.ref)).key("fields").begin_array();
  for (std::size_t i = 0; i < std::min({most, kMostOmitted, omitted.size()}); ++i) out.string(omitted[i]);
  out.end_array().end_object().end_object();
}

// Fields that are not even listed: the schema names them, and fetch with fields shows them.
void write_unlisted(json::Writer& out, const port::Record& record, std::size_t count) {
  if (count == 0) return;
  json::Writer args;
  args.begin_object().member("stream", record.ref.stream).optional_member("connection_id", record.ref.connection_id);
  out.member("fields_unlisted", count);
  write_call(out, "list_fields", {"schema", args.end_object().take()});
}

void write_children(json::Writer& out, const port::Record& record) {
  if (record.expanded.empty()) return;
  out.key("expanded").begin_object();
  for (const port::Expansion& expansion : record.expanded) {
    out.key(expansion.name).begin_object().member("has_more", expansion.has_more);
    if (expansion.has_more) out.member("more", kMoreRelated);
    out.key("records").begin_array();
    for (const port::Record& child : expansion.records) {
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

void write_document(json::Writer& out, const port::Record& record, const Document& document, const DocumentBounds& bounds) {
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

evidence::LadderRecord ladder_of(const port::Record& record, const Document& document, const DocumentBounds& bounds) {
  evidence::LadderRecord ladder{record.ref};
  const auto add = [&](std::span<const LadderField> fields) {
    ladder.fields.insert(ladder.fields.end(), fields.begin(), fields.end());
  };
  add(first_of(document.more, bounds.most_listed));
  add(first_of(document.binary, bounds.most_binary()));
  return ladder;
}

}  // namespace ladder::mcp
