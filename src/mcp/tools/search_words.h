// The account of the words of a search, where nothing was found or words occur nowhere: in how many records each is, the
// nearest words that are there, and a call that finds something.
#pragma once

#include "api/search.h"
#include "mcp/tools/calls.h"

#include <boost/json/object.hpp>

#include <optional>
#include <string>

namespace ladder::mcp {

// Lines with their newlines; empty where the server tells nothing of its words. `given`: the call's arguments.
std::string words_text(const api::SearchPage& page, const api::SearchRequest& request, const boost::json::object& given);

// The same search with room for the question in the other languages that the records are in; none where the server names none, or
// only that of the question.
std::optional<ToolCall> call_in_other_languages(const api::SearchPage& page, const boost::json::object& given);
// A line with its newline that names the languages and prints that call; empty without one.
std::string languages_text(const api::SearchPage& page, const boost::json::object& given);

}  // namespace ladder::mcp
