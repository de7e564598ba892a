// How long the PostgreSQL engine waits for what, so that nothing hangs forever. Each wait that is over is kStoreUnavailable with
// the way out.
#pragma once

#include <chrono>
#include <cstddef>

namespace ladder::store::postgres {

using std::chrono::milliseconds;

inline constexpr std::size_t kMaxConnections = 16;        // of one process; several processes share a server (its default is 100)
inline constexpr milliseconds kConnectTimeout{10'000};    // for one host of the address, unless the address sets connect_timeout
inline constexpr milliseconds kCheckoutTimeout{30'000};   // for a connection of the pool, first come first served
inline constexpr milliseconds kLockTimeout{20'000};       // the server's, for a row lock; writers hold one for some 50 ms
inline constexpr milliseconds kStatementTimeout{60'000};  // the server's, for one statement
inline constexpr milliseconds kIdleInTransactionTimeout{30'000};  // the server's: a client that stands still gives up its locks
inline constexpr milliseconds kAnswerTimeout{75'000};  // ours, for a server that does not answer at all; over the server's own
inline constexpr milliseconds kLongWorkTimeout{3'600'000};  // migrations, invariants, VACUUM

}  // namespace ladder::store::postgres
