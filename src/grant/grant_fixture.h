// A declaration and a selection shared by the grant tests.
#pragma once

#include "grant/grant.h"

#include <string_view>

namespace ladder::grant::testing {

inline constexpr std::string_view kDeclaration = R"json({
  "protocol_version": "0.1.0",
  "source": {"kind": "connector", "id": "https://sources.example/notes"},
  "declaration_version": "2026-11-01",
  "publisher": {"id": "https://sources.example/"},
  "display": {"name": "Notes"},
  "streams": [
    {"name": "notes", "semantics": "mutable_state", "primary_key": ["id"],
     "consent_time_field": "updated_at", "selection": {"fields": true, "resources": true},
     "schema": {"type": "object", "required": ["updated_at", "id"], "properties": {
       "title": {"type": "string"}, "id": {"type": "string"}, "body": {"type": "string"},
       "updated_at": {"type": "string", "format": "date-time"}}}},
    {"name": "visits", "semantics": "append_only", "primary_key": ["user", "day"],
     "consent_time_field": "day", "selection": {"fields": false, "resources": true},
     "schema": {"type": "object", "properties": {"user": {"type": "string"}, "day": {"type": "string", "format": "date"}}}},
    {"name": "logs", "semantics": "append_only", "primary_key": ["id"], "selection": {"fields": true, "resources": false},
     "schema": {"type": "object", "properties": {"id": {"type": "string"}, "line": {"type": "string"}}}},
    {"name": "beats", "semantics": "append_only", "primary_key": ["id"], "consent_time_field": "at",
     "selection": {"fields": true, "resources": true},
     "schema": {"type": "object", "properties": {"id": {"type": "string"}, "at": {"type": "integer"}}}}]
})json";

inline Instant at(std::string_view time) { return *parse_time(time); }

}  // namespace ladder::grant::testing
