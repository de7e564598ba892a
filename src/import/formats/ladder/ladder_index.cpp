#include "import/formats/ladder/ladder_index.h"

#include "base/text/format.h"
#include "import/io/limits.h"
#include "import/io/lines.h"
#include "json/parse.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <set>

namespace ladder::imports {
namespace {

constexpr std::size_t kMaxDepth = 8;
constexpr std::size_t kMaxWordBytes = 2 * limits::kMaxPathBytes;  // a path, a name, an id; longer values are invalid
constexpr std::size_t kDigestChars = 64;

const boost::json::value* find(const boost::json::value& object, const char* name) {
  return object.is_object() ? object.get_object().if_contains(name) : nullptr;
}

std::string text(const boost::json::value& object, const char* name) {
  const auto* value = find(object, name);
  if (!value || !value->is_string() || value->get_string().size() > kMaxWordBytes) return {};
  return std::string(value->get_string());
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

// Every connection, stream and file may occur only once.
bool is_told_once(const LadderIndex& index) {
  std::set<std::string_view> ids, files;
  for (const ExportedConnection& connection : index.connections) {
    std::set<std::string_view> streams;
    if (!ids.insert(connection.connection_id).second) return false;
    for (const ExportedStream& stream : connection.streams) {
      if (!streams.insert(stream.stream).second || !files.insert(stream.file.path).second) return false;
    }
    if (!connection.blobs_list.empty() && !files.insert(connection.blobs_list).second) return false;
  }
  return std::ranges::all_of(index.sources, [&](const ExportedSource& source) { return files.insert(source.file.path).second; });
}

std::string fault_of(const LadderIndex& index, std::int64_t version) {
  if (version < 1 || version > kLadderIndexVersion)
    return format("the export has format {}, and this Ladder reads format {}: upgrade ladder", version, kLadderIndexVersion);
  if (!is_told_once(index)) return format("{} names a connection, a stream or a file twice", kLadderIndexName);
  return {};
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
  each(*document, "sources",
       [&](const boost::json::value& source) { index.sources.push_back({text(source, "key"), file_of(index.folder, source)}); });
  each(*document, "connections",
       [&](const boost::json::value& connection) { index.connections.push_back(connection_of(index.folder, connection)); });
  const auto* version = find(*document, "version");
  index.fault = fault_of(index, version && version->is_int64() ? version->get_int64() : 0);
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
