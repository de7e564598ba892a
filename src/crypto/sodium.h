// Starts libsodium on first use, whichever file or thread comes first; cheap afterwards.
#pragma once

namespace ladder::crypto {

void ensure_sodium();  // std::runtime_error when the operating system gives no random bytes

}  // namespace ladder::crypto
