// The owner's pages in Debian's Chromium, as people use them: the first start, passphrase and passkey, a client that asks, the
// preview, Allow, the read that follows, Deny, asking again, a device, the end of access; without scripts and by keyboard; and
// what others try from their own pages. Every page is looked at by axe in light and dark, wide and at 320 pixels.
//   node run.mjs LADDER
import {Accumulator} from '../hosts/fixture/tally.mjs';

import {attacks} from './attacks.mjs';
import {startHouse} from './house.mjs';
import {journeys} from './journeys.mjs';
import {looking} from './look.mjs';

const tally = new Accumulator();
const house = await startHouse(process.argv[2]);
try {
  const check = (name, body) => tally.check(`browser, ${name}`, body);
  await journeys(house, check);
  await looking(house, check);
  await attacks(house, check);
} finally {
  await house.close();
}
tally.end();
process.exit();  // a check that failed may have left something open
