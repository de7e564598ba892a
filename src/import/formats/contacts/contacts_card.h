// A parsed vCard (2.1, 3.0 or 4.0), with the values its record needs.
#pragma once

#include "import/formats/content_lines.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports::contacts {

struct Labelled {
  std::string value;
  std::string label;  // "home", "work", or the user's own text; "" if there is none
  bool preferred = false;
};

struct PostalAddress {
  std::string text;  // the whole address, separated by commas
  std::string label, street, city, region, postal_code, country;
};

struct Photo {
  std::string mime_type;
  std::string bytes;
};

struct Card {
  std::string id;  // derived from the UID, otherwise from name, organization, addresses and numbers
  std::string uid, kind, name, given_name, family_name, additional_names, prefix, suffix, nickname;
  std::string organization, department, job_title, note, birthday, anniversary, updated_at;
  std::vector<Labelled> emails, phones, urls, messengers, related, dates;
  std::vector<PostalAddress> addresses;
  std::vector<std::string> categories, members;
  std::optional<Photo> photo;
  std::string photo_url;
  std::vector<std::string> problems;
};

Card read_card(const Component& component);
// Returns the record of a card. `blob_ref` is that of its picture, or "".
std::string contact_record(const Card& card, std::string_view blob_ref);

}  // namespace ladder::imports::contacts
