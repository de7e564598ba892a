// The index of an export by `ladder export`: what it holds, and in which of its files (docs/import.md has the layout).
#pragma once

#include "import/child/format.h"

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
  std::string blobs_list;  // the file that names its blobs
};

struct ExportedSource {
  std::string key;
  ExportedFile file;
};

struct LadderIndex {
  EntryNo entry = 0;
  std::string folder;  // of the export, in the tree; with its "/", or empty
  std::string fault;   // why nothing of it can be read, a sentence; usually empty
  std::vector<ExportedSource> sources;
  std::vector<ExportedConnection> connections;

  const ExportedSource* source(std::string_view key) const;
};

// nullopt when the entry is no index.
std::optional<LadderIndex> read_ladder_index(Tree& tree, EntryNo entry);

struct ExportedBlob {
  std::string sha256, mime_type;
};
// The blobs that a list names; lines that can't be read are left out.
std::vector<ExportedBlob> read_blob_list(Tree& tree, std::string_view path);

}  // namespace ladder::imports
