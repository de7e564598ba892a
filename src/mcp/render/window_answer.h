// A field window, read within the limits of a response and shown in both channels (PDPP "field windows"). The tool and the
// resource share this code, so that they show the same window in the same way.
#pragma once

#include "api/field_window.h"
#include "api/resource_port.h"
#include "base/error/error.h"
#include "mcp/context.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ladder::mcp {

struct WindowAnswer {
  api::FieldWindow window;
  model::WindowArguments asked;                       // with the defaults filled in
  std::optional<std::int64_t> requested_limit_chars;  // set if the byte limit made the window shorter

  // Returns the URIs of this window and its neighbors for a resource reader; empty if there is none.
  std::string uri() const, next_uri() const, previous_uri() const;
};

// A window and its rendered response.
struct ShownWindow {
  WindowAnswer answer;
  ToolResult result;
};

// Reads a window and truncates it if the response would exceed its limit: a window by offset or next_cursor keeps its start,
// one by previous_cursor its end, one by q the match (design D10). A remote server is queried once more for the chars that fit.
Result<ShownWindow> read_window(const Context& context, const api::FieldWindowRequest& request);

// Returns the structuredContent; `with_resource` adds the URIs, which only a resource read may show.
std::string window_json(const WindowAnswer& answer, bool with_resource);
std::string window_meta(const WindowAnswer& answer);

}  // namespace ladder::mcp
