// One field window, read within the bounds of an answer and shown in both channels (PDPP "field windows", PDPP "field windows").
// The tool and the resource both come here, so that they say the same of the same window.
#pragma once

#include "api/field_window.h"
#include "api/resource_port.h"
#include "base/error/error.h"
#include "mcp/tools/tools.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ladder::mcp {

struct WindowAnswer {
  api::FieldWindow window;
  model::WindowArguments asked;                       // with the defaults written out
  std::optional<std::int64_t> requested_limit_chars;  // when the byte bound made the window shorter

  // The URIs under which a resource reader finds this window and its neighbours; empty when there is none.
  std::string uri() const, next_uri() const, previous_uri() const;
};

// A window and what is said of it.
struct ShownWindow {
  WindowAnswer answer;
  ToolResult result;
};

// Reads a window and cuts it where the answer would be over its bound: one by offset or next_cursor keeps its start, one by
// previous_cursor its end, one by q the match (design D10). A server elsewhere is asked once more, for the chars that fit.
Result<ShownWindow> read_window(const Context& context, const api::FieldWindowRequest& request);

// The structuredContent; `with_resource` adds the URIs, which only a resource read may show.
std::string window_json(const WindowAnswer& answer, bool with_resource);
std::string window_meta(const WindowAnswer& answer);

}  // namespace ladder::mcp
