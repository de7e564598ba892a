// Home, Sources, import by dropping files, export and erase, starting with an empty store.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {Ladder} from '../hosts/fixture/ladder.mjs';

import {Client, kPassphrase, checkPage} from './fixture.mjs';

const kLife = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'demo', 'life');
const kMail = join(kLife, 'mail.mbox');
const kHostile = '<img src=x onerror=alert(1)> "quoted" \u202Eevil\u202C & \u0645\u0631\u062D\u0628\u0627.mbox';

const inside = (url) => !url.pathname.startsWith('/sign-in');

async function enterByLink(page, fixture) {
  await page.goto(fixture.link());
  await page.fill('#p1', kPassphrase);
  await page.fill('#p2', kPassphrase);
  await page.click('text=Use a passphrase');
  await page.waitForURL(inside);
}

async function enter(page, fixture) {
  await page.goto(`${fixture.base}/sign-in`);
  await page.fill('#name', 'local');
  await page.fill('#pass', kPassphrase);
  await page.click('text=Sign in with the passphrase');
  await page.waitForURL(inside);
}

async function heading(page) {
  return (await page.textContent('h1')).trim();
}

const kImportMs = 300_000;  // for a busy machine

// Waits until the import page reaches this state.
async function state(page, wanted) {
  const is = (word) => document.querySelector('[data-state]')?.dataset.state === word;
  await page.waitForFunction(is, wanted, {timeout: kImportMs});
}

