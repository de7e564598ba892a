// Tests the owner's pages in Debian's Chromium: first start, passphrase and passkey, consent with preview, Allow and Deny, devices,
// revoking access, search, imports, activity, settings, without scripts, by keyboard, and attacks from foreign pages. On SQLite
// every page is checked with axe in light and dark, wide and at 320 pixels. On PostgreSQL the same steps run without that check,
// because the HTML is the same.
//   node run.mjs LADDER [--only sqlite|postgres] [SUITE…]
//   suites: journeys explore reading sources attacks clients ledger sync ask arranging crawl
import {startPostgres} from '../hosts/fixture/postgres.mjs';
import {CheckCounter} from '../hosts/fixture/check_counter.mjs';

import {arranging} from './arranging_test.mjs';
import {asking} from './ask_test.mjs';
import {attacks} from './attacks_test.mjs';
import {clients} from './clients_test.mjs';
import {crawlEmpty, crawlFull} from './crawl_test.mjs';
import {explore} from './explore_test.mjs';
import {startFixture} from './fixture.mjs';
import {journeys} from './journeys_test.mjs';
import {ledger} from './ledger_test.mjs';
import {reading} from './reading_test.mjs';
import {sources} from './sources_test.mjs';
import {syncs} from './sync_test.mjs';

const [program, ...words] = process.argv.slice(2);
const onlyEngine = words[0] === '--only' ? words.splice(0, 2)[1] : '';
const tally = new CheckCounter();

// The suites of a list share a fixture, and the first one sets the passphrase. The ledger suite needs an empty ledger.
const kFixtures = [
  {suites: [['journeys', journeys], ['explore', explore], ['reading', reading], ['sources', sources], ['attacks', attacks], ['clients', clients]]},
  {suites: [['ledger', ledger]]},
  {suites: [['sync', syncs]], life: false},
  {suites: [['ask', asking], ['arranging', arranging]]},
  {suites: [['crawl', crawlEmpty]], life: false},
  {suites: [['crawl', crawlFull]], life: false, only: 'sqlite'},  // PostgreSQL produces the same HTML and takes longer to fill
];

async function on(engine, stores) {
  const check = (name, body) => tally.check(`browser, ${engine}, ${name}`, body);
  for (const {suites, life, only} of kFixtures) {
    if (only && only !== engine) continue;
    const wanted = ([name]) => words.length === 0 || words.includes(name);
    if (!suites.some(wanted)) continue;
    const asked = suites.filter((suite, place) => place === 0 || wanted(suite));
    const fixture = await startFixture(program, {engine, newStore: stores, life});
    try {
      for (const [, suite] of asked) await suite(fixture, check);
    } finally {
      await fixture.close();
    }
  }
}

if (onlyEngine !== 'postgres') await on('sqlite');
if (onlyEngine !== 'sqlite') {
  const postgres = await startPostgres();
  let stores = 0;
  try {
    await on('postgres', () => postgres.database(`ladder_browser_${process.pid}_${++stores}`));
  } finally {
    await postgres.stop();
  }
}
tally.end();
process.exit();  // a failed check may have left handles open
