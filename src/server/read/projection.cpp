#include "server/read/projection.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "crypto/hash.h"
#include "json/scan/scan.h"
#include "json/writer.h"
#include "model/base64_shape.h"
#include "model/field_path.h"
#include "store/index/field_versions.h"

#include <algorithm>

namespace ladder::server {
namespace {

constexpr std::int64_t kPieceChars = 65'536;  // chars of a long value in memory at a time
constexpr std::int64_t kWorstEscape = 6;      // "\u001f": maximum bytes of one char in JSON text
constexpr std::int64_t kMinShownChars = 64;   // minimum shown of a cut value, even without remaining budget

std::string_view type_name(json::Kind kind) {
  switch (kind) {
    case json::Kind::kObject:
      return "object";
    case json::Kind::kArray:
      return "array";
    default:
      return "string";
  }
}

// Writes the members of one record within the size limit.
class Splicer {
 public:
  Splicer(store::Reader& reader, const CutRules& rules) : reader_(reader), rules_(rules) { out_.data = "{"; }

  // Returns false if a long value is gone.
  Result<bool> add(std::string_view raw_name, const json::Value& value) {
    if (out_.data.size() > 1) out_.data += ',';
    out_.data += '"';
    out_.data += raw_name;
    out_.data += "\":";
    if (value.kind == json::Kind::kReference) return add_long(json::decode_string(raw_name), value.text);
    add_short(raw_name, value);
    return true;
  }

  ProjectedRecord finish() {
    out_.data += '}';
    return std::move(out_);
  }

 private:
  void add_short(std::string_view raw_name, const json::Value& value) {
    if (!rules_.max_field_chars || std::ssize(value.text) <= *rules_.max_field_chars) {  // a char has at least one byte
      out_.data += value.text;
      return;
    }
    const bool is_string = value.kind == json::Kind::kString;
    const bool is_container = value.kind == json::Kind::kObject || value.kind == json::Kind::kArray;
    if (!is_string && !is_container) {  // numbers are never cut
      out_.data += value.text;
      return;
    }
    const std::string text = is_string ? json::decode_string(json::raw_content(value)) : std::string(value.text);
    const std::int64_t chars = utf8::count(text);
    if (chars <= *rules_.max_field_chars) {
      out_.data += value.text;
      return;
    }
    api::CutField cut;
    cut.path = model::format_field_path(json::decode_string(raw_name));
    cut.type = type_name(value.kind);
    cut.size_chars = chars;
    cut.digest = crypto::digest_text(crypto::sha256(text));
    store::Measure measure;
    measure.feed(text);
    cut.text_like = !is_string || !measure.looks_base64();
    if (!is_string) cut.mime_type = "application/json";
    if (!cut.text_like) {
      cut.mime_type = measure.sniffed_mime_type();
      cut.size_bytes = measure.decoded_bytes();
    }
    if (is_string) {
      cut.shown_chars = cut.text_like ? *rules_.max_field_chars : 0;
      json::append_string(out_.data, utf8::slice(text, 0, cut.shown_chars));
    } else {
      out_.data += "null";
    }
    out_.cut.push_back(std::move(cut));
  }

  Result<bool> add_long(const std::string& name, std::string_view reference) {
    LADDER_TRY(const store::LongRef ref, store::parse_reference(reference));
    const std::int64_t shown = shown_chars(ref);
    const bool is_string = ref.kind == json::Kind::kString;
    if (shown < ref.size_chars) {
      api::CutField cut;
      cut.path = model::format_field_path(name);
      cut.type = type_name(ref.kind);
      cut.mime_type = ref.mime_type;
      cut.text_like = ref.value_class != store::ValueClass::kBase64;
      cut.size_chars = ref.size_chars;
      cut.shown_chars = shown;
      cut.digest = crypto::digest_text(ref.digest);
      if (!cut.text_like) {
        LADDER_TRY(const auto size_bytes, decoded_bytes(ref));
        if (!size_bytes) return false;
        cut.size_bytes = *size_bytes;
      }
      out_.cut.push_back(std::move(cut));
      if (!is_string) {
        out_.data += "null";
        return true;
      }
    }
    if (is_string) out_.data += '"';
    auto whole = splice(ref, shown, is_string);
    if (!whole && whole.error().code == Code::kDamagedData) whole.error().details().field_path = model::format_field_path(name);
    if (is_string) out_.data += '"';
    return whole;
  }

  // The last chunk contains the base64 padding; returns nullopt if the value is gone.
  Result<std::optional<std::int64_t>> decoded_bytes(const store::LongRef& ref) {
    const std::int64_t from = ref.size_chars - model::Base64Shape::kMaxPadding;
    const store::ChunkSpan span = store::chunk_span(ref, from, ref.size_chars);
    LADDER_TRY(const auto chunks, reader_.chunks(ref.text_id, span.first, span.last));
    if (std::ssize(chunks) != span.last - span.first + 1) return std::nullopt;
    const std::string end = store::cut_chars(ref, chunks, from, ref.size_chars);
    return model::Base64Shape::decoded_size(ref.size_chars, std::ranges::count(end, '='));
  }

