// The rows of blobs: content-addressed bytes of an owner.
#pragma once

#include "base/error/error.h"
#include "store/sqlite/engine/connection.h"
#include "store/store.h"

namespace ladder::store::sqlite {

// Deletes the blob unless a record of the owner refers to it. Its bytes are removed by the next sweep.
Status drop_unused_blob(Connection& connection, const Digest& blob, Instant now);

}  // namespace ladder::store::sqlite
