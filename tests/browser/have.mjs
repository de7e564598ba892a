// The owner looks after what he has: Home, Sources, importing by dropping files, export and erase, in a store that begins empty.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {Ladder} from '../hosts/fixture/ladder.mjs';

import {Client, kPassphrase, look} from './house.mjs';

const kLife = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'demo', 'life');
const kMail = join(kLife, 'mail.mbox');
const kHostile = '<img src=x onerror=alert(1)> "quoted" \u202Eevil\u202C & \u0645\u0631\u062D\u0628\u0627.mbox';

const inside = (url) => !url.pathname.startsWith('/sign-in');

async function enterByLink(page, house) {
  await page.goto(house.link());
  await page.fill('#p1', kPassphrase);
  await page.fill('#p2', kPassphrase);
  await page.click('text=Use a passphrase');
  await page.waitForURL(inside);
}

async function enter(page, house) {
  await page.goto(`${house.base}/sign-in`);
  await page.fill('#name', 'local');
  await page.fill('#pass', kPassphrase);
  await page.click('text=Sign in with the passphrase');
  await page.waitForURL(inside);
}

async function heading(page) {
  return (await page.textContent('h1')).trim();
}

const kImportMs = 300_000;  // on a machine that has other work to do

// Waits until the page of an import has come to that state.
async function state(page, wanted) {
  const is = (word) => document.querySelector('[data-state]')?.dataset.state === word;
  await page.waitForFunction(is, wanted, {timeout: kImportMs});
}

async function secondHouse(house, name) {
  const db = house.place(name);
  const ladder = new Ladder(house.ladder.program, db, house.folder);
  ladder.run(['init']);
  let server = await ladder.serve();
  const made = {
    ...house,
    ladder,
    // Folders of files on their way in: beside the store, or of a database elsewhere in the state folder.
    uploads: () => {
      if (house.engine === 'sqlite') return [`${db}-uploads`].filter(existsSync);
      const state = join(house.folder, '.local/state/ladder');
      return existsSync(state) ? readdirSync(state).filter((one) => one.startsWith('uploads')) : [];
    },
    base: `http://localhost:${new URL(server.url).port}`,
    link: () => ladder.run(['owner', 'link', '--public-url', made.base]).url,
    stop: () => server.stop(),
    async again() {
      await server.stop();
      server = await ladder.serve();
      made.base = `http://localhost:${new URL(server.url).port}`;
    },
  };
  return made;
}

// A mailbox of that many messages, and in the middle of it something that is none.
export function mailbox(path, messages, text = 'Nothing much.') {
  const parts = [];
  for (let i = 0; i < messages; ++i) {
    const year = 2005 + i % 20, day = String(1 + i % 28).padStart(2, '0');
    parts.push(`From a@example.org Mon Jan  1 00:00:00 2024\nFrom: A <a@example.org>\nTo: b@example.org\n` +
               `Date: ${day} Mar ${year} 10:00:00 +0000\nMessage-ID: <${i}@example.org>\nSubject: Number ${i}\n\n${text}\n\n`);
  }
  writeFileSync(path, parts.join(''));
  return path;
}

async function emptyHome(house, page) {
  await page.goto(`${house.base}/`);
  assert.match(await heading(page), /^Welcome/);
  assert.match(await page.textContent('main'), /Nothing is here yet/);
  assert.equal((await page.textContent('#addr')).trim(), `${house.base}/mcp`);
  await look(page, 'home-empty');
  await page.goto(`${house.base}/sources`);
  await look(page, 'sources-empty');
}

async function dropMail(house, page) {
  await page.goto(`${house.base}/sources`);
  await page.setInputFiles('#files', kMail);
  await page.click('button:has-text("See the plan")');
  await state(page, 'planned');
  assert.match(await page.textContent('[aria-labelledby=plan]'), /mail\.mbox/);
  assert.equal(house.ladder.run(['connection', 'list']).connections.length, 0, 'nothing is stored before it is started');
  await look(page, 'import-plan');
  await page.click('button:has-text("Start")');
  await state(page, 'done');
  assert.match(await page.textContent('.lead'), /156 new records/);
  await look(page, 'import-done');
  assert.deepEqual(house.uploads(), [], 'the files are gone');
  await page.goto(`${house.base}/sources`);
  assert.match(await page.textContent('table'), /77 messages/);
  await look(page, 'sources');
}

