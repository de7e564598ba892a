// The owner's pages in Debian's Chromium, as people use them: the first start, passphrase and passkey, a client that asks, the
// preview, Allow, the read that follows, Deny, asking again, a device, the end of access; what there is, who read what, settings;
// without scripts and by keyboard; and what others try from their own pages. On SQLite every page is looked at by axe in light and
// dark, wide and at 320 pixels. On PostgreSQL the same pages are opened and the same deeds are done, without that look: it is the
// same HTML.
//   node run.mjs LADDER [--only sqlite|postgres] [SUITE…]     suites: journeys look have attacks decide trace crawl
import {startPostgres} from '../hosts/fixture/postgres.mjs';
import {Accumulator} from '../hosts/fixture/tally.mjs';

import {attacks} from './attacks.mjs';
import {crawlEmpty, crawlFull} from './crawl.mjs';
import {decide} from './decide.mjs';
import {have} from './have.mjs';
import {startHouse} from './house.mjs';
import {journeys} from './journeys.mjs';
import {looking} from './look.mjs';
import {trace} from './trace.mjs';

const [program, ...words] = process.argv.slice(2);
const onlyEngine = words[0] === '--only' ? words.splice(0, 2)[1] : '';
const tally = new Accumulator();

// Suites of one list share a house, in which the first sets the passphrase; the ledger's begins with an empty ledger.
const kHouses = [
  {suites: [['journeys', journeys], ['look', looking], ['have', have], ['attacks', attacks], ['decide', decide]]},
  {suites: [['trace', trace]]},
  {suites: [['crawl', crawlEmpty]], life: false},
  {suites: [['crawl', crawlFull]], life: false, only: 'sqlite'},  // the other store makes the same HTML, and takes longer to fill
];

async function on(engine, stores) {
  const check = (name, body) => tally.check(`browser, ${engine}, ${name}`, body);
  for (const {suites, life, only} of kHouses) {
    if (only && only !== engine) continue;
    const wanted = ([name]) => words.length === 0 || words.includes(name);
    if (!suites.some(wanted)) continue;
    const asked = suites.filter((suite, place) => place === 0 || wanted(suite));
    const house = await startHouse(program, {engine, newStore: stores, life});
    try {
      for (const [, suite] of asked) await suite(house, check);
    } finally {
      await house.close();
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
process.exit();  // a check that failed may have left something open
