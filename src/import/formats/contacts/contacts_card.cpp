#include "import/formats/contacts/contacts_card.h"

#include "base/text/format.h"
#include "base/time/time.h"
#include "import/formats/calendar/calendar_time.h"
#include "import/formats/record_members.h"
#include "import/text/text.h"

#include <algorithm>
#include <array>
#include <map>

namespace ladder::imports::contacts {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMaxValues = 1000;  // of one kind per card

// Apple writes its own labels as "_$!<Mobile>!$_".
std::string label_text(std::string_view text) {
  text = trim(text);
  if (text.starts_with("_$!<") && text.ends_with(">!$_") && text.size() >= 8) text = text.substr(4, text.size() - 8);
  return std::string(text);
}

// Types that describe the medium, not the place.
bool is_technical(std::string_view type) {
  constexpr std::array kTechnical = {"pref"sv, "internet"sv, "voice"sv, "x400"sv, "other"sv, "uri"sv, "text"sv};
  return std::ranges::find(kTechnical, type) != kTechnical.end();
}

std::string tel_or_mail(std::string text) {
  for (const std::string_view scheme : {"tel:"sv, "mailto:"sv}) {
    if (starts_with_ignoring_case(text, scheme)) return text.substr(scheme.size());
  }
  return text;
}

std::string mime_of(std::string_view declared, std::string_view bytes) {
  if (bytes.starts_with("\xFF\xD8\xFF")) return "image/jpeg";
  if (bytes.starts_with("\x89PNG")) return "image/png";
  if (bytes.starts_with("GIF8")) return "image/gif";
  if (bytes.starts_with("RIFF") && bytes.substr(0, 16).find("WEBP") != std::string_view::npos) return "image/webp";
  const std::string type = lower_ascii(declared);
  if (type == "jpeg" || type == "jpg" || type == "image/jpeg") return "image/jpeg";
  if (type == "png" || type == "image/png") return "image/png";
  if (type == "gif" || type == "image/gif") return "image/gif";
  return "application/octet-stream";
}

class CardReader {
 public:
  explicit CardReader(const Component& component) {
    for (const ContentLine& line : component.lines) {
      if (line.name == "X-ABLABEL" && !line.group.empty()) labels_[line.group] = label_text(line.text());
    }
    for (const ContentLine& line : component.lines) take(line);
    finish();
  }
  Card take_card() { return std::move(card_); }

 private:
  std::string label(const ContentLine& line) const {
    const auto grouped = labels_.find(line.group);
    if (!line.group.empty() && grouped != labels_.end() && !grouped->second.empty()) return grouped->second;
    std::string out;
    for (const ContentLine::Parameter& parameter : line.parameters) {
      if (parameter.name != "TYPE") continue;
      for (const std::string& value : parameter.values) {
        for (const std::string& one : split_escaped(value, ',')) {  // 4.0: TYPE="work,voice"
          const std::string type = lower_ascii(one);
          if (type.empty() || is_technical(type)) continue;
          if (!out.empty()) out += ' ';
          out += type;
        }
      }
    }
    return out;
  }

  void add(std::vector<Labelled>& to, const ContentLine& line) const {
    Labelled one{tel_or_mail(std::string(trim(line.text()))), label(line),
                 line.has("TYPE", "pref") || line.parameter("PREF") == "1"};
    const auto same = [&](const Labelled& other) { return other.value == one.value && other.label == one.label; };
    if (!one.value.empty() && to.size() < kMaxValues && std::ranges::none_of(to, same)) to.push_back(std::move(one));
  }

  static void set(std::string& to, const ContentLine& line) {
    if (to.empty()) to = trim(line.text());
  }

