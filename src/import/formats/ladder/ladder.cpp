// Reads exports of `ladder export` of any size. Every record is restored under the same ids, byte for byte. A line that is too
// long for memory is measured first and then read again while it is sent. Exports may be edited, damaged or forged: an error
// affects only its line or file.
#include "base/limits.h"
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "crypto/hash.h"
#include "import/formats/format.h"
#include "import/formats/ladder/ladder_index.h"
#include "import/formats/ladder/ladder_lines.h"
#include "import/formats/record_members.h"
#include "import/io/limits.h"
#include "json/scan/scan.h"
#include "model/declaration/declaration.h"
#include "model/quote.h"

#include <algorithm>
#include <map>
#include <span>

namespace ladder::imports {
namespace {

constexpr std::size_t kStreamsAtOnce = 32;  // per unit: the store's reader needs a thread for each
constexpr int kCheckpointEvery = 256;

// The position that marks a file as completely read and reported. No line ends at this offset.
std::int64_t end_position(const Tree& tree, EntryNo entry) { return tree.entries()[entry].size + 1; }

class StreamReader {
 public:
  StreamReader(Tree& tree, const Unit& unit, const ExportedStream& stream, const model::Stream* declared, Sink& sink)
      : tree_(tree), unit_(unit), stream_(stream), declared_(declared), sink_(sink) {}

  Status run(std::size_t index, std::int64_t from) {
    entry_ = unit_.entries[index];
    const auto bytes = tree_.open(entry_);
    if (!bytes) return sink_.lost({stream_.file.path, -1}, bytes.error().message);
    if (!declared_)
      return sink_.lost({stream_.file.path, -1}, format("the declaration has no stream {}", model::in_quotes(stream_.stream)));
    LongLines lines(**bytes);
    if (Status skipped = lines.skip_to(from); !skipped) return sink_.lost({stream_.file.path, from}, skipped.error().message);
    for (int count = 0;;) {
      const auto more = lines.next();
      if (!more) return sink_.lost({stream_.file.path, lines.offset()}, more.error().message);
      if (!*more) break;
      LADDER_CHECK(lines.held() ? take(lines) : take_long(lines));
      if (++count % kCheckpointEvery == 0) LADDER_CHECK(done_through(index, lines.end_offset()));
    }
    if (lines.digest() != stream_.file.sha256)
      LADDER_CHECK(sink_.lost({stream_.file.path, -1}, "the file was changed after the export: its digest differs"));
    return done_through(index, end_position(tree_, entry_));
  }

 private:
  Status done_through(std::size_t index, std::int64_t byte) {
    return sink_.checkpoint(position_text(tree_, unit_, {index, byte}));
  }

  Status take(const LongLines& lines) {
    const wire::FileLocation place{stream_.file.path, lines.offset()};
    if (lines.text().empty()) return {};
    const auto head = parse_line_header(lines.text());
    if (!head || !lines.text().ends_with('}')) return sink_.lost(place, "not a line of an export");
    const std::string_view data = lines.text().substr(head->data, lines.text().size() - head->data - 1);
    if (const auto checked = json::check(data, ladder::limits::kMaxJsonDepth); !checked)
      return sink_.lost(place, format("not valid JSON: {}", checked.error().what));
    return sink_.record({stream_.stream, data, place, time_of(data), head->key, head->emitted_at});
  }

  Status take_long(const LongLines& lines) {
    const wire::FileLocation place{stream_.file.path, lines.offset()};
    const auto head = parse_line_header(lines.text());
    if (!head) return sink_.lost(place, "not a line of an export");
    const std::int64_t from = lines.offset() + static_cast<std::int64_t>(head->data);
    const std::uint64_t size = static_cast<std::uint64_t>(lines.length()) - head->data - 1;
    if (size > ladder::limits::kMaxLineBytes - LongLines::kHeldBytes) return sink_.lost(place, "a record over the size limit");
    const auto data = tree_.open(entry_, from);
    if (!data) return sink_.lost(place, data.error().message);
    return sink_.long_record({stream_.stream, {}, place, std::nullopt, head->key, head->emitted_at}, **data, size);
  }

  std::optional<Instant> time_of(std::string_view data) const {
    if (declared_->consent_time_field.empty()) return std::nullopt;
    const json::Value object = json::value_of(data);
    if (object.kind != json::Kind::kObject) return std::nullopt;
    const auto value = json::member(object.text, declared_->consent_time_field);
    if (!value || value->kind != json::Kind::kString || value->text.size() > ladder::limits::kMaxTimeTextBytes)
      return std::nullopt;
    return parse_field_time(json::decode_string(json::raw_content(*value)));
  }

