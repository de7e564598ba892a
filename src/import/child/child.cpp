// Every format examines every tree. If several formats claim a file, the one with the highest confidence wins.
#include "import/child/child.h"

#include "base/limits.h"
#include "base/text/base64.h"
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "base/text/nearest.h"
#include "crypto/hash.h"
#include "import/charset/encoding.h"
#include "import/child/format_table.h"
#include "import/child/frame_sink.h"
#include "import/child/signatures.h"
#include "import/formats/outlook/pff.h"
#include "import/formats/table/infer.h"
#include "import/io/bytes.h"
#include "import/io/limits.h"
#include "import/ocr/ocr.h"
#include "import/pdf/pdf_paint.h"
#include "import/picture/picture.h"
#include "import/program/program.h"
#include "import/sandbox/sandbox.h"
#include "import/text/text.h"
#include "import/tree/archive_names.h"
#include "import/wire/messages.h"

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace ladder::imports {
namespace {

constexpr std::size_t kShownKinds = 12;
constexpr std::size_t kMaxListedLeft = 10'000;  // files listed by name; more are only counted

struct Claim {
  const Format* format = nullptr;
  Unit unit;
};

// Removes files that a more confident claim has taken. Units without files are dropped.
void resolve_claims(Tree& tree, std::vector<Claim> claims, std::vector<bool>& taken, std::vector<PlannedPart>& parts) {
  std::ranges::stable_sort(claims, [](const Claim& a, const Claim& b) { return a.unit.confidence > b.unit.confidence; });
  std::vector<PlannedPart> found;
  for (Claim& claim : claims) {
    std::erase_if(claim.unit.entries, [&](EntryNo entry) { return entry >= taken.size() || taken[entry]; });
    if (claim.unit.entries.empty()) continue;
    for (const EntryNo entry : claim.unit.entries) taken[entry] = true;
    found.push_back({claim.format, &tree, std::move(claim.unit)});
  }
  std::ranges::stable_sort(found, {}, [](const PlannedPart& part) { return part.unit.entries.front(); });
  std::ranges::move(found, std::back_inserter(parts));
}

std::unexpected<Error> no_format(std::string_view asked) {
  std::string list;
  std::vector<std::string_view> names;
  for (const Format* format : all_formats()) {
    names.push_back(format->name());
    list += (list.empty() ? "" : ", ") + std::string(format->name());
  }
  const std::string_view near = nearest(asked, names);
  return fail(Code::kInvalidRequest,
              format("unknown format '{}'; {}supported formats: {}", asked,
                     near.empty() ? "" : format("did you mean '{}'? ", near), list),
              "as");
}

std::unexpected<Error> no_encoding(std::string_view asked) {
  return fail(Code::kInvalidRequest,
              format("unknown character encoding '{}'; use a web encoding name such as utf-8, windows-1252 or shift_jis", asked),
              "encoding");
}

std::string kinds_text(const std::map<std::string, std::int64_t>& kinds) {
  std::vector<std::pair<std::string, std::int64_t>> sorted(kinds.begin(), kinds.end());
  std::ranges::stable_sort(sorted, std::greater<>{}, &std::pair<std::string, std::int64_t>::second);
  std::string text;
  for (std::size_t i = 0; i < std::min(sorted.size(), kShownKinds); ++i) {
    text += format("{}{} {}", i == 0 ? "" : ", ", sorted[i].first, sorted[i].second);
  }
  return sorted.size() > kShownKinds ? text + ", and others" : text;
}

// The notes format claims every page and text.
bool may_be_read_as_note(const Entry& entry) { return entry.has_extension(".html") || entry.has_extension(".txt"); }

}  // namespace

Result<Plan> make_plan(std::span<const std::string> paths, std::string_view as, const Request& request, const Heartbeat& alive,
                       const Format* program) {
  std::vector<const Format*> formats(all_formats().begin(), all_formats().end());
  Request asked = request;
  if (!as.empty()) {
    const Format* only = find_format(as);
    if (!only) return no_format(as);
    formats = {only};
    asked.forced = true;
  }
  if (program) formats = {program};
  if (!request.encoding.empty() && charset::find_encoding(request.encoding) == nullptr) return no_encoding(request.encoding);
  Plan plan;
  plan.opened = open_trees(paths, alive, request.separate ? FoundArchives::kSeparately : FoundArchives::kAsFolders);
  plan.refusals = plan.opened.refusals;
  std::map<std::string, std::int64_t> unclaimed;
  for (const auto& tree : plan.opened.trees) {
    std::vector<Claim> claims;
    tree->encoding = request.encoding;
    tree->watch([&](std::int64_t) { alive(); });
    for (const Format* format : formats) {
      for (Unit& unit : format->detect(*tree, asked)) claims.push_back({format, std::move(unit)});
    }
    tree->watch({});
    std::vector<bool> taken(tree->entries().size(), false);
    resolve_claims(*tree, std::move(claims), taken, plan.parts);
    std::vector<bool> is_note(taken.size(), false);  // read as notes, although they may be pages of an export
    for (const PlannedPart& part : plan.parts) {
      if (part.tree != tree.get() || part.format != &notes_format()) continue;
      for (const EntryNo entry : part.unit.entries) is_note[entry] = true;
    }
    std::set<std::string_view> named;  // the known exports of this tree
    for (EntryNo i = 0; i < taken.size(); ++i) {
      const std::string& path = tree->entries()[i].path;
      const Signature* const known =
          taken[i] && !(is_note[i] && may_be_read_as_note(tree->entries()[i])) ? nullptr : recognize(*tree, i, taken[i]);
      if (known && named.insert(known->what).second) plan.known.push_back({{path, -1}, sentence(*known)});
      if (taken[i]) continue;
      if (!known && is_archive_name(std::string(tree->entries()[i].name()))) {
        plan.refusals.push_back({{path, -1}, "archives inside archives are not opened; unpack it and import the result"});
        continue;
      }
      alive();
      ++plan.end.unclaimed;
      if (plan.left.size() < kMaxListedLeft) plan.left.push_back({path, known ? known->what : ""});
      const std::string kind = lower_ascii(tree->entries()[i].extension());
      ++unclaimed[kind.empty() || kind.size() > 12 ? "other" : kind];
    }
    plan.refusals.insert(plan.refusals.end(), tree->refusals().begin(), tree->refusals().end());
  }
  plan.end.units = static_cast<std::int64_t>(plan.parts.size());
  plan.end.unclaimed_kinds = kinds_text(unclaimed);
  return plan;
}

wire::PlannedUnit describe(const PlannedPart& part, std::int64_t number) {
  wire::PlannedUnit unit;
  unit.number = number;
  unit.format = part.format->name();
  unit.what = part.unit.what;
  unit.account = part.unit.account;
  unit.connection_id = part.unit.target.connection_id;
  unit.display_name = part.unit.target.display_name;
  unit.source_key = part.unit.target.source_key;
  unit.only_source = part.unit.target.only_source ? 1 : 0;
  unit.tree = part.tree->name();
  unit.place = part.tree->place();
  unit.part = part.unit.part;
  unit.hint = part.unit.hint;
  const auto& entries = part.tree->entries();
  unit.file = part.unit.entries.size() == 1 ? entries[part.unit.entries.front()].path : part.tree->name();
  crypto::Sha256 fingerprint;
  fingerprint.update(format("{}\n{}\n", part.unit.inputs, ocr_reader()));
  bool has_times = true;
  for (const EntryNo entry : part.unit.entries) {
    const Entry& one = entries[entry];
    unit.bytes += one.size;
    fingerprint.update(format("{}\n{}\n{}\n", one.path, one.size, one.modified.value_or(0)));
    has_times = has_times && one.modified;
    unit.newest = std::max({unit.newest, one.modified.value_or(0), Instant{1}});
  }
  if (!has_times) unit.newest = 0;
  unit.files = static_cast<std::int64_t>(part.unit.entries.size());
  unit.fingerprint = to_hex(crypto::view(fingerprint.finish())).substr(0, 32);
  return unit;
}

// Command line → sandbox → plan → commands, one unit after another.

namespace {

using wire::Kind;

struct Arguments {
  std::string as, manifest, infer, encoding;
  std::string paint;          // number of the page to render
  bool formats = false;       // only list the formats
  bool protections = false;   // only list the sandbox layers of this machine
  bool declarations = false;  // only send the built-in declarations
  bool separate = false;      // archives in folders get separate connections
  bool staged = false;        // mail that a sync fetched
  std::string with;           // a program of the owner that reads the only path
  bool net = false;           // it may use the network
  std::unique_ptr<Format> program = {};
  std::vector<std::string> paths;
};

Result<Arguments> parse_arguments(std::span<char*> argv) {
  Arguments arguments;
  for (std::size_t i = 1; i < argv.size(); ++i) {
    const std::string_view word = argv[i];
    if (word == "--") {
      arguments.paths.assign(argv.begin() + static_cast<std::ptrdiff_t>(i) + 1, argv.end());
      break;
    }
    if (word == "--formats" || word == "--protections") {
      (word == "--formats" ? arguments.formats : arguments.protections) = true;
      continue;
    }
    if (word == "--net") {
      arguments.net = true;
      continue;
    }
    if (word == "--declarations" || word == "--separate" || word == "--staged") {
      (word == "--separate" ? arguments.separate : word == "--staged" ? arguments.staged : arguments.declarations) = true;
      continue;
    }
    std::string* value = word == "--as"         ? &arguments.as
                         : word == "--manifest" ? &arguments.manifest
                         : word == "--infer"    ? &arguments.infer
                         : word == "--encoding" ? &arguments.encoding
                         : word == "--paint"    ? &arguments.paint
                         : word == "--with"     ? &arguments.with
                                                : nullptr;
    if (!value || i + 1 == argv.size()) {
      return fail(Code::kInvalidRequest, format("unknown argument '{}'; ladder-extract is started by ladder import", word));
    }
    *value = argv[++i];
  }
  return arguments;
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
    LADDER_CHECK(pipe.send(refusal.is_link ? Kind::kLink : Kind::kRefusal, wire::to_bytes({refusal.place, refusal.reason})));
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    LADDER_CHECK(pipe.send(Kind::kUnit, wire::to_json(describe(plan.parts[i], static_cast<std::int64_t>(i)))));
  }
  for (const Refusal& known : plan.known) LADDER_CHECK(pipe.send(Kind::kKnown, wire::to_bytes({known.place, known.reason})));
  for (const LeftFile& left : plan.left)
    LADDER_CHECK(pipe.send(Kind::kLeft, wire::to_bytes({{left.path, -1}, std::string(left.what)})));
  LADDER_CHECK(pipe.send(Kind::kPlanned, wire::to_json(plan.end)));
  return pipe.flush();
}

// A declaration may be larger than a frame.
Status send_pieces(Pipe& pipe, std::string_view declaration) {
  for (std::string_view rest = declaration;;) {
    const std::string_view piece = rest.substr(0, wire::kMaxFrameBytes);
    rest.remove_prefix(piece.size());
    LADDER_CHECK(pipe.send(rest.empty() ? Kind::kDeclaration : Kind::kMore, piece));
    if (rest.empty()) return {};
  }
}

Status send_declaration(Pipe& pipe, const PlannedPart& part, const Request& request) {
  const auto declaration = part.format->declaration_of(*part.tree, part.unit, request);
  return declaration ? send_pieces(pipe, *declaration) : pipe.send(Kind::kUnitEnd, declaration.error().message);
}

// Reports a file in which the format found nothing, unless the file is empty. A Ladder export states its own record
// count, which may be zero.
Status report_empty_files(const PlannedPart& part, Sink& sink) {
  if (!part.unit.target.connection_id.empty()) return {};
  for (const EntryNo entry : part.unit.entries) {
    const Entry& file = part.tree->entries()[entry];
    if (file.size == 0) continue;
    return sink.lost({file.path, -1}, format("recognized as {}, but it contains no readable records", part.unit.what));
  }
  return {};
}

Status read_part(Pipe& pipe, const PlannedPart& part, const Request& request, std::string_view position) {
  FrameSink sink(pipe, renew_cpu_limit);
  part.tree->watch([&](std::int64_t bytes) { sink.took(bytes); });
  const Status done = part.format->read(*part.tree, part.unit, request, position, sink);
  part.tree->watch({});
  if (!done && done.error().code == Code::kCancelled) return done;
  if (done && position.empty() && !sink.has_reported()) LADDER_CHECK(report_empty_files(part, sink));
  return pipe.send(Kind::kUnitEnd, done ? std::string() : done.error().message);
}

// A command: "read 12 cG9zaXRpb24" reads a unit from a position; "declare 12" sends only its declaration.
struct Command {
  bool reads = false;
  std::size_t number = 0;
  std::string position;
};
std::optional<Command> parse_command(std::string_view line, std::size_t units) {
  constexpr std::string_view kRead = "read ", kDeclare = "declare ";
  Command command;
  command.reads = line.starts_with(kRead);
  if (!command.reads && !line.starts_with(kDeclare)) return std::nullopt;
  line.remove_prefix(command.reads ? kRead.size() : kDeclare.size());
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), command.number);
  if (error != std::errc() || command.number >= units) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  if (line.empty()) return command;
  auto position = base64url::decode(line.substr(1));
  if (!position) return std::nullopt;
  command.position = *std::move(position);
  return command;
}

