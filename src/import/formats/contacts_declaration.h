// What an address book is to Ladder: contacts.
#pragma once

namespace ladder::imports::contacts {

const char* contacts_declaration();

}  // namespace ladder::imports::contacts