  void take(const ContentLine& line) {
    const std::string& name = line.name;
    if (name == "FN") set(card_.name, line);
    else if (name == "N") take_name(line);
    else if (name == "UID") set(card_.uid, line);
    else if (name == "KIND" || name == "X-ADDRESSBOOKSERVER-KIND") card_.kind = lower_ascii(trim(line.text()));
    else if (name == "NICKNAME") set(card_.nickname, line);
    else if (name == "ORG") take_organization(line);
    else if (name == "TITLE" || (name == "ROLE" && card_.job_title.empty())) set(card_.job_title, line);
    else if (name == "NOTE") set(card_.note, line);
    else if (name == "BDAY") take_birthday(line);
    else if (name == "ANNIVERSARY" || name == "X-ANNIVERSARY") set(card_.anniversary, line);
    else if (name == "EMAIL") add(card_.emails, line);
    else if (name == "TEL") add(card_.phones, line);
    else if (name == "URL" || name == "X-SOCIALPROFILE") add(card_.urls, line);
    else if (name == "IMPP" || name == "X-SKYPE" || name == "X-JABBER" || name == "X-MSN" || name == "X-ICQ")
      take_messenger(line);
    else if (name == "RELATED" || name == "X-ABRELATEDNAMES") add(card_.related, line);
    else if (name == "X-ABDATE") add(card_.dates, line);
    else if (name == "ADR") take_address(line);
    else if (name == "CATEGORIES") take_categories(line);
    else if (name == "MEMBER" || name == "X-ADDRESSBOOKSERVER-MEMBER") take_member(line);
    else if (name == "PHOTO") take_photo(line);
    else if (name == "REV") card_.updated_at = revision(line);
  }

  // Apple writes a birthday without a year with the year 1604 and a parameter; vCard 4.0 writes --0412.
  void take_birthday(const ContentLine& line) {
    set(card_.birthday, line);
    const std::string_view no_year = line.parameter("X-APPLE-OMIT-YEAR");
    if (no_year.empty() || !card_.birthday.starts_with(no_year)) return;
    card_.birthday.erase(0, no_year.size());
    std::erase(card_.birthday, '-');
    card_.birthday.insert(0, "--");
  }

  void take_name(const ContentLine& line) {
    const std::vector<std::string> parts = line.list(';');
    const auto part = [&](std::size_t i) { return i < parts.size() ? parts[i] : std::string(); };
    card_.family_name = part(0);
    card_.given_name = part(1);
    card_.additional_names = part(2);
    card_.prefix = part(3);
    card_.suffix = part(4);
  }

  void take_organization(const ContentLine& line) {
    const std::vector<std::string> parts = line.list(';');
    if (parts.empty() || !card_.organization.empty()) return;
    card_.organization = parts[0];
    for (std::size_t i = 1; i < parts.size(); ++i) {
      if (parts[i].empty()) continue;
      if (!card_.department.empty()) card_.department += ", ";
      card_.department += parts[i];
    }
  }

  void take_messenger(const ContentLine& line) {
    add(card_.messengers, line);
    if (line.name.starts_with("X-") && !card_.messengers.empty() && card_.messengers.back().label.empty()) {
      card_.messengers.back().label = lower_ascii(line.name.substr(2));
    }
  }

  void take_address(const ContentLine& line) {
    const std::vector<std::string> parts = line.list(';');
    const auto part = [&](std::size_t i) { return i < parts.size() ? parts[i] : std::string(); };
    PostalAddress address;
    address.label = label(line);
    for (std::size_t i = 0; i < std::min<std::size_t>(parts.size(), 3); ++i) {  // box, extension, street
      if (parts[i].empty()) continue;
      if (!address.street.empty()) address.street += ", ";
      address.street += parts[i];
    }
    address.city = part(3);
    address.region = part(4);
    address.postal_code = part(5);
    address.country = part(6);
    for (const std::string* each : {&address.street, &address.postal_code, &address.city, &address.region, &address.country}) {
      if (each->empty()) continue;
      if (!address.text.empty()) address.text += ", ";
      address.text += *each;
    }
    if (!address.text.empty() && card_.addresses.size() < kMaxValues) card_.addresses.push_back(std::move(address));
  }

