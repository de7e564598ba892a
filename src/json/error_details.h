// What an error tells beyond its code and message, as members of the object that is being written: the same on every face.
#pragma once

#include "base/error.h"
#include "json/writer.h"

namespace ladder::json {

void write_details(Writer& out, const ErrorDetails& details);

}  // namespace ladder::json
