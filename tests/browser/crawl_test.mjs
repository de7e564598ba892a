// Follows every link, over an empty store and over one with 100,000 mails, malicious mails and client names: no script errors, no
// violations of the content security policy, no requests to other servers.
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';

import {mailbox} from './sources_test.mjs';
import {Client, signInByLink} from './fixture.mjs';
import {hostileMailbox} from './explore_test.mjs';
import {Reader} from './ledger_test.mjs';

const kMails = 100_000;
const kOfOneKind = 4;  // pages per kind; pages of a kind differ only in their values
const kPages = 150;
const kOutward = /^(https:\/\/|cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install\?|vscode:mcp\/install\?)/;
const kHostileName = '"><script>window.owned=1</script>\u202Egnp.exe';

// Addresses of one kind have the same path and parameter names.
function kindOf(address) {
  const {pathname, searchParams} = new URL(address);
  return `${pathname}?${[...new Set(searchParams.keys())].sort().join('&')}`;
}

const links = (page) => page.$$eval('a[href]', (all) => all.filter((one) => !one.download).map((one) => one.href.replace(/#.*/, '')));

// Follows links breadth first. Returns the number of pages of each kind.
async function crawl(fixture, page, from) {
  const faults = [], kinds = new Map(), seen = new Set(), waiting = from.map((path) => fixture.base + path);
  const foreign = (request) => { if (!request.url().startsWith(fixture.base)) faults.push(`${page.url()} asks for ${request.url()}`); };
  page.on('request', foreign);
  while (waiting.length > 0 && seen.size < kPages) {
    const address = waiting.shift(), kind = kindOf(address);
    if (seen.has(address) || (kinds.get(kind) ?? 0) >= kOfOneKind) continue;
    seen.add(address);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    const answer = await page.goto(address).catch((error) => /Download is starting/.test(error.message) ? null : Promise.reject(error));
    if (answer === null) {  // a download, never a page
      const {'content-disposition': saved, 'x-content-type-options': sniffed} = (await page.request.head(address)).headers();
      if (!saved?.startsWith('attachment') || sniffed !== 'nosniff') faults.push(`${address} is a file: ${saved}, ${sniffed}`);
      continue;
    }
    if (answer.status() !== 200) faults.push(`${address}: ${answer.status()}`);
    if (await page.evaluate(() => window.owned)) faults.push(`${address}: a script of the data ran`);
    for (const fault of page.faults.splice(0)) faults.push(`${address}: ${fault}`);
    for (const link of await links(page)) {
      if (link.startsWith(`${fixture.base}/`)) waiting.push(link);
      else if (!kOutward.test(link)) faults.push(`${address} links to ${link}`);
    }
  }
  page.off('request', foreign);
  assert.deepEqual(faults, []);
  return kinds;
}

const paths = (kinds) => new Set([...kinds.keys()].map((kind) => kind.split('?')[0]));

async function emptyStore(fixture) {
  const page = await fixture.visitor();
  await signInByLink(page, fixture);
  const seen = paths(await crawl(fixture, page, ['/']));
  for (const path of ['/', '/explore', '/sources', '/clients', '/requests', '/ledger', '/settings']) assert.ok(seen.has(path), path);
  await page.context().close();
}

async function fullStore(fixture) {
  const hostile = join(fixture.folder, 'hostile.mbox');
  writeFileSync(hostile, hostileMailbox());
  fixture.ladder.run(['import', mailbox(join(fixture.folder, 'many.mbox'), kMails)]);
  fixture.ladder.run(['import', hostile]);
  const page = await fixture.visitor();
  await signInByLink(page, fixture);
  const client = await Client.make(fixture, {client_name: kHostileName});
  await page.goto(client.askUrl());  // stays pending
  const reader = new Reader(fixture, 'reader <i>', 'messages');
  await reader.get('/v1/search?q=grumbly');
  await reader.get('/v1/streams/messages/records?limit=50');
  const seen = paths(await crawl(fixture, page, ['/', '/explore?q=grumbly']));
  for (const path of ['/', '/explore', '/record', '/sources', '/clients', '/consent', '/ledger', '/ledger/record', '/settings']) {
    assert.ok(seen.has(path), `${path} is not among ${[...seen].join(' ')}`);
  }
  await client.close();
  await page.context().close();
}

export const crawlEmpty = (fixture, check) => check('every page of an empty store', () => emptyStore(fixture));
export const crawlFull = (fixture, check) => check(`every page over ${kMails} mails and hostile ones`, () => fullStore(fixture));
