// The layout of an export: its files, their contents, and the index of the files. It is documented in docs/reference/export.md
// and read by `ladder import`.
#pragma once

#include "base/time/time.h"
#include "server/owner/sources.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

inline constexpr std::string_view kExportIndexFile = "ladder-export.json";

struct FileInfo {
  std::int64_t bytes = 0;
  std::string sha256;  // 64 hex digits
};

struct ExportedStream {
  std::string stream, file;
  std::int64_t records = 0;
  FileInfo facts = {};
};

struct ExportedConnection {
  ConnectionSummary connection;
  std::vector<ExportedStream> streams = {};
  std::string blobs_file = {};  // lists the blobs that no earlier connection contains
  std::int64_t blobs = 0;
  FileInfo blobs_facts = {};
};

struct ExportedSource {
  SourceDocument document;
  std::string file = {};
  FileInfo facts = {};
};

struct ExportIndex {
  std::vector<ExportedSource> sources = {};
  std::vector<ExportedConnection> connections = {};
  std::int64_t records = 0, blobs = 0;
};

// Returns a readable name that is valid on any file system. The index contains the real name.
std::string export_slug(std::string_view name);

// File names; numbers start at 1.
std::string source_file(std::size_t number, std::string_view key);
std::string connection_folder(std::size_t number, std::string_view connection_id);
std::string stream_file(std::string_view folder, std::size_t number, std::string_view stream);
std::string blob_list_file(std::string_view folder);
std::string blob_file(std::string_view sha256);

// A line of a stream file in `ladder ingest` format: begin, the record's data, end.
std::string record_line_begin(std::string_view key, std::string_view emitted_at);
inline constexpr std::string_view kRecordLineEnd = "}\n";
std::string blob_line(std::string_view sha256, std::int64_t bytes, std::string_view mime_type);

std::string export_index(const ExportIndex& index, std::string_view ladder_version, std::string_view owner_name, Instant now);

}  // namespace ladder::server
