// Address books (.vcf): vCards 2.1, 3.0 and 4.0, any number per file.
//
// Like calendars, all files of a tree are read together in two passes: the newest card with a UID becomes the record.
#include "base/text/format.h"
#include "import/formats/component_files.h"
#include "import/formats/contacts/contacts_card.h"
#include "import/formats/format.h"
#include "import/formats/record_members.h"
#include "import/formats/versions.h"
#include "import/text/text.h"
#include "import/tree/text_file.h"
#include "json/writer.h"

namespace ladder::imports {
namespace {

using namespace contacts;  // NOLINT(google-build-using-namespace): the parts of this format

class ContactsFormat final : public Format {
 public:
  std::string_view name() const override { return "contacts"; }
  std::string_view summary() const override { return "address books (.vcf)"; }
  std::vector<Unit> detect(Tree& tree, const Request& request) const override;
  Status read(Tree& tree, const Unit& unit, const Request& request, std::string_view position, Sink& sink) const override;
};

std::vector<Unit> ContactsFormat::detect(Tree& tree, const Request& request) const {
  Unit unit{Confidence::kLikely, "", "", {}};
  const std::vector<Entry>& entries = tree.entries();
  for (EntryNo i = 0; i < entries.size(); ++i) {
    if (!entries[i].has_extension(".vcf") && !entries[i].has_extension(".vcard") && !request.forced) continue;
    unit.entries.push_back(i);
    if (unit.confidence == Confidence::kCertain) continue;
    if (starts_with_ignoring_case(trim(text_head(tree, i)), "begin:vcard")) unit.confidence = Confidence::kCertain;
  }
  if (unit.entries.empty()) return {};
  unit.what = unit.entries.size() == 1 ? "an address book" : format("{} files of contacts", unit.entries.size());
  return {std::move(unit)};
}

void write_labelled(json::Writer& writer, std::string_view name, const std::vector<Labelled>& values) {
  if (values.empty()) return;
  writer.key(name).begin_array();
  for (const Labelled& each : values) {
    writer.begin_object().member("value", each.value).optional_member("label", each.label);
    if (each.preferred) writer.member("preferred", true);
    writer.end_object();
  }
  writer.end_array();
}

void write_addresses(json::Writer& writer, const std::vector<PostalAddress>& addresses) {
  if (addresses.empty()) return;
  writer.key("addresses").begin_array();
  for (const PostalAddress& each : addresses) {
    writer.begin_object().member("text", each.text).optional_member("label", each.label);
    writer.optional_member("street", each.street).optional_member("city", each.city).optional_member("region", each.region);
    writer.optional_member("postal_code", each.postal_code).optional_member("country", each.country).end_object();
  }
  writer.end_array();
}

// Joins the searchable parts into one text.
std::string reached_by(const Card& card) {
  std::string out;
  const auto add = [&](std::string_view text) {
    if (!out.empty()) out += '\n';
    out += text;
  };
  for (const auto* list : {&card.emails, &card.phones, &card.messengers, &card.urls}) {
    for (const Labelled& each : *list) add(each.label.empty() ? each.value : format("{}: {}", each.label, each.value));
  }
  for (const PostalAddress& each : card.addresses) add(each.label.empty() ? each.text : format("{}: {}", each.label, each.text));
  return out;
}

}  // namespace

std::string contacts::contact_record(const Card& card, std::string_view blob_ref) {
  json::Writer writer;
  writer.begin_object().member("id", card.id).optional_member("uid", card.uid).member("name", card.name);
  writer.member("kind", card.kind == "group" || card.kind == "org" ? std::string_view(card.kind) : std::string_view("person"));
  writer.optional_member("given_name", card.given_name).optional_member("family_name", card.family_name);
  writer.optional_member("additional_names", card.additional_names).optional_member("prefix", card.prefix);
  writer.optional_member("suffix", card.suffix).optional_member("nickname", card.nickname);
  writer.optional_member("organization", card.organization).optional_member("department", card.department);
  writer.optional_member("job_title", card.job_title);
  write_labelled(writer, "emails", card.emails);
  write_labelled(writer, "phones", card.phones);
  write_labelled(writer, "messengers", card.messengers);
  write_labelled(writer, "urls", card.urls);
  write_addresses(writer, card.addresses);
  writer.optional_member("reached_by", reached_by(card));
  writer.optional_member("birthday", card.birthday).optional_member("anniversary", card.anniversary);
  write_labelled(writer, "dates", card.dates);
  write_labelled(writer, "related", card.related);
  writer.optional_member("note", card.note);
  writer.optional_member("categories", card.categories);
  writer.optional_member("members", card.members);
  writer.optional_member("updated_at", card.updated_at).optional_member("photo_url", card.photo_url);
  if (!blob_ref.empty()) writer.key("blob_ref").raw(blob_ref);
  writer.optional_member("problems", card.problems);
  writer.end_object();
  return writer.take();
}

namespace {

class Reader {
 public:
  Reader(Tree& tree, const Unit& unit, Sink& sink) : tree_(tree), unit_(unit), sink_(sink) {}

