// Canonical record keys: a plain string, or a minified JSON array of strings for compound keys, e.g. ["user_123","2026-04-01"].
#pragma once

#include "base/result.h"
#include "json/scan.h"
#include "model/declaration.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::model {

// From the `key` of a RECORD envelope: a string, number or boolean, or an array of them; components are stringified (numbers
// byte for byte as they stand). kInvalidRecordIdentity when it is empty, of another kind, of the wrong arity for `arity` primary
// key fields, or over kMaxRecordKeyBytes.
Result<std::string> canonical_key(const json::Value& key, std::size_t arity);

// The components of a canonical key. A compound key is recognised by arity > 1.
std::vector<std::string> key_parts(std::string_view canonical, std::size_t arity);
std::string join_key(const std::vector<std::string>& parts);  // one part: itself; several: a minified JSON array

// Every primary key field that is present in `data` must equal its part of the key. kInvalidRecordIdentity names the field.
Status check_identity(const Stream& stream, std::string_view canonical, const json::Value& data);

}  // namespace ladder::model
