// The owner's pages in Debian's Chromium, as people use them: the first start, passphrase and passkey, a client that asks, the
// preview, Allow, the read that follows, Deny, asking again, a device, the end of access; without scripts and by keyboard; and
// what others try from their own pages. Every page is looked at by axe in light and dark, wide and at 320 pixels.
//   node run.mjs LADDER
import {Accumulator} from '../hosts/fixture/tally.mjs';

import {attacks} from './attacks.mjs';
import {decide} from './decide.mjs';
import {have} from './have.mjs';
import {startHouse} from './house.mjs';
import {journeys} from './journeys.mjs';
import {looking} from './look.mjs';
import {trace} from './trace.mjs';

const tally = new Accumulator();
const check = (name, body) => tally.check(`browser, ${name}`, body);
const house = await startHouse(process.argv[2]);
try {
  await journeys(house, check);
  await looking(house, check);
  await have(house, check);
  await attacks(house, check);
  await decide(house, check);
} finally {
  await house.close();
}
// A house of its own: it begins with an empty ledger and ends with another passphrase.
const traced = await startHouse(process.argv[2]);
try {
  await trace(traced, check);
} finally {
  await traced.close();
}
tally.end();
process.exit();  // a check that failed may have left something open
