// ladder show: shows a complete record (title, fields, text and attachments); --save writes the attachments to files.
#include "base/text/columns.h"
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/utf8.h"
#include "base/text/visible_text.h"
#include "cli/commands/attachments.h"
#include "cli/flags/read_flags.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "cli/terminal/last_list.h"
#include "cli/terminal/short_ids.h"
#include "json/scan/scan.h"
#include "model/record_id.h"
#include "rest/render.h"

#include <algorithm>

namespace ladder::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMaxTextChars = 100'000;  // of the record's text; ladder read shows more
constexpr std::int64_t kMaxValueChars = 400;     // of each other field
constexpr std::string_view kIdName = "record";   // the row of the record id
constexpr std::string_view kRule = "────────────────────────────────────────────────────────────────────────";

class Show final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word(
        "ID", id_,
        "the record: its number in the last list on this terminal, or CONNECTION/STREAM:KEY or STREAM:KEY; the beginning "
        "of a key is enough");
    arguments.value("--save", "FILE|FOLDER", save_, "save its attachments there; existing files are never overwritten");
    caller_.declare(arguments);
    arguments.example("ladder show 2");
    arguments.example("ladder show mail/messages:4be0a1f2");
    arguments.example("ladder show mail/messages:4be0a1f2 --save ~/Downloads");
    arguments.example("ladder show notes-home/notes:n1 --json");
  }

  Result<int> run(Context& context) override {
    if (const auto number = list_number(id_)) {
      LADDER_TRY(const LastList::Entry entry,
                 numbered_entry(context.settings.state_folder, location_digest(context.settings.location), *number));
      id_ = entry.record;
    }
    LADDER_TRY(const model::RecordRef named, parse_shown_id(id_));
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access access, caller_.who(context, *session));
    server::Reads& reads = session->server().reads();
    LADDER_TRY(const api::Record record, read(reads, access, named));
    if (context.console.json() && !save_) {
      context.console.out(rest::render(record, {}) + "\n");
      return kDone;
    }
    const RolesByStream roles = roles_by_stream(reads, access);
    const std::vector<Attachment> attachments = attachments_of(record, roles);
    if (save_) {
      LADDER_CHECK(save_all(context.console, reads, access, attachments));
    } else {
      context.console.out(as_text(context, record, roles_of(roles, record.ref)) + attachments_text(context, record, attachments));
    }
    return kDone;
  }

 private:
  // Reads the record with all related records that the caller may read.
  static Result<api::Record> read(server::Reads& reads, const server::Access& access, const model::RecordRef& named) {
    LADDER_TRY(const model::RecordRef ref, resolve_short_id(reads, access, named));
    api::RecordRequest request;
    request.record = ref;
    api::SchemaRequest schema;
    schema.stream = ref.stream;
    schema.connection_id = ref.connection_id;
    schema.counted = false;
    LADDER_TRY(const api::SchemaView view, reads.schema(access, schema));
    for (const api::SourceView& source : view.sources) {
      for (const api::StreamView& stream : source.streams) {
        for (const api::ExpandView& expansion : stream.expansions) {
          if (expansion.usable && request.expand.size() < kMaxRelations) request.expand.push_back(expansion.name);
        }
      }
    }
    auto found = reads.record(access, request);
    if (found || request.expand.empty()) return found;
    request.expand.clear();  // a related stream outside the grant must not hide the record
    return reads.record(access, request);
  }

  static std::string value_text(const json::Value& value) {
    return value.kind == json::Kind::kString ? json::decode_string(json::raw_content(value)) : std::string(value.text);
  }

  // Formats a value with indentation under its name, wrapped to the width of a terminal.
  static std::string field_text(const Console& console, const std::string& name, std::size_t width, std::string_view value) {
    std::string line(value);
    std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    line = visible_label(line);
    const std::string head = name + std::string(width + 2 - static_cast<std::size_t>(columns_of(name)), ' ');
    std::vector<LineRange> lines = {{0, line.size()}};
    if (console.out_is_terminal())
      lines = wrap_to_columns(line, static_cast<std::int64_t>(std::max(console.out_columns(), width + 22) - width - 2));
    std::string out;
    for (const LineRange& one : lines) {
      out += out.empty() ? console.paint_out(Tone::kFaint, head) : std::string(width + 2, ' ');
      out += line.substr(one.begin, one.end - one.begin) + "\n";
    }
    return out;
  }

  std::string read_command(const Context& context, const api::Record& record, const std::string& field,
                           std::int64_t offset) const {
    return format("ladder read {} {}{}{}", shell_word(model::format_record_id(record.ref)), shell_word(field),
                  offset == 0 ? "" : format(" --offset {}", offset), caller_.flags() + context.store_flags());
  }

  std::string as_text(const Context& context, const api::Record& record, const StreamRoles& roles) const {
    const Console& console = context.console;
    const std::string id = shown_id(record.ref), title = text_member(record.data, roles.title);
    std::string out = console.paint_out(Tone::kStrong, visible_label(title.empty() ? id : title)) + "\n";
    std::vector<std::pair<std::string, std::string>> fields;
    std::size_t width = kIdName.size();
    for (json::Members member(record.data); member.next();) {
      const std::string name = json::decode_string(member.raw_name());
      if (name == "blob_ref" || (name == roles.title && !title.empty()) || name == roles.text) continue;
      std::string value = value_text(member.value());
      const std::int64_t chars = utf8::count(value);
      if (value.empty() || value == "null" || value == "[]") continue;
      if (chars > kMaxValueChars) value = format("{} chars: {}", grouped(chars), read_command(context, record, name, 0));
      width = std::max(width, static_cast<std::size_t>(columns_of(visible_label(name))));
      fields.emplace_back(visible_label(name), std::move(value));
    }
    // Author and time come first, then the other fields in record order.
    for (const std::string& first : {roles.time, roles.author}) {
      const auto found = std::ranges::find(fields, first, &std::pair<std::string, std::string>::first);
      if (found != fields.end()) std::rotate(fields.begin(), found, found + 1);
    }
    for (const auto& [name, value] : fields) out += field_text(console, name, width, value);
    if (!title.empty()) out += field_text(console, std::string(kIdName), width, id);
    return out + body_text(context, record, roles);
  }

  std::string body_text(const Context& context, const api::Record& record, const StreamRoles& roles) const {
    const Console& console = context.console;
    const std::string text = text_member(record.data, roles.text);
    if (text.empty()) return {};
    const std::int64_t chars = utf8::count(text);
    const std::string rule = console.paint_out(Tone::kFaint, kRule) + "\n";
    std::string out = rule + visible_text(utf8::slice(text, 0, std::min(chars, kMaxTextChars))).text;
    if (!out.ends_with('\n')) out += '\n';
    out += rule;
    if (chars > kMaxTextChars) {
      out += format("{} of {} chars; on: {}\n", grouped(kMaxTextChars), grouped(chars),
                    read_command(context, record, roles.text, kMaxTextChars));
    }
    return out;
  }

  std::string attachments_text(const Context& context, const api::Record& record,
                               const std::vector<Attachment>& attachments) const {
    if (attachments.empty()) return {};
    std::string out = attachments.size() == 1 ? "1 attachment\n" : format("{} attachments\n", attachments.size());
    for (const Attachment& attachment : attachments) {
      out += format("  {}  {}, {} bytes  {}\n", visible_label(file_name(attachment)), visible_label(attachment.mime_type),
                    grouped(attachment.size_bytes), visible_label(shown_id(attachment.record)));
    }
    return out +
           format("  ladder show {} --save .{}\n", shell_word(shown_id(record.ref)), caller_.flags() + context.store_flags());
  }

  Status save_all(Console& console, server::Reads& reads, const server::Access& access,
                  const std::vector<Attachment>& attachments) const {
    if (attachments.empty()) return fail(Code::kNotFound, "the record has no attachment that you may read", "save");
    const bool folder = fs::is_directory(*save_) || save_->ends_with('/');
    if (!folder && attachments.size() > 1) {
      return fail(Code::kInvalidRequest,
                  format("the record has {} attachments; choose an existing folder to save them in", attachments.size()), "save");
    }
    if (folder && !fs::is_directory(*save_))
      return fail(Code::kInvalidRequest, format("the folder {} does not exist", visible_label(*save_)), "save");
    json::Writer out;
    out.begin_object().key("saved").begin_array();
    for (const Attachment& attachment : attachments) {
      const fs::path path = folder ? fs::path(*save_) / file_name(attachment) : fs::path(*save_);
      LADDER_CHECK(save(reads, access, attachment, path));
      out.begin_object().member("file", path.string()).member("size_bytes", attachment.size_bytes).end_object();
      if (!console.json()) console.out(format("{}  {} bytes\n", visible_label(path.string()), grouped(attachment.size_bytes)));
    }
    out.end_array().end_object();
    if (console.json()) console.out(out.take() + "\n");
    return {};
  }

  static constexpr std::size_t kMaxRelations = 8;

  std::string id_;
  std::optional<std::string> save_;
  Caller caller_;
};

}  // namespace

std::unique_ptr<Command> make_show() { return std::make_unique<Show>(); }

}  // namespace ladder::cli