  Tree& tree_;
  const Unit& unit_;
  const ExportedStream& stream_;
  const model::Stream* declared_;
  Sink& sink_;
  EntryNo entry_ = 0;
};

bool has(const Unit& unit, std::optional<EntryNo> entry) { return entry && std::ranges::binary_search(unit.entries, *entry); }

class Ladder final : public Format {
 public:
  std::string_view name() const override { return "ladder"; }
  std::string_view summary() const override { return "a folder written by `ladder export`"; }

  Result<std::string> declaration(const Request&) const override {
    return fail(Code::kInvalidRequest, "an export by Ladder has its own declarations");
  }

  Result<std::string> declaration_of(Tree& tree, const Unit& unit, const Request&) const override {
    LADDER_TRY(const LadderIndex index, index_of(tree, unit));
    return declaration_in(tree, unit, index);
  }

  std::vector<Unit> detect(Tree& tree, const Request&) const override {
    std::vector<Unit> units;
    for (EntryNo i = 0; i < tree.entries().size(); ++i) {
      if (tree.entries()[i].name() != kLadderIndexName) continue;
      if (const auto index = read_ladder_index(tree, i)) add_units(tree, *index, units);
    }
    return units;
  }

  Status read(Tree& tree, const Unit& unit, const Request&, std::string_view position, Sink& sink) const override {
    LADDER_TRY(const LadderIndex index, index_of(tree, unit));
    const auto connection = std::ranges::find(index.connections, unit.target.connection_id, &ExportedConnection::connection_id);
    if (connection == index.connections.end()) return {};
    LADDER_TRY(const std::string text, declaration_in(tree, unit, index));
    LADDER_TRY(const auto declared, model::parse_declaration(text));
    const FilePosition from = parse_position(tree, unit, position);
    const bool resumed = !position.empty() && position_text(tree, unit, from) == position;
    if (!resumed) LADDER_CHECK(report_missing(tree, unit, *connection, index, sink));
    std::map<EntryNo, const ExportedStream*> streams;
    for (const ExportedStream& stream : connection->streams) {
      if (const auto entry = tree.find(stream.file.path)) streams[*entry] = &stream;
    }
    std::map<std::string, std::string> types;  // blob types by digest
    for (ExportedBlob& blob : read_blob_list(tree, connection->blobs_list)) types[blob.sha256] = std::move(blob.mime_type);
    for (std::size_t i = from.index; i < unit.entries.size(); ++i) {
      const EntryNo entry = unit.entries[i];
      const bool goes_on = resumed && i == from.index;
      if (goes_on && from.byte == end_position(tree, entry)) continue;
      if (const auto stream = streams.find(entry); stream != streams.end()) {
        StreamReader reader(tree, unit, *stream->second, declared.stream(stream->second->stream), sink);
        LADDER_CHECK(reader.run(i, goes_on ? from.byte : 0));
      } else if (const auto type = types.find(std::string(tree.entries()[entry].name())); type != types.end()) {
        LADDER_CHECK(read_blob(tree, entry, type->second, sink));
        LADDER_CHECK(sink.checkpoint(position_text(tree, unit, {i, end_position(tree, entry)})));
      }
    }
    return {};
  }

 private:
  static Result<std::string> declaration_in(Tree& tree, const Unit& unit, const LadderIndex& index) {
    const ExportedSource* source = index.source(unit.target.source_key);
    const auto entry = source ? tree.find(source->file.path) : std::nullopt;
    if (!entry)
      return fail(Code::kInvalidRequest, format("the declaration of {} is missing from the export", unit.target.source_key));
    LADDER_TRY(std::string text, tree.read(*entry, ladder::limits::kMaxDeclarationBytes));
    if (to_hex(crypto::view(crypto::sha256(text))) == source->file.sha256) return text;
    return fail(Code::kInvalidRequest, format("{} was changed after the export: its digest differs", source->file.path));
  }

