#include "bad_clients.h"

#include "base/text/format.h"

#include <poll.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>

namespace ladder::faults {
namespace {

constexpr milliseconds kTick{50};
constexpr milliseconds kDripPause{250};
constexpr milliseconds kCheckInterval{500};  // interval of checking which connections the server still holds
const milliseconds kRest{std::getenv("LADDER_TEST_ALL") ? 400 : 5'000};  // pause before its replacement connects
constexpr milliseconds kEarly{500}, kLate{4'000};  // tolerances of a deadline; the server sweeps every 200 ms
constexpr milliseconds kNoReaderLate = 4 * kSlower * kLate;
constexpr int kSmallBuffer = 4096;     // receive buffer of a client that does not read
constexpr int kLargeBuffer = 1 << 20;  // receive buffer when it starts to read
constexpr std::size_t kMaxFaults = 20;

std::string_view code_for(int status) { return status == 413 || status == 431 ? "resource_limit" : "invalid_request"; }

std::string fault_of_refusal(const RawAnswer& answer, int status) {
  if (answer.status != status) return format("was answered {} instead of {}: {}", answer.status, status, answer.body);
  if (envelope_code(answer.body) != code_for(status)) return format("got no envelope of {}: {}", code_for(status), answer.body);
  if (answer.head.find("\r\nConnection: close\r\n") == std::string::npos) return "was not told that this is the end";
  return {};
}

std::string fault_of_answers(std::string_view& bytes, int count) {
  for (int n = 0; n < count; ++n) {
    const auto answer = take_answer(bytes);
    if (!answer) return format("got {} answers instead of {}", n, count);
    if (answer->status != 200) return format("was answered {}: {}", answer->status, answer->body.substr(0, 300));
    if (answer->body.find(format("\"id\":\"n{}\"", n % 100)) == std::string::npos) return format("answer {} is another's", n);
  }
  return {};
}

}  // namespace

BadClients::BadClients(std::uint16_t port, const std::vector<BadBehavior>& behaviors) : port_(port), behaviors_(behaviors) {
  for (const BadBehavior& behavior : behaviors_) {
    for (int n = 0; n < behavior.clients; ++n) members_.emplace_back().behavior = &behavior;
  }
}

void BadClients::run(milliseconds keep_up) {
  const Time start = SteadyClock::now();
  std::vector<pollfd> watched;
  std::vector<Member*> connected;
  for (bool somebody = true; somebody;) {
    const Time now = SteadyClock::now();
    watched.clear();
    connected.clear();
    for (Member& member : members_) {
      if (!member.socket.is_open() && now - start < keep_up && now >= member.may_begin) begin(member, now);
      if (!member.socket.is_open()) continue;
      connected.push_back(&member);
      watched.push_back(
          {member.socket.descriptor(), static_cast<short>(member.behavior->reads || member.draining ? POLLIN : 0), 0});
    }
    most_connected_ = std::max(most_connected_, connected.size());
    look_for_cut_off(now);
    ::poll(watched.data(), watched.size(), static_cast<int>(kTick.count()));
    const Time after = SteadyClock::now();
    for (std::size_t i = 0; i < connected.size(); ++i) {
      talk(*connected[i], after);
      // Most of the two hundred clients have no event most of the time; only the others are handled.
      if (watched[i].revents != 0 || is_overdue(*connected[i], after)) listen(*connected[i], SteadyClock::now());
    }
    somebody = now - start < keep_up || std::ranges::any_of(members_, [](const Member& one) { return one.socket.is_open(); });
  }
}

// A client that does not read cannot see that the server closed the connection; the operating system can.
void BadClients::look_for_cut_off(Time now) {
  if (now < next_check_) return;
  next_check_ = now + kCheckInterval;
  const std::set<std::uint16_t> held = clients_held_by(port_);
  for (Member& member : members_) {
    if (!member.socket.is_open() || member.behavior->reads || member.draining || held.contains(member.socket.own_port()))
      continue;
    start_draining(member);
  }
}

void BadClients::begin(Member& member, Time now) {
  const BadBehavior* behavior = member.behavior;
  member = Member{};
  member.behavior = behavior;
  member.socket = RawSocket(port_, behavior->reads ? 0 : kSmallBuffer);
  member.began = member.next_drip = now;
  if (member.socket.is_open()) return;
  member.may_begin = now + kRest;
  faults_.push_back(behavior->kind + " could not connect");
}

void BadClients::talk(Member& member, Time now) {
  const BadBehavior& behavior = *member.behavior;
  if (member.said < behavior.says.size()) {
    member.said += member.socket.write_some(std::string_view(behavior.says).substr(member.said));
    return;
  }
  if (behavior.hangs_up && !member.hung_up) {
    member.hung_up = true;
    member.socket.end_output();
  }
  if (behavior.drips.empty() || now < member.next_drip) return;
  member.next_drip = now + kDripPause;
  member.dripped += member.socket.write_some(std::string_view(behavior.drips).substr(member.dripped % behavior.drips.size(), 1));
}

// The server's write timeout begins with the last bytes it sent, and filling all buffers takes time on a busy machine.
bool BadClients::is_overdue(const Member& member, Time now) {
  return now - member.began > member.behavior->most + (member.behavior->reads ? 1 : 2) * kSlower * kLate;
}

void BadClients::start_draining(Member& member) {
  member.socket.widen(kLargeBuffer);
  member.draining = true;
}

void BadClients::listen(Member& member, Time now) {
  const BadBehavior& behavior = *member.behavior;
  const bool overdue = is_overdue(member, now);
  // A client that does not read starts to read after the server has closed the connection: the remaining responses must
  // be missing.
  if (!behavior.reads && !member.draining) start_draining(member);
  for (;;) {
    switch (member.socket.read_some(member.received)) {
      case RawSocket::State::kBytes:
        continue;
      case RawSocket::State::kNothing:
        if (behavior.reads && overdue) end(member, now);
        if (!behavior.reads && now - member.began > behavior.most + kNoReaderLate) end(member, now);
        return;
      case RawSocket::State::kEnd:
      case RawSocket::State::kReset:
        return end(member, now);
    }
  }
}

void BadClients::end(Member& member, Time now) {
  if (const std::string fault = fault_of(member, now); !fault.empty() && faults_.size() < kMaxFaults) {
    faults_.push_back(format("one that {} {} (after {} ms)", member.behavior->kind, fault,
                             std::chrono::duration_cast<milliseconds>(now - member.began).count()));
  }
  ++ends_[member.behavior->kind];
  member.socket.close();
  member.may_begin = now + kRest;
}

std::string BadClients::fault_of(const Member& member, Time now) const {
  const BadBehavior& behavior = *member.behavior;
  const auto took = now - member.began;
  std::string_view bytes = member.received;
  if (!behavior.reads) {
    int whole = 0;
    while (take_answer(bytes)) ++whole;
    if (whole >= behavior.answers) return "was never cut off";
    if (took + kEarly < behavior.least) return "was cut off too early";
    return took > behavior.most + kNoReaderLate ? "was still connected" : "";
  }
  if (took > behavior.most + kSlower * kLate) return "had no end in time";
  if (took + kEarly < behavior.least) return "had its end too early";
  if (std::string fault = fault_of_answers(bytes, behavior.answers); !fault.empty()) return fault;
  if (behavior.status != 0) {
    const auto refusal = take_answer(bytes);
    if (!refusal) return format("got no answer but {}", bytes.size());
    if (std::string fault = fault_of_refusal(*refusal, behavior.status); !fault.empty()) return fault;
  }
  return bytes.empty() ? "" : "was told more than its due";
}

}  // namespace ladder::faults
