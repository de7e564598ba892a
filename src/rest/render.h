// What the routes answer, as JSON: the bodies that every adapter shares (port/render.h), and those that only REST has.
#pragma once

#include "port/render.h"
#include "rs/resource_server.h"

#include <string>
#include <string_view>

namespace ladder::rest {

using port::Ending;
using port::render;
using port::render_schema;
using port::render_stream;
using port::SchemaForm;

std::string render_connectors(const port::SchemaView& view, Ending ending);
std::string render_streams(const port::SchemaView& view, Ending ending);
// RFC 7662; issuer and audience are left out when empty.
std::string render_token(const rs::TokenFacts& facts, std::string_view issuer, std::string_view audience);

}  // namespace ladder::rest
