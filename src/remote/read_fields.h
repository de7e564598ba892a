// The fields of a stream and what may be asked of them, written in full or as a line of flags (contract 6.2).
#pragma once

#include "port/schema.h"
#include "remote/answer.h"

#include <string_view>

namespace ladder::remote {

// One member of `field_capabilities`.
port::FieldView read_field(const Object& fields, const std::string& name, const json::Value& value);

}  // namespace ladder::remote
