// Describes a stored blob to its reader.
#pragma once

#include "api/blob.h"
#include "crypto/hash.h"
#include "store/index/field_index.h"
#include "store/store.h"

namespace ladder::server {

// Returns everything but the bytes.
inline api::Blob describe_blob(const store::BlobRow& row) {
  return {store::blob_id(row.digest), row.mime_type, crypto::digest_text(row.digest), row.size_bytes, 0, {}};
}

}  // namespace ladder::server
