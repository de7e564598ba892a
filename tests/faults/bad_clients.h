// Clients that misbehave, hundreds at once in one thread, and what each of them must get for it. Whoever has had its end is
// replaced by another of its kind for as long as the load is kept up.
#pragma once

#include "raw_socket.h"
#include "serving.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::faults {

struct Misdeed {
  std::string kind;
  int clients = 0;
  std::string says{};     // sent as fast as the server takes it
  std::string drips{};    // and this after it, over and over, a byte at a time
  bool hangs_up = false;  // sends nothing more after that, and says so
  bool reads = true;
  // It must get so many good answers, in order; a refusal of this status unless 0; the end of the connection, not before
  // `least` and not after `most`. One that does not read must be cut off before it has everything.
  int answers = 0;
  int status = 0;
  milliseconds least{0}, most{0};
};

// A note whose record is too long for the buffers of a socket when it is asked for again and again.
inline constexpr std::string_view kLongNote = "n500";
inline constexpr std::size_t kLongNoteChars = 250'000;

// Every kind there is, two hundred clients and more. Tokens are of a client who may read notes n0 to n99 and kLongNote, and of
// the owner.
std::vector<Misdeed> misdeeds(const std::string& token, const std::string& owner_token);

class BadClients {
 public:
  BadClients(std::uint16_t port, const std::vector<Misdeed>& misdeeds);

  void run(milliseconds keep_up);  // keeps all of them at it for so long, then waits for the end of each

  const std::vector<std::string>& faults() const { return faults_; }  // what was not as it must be
  const std::map<std::string, int>& ends() const { return ends_; }    // how many have had their end, by kind
  std::size_t most_connected() const { return most_connected_; }

 private:
  struct Member {
    const Misdeed* misdeed = nullptr;
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
  std::vector<Misdeed> misdeeds_;
  std::vector<Member> members_;
  std::vector<std::string> faults_;
  std::map<std::string, int> ends_;
  std::size_t most_connected_ = 0;
  Time next_glance_;
};

}  // namespace ladder::faults
