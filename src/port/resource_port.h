// The resource server as an adapter sees it: one abstract class, implemented in process by rs/ and over HTTP by remote/. A port
// is bound to one caller's access; both implementations pass one contract suite.
#pragma once

#include "base/result.h"
#include "evidence/field_window.h"
#include "model/record_id.h"
#include "model/window_selector.h"

#include <stop_token>
#include <string>

namespace ladder::port {

struct FieldWindowRequest {
  model::RecordRef record;  // connection_id may be empty: then exactly one granted connection must have the record
  std::string field_path;
  model::WindowArguments window;
  std::string connector_key = {};  // the source that is meant; empty: any
};

class ResourcePort {
 public:
  virtual ~ResourcePort() = default;
  // Errors: contract 7 and design section 4. `stop` ends long work with kCancelled.
  virtual Result<evidence::FieldWindow> field_window(const FieldWindowRequest& request, std::stop_token stop) = 0;
};

}  // namespace ladder::port
