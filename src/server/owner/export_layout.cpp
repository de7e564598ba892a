#include "server/owner/export_layout.h"

#include "base/text/format.h"
#include "json/writer.h"

namespace ladder::server {
namespace {

constexpr int kVersion = 1;
constexpr std::size_t kSlugBytes = 60;

void write_facts(json::Writer& out, const FileInfo& facts) { out.member("bytes", facts.bytes).member("sha256", facts.sha256); }

}  // namespace

std::string export_slug(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '_';
    if (plain) text += c;
    else if (!text.ends_with('-')) text += '-';
    if (text.size() == kSlugBytes) break;
  }
  return text;
}

std::string source_file(std::size_t number, std::string_view key) {
  return format("sources/{}-{}.json", number, export_slug(key));
}

std::string connection_folder(std::size_t number, std::string_view connection_id) {
  return format("connections/{}-{}", number, export_slug(connection_id));
}

std::string stream_file(std::string_view folder, std::size_t number, std::string_view stream) {
  return format("{}/{}-{}.ndjson", folder, number, export_slug(stream));
}

std::string blob_list_file(std::string_view folder) { return format("{}/blobs.ndjson", folder); }

std::string blob_file(std::string_view sha256) { return format("blobs/{}", sha256); }

std::string record_line_begin(std::string_view key, std::string_view emitted_at) {
  std::string line = format("{{\"key\":{},\"emitted_at\":", key);
  json::append_string(line, emitted_at);
  return line + ",\"data\":";
}

std::string blob_line(std::string_view sha256, std::int64_t bytes, std::string_view mime_type) {
  json::Writer line;
  line.begin_object().member("sha256", sha256).member("size_bytes", bytes).member("mime_type", mime_type).end_object();
  return line.take() + "\n";
}

std::string export_index(const ExportIndex& index, std::string_view ladder_version, std::string_view owner_name, Instant now) {
  json::Writer out;
  out.begin_object().member("format", "ladder-export").member("version", kVersion).member("ladder", ladder_version);
  out.member("exported_at", format_time(now)).member("owner", owner_name);
  out.member("records", index.records).member("blobs", index.blobs);
  out.key("sources").begin_array();
  for (const ExportedSource& source : index.sources) {
    out.begin_object().member("key", source.document.key).member("source_id", source.document.source_id);
    out.member("declaration_version", source.document.version).member("file", source.file);
    write_facts(out, source.facts);
    out.end_object();
  }
  out.end_array().key("connections").begin_array();
  for (const ExportedConnection& one : index.connections) {
    out.begin_object().member("connection_id", one.connection.connection_id);
    out.member("display_name", one.connection.display_name).member("source_key", one.connection.source_key);
    out.member("created_at", format_time(one.connection.created_at)).key("streams").begin_array();
    for (const ExportedStream& stream : one.streams) {
      out.begin_object().member("stream", stream.stream).member("file", stream.file).member("records", stream.records);
      write_facts(out, stream.facts);
      out.end_object();
    }
    out.end_array().key("blobs").begin_object().member("file", one.blobs_file).member("blobs", one.blobs);
    write_facts(out, one.blobs_facts);
    out.end_object().end_object();
  }
  out.end_array().end_object();
  return out.take() + "\n";
}

}  // namespace ladder::server
