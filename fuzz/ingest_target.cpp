#include "ingest_target.h"

#include "frame.h"

#include <memory>

namespace ladder::fuzz {
namespace {

constexpr std::string_view kDeclaration = R"json({
  "protocol_version": "0.1.0", "source": {"kind": "connector", "id": "https://sources.example/fuzz"}, "declaration_version": "1",
  "publisher": {"id": "https://sources.example/"}, "display": {"name": "Fuzz"},
  "streams": [
    {"name": "notes", "semantics": "mutable_state", "primary_key": ["id"], "cursor_field": "at", "consent_time_field": "at",
     "selection": {"fields": true, "resources": true},
     "schema": {"type": "object", "required": ["id"], "properties": {
       "id": {"type": "string", "minLength": 1}, "at": {"type": ["string", "null"], "format": "date-time"},
       "title": {"type": ["string", "null"], "maxLength": 100}, "body": {"type": "string"},
       "tree": {"$ref": "#/$defs/tree"}, "tags": {"type": "array", "items": {"type": ["string", "number", "object", "array"]}}},
       "$defs": {"tree": {"type": ["object", "array", "string", "null"], "items": {"$ref": "#/$defs/tree"}}}}},
    {"name": "days", "semantics": "append_only", "primary_key": ["user", "day"],
     "selection": {"fields": true, "resources": true},
     "schema": {"type": "object", "properties": {"user": {"type": ["string", "integer"]}, "day": {"type": "string"}}}},
    {"name": "counts", "semantics": "mutable_state", "primary_key": ["id"], "cursor_field": "n",
     "selection": {"fields": true, "resources": true},
     "schema": {"type": "object", "properties": {"id": {}, "n": {"type": "number"}}}}
  ]})json";

struct Places {
  server::SourceEntry source;
  server::ConnectionEntry connection;
  std::vector<server::ConnectionStream> places;
};

std::unique_ptr<Places> make_places() {
  auto declaration = model::parse_declaration(kDeclaration);
  FUZZ_CHECK(declaration.has_value());
  auto out = std::make_unique<Places>();
  out->source.row.key = "fuzz";
  out->source.declaration = *std::move(declaration);
  out->connection.row.connection_id = "fuzz-1";
  out->connection.source = &out->source;
  for (const model::Stream& stream : out->source.declaration.streams) {
    const auto no = static_cast<store::StreamNo>(out->places.size() + 1);
    out->connection.streams.emplace(stream.name, no);
    out->places.push_back({no, &out->connection, &stream});
  }
  return out;
}

}  // namespace

const server::ConnectionStream& target_named(std::string_view stream) {
  static const std::unique_ptr<Places> places = make_places();
  for (const server::ConnectionStream& place : places->places) {
    if (place.declared->name == stream) return place;
  }
  return places->places.front();
}

}  // namespace ladder::fuzz
