// The field `blob_ref` of a record, as the store reads it.
#pragma once

#include "crypto/hash.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::imports {

// {"blob_id":"blob_sha256_…","mime_type":…,"sha256":"sha256:…","size_bytes":…}
std::string blob_ref(const crypto::Digest& digest, std::string_view mime_type, std::int64_t size_bytes);

}  // namespace ladder::imports
