// Words of the command line → sandbox → plan → orders, one unit after the other.
#include "import/child.h"

#include "base/base64url.h"
#include "base/format.h"
#include "base/limits.h"
#include "extract/messages.h"
#include "import/file_pieces.h"
#include "import/frame_sink.h"
#include "import/infer.h"
#include "import/limits.h"
#include "import/pipe.h"
#include "import/plan.h"
#include "import/sandbox/sandbox.h"

#include <unistd.h>

#include <charconv>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ladder::imports {
namespace {

using extract::Kind;

struct Words {
  std::string as, manifest, infer, encoding;
  bool formats = false;       // only list them
  bool protections = false;   // only list what the sandbox gives here
  bool declarations = false;  // only send those that come with Ladder
  std::vector<std::string> paths;
};

Result<Words> read_words(std::span<char*> arguments) {
  Words words;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (word == "--") {
      words.paths.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end());
      break;
    }
    if (word == "--formats" || word == "--protections") {
      (word == "--formats" ? words.formats : words.protections) = true;
      continue;
    }
    if (word == "--declarations") {
      words.declarations = true;
      continue;
    }
    std::string* value = word == "--as"         ? &words.as
                         : word == "--manifest" ? &words.manifest
                         : word == "--infer"    ? &words.infer
                         : word == "--encoding" ? &words.encoding
                                                : nullptr;
    if (!value || i + 1 == arguments.size()) {
      return fail(Code::kInvalidRequest, format("ladder-extract is started by ladder import; it does not know '{}'", word));
    }
    *value = arguments[++i];
  }
  return words;
}

Result<std::string> read_small_file(const std::string& path) {
  const auto file = FilePieces::open({path});
  if (!file) return fail(file.error().code, format("'{}': {}", path, file.error().message));
  std::string text, piece(64 * 1024, '\0');
  for (;;) {
    LADDER_TRY(const std::size_t count, file->read_at(static_cast<std::int64_t>(text.size()), piece.data(), piece.size()));
    if (count == 0) return text;
    text.append(piece, 0, count);
    if (text.size() > ladder::limits::kMaxDeclarationBytes) return fail(Code::kResourceLimit, format("'{}' is too large", path));
  }
}

Status send_plan(Pipe& pipe, const Plan& plan) {
  for (const Refusal& refusal : plan.refusals)
    LADDER_CHECK(pipe.send(refusal.is_link ? Kind::kLink : Kind::kRefusal, extract::to_bytes({refusal.place, refusal.reason})));
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    LADDER_CHECK(pipe.send(Kind::kUnit, extract::to_json(describe(plan.parts[i], static_cast<std::int64_t>(i)))));
  }
  LADDER_CHECK(pipe.send(Kind::kPlanned, extract::to_json(plan.end)));
  return pipe.flush();
}

// A declaration may be larger than a frame.
Status send_pieces(Pipe& pipe, std::string_view declaration) {
  for (std::string_view rest = declaration;;) {
    const std::string_view piece = rest.substr(0, extract::kMaxFrameBytes);
    rest.remove_prefix(piece.size());
    LADDER_CHECK(pipe.send(rest.empty() ? Kind::kDeclaration : Kind::kMore, piece));
    if (rest.empty()) return {};
  }
}

Status send_declaration(Pipe& pipe, const PlannedPart& part, const Request& request) {
  const auto declaration = part.format->declaration_of(*part.tree, part.unit, request);
  return declaration ? send_pieces(pipe, *declaration) : pipe.send(Kind::kUnitEnd, declaration.error().message);
}

Status read_part(Pipe& pipe, const PlannedPart& part, const Request& request, std::string_view position) {
  FrameSink sink(pipe, renew_cpu_limit);
  part.tree->watch([&](std::int64_t bytes) { sink.took(bytes); });
  const Status done = part.format->read(*part.tree, part.unit, request, position, sink);
  part.tree->watch({});
  if (!done && done.error().code == Code::kCancelled) return done;
  return pipe.send(Kind::kUnitEnd, done ? std::string() : done.error().message);
}

