// The list of all formats; no other code names them. If two formats claim a file with equal confidence, the earlier one gets it.
// `declared` formats have a declaration.json in their folder; `computed` ones make their declaration.
#pragma once

#define LADDER_EACH_FORMAT(declared, computed)                                                                                   \
  computed(ladder) computed(outlook) declared(mail) declared(calendar) declared(contacts) declared(whatsapp) declared(chatgpt)   \
      declared(claude) declared(slack) computed(telegram) computed(meta) computed(imessage) declared(browser) declared(evernote) \
          declared(feed) declared(health) declared(tracks) declared(statements) declared(google) declared(posts)                 \
              declared(notion) declared(notes) computed(table)