  // Returns how much of a long value is shown: all of it if rules and budget allow, none of a cut base64 value,
  // object or array.
  std::int64_t shown_chars(const store::LongRef& ref) const {
    std::int64_t most = ref.size_chars;
    if (rules_.max_field_chars) most = std::min(most, *rules_.max_field_chars);
    const std::int64_t room = rules_.max_bytes - std::ssize(out_.data);
    if (ref.size_bytes > room) most = std::min(most, std::max(room / kWorstEscape, kMinShownChars));
    if (most >= ref.size_chars) return ref.size_chars;
    const bool shows_part = ref.kind == json::Kind::kString && ref.value_class == store::ValueClass::kText;
    return shows_part ? most : 0;
  }

  Result<bool> splice(const store::LongRef& ref, std::int64_t chars, bool escape) {
    for (std::int64_t at = 0; at < chars;) {
      const std::int64_t end = std::min(chars, at + kPieceChars);
      const store::ChunkSpan span = store::chunk_span(ref, at, end);
      LADDER_TRY(const auto chunks, reader_.chunks(ref.text_id, span.first, span.last));
      if (std::ssize(chunks) != span.last - span.first + 1) return false;
      const std::string piece = store::cut_chars(ref, chunks, at, end);
      if (escape) {
        json::append_escaped(out_.data, piece);
      } else {
        out_.data += piece;
      }
      at = end;
    }
    return true;
  }

  store::Reader& reader_;
  const CutRules& rules_;
  ProjectedRecord out_;
};

}  // namespace

Result<std::optional<ProjectedRecord>> project(store::Reader& reader, const store::RecordRow& row, const Projection& projection,
                                               const CutRules& rules) {
  Splicer splicer(reader, rules);
  for (json::Members members(json::value_of(row.body).text); members.next();) {
    const std::string_view raw = members.raw_name();
    const bool plain = raw.find('\\') == std::string_view::npos;
    if (!(plain ? projection.shows(raw) : projection.shows(json::decode_string(raw)))) continue;
    LADDER_TRY(const bool whole, splicer.add(raw, members.value()));
    if (!whole) return std::nullopt;
  }
  return splicer.finish();
}

namespace {

std::string emitted_at(const ReadScope& read_scope, const ConnectionStream& place, const store::RecordRow& row) {
  const auto versions = read_scope.granted ? store::FieldVersions::decode(row.field_versions) : std::nullopt;
  if (!versions) return row.emitted_at;
  const auto counts = [&](store::FieldNo field) {
    const auto name = place.field_names->find(field);
    return name != place.field_names->end() && read_scope.granted->allows_field(name->second);
  };
  return versions->emitted_at(counts).value_or(row.emitted_at);
}

}  // namespace

Result<Projection> choose_fields(const ReadScope& read_scope, const model::Stream& declared, std::vector<std::string> fields,
                                 const std::string& view) {
  if (!view.empty()) {
    if (!fields.empty()) return fail(Code::kInvalidRequest, "give fields or a view, not both", "view");
    const model::View* named = declared.view(view);
    if (!named) return fail(Code::kInvalidRequest, format("stream \"{}\" declares no view \"{}\"", declared.name, view), "view");
    fields = named->fields;
  }
  Projection projection;
  if (fields.empty()) {
    projection.everything = !read_scope.granted;
    if (read_scope.granted) projection.fields.insert(read_scope.granted->fields.begin(), read_scope.granted->fields.end());
    return projection;
  }
  for (std::string& field : fields) {
    if (read_scope.granted) {
      Status granted = grant::check_field(*read_scope.granted, declared, field);
      if (!granted) {
        granted.error().param = view.empty() ? "fields" : "view";
        return std::unexpected(std::move(granted).error());
      }
    } else if (!declared.field(field)) {
      return fail(Code::kUnknownField, format("stream \"{}\" declares no field \"{}\"", declared.name, field), "fields");
    }
    projection.fields.insert(std::move(field));
  }
  return projection;
}

Status check_bounds(std::optional<std::int64_t> max_field_chars, std::optional<std::int64_t> max_bytes) {
  if (max_field_chars && *max_field_chars < 0) {
    return fail(Code::kInvalidRequest, "max_field_chars is 0 or more", "max_field_chars");
  }
  if (max_bytes && *max_bytes < 1) return fail(Code::kInvalidRequest, "max_bytes is 1 or more", "max_bytes");
  return {};
}

api::Record to_record(const ReadScope& read_scope, const ConnectionStream& place, const store::RecordRow& row,
                      ProjectedRecord projected) {
  api::Record record;
  record.ref = {place.connection->row.connection_id, place.declared->name, row.key};
  record.connector_key = place.connection->source->row.key;
  record.display_name = place.connection->display_name();
  record.data = std::move(projected.data);
  record.cut = std::move(projected.cut);
  for (const model::Field& field : place.declared->fields) {
    if (!field.media_type.empty()) record.media_types.emplace_back(model::format_field_path(field.name), field.media_type);
  }
  for (api::CutField& cut : record.cut) {
    const auto declared = std::ranges::find(record.media_types, cut.path, &std::pair<std::string, std::string>::first);
    if (declared != record.media_types.end()) cut.mime_type = declared->second;
  }
  record.emitted_at = emitted_at(read_scope, place, row);
  return record;
}

}  // namespace ladder::server
