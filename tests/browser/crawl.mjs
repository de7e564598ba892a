// Every address that a page links to, one after the other, over a store with nothing in it and over one with 100,000 mails, hostile
// ones among them, and clients with hostile names: no fault of a script, no refusal of the content security policy, nothing from elsewhere.
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';

import {mailbox} from './have.mjs';
import {Client, signInByLink} from './house.mjs';
import {hostileMailbox} from './look.mjs';
import {Reader} from './trace.mjs';

const kMails = 100_000;
const kOfOneKind = 4;  // pages that differ by their values alone, as records do
const kPages = 150;
const kOutward = /^(https:\/\/|cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install\?|vscode:mcp\/install\?)/;
const kHostileName = '"><script>window.owned=1</script>\u202Egnp.exe';

// Addresses of one kind have the same path and the same names of parameters.
function kindOf(address) {
  const {pathname, searchParams} = new URL(address);
  return `${pathname}?${[...new Set(searchParams.keys())].sort().join('&')}`;
}

const links = (page) => page.$$eval('a[href]', (all) => all.filter((one) => !one.download).map((one) => one.href.replace(/#.*/, '')));

// Follows links breadth first; answers how many pages of each kind were seen.
async function crawl(house, page, from) {
  const faults = [], kinds = new Map(), seen = new Set(), waiting = from.map((path) => house.base + path);
  const foreign = (request) => { if (!request.url().startsWith(house.base)) faults.push(`${page.url()} asks for ${request.url()}`); };
  page.on('request', foreign);
  while (waiting.length > 0 && seen.size < kPages) {
    const address = waiting.shift(), kind = kindOf(address);
    if (seen.has(address) || (kinds.get(kind) ?? 0) >= kOfOneKind) continue;
    seen.add(address);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    const answer = await page.goto(address).catch((error) => /Download is starting/.test(error.message) ? null : Promise.reject(error));
    if (answer === null) {  // a file, which no page may become
      const {'content-disposition': saved, 'x-content-type-options': sniffed} = (await page.request.head(address)).headers();
      if (!saved?.startsWith('attachment') || sniffed !== 'nosniff') faults.push(`${address} is a file: ${saved}, ${sniffed}`);
      continue;
    }
    if (answer.status() !== 200) faults.push(`${address}: ${answer.status()}`);
    if (await page.evaluate(() => window.owned)) faults.push(`${address}: a script of the data ran`);
    for (const fault of page.faults.splice(0)) faults.push(`${address}: ${fault}`);
    for (const link of await links(page)) {
      if (link.startsWith(`${house.base}/`)) waiting.push(link);
      else if (!kOutward.test(link)) faults.push(`${address} links to ${link}`);
    }
  }
  page.off('request', foreign);
  assert.deepEqual(faults, []);
  return kinds;
}

const paths = (kinds) => new Set([...kinds.keys()].map((kind) => kind.split('?')[0]));

async function emptyStore(house) {
  const page = await house.visitor();
  await signInByLink(page, house);
  const seen = paths(await crawl(house, page, ['/']));
  for (const path of ['/', '/explore', '/sources', '/clients', '/requests', '/ledger', '/settings']) assert.ok(seen.has(path), path);
  await page.context().close();
}

async function fullStore(house) {
  const hostile = join(house.folder, 'hostile.mbox');
  writeFileSync(hostile, hostileMailbox());
  house.ladder.run(['import', mailbox(join(house.folder, 'many.mbox'), kMails)]);
  house.ladder.run(['import', hostile]);
  const page = await house.visitor();
  await signInByLink(page, house);
  const client = await Client.make(house, {client_name: kHostileName});
  await page.goto(client.askUrl());  // waits among the requests
  const reader = new Reader(house, 'reader <i>', 'messages');
  await reader.get('/v1/search?q=grumbly');
  await reader.get('/v1/streams/messages/records?limit=50');
  const seen = paths(await crawl(house, page, ['/', '/explore?q=grumbly']));
  for (const path of ['/', '/explore', '/record', '/sources', '/clients', '/consent', '/ledger', '/ledger/record', '/settings']) {
    assert.ok(seen.has(path), `${path} is not among ${[...seen].join(' ')}`);
  }
  await client.close();
  await page.context().close();
}

export const crawlEmpty = (house, check) => check('every page of an empty store', () => emptyStore(house));
export const crawlFull = (house, check) => check(`every page over ${kMails} mails and hostile ones`, () => fullStore(house));
