// Explains the words of a search that found nothing or contains unknown words: the number of records per word, the nearest
// known words, and a call that finds something.
#pragma once

#include "api/search.h"
#include "mcp/render/calls.h"

#include <boost/json/object.hpp>

#include <optional>
#include <string>

namespace ladder::mcp {

// Returns complete lines; empty if the server reports no words. `given`: the call's arguments.
std::string words_text(const api::SearchPage& page, const api::SearchRequest& request, const boost::json::object& given);

// Returns the same search with placeholders for the question in the other languages of the records; nothing if the server
// reports no languages or only that of the question.
std::optional<ToolCall> call_in_other_languages(const api::SearchPage& page, const boost::json::object& given);
// Returns a line that lists the languages and prints that call; empty without a call.
std::string languages_text(const api::SearchPage& page, const boost::json::object& given);

}  // namespace ladder::mcp
