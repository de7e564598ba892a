// A vCard (2.1, 3.0 or 4.0) as its record needs it.
#pragma once

#include "import/formats/content_lines.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports::contacts {

struct Labelled {
  std::string value;
  std::string label;  // "home", "work", or what the person wrote; "" when there is none
  bool preferred = false;
};

struct PostalAddress {
  std::string text;  // all of it, parts parted by commas
  std::string label, street, city, region, postal_code, country;
};

struct Photo {
  std::string mime_type;
  std::string bytes;
};

struct Card {
  std::string id;  // made from the UID, else from name, organization, addresses and numbers
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

}  // namespace ladder::imports::contacts
