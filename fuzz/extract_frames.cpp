// Frames from the child process, which a hostile file may control. The first line is the size of the pieces in which
// they arrive. The frames do not depend on the cut; every accepted frame can be written again; everything else is
// rejected.
#include "frame.h"
#include "import/wire/frame.h"
#include "import/wire/messages.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace ladder::fuzz {
namespace {

struct Cut {
  std::vector<imports::wire::Frame> frames;
  bool refused = false;
};

Cut cut(std::string_view bytes, std::size_t piece) {
  Cut out;
  imports::wire::FrameReader reader;
  while (!bytes.empty() && !out.refused) {
    reader.feed(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    for (;;) {
      imports::wire::Frame frame;
      const auto more = reader.next(frame);
      out.refused = !more.has_value();
      if (!more || !*more) break;
      FUZZ_CHECK(frame.payload.size() <= imports::wire::kMaxFrameBytes);
      out.frames.push_back(std::move(frame));
    }
  }
  return out;
}

void check_payload(std::string_view payload) {
  if (const auto loss = imports::wire::read_loss(payload)) {
    const auto again = imports::wire::read_loss(imports::wire::to_bytes(*loss));
    FUZZ_CHECK(again && again->place.file == loss->place.file && again->place.byte == loss->place.byte &&
               again->reason == loss->reason);
  }
  if (const auto unit = imports::wire::read_unit(payload)) {
    const auto again = imports::wire::read_unit(imports::wire::to_json(*unit));
    FUZZ_CHECK(again && again->number == unit->number && again->what == unit->what && again->fingerprint == unit->fingerprint);
  }
  if (const auto hello = imports::wire::read_hello(payload)) {
    const auto again = imports::wire::read_hello(imports::wire::to_json(*hello));
    FUZZ_CHECK(again && again->protocol == hello->protocol && again->version == hello->version);
    FUZZ_CHECK(hello->version.size() <= imports::wire::kMaxVersionBytes);
  }
  if (const auto end = imports::wire::read_plan_end(payload)) {
    const auto again = imports::wire::read_plan_end(imports::wire::to_json(*end));
    FUZZ_CHECK(again && again->units == end->units && again->unclaimed_kinds == end->unclaimed_kinds);
  }
  std::string_view rest = payload;
  if (const auto head = imports::wire::read_record_header(rest)) {
    FUZZ_CHECK(rest.size() <= payload.size());
    std::string written;
    imports::wire::append_record_header(written, *head);
    std::string_view again = written;
    const auto read = imports::wire::read_record_header(again);
    FUZZ_CHECK(read && again.empty() && read->stream == head->stream && read->time == head->time &&
               read->data_bytes == head->data_bytes);
  }
}

}  // namespace

void run(std::string_view input) {
  const std::string_view first = take_line(input);
  std::size_t piece = 1;
  std::from_chars(first.data(), first.data() + first.size(), piece);
  const Exact bytes(input);
  const Cut whole = cut(bytes.view(), std::max<std::size_t>(bytes.view().size(), 1));
  const Cut pieces = cut(bytes.view(), std::max<std::size_t>(piece, 1));
  FUZZ_CHECK(whole.refused == pieces.refused && whole.frames.size() == pieces.frames.size());
  std::string written;
  for (std::size_t i = 0; i < whole.frames.size(); ++i) {
    FUZZ_CHECK(whole.frames[i].kind == pieces.frames[i].kind && whole.frames[i].payload == pieces.frames[i].payload);
    imports::wire::append_frame(written, whole.frames[i].kind, whole.frames[i].payload);
    check_payload(whole.frames[i].payload);
  }
  FUZZ_CHECK(bytes.view().starts_with(written));
  check_payload(bytes.view());
}

}  // namespace ladder::fuzz