Status run_commands(Pipe& pipe, const Arguments& arguments) {
  Request request;
  LADDER_TRY(request.manifest, arguments.manifest.empty() ? Result<std::string>("") : read_small_file(arguments.manifest));
  request.encoding = arguments.encoding;
  request.forced = !arguments.as.empty();
  request.separate = arguments.separate;
  request.staged = arguments.staged;
  FrameSink looking(pipe, renew_cpu_limit);
  LADDER_TRY(const Plan plan,
             make_plan(arguments.paths, arguments.as, request, [&] { looking.took(0); }, arguments.program.get()));
  LADDER_CHECK(send_plan(pipe, plan));
  for (std::string line; std::getline(std::cin, line);) {
    const auto command = parse_command(line, plan.parts.size());
    if (!command) return fail(Code::kInvalidRequest, "invalid command");
    renew_cpu_limit();
    const PlannedPart& part = plan.parts[command->number];
    LADDER_CHECK(command->reads ? read_part(pipe, part, request, command->position) : send_declaration(pipe, part, request));
    LADDER_CHECK(pipe.flush());
  }
  return {};
}

Status infer(Pipe& pipe, const Arguments& arguments) {
  LADDER_TRY(const std::string declaration, infer_declaration(arguments.infer, arguments.encoding));
  return pipe.send(Kind::kDeclaration, declaration);
}

