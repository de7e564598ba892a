// The parts of the MCP benchmark; each adds its lines to the report.
#pragma once

#include "mcp_scene.h"
#include "report.h"

#include <cstdint>

namespace ladder::bench {

// Round trips over standard input and output, beside a bare echo of the same bytes and the tool called in this process; then the
// memory of the program that answered.
void measure_stdio(McpScene& scene, Report& report);
// From the start of the program to its first answer, beside the start and end of /bin/true.
void measure_start(McpScene& scene, Report& report);
// tools/call over 50 connections, beside the official SDK's server with the same results in memory; then the memory of both.
enum class Sdk : std::uint8_t { kBeside, kLeftOut };
void measure_http(McpScene& scene, Report& report, std::int64_t seconds, Sdk sdk);

std::string megabytes(std::int64_t bytes);

}  // namespace ladder::bench
