// Misbehaving clients, hundreds at once in one thread, and the response each must get. A client that has finished is
// replaced by another of its kind until the load ends.
#pragma once

#include "raw_socket.h"
#include "serving.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::faults {

struct BadBehavior {
  std::string kind;
  int clients = 0;
  std::string says{};     // sent as fast as the server accepts it
  std::string drips{};    // sent after it, repeatedly, one byte at a time
  bool hangs_up = false;  // sends nothing more after that and shuts down its side
  bool reads = true;
  // The client must get this many successful responses in order, a refusal of this status unless 0, and the end of the
  // connection between `least` and `most`. A client that does not read must be cut off before it has everything.
  int answers = 0;
  int status = 0;
  milliseconds least{0}, most{0};
};

// A note whose record fills a socket's buffers when requested repeatedly.
inline constexpr std::string_view kLongNote = "n500";
inline constexpr std::size_t kLongNoteChars = 250'000;

// Returns every kind, more than two hundred clients in all. The tokens are of a client that may read notes n0 to n99
// and kLongNote, and of the owner.
std::vector<BadBehavior> bad_behaviors(const std::string& token, const std::string& owner_token);

class BadClients {
 public:
  BadClients(std::uint16_t port, const std::vector<BadBehavior>& behaviors);

  void run(milliseconds keep_up);  // keeps all clients running for this long, then waits for each to finish

  const std::vector<std::string>& faults() const { return faults_; }  // violated expectations
  const std::map<std::string, int>& ends() const { return ends_; }    // finished clients by kind
  std::size_t most_connected() const { return most_connected_; }

 private:
  struct Member {
    const BadBehavior* behavior = nullptr;
    RawSocket socket;
    std::string received;
    std::size_t said = 0, dripped = 0;
    Time began, next_drip, may_begin;
    bool hung_up = false, draining = false;
  };

  void begin(Member& member, Time now);
  void talk(Member& member, Time now);
  void look_for_cut_off(Time now);
  static bool is_overdue(const Member& member, Time now);
  static void start_draining(Member& member);
  void listen(Member& member, Time now);
  void end(Member& member, Time now);
  std::string fault_of(const Member& member, Time now) const;

  std::uint16_t port_;
  std::vector<BadBehavior> behaviors_;
  std::vector<Member> members_;
  std::vector<std::string> faults_;
  std::map<std::string, int> ends_;
  std::size_t most_connected_ = 0;
  Time next_check_;
};

}  // namespace ladder::faults
