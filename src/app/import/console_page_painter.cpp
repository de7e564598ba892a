#include "app/import/console_page_painter.h"

#include "app/import/extractor.h"
#include "base/text/format.h"
#include "import/wire/messages.h"

#include <chrono>

namespace ladder::app {
namespace {

constexpr auto kTurnWait = std::chrono::seconds(3);  // maximum wait for other pages
constexpr std::size_t kMaxPictureBytes = 16 << 20;
constexpr std::string_view kPng = "image/png", kPngBegins = "\x89PNG\r\n\x1A\n";

std::unexpected<Error> not_rendered(std::string_view why) {
  return fail(Code::kInvalidRequest, format("This page cannot be shown as a picture: {}.", why), "page");
}

}  // namespace

Result<std::string> ConsolePagePainter::paint(const Document& read, std::int64_t page) {
  using imports::wire::Kind;
  const std::unique_lock turn(turn_, kTurnWait);
  if (!turn) return fail(Code::kResourceLimit, "Other pages are being rendered; reload this page in a moment.", "page");
  if (stop_.requested()) return fail(Code::kResourceLimit, "This server is stopping; reload the page in a moment.", "page");
  LADDER_TRY(const std::string pdf, read());
  LADDER_TRY(const auto child,
             Extractor::start(extractor_.program, {"--paint", std::to_string(page)}, extractor_.version, stop_));
  if (const Status written = child->write_input(pdf); !written) return not_rendered(written.error().message);
  std::string picture;
  for (;;) {
    const auto frame = child->next();
    if (!frame) {
      if (frame.error().code == Code::kNotSetUp) return std::unexpected(frame.error());
      return not_rendered(frame.error().message);
    }
    switch (frame->kind) {
      case Kind::kBlob:
        if (frame->payload != kPng) return not_rendered("the rendering process sent no picture");
        break;
      case Kind::kMore:
        if (picture.size() + frame->payload.size() > kMaxPictureBytes) return not_rendered("the picture is too large");
        picture += frame->payload;
        break;
      case Kind::kBlobEnd:
        if (!picture.starts_with(kPngBegins)) return not_rendered("the rendering process sent no picture");
        return picture;
      case Kind::kFailed:
        return not_rendered(imports::wire::read_sentence(frame->payload));
      default:
        return not_rendered("the rendering process sent unexpected data");
    }
  }
}

}  // namespace ladder::app
