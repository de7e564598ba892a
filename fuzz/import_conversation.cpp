// A whole conversation of the parent with the child process, which a hostile file may control: one frame per line,
// first the plan, then one unit; input without a plan is about the unit only. A line is "KIND fields", with "|" between
// fields, or "KIND=bytes" for a literal payload; "*N " before it sends it N times, with "#" replaced by the repetition
// number. For any input the parent ends, keeps a bounded report that can be parsed again, and blames the child for the
// error.
#include "cli/import/import_plan.h"
#include "cli/testing/played_child.h"
#include "frame.h"
#include "import/wire/messages.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace ladder::fuzz {
namespace {

using imports::wire::Frame;
using imports::wire::Kind;

constexpr std::int64_t kMaxTimes = 400;

std::string_view take_field(std::string_view& rest) {
  const std::size_t bar = std::min(rest.find('|'), rest.size());
  const std::string_view field = rest.substr(0, bar);
  rest.remove_prefix(std::min(bar + 1, rest.size()));
  return field;
}

std::int64_t number_in(std::string_view text, std::int64_t otherwise) {
  std::int64_t number = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// R stream|file|byte|size|key|emitted_at|data   L, S, F, N file|byte|reason   other kinds: the payload
Frame frame_of(std::string_view line) {
  Frame frame;
  if (line.empty()) return frame;
  frame.kind = static_cast<Kind>(line.front());
  line.remove_prefix(1);
  const bool raw = line.starts_with('=');
  if (!line.empty()) line.remove_prefix(1);
  if (!raw && frame.kind == Kind::kRecord) {
    imports::wire::RecordHeader head;
    head.stream = take_field(line);
    head.place.file = take_field(line);
    head.place.byte = number_in(take_field(line), -1);
    const std::int64_t size = number_in(take_field(line), -1);
    head.key = take_field(line);
    head.emitted_at = take_field(line);
    head.data_bytes = size < 0 ? line.size() : static_cast<std::uint64_t>(size);
    imports::wire::append_record_header(frame.payload, head);
    frame.payload += line;
  } else if (!raw && std::string_view("LSFN").contains(static_cast<char>(frame.kind))) {
    imports::wire::Loss loss;
    loss.place.file = take_field(line);
    loss.place.byte = number_in(take_field(line), -1);
    loss.reason = line;
    frame.payload = imports::wire::to_bytes(loss);
  } else {
    frame.payload = line;
  }
  frame.payload.resize(std::min(frame.payload.size(), imports::wire::kMaxFrameBytes));
  return frame;
}

std::string numbered(std::string_view line, std::int64_t time) {
  std::string text;
  for (const char c : line) {
    if (c == '#') text += std::to_string(time);
    else text += c;
  }
  return text;
}

// Splits the input into frames.
cli::testing::PlayedChild child_saying(std::string_view input) {
  return cli::testing::PlayedChild(
      [input, line = std::string_view(), time = std::int64_t{0}, times = std::int64_t{0}](Frame& frame) mutable {
        if (time == times) {
          if (input.empty()) return false;
          line = take_line(input);
          time = 0;
          times = 1;
          if (line.starts_with('*')) {
            const std::size_t space = std::min(line.find(' '), line.size());
            times = std::clamp<std::int64_t>(number_in(line.substr(1, space), 1), 1, kMaxTimes);
            line.remove_prefix(std::min(space + 1, line.size()));
          }
        }
        frame = frame_of(numbered(line, time++));
        return true;
      });
}

void check_account(const cli::UnitAccount& account) {
  FUZZ_CHECK(account.streams.size() <= 128 && account.losses.size() <= cli::UnitAccount::kListedLosses);
  FUZZ_CHECK(account.lost >= std::ssize(account.losses));
  std::size_t reasons = 0;
  for (const auto& [name, stream] : account.streams) {
    FUZZ_CHECK(name.size() <= imports::wire::kMaxStreamBytes && stream.read >= stream.added);
    for (const auto& [reason, count] : stream.skipped) {
      FUZZ_CHECK(reason.size() <= cli::UnitAccount::kReasonBytes && count > 0);
      ++reasons;
    }
  }
  FUZZ_CHECK(reasons <= cli::UnitAccount::kListedReasons + account.streams.size());
  const std::string json = to_json(account);
  const auto again = cli::read_account(json);
  FUZZ_CHECK(again && to_json(*again) == json);
}

}  // namespace

void run(std::string_view input) {
  static cli::testing::PlayedStore store;
  cli::testing::PlayedChild child = child_saying(input);
  const auto plan = cli::read_plan(child);
  if (plan) {
    for (std::size_t i = 0; i < plan->units.size(); ++i) {
      FUZZ_CHECK(plan->units[i].number == static_cast<std::int64_t>(i) && plan->units[i].bytes <= imports::wire::kMaxUnitBytes);
      FUZZ_CHECK(!cli::connection_id_for("played", plan->units[i]).empty());
    }
    FUZZ_CHECK(!cli::plan_text(*plan).empty());
  } else {
    child = child_saying(input);  // without a plan everything is about a unit
  }
  const auto outcome = store.take(child);
  // No child output is an error of the store.
  FUZZ_CHECK(outcome.ran.has_value());
  FUZZ_CHECK(!outcome.child_has_ended || !outcome.account.broken_off.empty());
  check_account(outcome.account);
}

}  // namespace ladder::fuzz
