// The six tools and the resources, put together: the one place where the protocol and they meet.
#include "mcp/surface.h"

namespace ladder::mcp {

Surface ladder_surface() { return {tools(), resource_templates(), read_resource}; }

}  // namespace ladder::mcp