async function dropWithoutScripts(house) {
  const page = await house.visitor({javaScriptEnabled: false});
  await enter(page, house);
  await page.goto(`${house.base}/import`);
  await page.setInputFiles('#files', [kMail]);
  await page.click('button:has-text("See the plan")');
  await page.waitForSelector('[data-state=planned]');
  await page.click('button:has-text("Start")');
  await page.waitForSelector('[data-state=done]');
  assert.match(await page.textContent('.lead'), /0 new records, 0 changed, 156 were here already/);
  await page.context().close();
}

async function dropChats(house, page) {
  await page.goto(`${house.base}/import`);
  const chats = readdirSync(join(kLife, 'chats')).map((name) => join(kLife, 'chats', name));
  // As a browser does it when files are dropped with the mouse.
  const data = await page.evaluateHandle((files) => {
    const transfer = new DataTransfer();
    for (const {name, text} of files) transfer.items.add(new File([text], name));
    return transfer;
  }, chats.map((path) => ({name: path.split('/').pop(), text: readFileSync(path, 'utf8')})));
  await page.dispatchEvent('form[data-drop]', 'drop', {dataTransfer: data});
  await state(page, 'planned');
  await page.click('button:has-text("Start")');
  await state(page, 'done');
  assert.match(await page.textContent('.lead'), /71 new records/);
}

async function unknown(house, page) {
  await page.goto(`${house.base}/import`);
  await page.setInputFiles('#files', {name: 'device.bin', mimeType: '', buffer: Buffer.from([0, 1, 2, 3, 0xFF, 0xFE])});
  await page.click('button:has-text("See the plan")');
  await state(page, 'planned');
  assert.match(await heading(page), /Nothing to import was found/);
  await look(page, 'import-unknown');
  await page.click('button:has-text("Discard")');
  await page.waitForURL('**/sources');
}

async function losses(house, page) {
  const good = readFileSync(kMail, 'latin1');
  const zip = Buffer.from('PK\x03\x04 this is no archive', 'latin1');
  await page.goto(`${house.base}/import`);
  await page.setInputFiles('#files', [
    {name: kHostile, mimeType: 'application/mbox', buffer: Buffer.from(good, 'latin1')},
    {name: 'broken<b>.zip', mimeType: 'application/zip', buffer: zip},
  ]);
  await page.click('button:has-text("See the plan")');
  await state(page, 'planned');
  assert.match(await page.textContent('[aria-labelledby=lost]'), /broken<b>\.zip/);
  await look(page, 'import-losses');
  await page.click('button:has-text("Start")');
  await state(page, 'done');
  await look(page, 'import-losses-done');
  // An event that was cut off: the others come in, and it is named with its place, here and from then on.
  const calendar = 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Choir\r\nDTSTART:20260101T100000Z\r\n' +
      'END:VEVENT\r\nBEGIN:VEVENT\r\nUID:3\r\nSUMMARY:Cut of';
  await page.goto(`${house.base}/import`);
  await page.setInputFiles('#files', {name: 'choir.ics', mimeType: 'text/calendar', buffer: Buffer.from(calendar)});
  await page.click('button:has-text("See the plan")');
  await state(page, 'planned');
  await page.click('button:has-text("Start")');
  await state(page, 'done');
  assert.match(await page.textContent('.lead'), /1 thing could not be read/);
  assert.match(await page.textContent('[aria-labelledby=lost]'), /choir\.ics byte \d+\s*the event has no end/);
  await page.goto(`${house.base}/sources`);
  assert.match(await page.textContent('[aria-labelledby=lost]'), /Calendars, “choir\.ics” byte \d+\s*the event has no end/);
  await look(page, 'sources-losses');
}

// A folder, as the script sends it when one is dropped.
async function folder(house, page) {
  const csrf = await page.inputValue('input[name=csrf]');
  let upload = '';
  for (const [name, text] of [['Vault/a.md', '# A\n\nFirst.'], ['Vault/deep/b.md', '# B\n\nSecond.']]) {
    ({upload} = await page.evaluate(async ([to, body, token]) => {
      const headers = {'Content-Type': 'application/octet-stream', 'X-CSRF-Token': token};
      return (await fetch(to, {method: 'POST', body, headers})).json();
    }, [`/import/upload?${new URLSearchParams({upload, name, size: text.length, at: 0})}`, text, csrf]));
  }
  await page.goto(`${house.base}/import?upload=${upload}`);
  await look(page, 'import-arrived');
  await page.click('button:has-text("See the plan")');
  await state(page, 'planned');
  assert.match(await page.textContent('[aria-labelledby=plan]'), /notes-vault/);
  await page.click('button:has-text("Start")');
  await state(page, 'done');
  assert.match(await page.textContent('.lead'), /2 new records/);
}

