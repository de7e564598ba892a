// SIGHUP as a wish to read certificates again, for `ladder serve`; every other command ends by it, as usual.
#pragma once

namespace ladder::cli {

// At most one at a time.
class ReloadSignal {
 public:
  ReloadSignal();
  ~ReloadSignal();
  ReloadSignal(const ReloadSignal&) = delete;
  ReloadSignal& operator=(const ReloadSignal&) = delete;

  bool take() const;  // whether one has come since the last call
};

}  // namespace ladder::cli
