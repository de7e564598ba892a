// Activity and settings pages: clients read over REST and MCP, and the pages show exactly these ranges; a text that two clients read;
// the export; and every setting.
import assert from 'node:assert/strict';
import {join} from 'node:path';

import {checkPage, kPassphrase} from './fixture.mjs';

const kNew = 'another five words nobody guesses';

async function heading(page) {
  return (await page.textContent('h1')).trim();
}

async function enter(page, fixture) {
  await page.goto(fixture.link());
  await page.fill('#p1', kPassphrase);
  await page.fill('#p2', kPassphrase);
  await page.click('text=Use a passphrase');
  await page.waitForURL((url) => !url.pathname.startsWith('/sign-in'));
}

// A client with a token from the command line. Its reads are recorded like any other.
export class Reader {
  constructor(fixture, client, ...streams) {
    this.fixture = fixture;
    this.client = client;
    const issued = fixture.ladder.run(['grant', 'create', '--client', client, ...streams.flatMap((one) => ['--stream', one])]);
    this.token = issued.token;
    this.grants = issued.grant_ids;
  }

  async get(path) {
    const answer = await fetch(this.fixture.base + path, {headers: {authorization: `Bearer ${this.token}`}});
    const body = JSON.parse(await answer.text());
    assert.equal(answer.status, 200, JSON.stringify(body));
    return body;
  }

  window(ref, field, start, length) {
    return this.get(`/v1/streams/${ref.stream}/records/${encodeURIComponent(ref.record_id)}/field-window?connection_id=${
        ref.connection_id}&field=${field}&offset_chars=${start}&limit_chars=${length}`);
  }

