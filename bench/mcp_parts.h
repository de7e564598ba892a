// The parts of the MCP benchmark; each adds its lines to the report.
#pragma once

#include "mcp_scene.h"
#include "report.h"

#include <cstdint>

namespace ladder::bench {

// Measures round trips over standard input and output against a bare echo of the same bytes and against the tool called
// in this process; then the memory of the program.
void measure_stdio(McpScene& scene, Report& report);
// Measures the time from program start to the first response, against starting and ending /bin/true.
void measure_start(McpScene& scene, Report& report);
// Measures tools/call over 50 connections against the official SDK's server with the same results in memory; then the
// memory of both.
enum class Sdk : std::uint8_t { kBeside, kLeftOut };
void measure_http(McpScene& scene, Report& report, std::int64_t seconds, Sdk sdk);

std::string megabytes(std::int64_t bytes);

}  // namespace ladder::bench
