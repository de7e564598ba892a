#include "cli/invocation/client_names.h"

#include "base/text/format.h"
#include "base/text/visible_text.h"

namespace ladder::cli {

Result<std::string> ClientNames::text(const std::string& client_id) {
  const auto known = known_.find(client_id);
  if (known != known_.end()) return known->second;
  LADDER_TRY(const auto client, clients_.recall(client_id));
  const bool has_name = client && !client->name.empty();
  return known_[client_id] =
             has_name ? format("{} ({})", visible_label(client->name), visible_label(client_id)) : visible_label(client_id);
}

}  // namespace ladder::cli
