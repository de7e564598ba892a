// The account of the words of a search, where nothing was found or words occur nowhere: in how many records each is, the
// nearest words that are there, and a call that finds something.
#pragma once

#include "api/search.h"

#include <boost/json/object.hpp>

#include <string>

namespace ladder::mcp {

// Lines with their newlines; empty where the server tells nothing of its words. `given`: the call's arguments.
std::string words_text(const api::SearchPage& page, const api::SearchRequest& request, const boost::json::object& given);

}  // namespace ladder::mcp