  void take_categories(const ContentLine& line) {
    for (std::string& each : line.list(',')) {
      const bool known = std::ranges::find(card_.categories, each) != card_.categories.end();
      if (!each.empty() && !known && card_.categories.size() < kMaxValues) card_.categories.push_back(std::move(each));
    }
  }

  void take_member(const ContentLine& line) {
    std::string value(trim(line.text()));
    if (starts_with_ignoring_case(value, "urn:uuid:")) value.erase(0, "urn:uuid:"sv.size());
    if (!value.empty() && card_.members.size() < kMaxValues * 10) card_.members.push_back(std::move(value));
  }

  void take_photo(const ContentLine& line) {
    if (card_.photo) return;
    const std::string_view value = trim(line.value);
    if (value.empty()) return;
    const bool encoded = line.has("ENCODING", "b") || line.has("ENCODING", "base64");
    if (starts_with_ignoring_case(value, "data:")) {  // data:image/png;base64,…
      const std::size_t comma = value.find(',');
      const std::string head = lower_ascii(value.substr(5, std::min(comma, value.size()) - 5));
      if (comma == std::string_view::npos || head.find("base64") == std::string::npos) return problem();
      return keep_photo(head.substr(0, head.find(';')), value.substr(comma + 1));
    }
    if (encoded)
      return keep_photo(line.parameter("MEDIATYPE").empty() ? line.parameter("TYPE") : line.parameter("MEDIATYPE"), value);
    if (starts_with_ignoring_case(value, "http://") || starts_with_ignoring_case(value, "https://"))
      card_.photo_url = trim(line.text());
    else problem();
  }

  void keep_photo(std::string_view declared, std::string_view base64_text) {
    auto bytes = lenient_base64(base64_text);
    if (!bytes || bytes->empty()) return problem();
    card_.photo = Photo{mime_of(declared, *bytes), *std::move(bytes)};
  }

  void problem() { card_.problems.emplace_back("the picture cannot be read"); }

  static std::string revision(const ContentLine& line) {
    const std::string text(trim(line.text()));
    if (const auto instant = parse_time(text)) return format_time(*instant);
    return calendar::Zones().read(text, "Etc/UTC").text;
  }

  // A card without a name gets one from its other values.
  void finish() {
    if (card_.name.empty()) {
      for (const std::string* part :
           {&card_.prefix, &card_.given_name, &card_.additional_names, &card_.family_name, &card_.suffix}) {
        if (part->empty()) continue;
        if (!card_.name.empty()) card_.name += ' ';
        card_.name += *part;
      }
    }
    if (card_.name.empty()) card_.name = card_.organization.empty() ? card_.nickname : card_.organization;
    if (card_.name.empty() && !card_.emails.empty()) card_.name = card_.emails.front().value;
    if (card_.name.empty() && !card_.phones.empty()) card_.name = card_.phones.front().value;
    if (starts_with_ignoring_case(card_.uid, "urn:uuid:")) card_.uid.erase(0, "urn:uuid:"sv.size());
    card_.id = card_.uid.empty() ? digest_id({"members", stable_members()}) : digest_id({"uid", card_.uid});
  }

  std::string stable_members() const {
    std::vector<std::string> values;
    values.reserve(card_.emails.size() + card_.phones.size());
    for (const Labelled& each : card_.emails) values.push_back(lower_ascii(each.value));
    for (const Labelled& each : card_.phones) values.push_back(each.value);
    std::ranges::sort(values);
    std::string out = card_.name + "\n" + card_.given_name + "\n" + card_.family_name + "\n" + card_.organization;
    for (const std::string& each : values) out += "\n" + each;
    return out;
  }

  Card card_;
  std::map<std::string, std::string> labels_;  // group → label
};

}  // namespace

Card read_card(const Component& component) { return CardReader(component).take_card(); }

}  // namespace ladder::imports::contacts