async function names(house, page) {
  const csrf = await page.inputValue('input[name=csrf]');
  const post = (name, headers = {}) => page.evaluate(async ([to, more]) => {
    const answer = await fetch(to, {method: 'POST', body: 'x', headers: {'Content-Type': 'application/octet-stream', ...more}});
    return answer.status;
  }, [`/import/upload?${new URLSearchParams({name, size: 1, at: 0})}`, {'X-CSRF-Token': csrf, ...headers}]);
  for (const name of ['../out', '/etc/passwd', 'a/../../b', '', '.', 'a//b', 'a\u0000b', 'x'.repeat(300)]) {
    assert.equal(await post(name), 400, JSON.stringify(name));
  }
  assert.equal(await post('fine', {'X-CSRF-Token': 'wrong'}), 403);
  assert.ok(!existsSync(join(house.folder, 'out')));
  await page.goto(`${house.base}/sources`);
  assert.equal(await page.locator('.notice').count(), 0, 'nothing was begun');
}

// A part arrives, the browser goes away, the same file again goes on.
async function resumed(house, page) {
  const path = mailbox(join(house.folder, 'large.mbox'), 20_000, 'A line of text that says nothing much.\n'.repeat(20));
  const size = statSync(path).size;
  assert.ok(size > 8 << 20);
  let parts = 0;
  await page.route('**/import/upload*', (route) => {
    parts += 1;
    return parts > 2 ? route.abort() : route.continue();
  });
  await page.goto(`${house.base}/import`);
  await page.setInputFiles('#files', path);
  await page.click('button:has-text("See the plan")');
  await page.waitForFunction(() => /: \d+ %/.test(document.querySelector('[data-said]').textContent));
  await page.waitForFunction(() => Number(document.querySelector('form progress').value) > 0);
  await page.goto(`${house.base}/sources`);  // while nothing gets through: its script would try again
  await page.unroute('**/import/upload*');
  await page.click('.notice a');
  await state(page, 'arriving');
  await look(page, 'import-arriving');
  const sent = [];
  page.on('request', (request) => request.url().includes('/import/upload') && sent.push(Number(new URL(request.url()).searchParams.get('at'))));
  await page.setInputFiles('#files', path);
  await page.click('button:has-text("See the plan")');
  await state(page, 'planned');
  assert.ok(sent.filter((at) => at > 0).every((at) => at >= 4 << 20), `it goes on where it stopped: ${sent}`);
}

async function pausedAndRestarted(house, page) {
  await page.click('button:has-text("Start")');
  await state(page, 'running');
  await page.click('button:has-text("Pause")');
  await state(page, 'paused');
  await look(page, 'import-paused');
  const figure = async (name) => Number((await page.locator(`dl.stats div:has(dt:text-is("${name}")) dd`).textContent({timeout: 2000}).catch(() => '0')).replaceAll(',', ''));
  assert.ok(await figure('Stored') >= await figure('New'), 'what is new is stored');
  if (await figure('New') > 2_000) assert.ok(!/^0 bytes/.test(await page.locator('section[aria-labelledby="now"] .num').textContent()), 'and was read');
  const mail = () => house.ladder.run(['connection', 'list']).connections.find((one) => one.connection_id === 'mail');
  const count = () => mail().streams.find((one) => one.name === 'messages').records;
  assert.ok(count() < 20_000, 'it stopped on the way');
  const address = new URL(page.url());
  await house.again();  // at another port, where the cookie of the name is good as well
  await page.goto(house.base + address.pathname + address.search);
  await state(page, 'paused');
  // The page that is looked at stays as it is meanwhile.
  await page.route('**/import?upload=*', (route) => route.request().resourceType() === 'fetch' ? route.abort() : route.continue());
  await page.click('button:has-text("Go on")');
  await state(page, 'running');
  await look(page, 'import-running');
  await page.unroute('**/import?upload=*');
  await state(page, 'done');
  assert.equal(count(), 20_000 + 77, 'all of it is in, once');
}

async function exported(house, page) {
  await page.goto(`${house.base}/sources`);
  const row = page.locator('tr', {hasText: 'attachments'}).first();
  const [file] = await Promise.all([page.waitForEvent('download'), row.locator('button:has-text("Export")').click()]);
  const path = join(house.folder, 'export.zip');
  await file.saveAs(path);
  assert.match(file.suggestedFilename(), /^ladder-mail-\d{4}-\d\d-\d\d\.zip$/);
  const other = new Ladder(house.ladder.program, house.place('read-back'), house.folder);
  other.run(['init']);
  other.run(['import', path]);
  const counts = (ladder) => ladder.run(['connection', 'list']).connections.find((one) => one.connection_id === 'mail').streams;
  assert.deepEqual(counts(other), counts(house.ladder));
  const tested = spawnSync('python3', ['-m', 'zipfile', '-t', path], {encoding: 'utf8'});
  assert.match(tested.stdout, /Done testing/, tested.stderr);
}