  static void add_units(Tree& tree, const LadderIndex& index, std::vector<Unit>& units) {
    if (!index.fault.empty()) {
      units.push_back({Confidence::kCertain, "an export by Ladder", "", {index.entry}});
      return;
    }
    const std::size_t first = units.size();
    for (const ExportedConnection& connection : index.connections) add_connection(tree, index, connection, units);
    for (const ExportedSource& source : index.sources) {
      if (std::ranges::find(index.connections, source.key, &ExportedConnection::source_key) != index.connections.end()) continue;
      if (const auto entry = tree.find(source.file.path))
        units.push_back(
            {Confidence::kCertain, format("the declaration of {}", source.key), "", {*entry}, {"", "", source.key, true}});
    }
    if (units.size() > first) add(units[first], index.entry);
    for (Unit& unit : std::span(units).subspan(first)) {
      std::ranges::sort(unit.entries);
      unit.entries.erase(std::ranges::unique(unit.entries).begin(), unit.entries.end());
    }
  }

  static void add_connection(Tree& tree, const LadderIndex& index, const ExportedConnection& connection,
                             std::vector<Unit>& units) {
    const std::size_t first = units.size();
    const auto open_unit = [&] {
      units.push_back({Confidence::kCertain,
                       format("an export of {} by Ladder", connection.connection_id),
                       "",
                       {},
                       {connection.connection_id, connection.display_name, connection.source_key, false}});
    };
    open_unit();
    std::size_t streams = 0;
    for (const ExportedStream& stream : connection.streams) {
      const auto entry = tree.find(stream.file.path);
      if (!entry) continue;
      if (streams > 0 && streams % kStreamsAtOnce == 0) open_unit();
      add(units.back(), *entry);
      ++streams;
    }
    Unit& unit = units[first];
    if (const auto list = tree.find(connection.blobs_list)) add(unit, *list);
    for (const ExportedBlob& blob : read_blob_list(tree, connection.blobs_list)) {
      if (const auto entry = tree.find(index.folder + "blobs/" + blob.sha256)) add(unit, *entry);
    }
    const ExportedSource* source = index.source(connection.source_key);
    if (const auto entry = source ? tree.find(source->file.path) : std::nullopt) add(unit, *entry);
    if (units.back().entries.empty()) units.pop_back();
  }

  static void add(Unit& unit, EntryNo entry) { unit.entries.push_back(entry); }

  // Returns the index that the unit's files belong to. If exports are nested, that is the innermost one.
  static Result<LadderIndex> index_of(Tree& tree, const Unit& unit) {
    std::optional<LadderIndex> nearest;
    for (EntryNo i = 0; i < tree.entries().size(); ++i) {
      if (tree.entries()[i].name() != kLadderIndexName) continue;
      auto index = read_ladder_index(tree, i);
      if (!index || (nearest && nearest->folder.size() >= index->folder.size())) continue;
      const auto inside = [&](EntryNo entry) { return tree.entries()[entry].path.starts_with(index->folder); };
      if (std::ranges::all_of(unit.entries, inside)) nearest = std::move(index);
    }
    if (!nearest) return fail(Code::kInvalidRequest, format("{} cannot be read", kLadderIndexName));
    if (!nearest->fault.empty()) return fail(Code::kInvalidRequest, nearest->fault);
    return *std::move(nearest);
  }

  // Reports files that the index names and the export lacks. Only the unit with the list of blobs does this, so that they are
  // reported once.
  static Status report_missing(Tree& tree, const Unit& unit, const ExportedConnection& connection, const LadderIndex& index,
                               Sink& sink) {
    const auto list = tree.find(connection.blobs_list);
    if (list && !has(unit, list)) return {};
    for (const ExportedStream& stream : connection.streams) {
      if (!tree.find(stream.file.path)) LADDER_CHECK(sink.lost({stream.file.path, -1}, "the file is missing from the export"));
    }
    for (const ExportedBlob& blob : read_blob_list(tree, connection.blobs_list)) {
      const std::string path = index.folder + "blobs/" + blob.sha256;
      if (!tree.find(path)) LADDER_CHECK(sink.lost({path, -1}, "the file is missing from the export"));
    }
    return {};
  }

  static Status read_blob(Tree& tree, EntryNo entry, const std::string& mime_type, Sink& sink) {
    const Entry& about = tree.entries()[entry];
    LADDER_TRY(const std::string reference, store_file(tree, entry, mime_type, sink));
    if (reference.empty() || reference.find(about.name()) != std::string::npos) return {};
    return sink.lost({about.path, -1}, "its content does not match the digest in its name");
  }
};

}  // namespace

const Format& ladder_format() {
  static const Ladder format;
  return format;
}

}  // namespace ladder::imports
