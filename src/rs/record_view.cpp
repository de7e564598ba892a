#include "rs/record_view.h"

#include "base/format.h"
#include "store/field_versions.h"

namespace ladder::rs {
namespace {

std::string emitted_at(const Reach& reach, const StreamPlace& place, const store::RecordRow& row) {
  const auto versions = reach.granted ? store::FieldVersions::decode(row.field_versions) : std::nullopt;
  if (!versions) return row.emitted_at;
  const auto counts = [&](store::FieldNo field) {
    const auto name = place.field_names->find(field);
    return name != place.field_names->end() && reach.granted->allows_field(name->second);
  };
  return versions->emitted_at(counts).value_or(row.emitted_at);
}

}  // namespace

Result<Projection> choose_fields(const Reach& reach, const model::Stream& declared, std::vector<std::string> fields,
                                 const std::string& view) {
  if (!view.empty()) {
    if (!fields.empty()) return fail(Code::kInvalidRequest, "give fields or a view, not both", "view");
    const model::View* named = declared.view(view);
    if (!named) return fail(Code::kInvalidRequest, format("stream \"{}\" declares no view \"{}\"", declared.name, view), "view");
    fields = named->fields;
  }
  Projection projection;
  if (fields.empty()) {
    projection.everything = !reach.granted;
    if (reach.granted) projection.fields.insert(reach.granted->fields.begin(), reach.granted->fields.end());
    return projection;
  }
  for (std::string& field : fields) {
    if (reach.granted) {
      Status granted = grant::check_field(*reach.granted, declared, field);
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

port::Record to_record(const Reach& reach, const StreamPlace& place, const store::RecordRow& row, ProjectedRecord projected) {
  port::Record record;
  record.ref = {place.connection->row.connection_id, place.declared->name, row.key};
  record.connector_key = place.connection->source->row.key;
  record.display_name = place.connection->display_name();
  record.data = std::move(projected.data);
  record.cut = std::move(projected.cut);
  record.emitted_at = emitted_at(reach, place, row);
  return record;
}

}  // namespace ladder::rs