async function emptyFixture(fixture, name) {
  const db = fixture.place(name);
  const ladder = new Ladder(fixture.ladder.program, db, fixture.folder);
  ladder.run(['init']);
  let server = await ladder.serve();
  const made = {
    ...fixture,
    ladder,
    // Folders of pending uploads: next to the store file, or in the state folder for PostgreSQL.
    uploads: () => {
      if (fixture.engine === 'sqlite') return [`${db}-uploads`].filter(existsSync);
      const state = join(fixture.folder, '.local/state/ladder');
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

// A mailbox with this many messages.
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

async function emptyHome(fixture, page) {
  await page.goto(`${fixture.base}/`);
  assert.match(await heading(page), /^Welcome/);
  assert.match(await page.textContent('main'), /Nothing is here yet/);
  assert.equal((await page.textContent('#addr')).trim(), `${fixture.base}/mcp`);
  await checkPage(page, 'home-empty');
  await page.goto(`${fixture.base}/sources`);
  await checkPage(page, 'sources-empty');
}

async function dropMail(fixture, page) {
  await page.goto(`${fixture.base}/sources`);
  await page.setInputFiles('#files', kMail);
  await page.click('button:has-text("Review import")');
  await state(page, 'planned');
  assert.match(await page.textContent('[aria-labelledby=plan]'), /mail\.mbox/);
  assert.equal(fixture.ladder.run(['connection', 'list']).connections.length, 0, 'nothing is stored before the start');
  await checkPage(page, 'import-plan');
  await page.click('button:has-text("Start")');
  await state(page, 'done');
  assert.match(await page.textContent('.lead'), /79 new records/);
  await checkPage(page, 'import-done');
  assert.deepEqual(fixture.uploads(), [], 'the uploaded files are deleted');
  await page.goto(`${fixture.base}/sources`);
  assert.match(await page.textContent('table'), /77 messages/);
  await checkPage(page, 'sources');
}

async function dropWithoutScripts(fixture) {
  const page = await fixture.visitor({javaScriptEnabled: false});
  await enter(page, fixture);
  await page.goto(`${fixture.base}/import`);
  await page.setInputFiles('#files', [kMail]);
  await page.click('button:has-text("Review import")');
  await page.waitForSelector('[data-state=planned]');
  await page.click('button:has-text("Start")');
  await page.waitForSelector('[data-state=done]');
  assert.match(await page.textContent('.lead'), /0 new records, 0 changed, 79 were already in Ladder/);
  await page.context().close();
}

async function dropChats(fixture, page) {
  await page.goto(`${fixture.base}/import`);
  const chats = readdirSync(join(kLife, 'chats')).map((name) => join(kLife, 'chats', name));
  // Simulates dropping files with the mouse.
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

async function unknown(fixture, page) {
  await page.goto(`${fixture.base}/import`);
  await page.setInputFiles('#files', {name: 'device.bin', mimeType: '', buffer: Buffer.from([0, 1, 2, 3, 0xFF, 0xFE])});
  await page.click('button:has-text("Review import")');
  await state(page, 'planned');
  assert.match(await heading(page), /Nothing to import/);
  await checkPage(page, 'import-unknown');
  await page.click('a:has-text("Choose other files")');
  await page.waitForURL('**/import');
  for (const path of ['/import', '/sources', '/']) {
    await page.goto(fixture.base + path);
    assert.doesNotMatch(await page.textContent('main'), /device\.bin/, 'no task is left');
  }
}

async function losses(fixture, page) {
  const good = readFileSync(kMail, 'latin1');
  const zip = Buffer.from('PK\x03\x04 this is no archive', 'latin1');
  await page.goto(`${fixture.base}/import`);
  await page.setInputFiles('#files', [
    {name: kHostile, mimeType: 'application/mbox', buffer: Buffer.from(good, 'latin1')},
    {name: 'broken<b>.zip', mimeType: 'application/zip', buffer: zip},
  ]);
  await page.click('button:has-text("Review import")');
  await state(page, 'planned');
  assert.match(await page.textContent('[aria-labelledby=lost]'), /broken<b>\.zip/);
  await checkPage(page, 'import-losses');
  await page.click('button:has-text("Start")');
  await state(page, 'done');
  await checkPage(page, 'import-losses-done');
  // A truncated event: the others are imported, and it is listed with its position, here and on Sources.
  const calendar = 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Choir\r\nDTSTART:20260101T100000Z\r\n' +
      'END:VEVENT\r\nBEGIN:VEVENT\r\nUID:3\r\nSUMMARY:Cut of';
  await page.goto(`${fixture.base}/import`);
  await page.setInputFiles('#files', {name: 'choir.ics', mimeType: 'text/calendar', buffer: Buffer.from(calendar)});
  await page.click('button:has-text("Review import")');
  await state(page, 'planned');
  await page.click('button:has-text("Start")');
  await state(page, 'done');
  assert.match(await page.textContent('.lead'), /1 item couldn't be imported/);
  assert.match(await page.textContent('[aria-labelledby=lost]'), /choir\.ics byte \d+\s*the event has no end/);
  await page.goto(`${fixture.base}/sources`);
  assert.match(await page.textContent('[aria-labelledby=lost]'), /Calendars, “choir\.ics” byte \d+\s*the event has no end/);
  await checkPage(page, 'sources-losses');
}

async function chosenFolder(fixture, page) {
  const place = join(fixture.folder, 'Journal');
  mkdirSync(join(place, 'deep'), {recursive: true});
  writeFileSync(join(place, 'one.md'), '# One\n\nFirst of the journal.');
  writeFileSync(join(place, 'deep', 'two.md'), '# Two\n\nSecond of the journal.');
  await page.goto(`${fixture.base}/import`);
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.click('button:has-text("Choose a folder")')]);
  await chooser.setFiles(place);
  await state(page, 'planned');
  assert.match(await page.textContent('[aria-labelledby=plan]'), /Journal/);
  await page.click('button:has-text("Discard")');
}

// A folder, as the script sends it.
async function folder(fixture, page) {
  const csrf = await page.inputValue('input[name=csrf]');
  let upload = '';
  for (const [name, text] of [['Vault/a.md', '# A\n\nFirst.'], ['Vault/deep/b.md', '# B\n\nSecond.']]) {
    ({upload} = await page.evaluate(async ([to, body, token]) => {
      const headers = {'Content-Type': 'application/octet-stream', 'X-CSRF-Token': token};
      return (await fetch(to, {method: 'POST', body, headers})).json();
    }, [`/import/upload?${new URLSearchParams({upload, name, size: text.length, at: 0})}`, text, csrf]));
  }
  await page.goto(`${fixture.base}/import?upload=${upload}`);
  await checkPage(page, 'import-arrived');
  await page.click('button:has-text("Review import")');
  await state(page, 'planned');
  assert.match(await page.textContent('[aria-labelledby=plan]'), /notes-vault/);
  await page.click('button:has-text("Start")');
  await state(page, 'done');
  assert.match(await page.textContent('.lead'), /2 new records/);
}

async function names(fixture, page) {
  const csrf = await page.inputValue('input[name=csrf]');
  const post = (name, headers = {}) => page.evaluate(async ([to, more]) => {
    const answer = await fetch(to, {method: 'POST', body: 'x', headers: {'Content-Type': 'application/octet-stream', ...more}});
    return answer.status;
  }, [`/import/upload?${new URLSearchParams({name, size: 1, at: 0})}`, {'X-CSRF-Token': csrf, ...headers}]);
  for (const name of ['../out', '/etc/passwd', 'a/../../b', '', '.', 'a//b', 'a\u0000b', 'x'.repeat(300)]) {
    assert.equal(await post(name), 400, JSON.stringify(name));
  }
  assert.equal(await post('fine', {'X-CSRF-Token': 'wrong'}), 403);
  assert.ok(!existsSync(join(fixture.folder, 'out')));
  await page.goto(`${fixture.base}/sources`);
  assert.equal(await page.locator('.notice').count(), 0, 'no upload was created');
}

// An interrupted upload continues when the same file is chosen again.
async function resumed(fixture, page) {
  const path = mailbox(join(fixture.folder, 'large.mbox'), 20_000, 'A line of text that says nothing much.\n'.repeat(20));
  const size = statSync(path).size;
  assert.ok(size > 8 << 20);
  let parts = 0;
  await page.route('**/import/upload*', (route) => {
    parts += 1;
    return parts > 2 ? route.abort() : route.continue();
  });
  await page.goto(`${fixture.base}/import`);
  await page.setInputFiles('#files', path);
  await page.click('button:has-text("Review import")');
  await page.waitForFunction(() => /: \d+%/.test(document.querySelector('[data-said]').textContent));
  await page.waitForFunction(() => Number(document.querySelector('form progress').value) > 0);
  await page.goto(`${fixture.base}/sources`);  // leave the page while requests fail, so that its script stops retrying
  await page.unroute('**/import/upload*');
  await page.click('.notice a');
  await state(page, 'arriving');
  await checkPage(page, 'import-arriving');
  const sent = [];
  page.on('request', (request) => request.url().includes('/import/upload') && sent.push(Number(new URL(request.url()).searchParams.get('at'))));
  await page.setInputFiles('#files', path);
  await page.click('button:has-text("Review import")');
  await state(page, 'planned');
  assert.ok(sent.filter((at) => at > 0).every((at) => at >= 4 << 20), `it continues where it stopped: ${sent}`);
}

async function pausedAndRestarted(fixture, page) {
  await page.click('button:has-text("Start")');
  await state(page, 'running');
  await page.click('button:has-text("Pause")');
  await state(page, 'paused');
  await checkPage(page, 'import-paused');
  const figure = async (name) => Number((await page.locator(`dl.stats div:has(dt:text-is("${name}")) dd`).textContent({timeout: 2000}).catch(() => '0')).replaceAll(',', ''));
  assert.ok(await figure('Imported') >= await figure('New'), 'new records are stored');
  if (await figure('New') > 2_000) assert.ok(!/^0 bytes/.test(await page.locator('section[aria-labelledby="now"] .num').textContent()), 'and some input was read');
  const mail = () => fixture.ladder.run(['connection', 'list']).connections.find((one) => one.connection_id === 'mail');
  const count = () => mail().streams.find((one) => one.name === 'messages').records;
  assert.ok(count() < 20_000, 'it stopped before the end');
  const address = new URL(page.url());
  await fixture.again();  // on another port, where the cookie is still valid
  await page.goto(fixture.base + address.pathname + address.search);
  await state(page, 'paused');
  // The page must not refresh while it is checked.
  await page.route('**/import?upload=*', (route) => route.request().resourceType() === 'fetch' ? route.abort() : route.continue());
  await page.click('button:has-text("Continue")');
  await state(page, 'running');
  await checkPage(page, 'import-running');
  await page.unroute('**/import?upload=*');
  await state(page, 'done');
  assert.equal(count(), 20_000 + 77, 'everything was imported once');
}

async function exported(fixture, page) {
  await page.goto(`${fixture.base}/sources`);
  const row = page.locator('tr', {hasText: 'attachments'}).first();
  const [file] = await Promise.all([page.waitForEvent('download'), row.locator('button:has-text("Export")').click()]);
  const path = join(fixture.folder, 'export.zip');
  await file.saveAs(path);
  assert.match(file.suggestedFilename(), /^ladder-mail-\d{4}-\d\d-\d\d\.zip$/);
  const other = new Ladder(fixture.ladder.program, fixture.place('read-back'), fixture.folder);
  other.run(['init']);
  other.run(['import', path]);
  const counts = (ladder) => ladder.run(['connection', 'list']).connections.find((one) => one.connection_id === 'mail').streams;
  assert.deepEqual(counts(other), counts(fixture.ladder));
  const tested = spawnSync('python3', ['-m', 'zipfile', '-t', path], {encoding: 'utf8'});
  assert.match(tested.stdout, /Done testing/, tested.stderr);
}

async function recordDeleted(fixture, page) {
  const newest = () => `whatsapp/messages:${fixture.ladder.run(['records', 'messages', '--connection', 'whatsapp', '--limit', '1']).data[0].id}`;
  const id = newest();
  await page.goto(`${fixture.base}/record?id=${encodeURIComponent(id)}`);
  await page.click('aside a:has-text("Delete…")');
  assert.equal(await heading(page), 'Delete this record?');
  await checkPage(page, 'delete-record');
  await page.click('a:has-text("Cancel")');
  assert.equal(newest(), id);
  await page.click('aside a:has-text("Delete…")');
  await page.click('button:has-text("Delete permanently")');
  assert.equal(await heading(page), 'The record is deleted');
  assert.notEqual(newest(), id);
  await page.goto(`${fixture.base}/record/delete?id=${encodeURIComponent(id)}`);
  assert.match(await heading(page), /Record not found/);
}

async function erased(fixture, page) {
  await page.goto(`${fixture.base}/sources`);
  const before = await page.locator('tbody tr[id^=c-]').count();
  await page.locator('tr[id="c-whatsapp"] a:has-text("Erase")').click();
  await checkPage(page, 'erase');
  await page.fill('#name', 'something else');
  await page.click('button:has-text("Erase permanently")');
  assert.match(await page.textContent('[role=alert]'), /Nothing was erased/);
  await checkPage(page, 'erase-wrong');
  assert.equal(fixture.ladder.run(['connection', 'list']).connections.length, before);
  await page.fill('#name', 'whatsapp');
  await page.click('button:has-text("Erase permanently")');
  await page.waitForFunction(() => /is erased/.test(document.querySelector('h1').textContent));
  assert.match(await page.textContent('.lead'), /70 records/);
  await checkPage(page, 'erased');
  assert.equal(fixture.ladder.run(['connection', 'list']).connections.length, before - 1);
  await page.goto(`${fixture.base}/sources/erase?connection=nothing`);
  assert.match(await heading(page), /Source not found/);
}

async function home(fixture, page) {
  await page.goto(`${fixture.base}/`);
  assert.equal(await heading(page), 'Home');
  assert.match(await page.textContent('.lead'), /You have [\d,]+ records from/);
  assert.ok(await page.locator('svg.years rect').count() > 0);
  await page.click('summary:has-text("The same as a table")');
  const years = await page.$$eval('details table tbody th', (all) => all.map((one) => Number(one.textContent)));
  assert.deepEqual(years, [...years].sort((a, b) => a - b));
  assert.ok(years.includes(2026));
  await checkPage(page, 'home');
}

// Home lists tasks and recent reads: a request, access that ends soon, a budget, and imports.
async function busyHome(fixture, page) {
  const {token} = fixture.ladder.run(
      ['grant', 'create', '--client', 'helper<i>', '--stream', 'mail/messages:subject', '--expires', '3d', '--budget', '5000']);
  const answer = await fetch(`${fixture.base}/v1/streams/messages/records?limit=2`, {headers: {authorization: `Bearer ${token}`}});
  assert.equal(answer.status, 200, await answer.text());
  const client = await Client.make(fixture, {client_name: 'Asks for more'});
  await page.goto(client.askUrl());
  await client.close();
  for (let tries = 0;; ++tries) {  // the journal of the ledger is flushed every second
    await page.goto(`${fixture.base}/`);
    if (/of 5,000 today/.test(await page.textContent('[aria-labelledby=read]'))) break;
    assert.ok(tries < 120, 'recent reads are shown');
    await page.waitForTimeout(500);
  }
  const needs = await page.textContent('[aria-labelledby=needs]');
  assert.match(needs, /wants to connect/);
  assert.match(needs, /helper<i> loses access in 3 days/i);
  assert.match(await page.textContent('.lead'), /One app can see parts of them/);
  await checkPage(page, 'home-busy');
}

export async function sources(fixture, check) {
  const life = await fixture.visitor();
  await enterByLink(life, fixture);
  await check('home with data', () => home(fixture, life));
  await life.context().close();
  const own = await emptyFixture(fixture, 'empty');
  const page = await fixture.visitor({acceptDownloads: true});
  try {
    await enterByLink(page, own);
    await check('an empty home', () => emptyHome(own, page));
    await check('a mailbox is dropped: review, start, result', () => dropMail(own, page));
    await check('the same without scripts', () => dropWithoutScripts(own));
    await check('files by drag and drop', () => dropChats(own, page));
    await check('a file of an unknown format', () => unknown(own, page));
    await check('import problems and malicious names are shown', () => losses(own, page));
    await check('a folder is chosen with a button', () => chosenFolder(own, page));
    await check('a folder of notes', () => folder(own, page));
    await check('unsafe file names are rejected', () => names(own, page));
    await check('an upload continues where it stopped', () => resumed(own, page));
    await check('a paused import continues after a restart', () => pausedAndRestarted(own, page));
    await check('home with tasks', () => busyHome(own, page));
    await check('an export can be imported', () => exported(own, page));
    await check('a record is deleted', () => recordDeleted(own, page));
    await check('a source is erased', () => erased(own, page));
  } finally {
    await page.context().close();
    await own.stop();
  }
}
