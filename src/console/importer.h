// Files that the owner drops on the console, on their way into the store. The program implements it with what `ladder import`
// runs, so that both read the same formats, in the same sandbox, with the same account of losses.
#pragma once

namespace ladder::console {

class Importer {
 public:
  virtual ~Importer() = default;
};

}  // namespace ladder::console