Status list_formats(Pipe& pipe) {
  for (const Format* one : all_formats()) LADDER_CHECK(pipe.send(Kind::kFormat, format("{}\t{}", one->name(), one->summary())));
  return {};
}

// Only --paint reads a file from standard input: the file comes from the store and has no path.
Result<std::string> read_input() {
  std::string bytes, piece(64 * limits::kKiB, '\0');
  for (;;) {
    const ssize_t count = read(STDIN_FILENO, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(Code::kInternal, "the file cannot be read from standard input");
    if (count == 0) return bytes;
    bytes.append(piece, 0, static_cast<std::size_t>(count));
    if (bytes.size() > limits::kMaxPaintedPdfBytes) return fail(Code::kResourceLimit, "the file is too large");
  }
}

Status paint(Pipe& pipe, const Arguments& arguments) {
  std::int64_t page = 0;
  std::from_chars(arguments.paint.data(), arguments.paint.data() + arguments.paint.size(), page);
  LADDER_TRY(const std::string pdf, read_input());
  LADDER_TRY(const std::string picture, paint_pdf_page(pdf, page));
  LADDER_CHECK(pipe.send(Kind::kBlob, "image/png"));
  for (std::string_view rest = picture; !rest.empty();) {
    const std::string_view piece = rest.substr(0, wire::kMaxFrameBytes);
    rest.remove_prefix(piece.size());
    LADDER_CHECK(pipe.send(Kind::kMore, piece));
  }
  return pipe.send(Kind::kBlobEnd, "1");
}

// Enters the sandbox with read access to the paths on the command line, and replaces them by their names inside the
// sandbox.
Status enter(Pipe& pipe, Arguments& arguments) {
  SandboxRequest request;
  const auto take = [&](std::string& path) {
    if (path.empty()) return;
    request.readable.push_back(readable_path(path));
    path = request.readable.back().string();
  };
  if (!arguments.paint.empty()) request.readable = font_folders();
  if (!arguments.paths.empty()) {
    load_ocr();
    load_picture_reader();
    outlook::load_pff();
  }
  if (const auto folder = ocr_data_folder(); !folder.empty()) request.readable.push_back(folder);
  take(arguments.manifest);
  take(arguments.infer);
  for (std::string& path : arguments.paths) take(path);
  if (!arguments.with.empty()) {
    if (arguments.paths.size() != 1) return fail(Code::kInvalidRequest, "a program reads one path", "with");
    LADDER_TRY(RunningProgram program, start_program(readable_path(arguments.with), arguments.paths.front(), arguments.net));
    arguments.program = program_format(std::move(program));
  }
  LADDER_TRY(const auto protections, enter_sandbox(request));
  if (!arguments.protections) return {};
  for (const wire::Protection& each : protections) LADDER_CHECK(pipe.send(Kind::kProtection, wire::to_json(each)));
  return {};
}

// Sends the declarations of the formats that have one declaration for all files.
Status list_declarations(Pipe& pipe) {
  for (const Format* one : all_formats()) {
    if (const auto declaration = one->declaration({})) LADDER_CHECK(send_pieces(pipe, *declaration));
  }
  return {};
}

Status work(Pipe& pipe, const Arguments& arguments) {
  if (arguments.protections) return {};
  if (arguments.formats) return list_formats(pipe);
  if (arguments.declarations) return list_declarations(pipe);
  if (!arguments.paint.empty()) return paint(pipe, arguments);
  return arguments.infer.empty() ? run_commands(pipe, arguments) : infer(pipe, arguments);
}

}  // namespace

int run_child(int argc, char** argv, std::string_view version) {
  Pipe pipe(STDOUT_FILENO);
  auto arguments = parse_arguments({argv, static_cast<std::size_t>(argc)});
  Status done = pipe.send(Kind::kHello, wire::to_json(wire::Hello{wire::kProtocol, std::string(version)}));
  if (done) done = pipe.flush();  // before anything slow
  if (done) done = arguments ? enter(pipe, *arguments) : Status(std::unexpected(arguments.error()));
  if (done) done = work(pipe, *arguments);
  if (!done) done = pipe.send(Kind::kFailed, done.error().message);
  if (done) done = pipe.flush();
  return done ? 0 : 1;
}

}  // namespace ladder::imports
