// The parts of a message: its text, its HTML and its attachments.
#pragma once

#include "import/formats/mail/mail_gmime.h"
#include "import/formats/mail/mail_text.h"

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports::mail {

struct Attachment {
  std::string file_name;               // "" if it has none
  std::string mime_type;               // lower case, without parameters
  std::string text;                    // of text and of nested messages; "" for others
  bool text_is_cut = false;            // at kMaxAttachmentTextBytes
  std::set<std::string> guessed = {};  // detected encodings of its text and name
  GMimePart* part = nullptr;           // borrowed from the message
};

class Parts {
 public:
  // `encoding` is used for text that names none; "" to detect it.
  explicit Parts(GMimeObject* root, std::string_view encoding = {});

  Body body;
  std::vector<Attachment> attachments;
  std::set<std::string> problems;  // sentences without a period, for the owner
  std::set<std::string> guessed;   // detected encodings of the body

 private:
  struct Piece {
    Body body;
    bool is_plain = false;            // the text was plain text
    bool is_special_version = false;  // the HTML is an AMP or watch version
  };
  Piece read(GMimeObject* object, int depth);
  Piece read_multipart(GMimeMultipart* multipart, int depth);
  Piece choose_among(std::vector<Piece> versions);
  Piece read_undivided(GMimeMultipart* multipart);
  Piece read_text(GMimePart* part, const std::string& type);
  Piece read_part(GMimePart* part, int depth);
  void attach(GMimePart* part, std::string mime_type);
  void attach_message(GMimePart* part, int depth);
  bool has_room();
  std::string text_of(GMimePart* part, bool is_html, std::string bytes);
  std::string charset_named(GMimeObject* object) const;

  std::string encoding_;
  HeaderCharset names_;  // of file names
  struct Inner {
    std::string bytes;
    std::unique_ptr<GMimeText> text;
  };
  std::vector<std::unique_ptr<Inner>> inner_;  // nested messages, which attachments point into
  std::size_t inner_bytes_ = 0;
  bool is_inside_ = false;         // a nested message is being read
  std::vector<GMimePart*> shown_;  // text files that are shown inline ("inline; filename=…")
};

}  // namespace ladder::imports::mail
