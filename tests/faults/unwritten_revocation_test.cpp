// The store cannot write a revocation: the server that received it refuses the grant from that moment, reports that it
// is not yet written, and writes it as soon as it can.
#include "base/text/format.h"
#include "owner_store.h"
#include "serving.h"
#include "support/store_fixture.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace ladder::faults {
namespace {

// The write lock of a store in WAL mode, as held by a process that stopped in mid-transaction: byte 120 of the -shm
// file.
class HeldLock {
 public:
  explicit HeldLock(const std::string& database) : fd_(::open((database + "-shm").c_str(), O_RDWR | O_CLOEXEC)) {
    struct flock lock{};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = 120;
    lock.l_len = 1;
    // Locks the file descriptor, not this process, which has the store open, too.
    if (fd_ < 0 || ::fcntl(fd_, F_OFD_SETLKW, &lock) != 0) throw std::runtime_error("cannot lock " + database);
  }
  ~HeldLock() { ::close(fd_); }
  HeldLock(const HeldLock&) = delete;
  HeldLock& operator=(const HeldLock&) = delete;

 private:
  int fd_;
};

TEST(UnwrittenRevocation, IsEnforcedAtOnceAndWrittenLater) {
  const test_support::StoreLocation place("sqlite");
  OwnerStore owner_store(place.location());
  owner_store.put_notes(5, "text");
  const server::IssuedGrants grant = owner_store.grant(), other = owner_store.grant();
  const Serving serving(place.location());
  const std::string target = "/v1/streams/notes/records/n1";
  ASSERT_EQ(serving.get(target, grant.token).status, 200);
  const auto status = [&] { return must(owner_store.server().grant(owner_store.owner(), grant.grant_ids.front())).status; };
  {
    const HeldLock stopped(place.location());
    Answer answer;
    std::atomic<bool> answered = false;
    std::thread revoking([&] {
      answer = serving.send("POST", "/grants/" + grant.grant_ids.front() + "/revoke", owner_store.owner_token());
      answered = true;
    });
    const auto is_refused = [&] { return serving.get(target, grant.token).is(403, "grant_revoked"); };
    bool refused = false, waits = true;
    while (!refused && waits) {
      waits = !answered;
      refused = is_refused();
    }
    EXPECT_TRUE(refused && waits) << "while the owner still waits for the answer";
    revoking.join();
    EXPECT_EQ(answer.status, 202) << answer.summary();
    EXPECT_NE(answer.text.find("\"written\":false"), std::string::npos) << answer.summary();
    EXPECT_NE(answer.text.find("this server refuses the grant from now on"), std::string::npos) << answer.summary();
    EXPECT_LT(answer.took(), kWaitLimit);
    EXPECT_TRUE(serving.get(target, grant.token).is(403, "grant_revoked"));
    EXPECT_EQ(serving.get(target, other.token).status, 200) << "no other client is affected";
    EXPECT_EQ(status(), "active") << "the store does not know yet";
    EXPECT_EQ(serving.send("POST", "/grants/grt_0000000000000000/revoke", owner_store.owner_token()).status, 404);
  }
  EXPECT_TRUE(eventually([&] { return status() == "revoked"; })) << "written once the store could take it";
  EXPECT_TRUE(serving.get(target, grant.token).is(403, "grant_revoked"));
}

}  // namespace
}  // namespace ladder::faults