async function erased(house, page) {
  await page.goto(`${house.base}/sources`);
  const before = await page.locator('tbody tr[id^=c-]').count();
  await page.locator('tr[id="c-whatsapp"] a:has-text("Erase")').click();
  await look(page, 'erase');
  await page.fill('#name', 'something else');
  await page.click('button:has-text("Erase it for good")');
  assert.match(await page.textContent('[role=alert]'), /Nothing was erased/);
  await look(page, 'erase-wrong');
  assert.equal(house.ladder.run(['connection', 'list']).connections.length, before);
  await page.fill('#name', 'whatsapp');
  await page.click('button:has-text("Erase it for good")');
  await page.waitForFunction(() => /is erased/.test(document.querySelector('h1').textContent));
  assert.match(await page.textContent('.lead'), /71 records/);
  await look(page, 'erased');
  assert.equal(house.ladder.run(['connection', 'list']).connections.length, before - 1);
  await page.goto(`${house.base}/sources/erase?connection=nothing`);
  assert.match(await heading(page), /no such source/);
}

async function home(house, page) {
  await page.goto(`${house.base}/`);
  assert.equal(await heading(page), 'Home');
  assert.match(await page.textContent('.lead'), /You have [\d,]+ records from/);
  assert.ok(await page.locator('svg.years rect').count() > 0);
  await page.click('summary:has-text("The same as a table")');
  const years = await page.$$eval('details table tbody th', (all) => all.map((one) => Number(one.textContent)));
  assert.deepEqual(years, [...years].sort((a, b) => a - b));
  assert.ok(years.includes(2026));
  await look(page, 'home');
}

// Home shows what needs the owner, and who read: a request, an access that ends soon, a budget, and much that was imported.
async function busyHome(house, page) {
  const {token} = house.ladder.run(
      ['grant', 'create', '--client', 'helper<i>', '--stream', 'mail/messages:subject', '--expires', '3d', '--budget', '5000']);
  const answer = await fetch(`${house.base}/v1/streams/messages/records?limit=2`, {headers: {authorization: `Bearer ${token}`}});
  assert.equal(answer.status, 200, await answer.text());
  const client = await Client.make(house, {client_name: 'Asks for more'});
  await page.goto(client.askUrl());
  await client.close();
  for (let tries = 0;; ++tries) {  // the ledger's journal is swept every second
    await page.goto(`${house.base}/`);
    if (/of 5,000 today/.test(await page.textContent('[aria-labelledby=read]'))) break;
    assert.ok(tries < 120, 'what was read is shown');
    await page.waitForTimeout(500);
  }
  const needs = await page.textContent('[aria-labelledby=needs]');
  assert.match(needs, /asks to read/);
  assert.match(needs, /Helper<i> may read for 3 more days|helper<i> may read for 3 more days/);
  assert.match(await page.textContent('.lead'), /One client may read parts of them/);
  await look(page, 'home-busy');
}

export async function have(house, check) {
  const life = await house.visitor();
  await enterByLink(life, house);
  await check('home over a life', () => home(house, life));
  await life.context().close();
  const own = await secondHouse(house, 'have');
  const page = await house.visitor({acceptDownloads: true});
  try {
    await enterByLink(page, own);
    await check('an empty home', () => emptyHome(own, page));
    await check('a mailbox is dropped: plan, start, result', () => dropMail(own, page));
    await check('the same without scripts', () => dropWithoutScripts(own));
    await check('files by drag and drop', () => dropChats(own, page));
    await check('a file of no known format', () => unknown(own, page));
    await check('losses and hostile names are shown', () => losses(own, page));
    await check('a folder of notes', () => folder(own, page));
    await check('names that lead elsewhere are refused', () => names(own, page));
    await check('an upload goes on where it stopped', () => resumed(own, page));
    await check('an import is paused, and goes on after a restart', () => pausedAndRestarted(own, page));
    await check('a home with much to say', () => busyHome(own, page));
    await check('an export is read back', () => exported(own, page));
    await check('a source is erased by its name', () => erased(own, page));
  } finally {
    await page.context().close();
    await own.stop();
  }
}
