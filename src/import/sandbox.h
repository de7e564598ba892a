// The child's cage: limits on memory, open files and processor time, no network, no other programs, nothing written to disk.
// Entered before the first byte from outside is read; it cannot be left.
#pragma once

#include "base/result.h"

namespace ladder::imports {

// kInternal when the system refuses; nothing is read then.
Status enter_sandbox();

// Another so many seconds of processor time from now on; without this the process ends by SIGXCPU.
void renew_cpu_limit();

}  // namespace ladder::imports