  async call(name, args) {
    const answer = await fetch(`${this.fixture.base}/mcp`, {
      method: 'POST',
      headers: {authorization: `Bearer ${this.token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream'},
      body: JSON.stringify({jsonrpc: '2.0', id: 1, method: 'tools/call', params: {name, arguments: args}}),
    });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return text;
  }
}

const chars = (text) => [...text];
const idOf = (ref) => ref.id ?? `${ref.connection_id}/${ref.stream}:${ref.record_id}`;
const seenPage = (fixture, ref, more = '') => `${fixture.base}/ledger/record?id=${encodeURIComponent(idOf(ref))}${more}`;

// The marked text of a client's color slot, in order.
function markedText(page, slot) {
  return page.$$eval(`.saw-text mark.saw-${slot}`, (marks) => marks.map((mark) => mark.textContent).join(''));
}

async function slotOf(page, client) {
  const classes = await page.locator('.cover-grid .line-key', {hasText: client}).first().getAttribute('class');
  return Number(/\bc(\d)\b/.exec(classes)[1]);
}

// The longest note, read by the owner, which is not recorded. A key with slashes is escaped in the id.
async function longNote(fixture) {
  const {token} = fixture.ladder.run(['token', 'create']);
  const own = {fixture, token, get: Reader.prototype.get, window: Reader.prototype.window};
  const {data} = await own.get('/v1/streams/notes/records?limit=100');
  const size = ({data: {text}}) => chars(text ?? '').length;
  const longest = data.reduce((best, record) => (size(record) > size(best) ? record : best));
  const key = longest.id ?? longest.record_id;
  const ref = {connection_id: longest.connection_id, stream: 'notes', record_id: key};
  ref.id = `${ref.connection_id}/notes:${key.includes('/') ? '/' : ''}${key.replaceAll('/', '%2F')}`;
  const {window} = await own.window(ref, 'text', 0, 16384);
  return {ref, text: chars(window.text), title: longest.data.title};
}

async function emptyLedger(fixture, page) {
  await page.goto(`${fixture.base}/ledger`);
  assert.equal(await heading(page), 'Activity');
  assert.match(await page.textContent('main'), /Nothing has been read yet/);
  await checkPage(page, 'ledger-empty');
}

// The page marks exactly the characters that each of two clients read.
async function ranges(fixture, page, first, second, note) {
  assert.ok(note.text.length > 2000, `a text of ${note.text.length} chars is long enough`);
  const part = (start, end) => note.text.slice(start, end).join('');
  const a = await first.window(note.ref, 'text', 20, 400);
  assert.equal(a.window.text, part(20, 420));
  const b = await second.call('read_record_field', {id: idOf(note.ref), field_path: 'text', offset_chars: 300, limit_chars: 300});
  assert.ok(b.includes(JSON.stringify(part(310, 350)).slice(1, -1)) || b.includes('300'), b.slice(0, 300));
  await page.goto(seenPage(fixture, note.ref));
  assert.equal(await heading(page), note.title);
  const one = await slotOf(page, first.client), two = await slotOf(page, second.client);
  assert.notEqual(one, two);
  assert.equal(await markedText(page, one), part(20, 420), 'the first client’s marks');
  assert.equal(await markedText(page, two), part(300, 600), 'the second client’s marks');
  const both = await page.$$eval(`.saw-text mark.saw-${one}.saw-${two}`, (all) => all.map((mark) => mark.textContent).join(''));
  assert.equal(both, part(300, 420), 'read by both');
  const said = await page.$$eval('.cover-bar', (bars) => bars.map((bar) => bar.getAttribute('aria-label')));
  assert.ok(said.includes(`${first.client} read 20 to 420`), said.join('; '));
  assert.match(await page.textContent('.thread'), /text, 20 to 420/);
  await checkPage(page, 'ledger-record');
}

async function folds(fixture, page, reader, note) {
  await page.goto(seenPage(fixture, note.ref));
  const fold = page.locator('form.fold', {hasText: 'never shared'}).first();
  const before = chars(await page.textContent('.saw-text')).length;
  const hidden = Number(/([\d,]+) more/.exec(await fold.textContent())[1].replaceAll(',', ''));
  await fold.locator('button').click();
  await page.waitForURL('**from=*');
  const after = (await page.$$eval('.saw-text', (all) => all.map((one) => one.textContent).join(''))).length;
  assert.ok(after > before, 'the folded text is shown');
  assert.ok(hidden > 0);
  await checkPage(page, 'ledger-record-opened');
}

async function entries(fixture, page, first, second, note) {
  await page.goto(`${fixture.base}/ledger`);
  const main = await page.textContent('main');
  assert.match(main, /Part of text, 20 to 420 of/);
  assert.ok(main.includes(note.title));
  assert.match(main, /read_record_field/);
  await page.click('summary:has-text("The same as a table")');
  // The chart shows the sums of the ledger.
  const use = fixture.ladder.run(['ledger', '--use']).data;
  for (const client of [first.client, second.client]) {
    const sum = use.filter(({client_id}) => client_id === client).reduce((all, {chars: some}) => all + some, 0);
    assert.ok((await page.textContent('section table')).includes(sum.toLocaleString('en')), `${client}: ${sum}`);
  }
  await checkPage(page, 'ledger');
  await page.selectOption('#lc', first.client);
  await page.click('button:has-text("Show")');
  await page.waitForURL('**client=*');
  const clients = await page.$$eval('td[data-name=App]', (cells) => [...new Set(cells.map((cell) => cell.textContent.trim()))]);
  assert.deepEqual(clients, [first.client]);
  await page.goto(`${fixture.base}/ledger?q=${encodeURIComponent(note.title.slice(0, 12).toUpperCase())}`);
  assert.ok(await page.locator('tbody tr').count() > 0, 'found by its title, ignoring case');
  await page.goto(`${fixture.base}/ledger?q=nothing-is-called-so`);
  assert.match(await page.textContent('main'), /No matching reads/);
  await checkPage(page, 'ledger-nothing-found');
  await page.goto(`${fixture.base}/ledger?day=2020-01-01`);
  assert.equal(await page.locator('.table-cards tbody tr').count(), 0);
  const answer = await page.goto(`${fixture.base}/ledger?day=yesterday`);
  assert.equal(answer.status(), 400);
  await checkPage(page, 'ledger-fault');
  await page.goto(`${fixture.base}/ledger?source=${note.ref.connection_id}`);
  assert.ok(await page.locator('.table-cards tbody tr').count() > 0);
}

async function paging(fixture, page, reader, note) {
  for (let i = 0; i < 60; ++i) await reader.window(note.ref, 'text', i, 3);
  await page.goto(`${fixture.base}/ledger?client=${reader.client}`);
  assert.equal(await page.locator('.table-cards tbody tr').count(), 50);
  const newest = await page.textContent('.table-cards tbody tr:first-child');
  await page.click('button:has-text("Next 50")');
  await page.waitForURL('**cursor=*');
  assert.ok(page.url().includes(`client=${reader.client}`), 'the filter stays');
  assert.notEqual(await page.textContent('.table-cards tbody tr:first-child'), newest);
}

// An entry with many records lists the first few; its own page lists all of them. A page of such entries stays small.
async function manyRecords(fixture, page, reader) {
  const list = await reader.get('/v1/streams/notes/records?limit=25');
  const shown = list.data.length;
  assert.ok(shown > 5, 'there are enough notes');
  await page.goto(`${fixture.base}/ledger?client=${reader.client}`);
  const row = page.locator('.table-cards tbody tr').first();
  assert.match(await row.textContent(), new RegExp(`${shown} records of your notes`));
  assert.equal(await row.locator('.shown li').count(), 3);
  await row.locator(`a:has-text("${shown - 3} more")`).click();
  await page.waitForURL('**/ledger/entry?at=*');
  assert.equal(await page.locator('.shown li').count(), shown);
  for (const {data} of list.data.slice(0, 3)) assert.ok((await page.textContent('.shown')).includes(data.title));
  assert.match(await page.textContent('main aside'), /over REST/);
  await checkPage(page, 'ledger-entry');
  assert.equal((await page.goto(`${fixture.base}/ledger/entry?at=nonsense`)).status(), 404);
  await checkPage(page, 'ledger-entry-gone');
  for (let i = 0; i < 50; ++i) await reader.get('/v1/streams/notes/records?limit=25');
  const answer = await page.goto(`${fixture.base}/ledger`);
  assert.ok((await answer.body()).length < 80_000, `the first load is ${(await answer.body()).length} bytes`);
}

async function exported(fixture, page, reader) {
  await page.goto(`${fixture.base}/ledger?client=${reader.client}`);
  for (const [label, name] of [['Export CSV', 'csv'], ['Export NDJSON', 'ndjson']]) {
    const coming = page.waitForEvent('download');
    await page.click(`button:has-text("${label}")`);
    const download = await coming;
    assert.equal(download.suggestedFilename(), `ladder-ledger.${name}`);
    const text = await page.evaluate(
        async (path) => (await fetch(path)).text(), `/ledger/export?format=${name}&client=${encodeURIComponent(reader.client)}`);
    const lines = text.trimEnd().split('\n');
    if (name === 'csv') {
      assert.match(lines[0], /^at,client_id,/);
      assert.ok(lines.slice(1).every((line) => line.includes(reader.client)));
    } else {
      const all = lines.map((line) => JSON.parse(line));
      assert.ok(all.length >= 60);
      assert.ok(all.every(({client_id}) => client_id === reader.client));
      const told = fixture.ladder.run(['ledger', '--client', reader.client, '--limit', '1000']).data;
      assert.deepEqual(all, told, 'the console, the command line and REST agree');
    }
  }
  const stranger = await fetch(`${fixture.base}/ledger/export?format=csv`, {redirect: 'manual'});
  assert.equal(stranger.status, 303, 'other visitors cannot read it');
}

// A custom source with unusual texts.
const kOdd = {
  protocol_version: '0.1.0',
  source: {kind: 'connector', id: 'https://sources.example/odd'},
  declaration_version: '1',
  publisher: {id: 'https://sources.example/'},
  display: {name: 'Odd texts'},
  streams: [{
    name: 'odd',
    semantics: 'mutable_state',
    primary_key: ['id'],
    selection: {fields: true, resources: true},
    schema: {
      type: 'object',
      required: ['id'],
      properties: {
        id: {type: 'string'},
        title: {type: 'string', x_pdpp_role: 'primary-title'},
        body: {type: 'string', x_pdpp_role: 'body'},
      },
    },
  }],
};
const kOddRef = {connection_id: 'odd-home', stream: 'odd', record_id: 'o1'};
function putOdd(fixture, title, body) {
  const line = JSON.stringify({key: 'o1', data: {id: 'o1', title, body}});
  const done = fixture.ladder.run(['ingest', '--connection', 'odd-home', '--stream', 'odd'], line + '\n');
  assert.equal(done.rejected ?? 0, 0, JSON.stringify(done));
}

// Emoji, combining marks, right-to-left letters and markup: offsets are code points, so marks must match exactly.
async function letters(fixture, page) {
  fixture.ladder.run(['source', 'add', '-', '--key', 'odd'], JSON.stringify(kOdd));
  fixture.ladder.run(['connection', 'add', 'odd', '--id', 'odd-home', '--name', 'Odd texts']);
  const text = '🚀🎈 שלום עולם e\u0301e\u0301 漢字 <script>alert(1)</script> & "so on" '.repeat(12);
  putOdd(fixture, 'שלום <b>title</b>', text);
  const reader = new Reader(fixture, 'letter-opener', 'odd:title,body');
  const window = await reader.window(kOddRef, 'body', 1, 200);
  assert.equal(window.window.text, chars(text).slice(1, 201).join(''));
  await page.goto(seenPage(fixture, kOddRef));
  const slot = await slotOf(page, reader.client);
  const marked = await markedText(page, slot);
  assert.equal(marked, window.window.text, 'to the code point');
  assert.equal(await page.locator('main script').count(), 0);
  await checkPage(page, 'ledger-record-letters');
  return reader;
}

// If the text has changed, nothing is marked, and the page says so.
async function changedText(fixture, page, reader) {
  putOdd(fixture, 'Another title', 'A new text that nobody has seen, of which nothing went out. '.repeat(4));
  await page.goto(seenPage(fixture, kOddRef));
  assert.equal(await page.locator('.saw-text mark').count(), 0);
  assert.match(await page.textContent('main'), /changed since/);
  assert.match(await page.textContent('main'), /1 to 201 of/);
  await checkPage(page, 'ledger-record-changed');
  await reader.window(kOddRef, 'body', 0, 10);
  await page.goto(seenPage(fixture, kOddRef));
  assert.equal(await markedText(page, await slotOf(page, reader.client)), 'A new text');
}

// A record deleted by its source stays in the ledger. A record erased by the owner is removed and leaves only a count.
async function erased(fixture, page, reader) {
  const gone = JSON.stringify({key: 'o1', op: 'delete'});
  fixture.ladder.run(['ingest', '--connection', 'odd-home', '--stream', 'odd'], gone + '\n');
  await page.goto(seenPage(fixture, kOddRef));
  assert.match(await page.textContent('main'), /deleted from its source/);
  await checkPage(page, 'ledger-record-gone');
  const {token} = fixture.ladder.run(['token', 'create']);
  const path = '/v1/streams/odd/records/o1?connection_id=odd-home';
  const done = await fetch(fixture.base + path, {method: 'DELETE', headers: {authorization: `Bearer ${token}`}});
  assert.equal(done.status, 204);
  await page.goto(`${fixture.base}/ledger`);
  assert.match(await page.textContent('.notice'), /You erased \d+ record/);
  await page.goto(`${fixture.base}/ledger?client=${reader.client}`);
  assert.match(await page.textContent('main'), /that you have erased or merged since/);
  const answer = await page.goto(seenPage(fixture, kOddRef));
  assert.equal(answer.status(), 404);
}

async function hostile(fixture, page, first, second, note) {
  const name = '<img src=x onerror=alert(1)>‮evil';
  const reader = new Reader(fixture, name, 'notes:title');
  await reader.get('/v1/streams/notes/records?limit=3');
  await page.goto(`${fixture.base}/ledger`);
  assert.equal(await page.locator('main img').count(), 0);
  assert.ok((await page.textContent('main')).includes('<img src=x onerror=alert(1)>U+202Eevil'));
  const huge = new Reader(fixture, 'x'.repeat(200), 'notes:title');
  await huge.get('/v1/streams/notes/records?limit=3');
  await page.goto(`${fixture.base}/ledger`);
  await checkPage(page, 'ledger-hostile');
  // Five clients read the title: three lines below the text, two above.
  for (const reader of [first, second]) await reader.window(note.ref, 'title', 0, 9);
  await huge.window(note.ref, 'title', 3, 12);
  await page.goto(seenPage(fixture, note.ref));
  const classes = await page.$$eval('.facts mark', (marks) => marks.map((mark) => mark.className).join(' '));
  for (const slot of [1, 2, 5]) assert.match(classes, new RegExp(`saw-${slot}\\b`));
  await checkPage(page, 'ledger-record-many');
  const answer = await page.goto(`${fixture.base}/ledger/record?id=${encodeURIComponent('"><script>alert(1)</script>')}`);
  assert.ok([400, 404].includes(answer.status()));
  await checkPage(page, 'ledger-record-fault');
}

async function settings(fixture, page) {
  await page.goto(`${fixture.base}/settings`);
  assert.equal(await heading(page), 'Settings');
  await checkPage(page, 'settings');

  // A second signed-in browser is listed and signed out.
  const other = await fixture.visitor();
  await other.goto(`${fixture.base}/sign-in`);
  await other.fill('#name', 'local');
  await other.fill('#pass', kPassphrase);
  await other.click('text=Sign in with the passphrase');
  await other.waitForURL((url) => !url.pathname.startsWith('/sign-in'));
  await page.goto(`${fixture.base}/settings`);
  const sessions = await page.locator('#sessions li').count();
  assert.ok(sessions >= 2);
  await page.click('text=Sign out everywhere else');
  await page.waitForURL('**done=others*');
  assert.equal(await page.locator('#sessions li').count(), 1);
  await other.goto(`${fixture.base}/ledger`);
  assert.match(other.url(), /\/sign-in/);

  // A new passphrase.
  await page.click('#signin a:has-text("Change…")');
  await page.waitForSelector('#p1');
  await checkPage(page, 'settings-passphrase');
  await page.evaluate(() => document.querySelector('#p1').removeAttribute('minlength'));
  await page.fill('#p1', 'short');
  await page.fill('#p2', 'short');
  await page.click('text=Change passphrase');
  assert.match(await page.textContent('[role=alert]'), /12|short/i);
  await checkPage(page, 'settings-passphrase-fault');
  await page.fill('#p1', kNew);
  await page.fill('#p2', kNew);
  await page.click('text=Change passphrase');
  await page.waitForURL('**done=passphrase*');
  await other.goto(`${fixture.base}/sign-in`);
  await other.fill('#pass', kPassphrase);
  await other.click('text=Sign in with the passphrase');
  assert.match(await other.textContent('[role=alert]'), /not right/);
  await other.fill('#pass', kNew);
  await other.click('text=Sign in with the passphrase');
  await other.waitForURL((url) => !url.pathname.startsWith('/sign-in'));
  await other.context().close();

  // An owner key, shown once.
  await page.goto(`${fixture.base}/settings`);
  await page.click('text=Create key');
  await page.waitForSelector('#newkey');
  await checkPage(page, 'settings-key');
  const key = (await page.textContent('#newkey')).trim();
  const read = (path, options = {}) => fetch(fixture.base + path, {headers: {authorization: `Bearer ${key}`, 'content-type': 'application/json'}, ...options});
  assert.equal((await read('/v1/ledger/state')).status, 200);
  assert.ok(!(await (await fetch(page.url())).text()).includes(key));

  // The ledger settings here and over REST are the same.
  await page.goto(`${fixture.base}/settings`);
  await page.selectOption('#kd', '365');
  await page.check('input[name=words]');
  await page.click('#keep button:has-text("Save")');
  await page.waitForURL('**done=ledger*');
  assert.deepEqual((await (await read('/v1/ledger/state')).json()).settings, {detail_days: 365, seen_days: 0, keeps_queries: true});
  const patched = await read('/v1/ledger/settings', {method: 'PATCH', body: '{"keeps_queries":false}'});
  assert.equal(patched.status, 200);
  await page.goto(`${fixture.base}/settings`);
  assert.equal(await page.isChecked('input[name=words]'), false);
  assert.equal(await page.inputValue('#kd'), '365');

  for (let left = await page.locator('#tokens li').count(); left > 0; --left) {
    await page.locator('#tokens li button:has-text("Delete")').first().click();
    await page.waitForURL('**done=token*');
    await page.waitForFunction((expected) => document.querySelectorAll('#tokens li').length === expected, left - 1);
  }
  assert.equal((await read('/v1/ledger/state')).status, 401);

  // The last backup.
  assert.match(await page.textContent('#store'), /No backup yet/);
  const backup = join(fixture.folder, 'backup');
  fixture.ladder.run(['backup', backup]);
  await page.goto(`${fixture.base}/settings`);
  assert.match(await page.textContent('#store'), /Last backup\s*Today, \d\d:\d\d, [\d.]+ [KM]B, not encrypted/);
  assert.ok((await page.textContent('#store')).includes(backup));

  // The public address.
  await page.click('#address button:has-text("Check")');
  await page.waitForSelector('#address table');
  assert.match(await page.textContent('#address'), /The address works/);
  await checkPage(page, 'settings-checked');
}

async function withoutScripts(fixture) {
  const page = await fixture.visitor({javaScriptEnabled: false});
  await page.goto(`${fixture.base}/sign-in`);
  await page.fill('#name', 'local');
  await page.fill('#pass', kNew);
  await page.click('text=Sign in with the passphrase');
  await page.goto(`${fixture.base}/ledger`);
  assert.equal(await heading(page), 'Activity');
  await page.goto(`${fixture.base}/settings`);
  await page.selectOption('#kd', '90');
  await page.click('#keep button:has-text("Save")');
  assert.match(await page.textContent('main'), /Activity settings saved/);
  await page.context().close();
}

export async function ledger(fixture, check) {
  const page = await fixture.visitor();
  await enter(page, fixture);
  await check('an empty ledger says what to do', () => emptyLedger(fixture, page));
  const first = new Reader(fixture, 'reading-desk', 'notes:title,text');
  const second = new Reader(fixture, 'night-owl', 'notes:title,text');
  const note = await longNote(fixture);
  await check('reads of two clients are marked exactly', () => ranges(fixture, page, first, second, note));
  await check('long parts are folded, and opened', () => folds(fixture, page, first, note));
  await check('entries as text; filters and search', () => entries(fixture, page, first, second, note));
  await check('pages of the ledger', () => paging(fixture, page, first, note));
  await check('an entry with many records', () => manyRecords(fixture, page, first));
  await check('the export matches the command line', () => exported(fixture, page, first));
  let odd;
  await check('unusual characters are marked exactly', async () => (odd = await letters(fixture, page)));
  await check('a text that changed is not marked', () => changedText(fixture, page, odd));
  await check('erased records leave a count', () => erased(fixture, page, odd));
  await check('malicious client names', () => hostile(fixture, page, first, second, note));
  await check('settings and their effects', () => settings(fixture, page));
  await check('ledger and settings without scripts', () => withoutScripts(fixture));
  await page.context().close();
}
