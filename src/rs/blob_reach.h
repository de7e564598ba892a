// Who may have a blob: whoever may see a record that names it (contract 6.12).
#pragma once

#include "base/result.h"
#include "port/records.h"
#include "rs/access.h"
#include "rs/catalog.h"
#include "store/store.h"

#include <memory>
#include <optional>

namespace ladder::rs {

struct BlobHolder {
  std::shared_ptr<const HeldGrant> held;  // the grant that shows the record; null for the owner
};

// Any visible record whose granted blob_ref names the blob; nullopt when there is none.
Result<std::optional<BlobHolder>> find_holder(store::Reader& reader, const Access& access, const OwnerCatalog& catalog,
                                              const store::Digest& blob, const port::Scope& scope);

}  // namespace ladder::rs
