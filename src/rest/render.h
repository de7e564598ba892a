// What the routes answer, as JSON: the bodies that every adapter shares (port/render.h), and those that only REST has.
#pragma once

#include "json/writer.h"
#include "port/render.h"
#include "rs/resource_server.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::rest {

using port::Ending;
using port::render;
using port::render_schema;
using port::render_stream;
using port::SchemaForm;

std::string render_connectors(const port::SchemaView& view, Ending ending);
std::string render_streams(const port::SchemaView& view, Ending ending);
// A grant as its owner sees it: the body as it was made, its standing, and per stream which fields were named and which added.
void write_grant(json::Writer& out, const rs::GrantSummary& summary);
void write_names(json::Writer& out, std::string_view member, const std::vector<std::string>& names);
std::string render_grants(const std::vector<rs::GrantSummary>& grants);
// RFC 7662; issuer and audience are left out when empty.
std::string render_token(const rs::TokenFacts& facts, std::string_view issuer, std::string_view audience);

}  // namespace ladder::rest
