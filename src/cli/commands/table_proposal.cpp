#include "cli/commands/table_proposal.h"

#include "app/import/extractor.h"
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "cli/invocation/failure.h"
#include "model/declaration/declaration.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <vector>

namespace ladder::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShownFields = 40;

Result<std::string> infer(const Context& context, const std::string& path, const std::optional<std::string>& encoding,
                          const app::Stop& stop) {
  std::vector<std::string> words = {"--infer", path};
  if (encoding) words.insert(words.end(), {"--encoding", *encoding});
  LADDER_TRY(const auto child,
             app::Extractor::start(app::extractor_program(context.environment("LADDER_EXTRACT")), words, context.version, stop));
  for (;;) {
    LADDER_TRY(const imports::wire::Frame frame, child->next());
    if (frame.kind == imports::wire::Kind::kFailed)
      return fail(Code::kInvalidRequest, imports::wire::read_sentence(frame.payload));
    if (frame.kind == imports::wire::Kind::kDeclaration) return frame.payload;
  }
}

bool is_number(const model::Field& field) {
  return field.type == model::FieldType::kInteger || field.type == model::FieldType::kNumber;
}

std::string description(const std::string& path, const model::SourceDeclaration& declaration) {
  const model::Stream& stream = declaration.streams.front();
  std::string text = format("{} looks like a table with these columns:\n", visible_label(path));
  for (std::size_t i = 0; i < std::min(stream.fields.size(), kShownFields); ++i) {
    const model::Field& field = stream.fields[i];
    text += format("  {}{}{}\n", visible_label(field.name),
                   field.is_time()    ? "  (a date)"
                   : is_number(field) ? "  (a number)"
                                      : "",
                   field.name == stream.primary_key.front() ? "  identifies a row" : "");
  }
  if (stream.fields.size() > kShownFields) text += format("  and {} more\n", stream.fields.size() - kShownFields);
  return text;
}

}  // namespace

bool can_propose_table(const Context& context, const std::string& path) {
  constexpr std::array kEndings = {".csv", ".tsv", ".tab", ".ndjson", ".jsonl", ".json"};
  std::string ending = fs::path(path).extension().string();
  std::ranges::transform(ending, ending.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  std::error_code error;
  return std::ranges::find(kEndings, ending) != kEndings.end() && fs::is_regular_file(path, error) && !context.console.json() &&
         !context.settings.state_folder.empty() && ::isatty(STDIN_FILENO) == 1 && context.console.err_is_terminal();
}

Result<std::optional<std::string>> propose_table(const Context& context, const std::string& path,
                                                 const std::optional<std::string>& encoding, const app::Stop& stop) {
  const fs::path file = fs::path(context.settings.state_folder) / "tables" / (fs::path(path).stem().string() + ".json");
  std::error_code error;
  if (fs::exists(file, error)) {
    context.console.err(format("ladder: using the declaration {}\n", visible_label(file.string())));
    return std::optional(file.string());
  }
  const auto text = infer(context, path, encoding, stop);
  if (!text) return std::optional<std::string>();
  LADDER_TRY(const model::SourceDeclaration declaration, model::parse_declaration(*text));
  context.console.err(description(path, declaration) + "Import it as a table? [Y/n] ");
  std::string answer;
  if (!std::getline(std::cin, answer) || (!answer.empty() && answer.front() != 'y' && answer.front() != 'Y'))
    return std::optional<std::string>();
  fs::create_directories(file.parent_path(), error);
  std::ofstream(file, std::ios::binary) << *text;
  context.console.err(format("ladder: the declaration is in {}; edit it and import again to change names or types\n",
                             visible_label(file.string())));
  return std::optional(file.string());
}

}  // namespace ladder::cli