// "read 12 cG9zaXRpb24": which unit, and from where; "declare 12": its declaration only.
struct Order {
  bool reads = false;
  std::size_t number = 0;
  std::string position;
};
std::optional<Order> read_order(std::string_view line, std::size_t units) {
  constexpr std::string_view kRead = "read ", kDeclare = "declare ";
  Order order;
  order.reads = line.starts_with(kRead);
  if (!order.reads && !line.starts_with(kDeclare)) return std::nullopt;
  line.remove_prefix(order.reads ? kRead.size() : kDeclare.size());
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), order.number);
  if (error != std::errc() || order.number >= units) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  if (line.empty()) return order;
  auto position = base64url::decode(line.substr(1));
  if (!position) return std::nullopt;
  order.position = *std::move(position);
  return order;
}

Status obey(Pipe& pipe, const Words& words) {
  Request request;
  LADDER_TRY(request.manifest, words.manifest.empty() ? Result<std::string>("") : read_small_file(words.manifest));
  request.encoding = words.encoding;
  FrameSink looking(pipe, renew_cpu_limit);
  LADDER_TRY(const Plan plan, make_plan(words.paths, words.as, request, [&] { looking.took(0); }));
  LADDER_CHECK(send_plan(pipe, plan));
  for (std::string line; std::getline(std::cin, line);) {
    const auto order = read_order(line, plan.parts.size());
    if (!order) return fail(Code::kInvalidRequest, "an order that cannot be read");
    renew_cpu_limit();
    const PlannedPart& part = plan.parts[order->number];
    LADDER_CHECK(order->reads ? read_part(pipe, part, request, order->position) : send_declaration(pipe, part, request));
    LADDER_CHECK(pipe.flush());
  }
  return {};
}

Status infer(Pipe& pipe, const Words& words) {
  LADDER_TRY(const std::string declaration, infer_declaration(words.infer, words.encoding));
  return pipe.send(Kind::kDeclaration, declaration);
}

Status list_formats(Pipe& pipe) {
  for (const Format* one : all_formats()) LADDER_CHECK(pipe.send(Kind::kFormat, format("{}\t{}", one->name(), one->summary())));
  return {};
}

// Enters the sandbox with read access to the paths of the command line, which are from then on called as they are called inside.
Status enter(Pipe& pipe, Words& words) {
  SandboxRequest request;
  const auto take = [&](std::string& path) {
    if (path.empty()) return;
    request.readable.push_back(readable_path(path));
    path = request.readable.back().string();
  };
  take(words.manifest);
  take(words.infer);
  for (std::string& path : words.paths) take(path);
  LADDER_TRY(const auto protections, enter_sandbox(request));
  if (!words.protections) return {};
  for (const extract::Protection& each : protections) LADDER_CHECK(pipe.send(Kind::kProtection, extract::to_json(each)));
  return {};
}

// Of the formats that have one for all files.
Status list_declarations(Pipe& pipe) {
  for (const Format* one : all_formats()) {
    if (const auto declaration = one->declaration({})) LADDER_CHECK(send_pieces(pipe, *declaration));
  }
  return {};
}

Status work(Pipe& pipe, const Words& words) {
  if (words.protections) return {};
  if (words.formats) return list_formats(pipe);
  if (words.declarations) return list_declarations(pipe);
  return words.infer.empty() ? obey(pipe, words) : infer(pipe, words);
}

}  // namespace

int run_child(int argc, char** argv, std::string_view version) {
  Pipe pipe(STDOUT_FILENO);
  auto words = read_words({argv, static_cast<std::size_t>(argc)});
  Status done = pipe.send(Kind::kHello, extract::to_json(extract::Hello{extract::kProtocol, std::string(version)}));
  if (done) done = pipe.flush();  // before anything that may take long
  if (done) done = words ? enter(pipe, *words) : Status(std::unexpected(words.error()));
  if (done) done = work(pipe, *words);
  if (!done) done = pipe.send(Kind::kFailed, done.error().message);
  if (done) done = pipe.flush();
  return done ? 0 : 1;
}

}  // namespace ladder::imports
