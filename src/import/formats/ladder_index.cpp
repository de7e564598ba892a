#include "import/formats/ladder_index.h"

#include "base/format.h"
#include "import/limits.h"
#include "import/lines.h"
#include "json/parse.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

namespace ladder::imports {
namespace {

constexpr std::size_t kMaxDepth = 8;
constexpr std::size_t kDigestChars = 64;

const boost::json::value* find(const boost::json::value& object, const char* name) {
  return object.is_object() ? object.get_object().if_contains(name) : nullptr;
}

std::string text(const boost::json::value& object, const char* name) {
  const auto* value = find(object, name);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

template <class Take>
void each(const boost::json::value& object, const char* name, const Take& take) {
  const auto* list = find(object, name);
  if (!list || !list->is_array()) return;
  for (const boost::json::value& one : list->get_array()) take(one);
}

ExportedFile file_of(const std::string& folder, const boost::json::value& object) {
  return {folder + text(object, "file"), text(object, "sha256")};
}

ExportedConnection connection_of(const std::string& folder, const boost::json::value& object) {
  ExportedConnection connection{text(object, "connection_id"), text(object, "display_name"), text(object, "source_key"), {}, {}};
  each(object, "streams", [&](const boost::json::value& stream) {
    connection.streams.push_back({text(stream, "stream"), file_of(folder, stream)});
  });
  if (const auto* blobs = find(object, "blobs")) connection.blobs_list = folder + text(*blobs, "file");
  return connection;
}

bool is_digest(std::string_view name) {
  return name.size() == kDigestChars &&
         std::ranges::all_of(name, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

const ExportedSource* LadderIndex::source(std::string_view key) const {
  const auto found = std::ranges::find(sources, key, &ExportedSource::key);
  return found == sources.end() ? nullptr : &*found;
}

std::optional<LadderIndex> read_ladder_index(Tree& tree, EntryNo entry) {
  const Entry& about = tree.entries()[entry];
  if (about.name() != kLadderIndexName) return std::nullopt;
  const auto bytes = tree.read(entry, limits::kMaxTextBytes);
  if (!bytes) return std::nullopt;
  const auto document = json::parse(*bytes, limits::kMaxTextBytes, kMaxDepth);
  if (!document || text(*document, "format") != "ladder-export") return std::nullopt;
  LadderIndex index;
  index.entry = entry;
  index.folder = about.folder().empty() ? "" : std::string(about.folder()) + "/";
  if (const auto* version = find(*document, "version"); version && version->is_int64()) index.version = version->get_int64();
  each(*document, "sources",
       [&](const boost::json::value& source) { index.sources.push_back({text(source, "key"), file_of(index.folder, source)}); });
  each(*document, "connections",
       [&](const boost::json::value& connection) { index.connections.push_back(connection_of(index.folder, connection)); });
  return index;
}

std::vector<ExportedBlob> read_blob_list(Tree& tree, std::string_view path) {
  std::vector<ExportedBlob> blobs;
  const auto entry = tree.find(path);
  if (!entry) return blobs;
  const auto bytes = tree.open(*entry);
  if (!bytes) return blobs;
  Lines lines(**bytes);
  for (auto more = lines.next(); more && *more; more = lines.next()) {
    const auto line = json::parse(lines.text(), limits::kKiB, 2);
    if (!line || !is_digest(text(*line, "sha256"))) continue;
    blobs.push_back({text(*line, "sha256"), text(*line, "mime_type")});
  }
  return blobs;
}

}  // namespace ladder::imports
