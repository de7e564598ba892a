// Resources: the same reads by URI, for hosts that support them (design, rung 3). pdpp://stream/{name}, pdpp://record/{handle},
// pdpp://field-window/{handle}, pdpp://blob/{handle}. A handle identifies data; it does not authorize access.
#pragma once

#include "base/error/error.h"
#include "mcp/tools/tools.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ladder::mcp {

struct ResourceTemplate {
  std::string uri_template, name, title, description, mime_type;
};
const std::vector<ResourceTemplate>& resource_templates();

struct ResourceItem {
  std::string uri, mime_type;
  std::string text;                 // or
  std::optional<std::string> blob;  // base64; may be empty
};

struct ResourceRead {
  std::vector<ResourceItem> items;  // not empty
  std::string meta;                 // members of the result's _meta, a JSON object; empty if there are none
};

// A failure as a JSON-RPC error, which both eras use with different codes.
struct ResourceFailure {
  enum class Kind : std::uint8_t { kMalformed, kNotFound, kRefused, kInternal };
  Kind kind = Kind::kInternal;
  std::string message;
  std::string data;  // JSON object: uri, code, http_status, …
  std::string outcome;
};

ResourceFailure resource_failure(const Error& error, std::string_view uri);  // an empty URI is omitted

// Returns the granted streams as a JSON array of resources, each stream name once.
Result<std::string> list_resources(const Context& context);

std::variant<ResourceRead, ResourceFailure> read_resource(const Context& context, std::string_view uri);

// pdpp://blob/{handle}: reads the bytes that a field references or contains as base64, a bounded piece per call.
Result<ResourceRead> read_blob_resource(const Context& context, std::string_view uri, std::string_view handle);

}  // namespace ladder::mcp