  Status read(FilePosition from) {
    for (std::size_t file = 0; file < unit_.entries.size(); ++file) {
      const auto look = [&](const Components& components) -> Status {
        const Component& component = components.component();
        if (component.name != "VCARD" || !component.finished) return {};
        const Card card = read_card(component);
        const Instant updated = card.updated_at.empty() ? 0 : parse_time(card.updated_at).value_or(0);
        newest_.add(card.id, {.sequence = 0, .time = updated, .file = file, .byte = component.offset});
        return {};
      };
      LADDER_CHECK(each_component(tree_, unit_.entries[file], "", "contacts", nullptr, look));
    }
    for (std::size_t file = from.index; file < unit_.entries.size(); ++file) {
      const auto take = [&](const Components& components) { return send(file, components.component()); };
      LADDER_CHECK(each_component(tree_, unit_.entries[file], "", "contacts", &sink_, take));
      if (file + 1 < unit_.entries.size()) LADDER_CHECK(sink_.checkpoint(position_text(tree_, unit_, {file + 1, 0})));
    }
    return {};
  }

 private:
  const std::string& path(std::size_t file) const { return tree_.entries()[unit_.entries[file]].path; }

  Status send(std::size_t file, const Component& component) {
    const wire::FileLocation place{path(file), component.offset};
    if (component.name != "VCARD") return sink_.lost(place, "a line outside any contact");
    if (!component.finished) return sink_.lost(place, "the contact has no end");
    if (component.left_out > 0) {
      LADDER_CHECK(sink_.lost({path(file), component.left_out_at},
                              format("{} lines of a contact cannot be read; the rest of it is kept", component.left_out)));
    }
    const Card card = read_card(component);
    if (card.name.empty()) return sink_.lost(place, "a contact without a name, address or number");
    if (!newest_.is_newest(card.id, file, component.offset)) {
      return sink_.skipped("contacts", "an older version of the same contact");
    }
    std::string blob_ref;
    if (card.photo) {
      BytesInMemory bytes(card.photo->bytes);
      LADDER_TRY(blob_ref, sink_.blob(card.photo->mime_type, bytes));
    }
    return sink_.record({"contacts", contacts::contact_record(card, blob_ref), place, std::nullopt});
  }

  Tree& tree_;
  const Unit& unit_;
  Sink& sink_;
  Newest newest_;
};

Status ContactsFormat::read(Tree& tree, const Unit& unit, const Request&, std::string_view position, Sink& sink) const {
  return Reader(tree, unit, sink).read(parse_position(tree, unit, position));
}

}  // namespace

const Format& contacts_format() {
  static const ContactsFormat format;
  return format;
}

}  // namespace ladder::imports
