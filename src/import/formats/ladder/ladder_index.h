// The index of an export by `ladder export`: its contents and the files that hold them (layout: docs/reference/export.md).
#pragma once

#include "import/formats/format.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports {

inline constexpr std::string_view kLadderIndexName = "ladder-export.json";
inline constexpr std::int64_t kLadderIndexVersion = 1;

struct ExportedFile {
  std::string path;  // in the tree
  std::string sha256;
};

struct ExportedStream {
  std::string stream;
  ExportedFile file;
};

struct ExportedConnection {
  std::string connection_id, display_name, source_key;
  std::vector<ExportedStream> streams;
  std::string blobs_list;  // the file that lists its blobs
};

struct ExportedSource {
  std::string key;
  ExportedFile file;
};

struct LadderIndex {
  EntryNo entry = 0;
  std::string folder;  // folder of the export in the tree, with its "/"; or empty
  std::string fault;   // a sentence why the export cannot be read; usually empty
  std::vector<ExportedSource> sources;
  std::vector<ExportedConnection> connections;

  const ExportedSource* source(std::string_view key) const;
};

// Returns nullopt if the entry is not an index.
std::optional<LadderIndex> read_ladder_index(Tree& tree, EntryNo entry);

struct ExportedBlob {
  std::string sha256, mime_type;
};
// Returns the blobs in a list; unreadable lines are left out.
std::vector<ExportedBlob> read_blob_list(Tree& tree, std::string_view path);

}  // namespace ladder::imports
