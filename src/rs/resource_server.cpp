// The resource server as a whole: what it is made of, and what belongs to no single kind of data.
#include "rs/resource_server.h"

namespace ladder::rs {
namespace {

std::vector<crypto::SealKey> seal_keys(const store::Store& store) {
  std::vector<crypto::SealKey> keys;
  for (const store::SealKeyRow& row : store.seal_keys()) keys.push_back({row.id, row.secret});
  return keys;
}

}  // namespace

ResourceServer::ResourceServer(store::Store& store, const Clock& clock)
    : store_(store), clock_(clock), sealer_(seal_keys(store)), catalogs_(store) {}

Result<store::SweepReport> ResourceServer::sweep(const Access& access, Deadline deadline) {
  LADDER_CHECK(require_owner(access));
  return store_.sweep(clock_.now(), deadline);
}

}  // namespace ladder::rs
