// The owner sees what went out: clients read over REST and MCP, and the ledger's pages show these very ranges; a text that
// two of them saw; the export; and the settings with everything that they change.
import assert from 'node:assert/strict';
import {join} from 'node:path';

import {kPassphrase, look} from './house.mjs';

const kNew = 'another five words nobody guesses';

async function heading(page) {
  return (await page.textContent('h1')).trim();
}

async function enter(page, house) {
  await page.goto(house.link());
  await page.fill('#p1', kPassphrase);
  await page.fill('#p2', kPassphrase);
  await page.click('text=Use a passphrase');
  await page.waitForURL((url) => !url.pathname.startsWith('/sign-in'));
}

// A client with a token of the command line; what it reads is recorded as that of any other.
export class Reader {
  constructor(house, client, ...streams) {
    this.house = house;
    this.client = client;
    const issued = house.ladder.run(['grant', 'create', '--client', client, ...streams.flatMap((one) => ['--stream', one])]);
    this.token = issued.token;
    this.grants = issued.grant_ids;
  }

  async get(path) {
    const answer = await fetch(this.house.base + path, {headers: {authorization: `Bearer ${this.token}`}});
    const body = JSON.parse(await answer.text());
    assert.equal(answer.status, 200, JSON.stringify(body));
    return body;
  }

  window(ref, field, start, length) {
    return this.get(`/v1/streams/${ref.stream}/records/${encodeURIComponent(ref.record_id)}/field-window?connection_id=${
        ref.connection_id}&field=${field}&offset_chars=${start}&limit_chars=${length}`);
  }

  async call(name, args) {
    const answer = await fetch(`${this.house.base}/mcp`, {
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
const seenPage = (house, ref, more = '') => `${house.base}/ledger/record?id=${encodeURIComponent(idOf(ref))}${more}`;

// The text under the marks of a client's slot, in order.
function markedText(page, slot) {
  return page.$$eval(`.saw-text mark.saw-${slot}`, (marks) => marks.map((mark) => mark.textContent).join(''));
}

async function slotOf(page, client) {
  const classes = await page.locator('.cover-grid .line-key', {hasText: client}).first().getAttribute('class');
  return Number(/\bc(\d)\b/.exec(classes)[1]);
}

// The longest note, read by the owner himself, which is no disclosure. A key with slashes stands in its id escaped.
async function longNote(house) {
  const {token} = house.ladder.run(['token', 'create']);
  const own = {house, token, get: Reader.prototype.get, window: Reader.prototype.window};
  const {data} = await own.get('/v1/streams/notes/records?limit=100');
  const size = ({data: {text}}) => chars(text ?? '').length;
  const longest = data.reduce((best, record) => (size(record) > size(best) ? record : best));
  const key = longest.id ?? longest.record_id;
  const ref = {connection_id: longest.connection_id, stream: 'notes', record_id: key};
  ref.id = `${ref.connection_id}/notes:${key.includes('/') ? '/' : ''}${key.replaceAll('/', '%2F')}`;
  const {window} = await own.window(ref, 'text', 0, 16384);
  return {ref, text: chars(window.text), title: longest.data.title};
}

async function emptyLedger(house, page) {
  await page.goto(`${house.base}/ledger`);
  assert.equal(await heading(page), 'Ledger');
  assert.match(await page.textContent('main'), /Nothing has gone out yet/);
  await look(page, 'ledger-empty');
}

// The page marks exactly what was read, to the char, by each of two clients.
async function ranges(house, page, first, second, note) {
  assert.ok(note.text.length > 2000, `a text of ${note.text.length} chars is long enough`);
  const part = (start, end) => note.text.slice(start, end).join('');
  const a = await first.window(note.ref, 'text', 20, 400);
  assert.equal(a.window.text, part(20, 420));
  const b = await second.call('read_record_field', {id: idOf(note.ref), field_path: 'text', offset_chars: 300, limit_chars: 300});
  assert.ok(b.includes(JSON.stringify(part(310, 350)).slice(1, -1)) || b.includes('300'), b.slice(0, 300));
  await page.goto(seenPage(house, note.ref));
  assert.equal(await heading(page), note.title);
  const one = await slotOf(page, first.client), two = await slotOf(page, second.client);
  assert.notEqual(one, two);
  assert.equal(await markedText(page, one), part(20, 420), 'the first client’s marks');
  assert.equal(await markedText(page, two), part(300, 600), 'the second client’s marks');
  const both = await page.$$eval(`.saw-text mark.saw-${one}.saw-${two}`, (all) => all.map((mark) => mark.textContent).join(''));
  assert.equal(both, part(300, 420), 'what both saw');
  const said = await page.$$eval('.cover-bar', (bars) => bars.map((bar) => bar.getAttribute('aria-label')));
  assert.ok(said.includes(`${first.client} saw 20 to 420`), said.join('; '));
  assert.match(await page.textContent('.thread'), /text, 20 to 420/);
  await look(page, 'ledger-record');
}

async function folds(house, page, reader, note) {
  await page.goto(seenPage(house, note.ref));
  const fold = page.locator('form.fold', {hasText: 'never went out'}).first();
  const before = chars(await page.textContent('.saw-text')).length;
  const hidden = Number(/([\d,]+) more/.exec(await fold.textContent())[1].replaceAll(',', ''));
  await fold.locator('button').click();
  await page.waitForURL('**from=*');
  const after = (await page.$$eval('.saw-text', (all) => all.map((one) => one.textContent).join(''))).length;
  assert.ok(after > before, 'what was folded is shown');
  assert.ok(hidden > 0);
  await look(page, 'ledger-record-opened');
}

async function entries(house, page, first, second, note) {
  await page.goto(`${house.base}/ledger`);
  const main = await page.textContent('main');
  assert.match(main, /A window of text, 20 to 420 of/);
  assert.ok(main.includes(note.title));
  assert.match(main, /read_record_field/);
  await page.click('summary:has-text("The same as a table")');
  // The chart shows the sums of the ledger.
  const use = house.ladder.run(['ledger', '--use']).data;
  for (const client of [first.client, second.client]) {
    const sum = use.filter(({client_id}) => client_id === client).reduce((all, {chars: some}) => all + some, 0);
    assert.ok((await page.textContent('section table')).includes(sum.toLocaleString('en')), `${client}: ${sum}`);
  }
  await look(page, 'ledger');
  await page.selectOption('#lc', first.client);
  await page.click('button:has-text("Show")');
  await page.waitForURL('**client=*');
  const clients = await page.$$eval('td[data-name=Client]', (cells) => [...new Set(cells.map((cell) => cell.textContent.trim()))]);
  assert.deepEqual(clients, [first.client]);
  await page.goto(`${house.base}/ledger?q=${encodeURIComponent(note.title.slice(0, 12).toUpperCase())}`);
  assert.ok(await page.locator('tbody tr').count() > 0, 'found by its title, whatever the case');
  await page.goto(`${house.base}/ledger?q=nothing-is-called-so`);
  assert.match(await page.textContent('main'), /Nothing like that went out/);
  await look(page, 'ledger-nothing-found');
  await page.goto(`${house.base}/ledger?day=2020-01-01`);
  assert.equal(await page.locator('.table-cards tbody tr').count(), 0);
  const answer = await page.goto(`${house.base}/ledger?day=yesterday`);
  assert.equal(answer.status(), 400);
  await look(page, 'ledger-fault');
  await page.goto(`${house.base}/ledger?source=${note.ref.connection_id}`);
  assert.ok(await page.locator('.table-cards tbody tr').count() > 0);
}

async function paging(house, page, reader, note) {
  for (let i = 0; i < 60; ++i) await reader.window(note.ref, 'text', i, 3);
  await page.goto(`${house.base}/ledger?client=${reader.client}`);
  assert.equal(await page.locator('.table-cards tbody tr').count(), 50);
  const newest = await page.textContent('.table-cards tbody tr:first-child');
  await page.click('button:has-text("Next 50")');
  await page.waitForURL('**cursor=*');
  assert.ok(page.url().includes(`client=${reader.client}`), 'the filter stays');
  assert.notEqual(await page.textContent('.table-cards tbody tr:first-child'), newest);
}

// An answer with many records names the first few; its own page has all of them. A page full of such answers stays small.
async function manyRecords(house, page, reader) {
  const list = await reader.get('/v1/streams/notes/records?limit=25');
  const shown = list.data.length;
  assert.ok(shown > 5, 'there are enough notes');
  await page.goto(`${house.base}/ledger?client=${reader.client}`);
  const row = page.locator('.table-cards tbody tr').first();
  assert.match(await row.textContent(), new RegExp(`${shown} records of your notes`));
  assert.equal(await row.locator('.shown li').count(), 3);
  await row.locator(`a:has-text("${shown - 3} more")`).click();
  await page.waitForURL('**/ledger/entry?at=*');
  assert.equal(await page.locator('.shown li').count(), shown);
  for (const {data} of list.data.slice(0, 3)) assert.ok((await page.textContent('.shown')).includes(data.title));
  assert.match(await page.textContent('main aside'), /over REST/);
  await look(page, 'ledger-entry');
  assert.equal((await page.goto(`${house.base}/ledger/entry?at=nonsense`)).status(), 404);
  await look(page, 'ledger-entry-gone');
  for (let i = 0; i < 50; ++i) await reader.get('/v1/streams/notes/records?limit=25');
  const answer = await page.goto(`${house.base}/ledger`);
  assert.ok((await answer.body()).length < 80_000, `the first load is ${(await answer.body()).length} bytes`);
}

async function exported(house, page, reader) {
  await page.goto(`${house.base}/ledger?client=${reader.client}`);
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
      const told = house.ladder.run(['ledger', '--client', reader.client, '--limit', '1000']).data;
      assert.deepEqual(all, told, 'the console, the command line and REST tell the same');
    }
  }
  const stranger = await fetch(`${house.base}/ledger/export?format=csv`, {redirect: 'manual'});
  assert.equal(stranger.status, 303, 'nobody else has it');
}

// A source of our own, whose texts are as odd as they get.
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
function putOdd(house, title, body) {
  const line = JSON.stringify({key: 'o1', data: {id: 'o1', title, body}});
  const done = house.ladder.run(['ingest', '--connection', 'odd-home', '--stream', 'odd'], line + '\n');
  assert.equal(done.rejected ?? 0, 0, JSON.stringify(done));
}

// Emoji, combining marks, right-to-left letters and markup: offsets are code points, so a mark begins and ends where it should.
async function letters(house, page) {
  house.ladder.run(['source', 'add', '-', '--key', 'odd'], JSON.stringify(kOdd));
  house.ladder.run(['connection', 'add', 'odd', '--id', 'odd-home', '--name', 'Odd texts']);
  const text = '🚀🎈 שלום עולם e\u0301e\u0301 漢字 <script>alert(1)</script> & "so on" '.repeat(12);
  putOdd(house, 'שלום <b>title</b>', text);
  const reader = new Reader(house, 'letter-opener', 'odd:title,body');
  const window = await reader.window(kOddRef, 'body', 1, 200);
  assert.equal(window.window.text, chars(text).slice(1, 201).join(''));
  await page.goto(seenPage(house, kOddRef));
  const slot = await slotOf(page, reader.client);
  const marked = await markedText(page, slot);
  assert.equal(marked, window.window.text, 'to the code point');
  assert.equal(await page.locator('main script').count(), 0);
  await look(page, 'ledger-record-letters');
  return reader;
}

// When the text is another, nothing of it is marked, and the page says so.
async function changedText(house, page, reader) {
  putOdd(house, 'Another title', 'A new text that nobody has seen, of which nothing went out. '.repeat(4));
  await page.goto(seenPage(house, kOddRef));
  assert.equal(await page.locator('.saw-text mark').count(), 0);
  assert.match(await page.textContent('main'), /changed since/);
  assert.match(await page.textContent('main'), /1 to 201 of/);
  await look(page, 'ledger-record-changed');
  await reader.window(kOddRef, 'body', 0, 10);
  await page.goto(seenPage(house, kOddRef));
  assert.equal(await markedText(page, await slotOf(page, reader.client)), 'A new text');
}

// A record that its source takes back stays in the ledger; one that the owner erases goes from it, and leaves a count.
async function erased(house, page, reader) {
  const gone = JSON.stringify({key: 'o1', op: 'delete'});
  house.ladder.run(['ingest', '--connection', 'odd-home', '--stream', 'odd'], gone + '\n');
  await page.goto(seenPage(house, kOddRef));
  assert.match(await page.textContent('main'), /gone from its source/);
  await look(page, 'ledger-record-gone');
  const {token} = house.ladder.run(['token', 'create']);
  const path = '/v1/streams/odd/records/o1?connection_id=odd-home';
  const done = await fetch(house.base + path, {method: 'DELETE', headers: {authorization: `Bearer ${token}`}});
  assert.equal(done.status, 204);
  await page.goto(`${house.base}/ledger`);
  assert.match(await page.textContent('.notice'), /record that you erased/);
  await page.goto(`${house.base}/ledger?client=${reader.client}`);
  assert.match(await page.textContent('main'), /that you erased since/);
  const answer = await page.goto(seenPage(house, kOddRef));
  assert.equal(answer.status(), 404);
}

async function hostile(house, page, first, second, note) {
  const name = '<img src=x onerror=alert(1)>‮evil';
  const reader = new Reader(house, name, 'notes:title');
  await reader.get('/v1/streams/notes/records?limit=3');
  await page.goto(`${house.base}/ledger`);
  assert.equal(await page.locator('main img').count(), 0);
  assert.ok((await page.textContent('main')).includes('<img src=x onerror=alert(1)>U+202Eevil'));
  const huge = new Reader(house, 'x'.repeat(200), 'notes:title');
  await huge.get('/v1/streams/notes/records?limit=3');
  await page.goto(`${house.base}/ledger`);
  await look(page, 'ledger-hostile');
  // Five clients saw its title: three lines under it, two above.
  for (const reader of [first, second]) await reader.window(note.ref, 'title', 0, 9);
  await huge.window(note.ref, 'title', 3, 12);
  await page.goto(seenPage(house, note.ref));
  const classes = await page.$$eval('.facts mark', (marks) => marks.map((mark) => mark.className).join(' '));
  for (const slot of [1, 2, 5]) assert.match(classes, new RegExp(`saw-${slot}\\b`));
  await look(page, 'ledger-record-many');
  const answer = await page.goto(`${house.base}/ledger/record?id=${encodeURIComponent('"><script>alert(1)</script>')}`);
  assert.ok([400, 404].includes(answer.status()));
  await look(page, 'ledger-record-fault');
}

async function settings(house, page) {
  await page.goto(`${house.base}/settings`);
  assert.equal(await heading(page), 'Settings');
  await look(page, 'settings');

  // A second browser that is signed in is listed, and ended.
  const other = await house.visitor();
  await other.goto(`${house.base}/sign-in`);
  await other.fill('#name', 'local');
  await other.fill('#pass', kPassphrase);
  await other.click('text=Sign in with the passphrase');
  await other.waitForURL((url) => !url.pathname.startsWith('/sign-in'));
  await page.goto(`${house.base}/settings`);
  const sessions = await page.locator('#sessions li').count();
  assert.ok(sessions >= 2);
  await page.click('text=Sign out everywhere else');
  await page.waitForURL('**done=others*');
  assert.equal(await page.locator('#sessions li').count(), 1);
  await other.goto(`${house.base}/ledger`);
  assert.match(other.url(), /\/sign-in/);

  // A new passphrase.
  await page.click('#signin a:has-text("Change…")');
  await page.waitForSelector('#p1');
  await look(page, 'settings-passphrase');
  await page.evaluate(() => document.querySelector('#p1').removeAttribute('minlength'));
  await page.fill('#p1', 'short');
  await page.fill('#p2', 'short');
  await page.click('text=Change the passphrase');
  assert.match(await page.textContent('[role=alert]'), /12|short/i);
  await look(page, 'settings-passphrase-fault');
  await page.fill('#p1', kNew);
  await page.fill('#p2', kNew);
  await page.click('text=Change the passphrase');
  await page.waitForURL('**done=passphrase*');
  await other.goto(`${house.base}/sign-in`);
  await other.fill('#pass', kPassphrase);
  await other.click('text=Sign in with the passphrase');
  assert.match(await other.textContent('[role=alert]'), /not right/);
  await other.fill('#pass', kNew);
  await other.click('text=Sign in with the passphrase');
  await other.waitForURL((url) => !url.pathname.startsWith('/sign-in'));
  await other.context().close();

  // A key of the owner's own, shown once.
  await page.goto(`${house.base}/settings`);
  await page.click('text=Make a key');
  await page.waitForSelector('#newkey');
  await look(page, 'settings-key');
  const key = (await page.textContent('#newkey')).trim();
  const read = (path, options = {}) => fetch(house.base + path, {headers: {authorization: `Bearer ${key}`, 'content-type': 'application/json'}, ...options});
  assert.equal((await read('/v1/ledger/state')).status, 200);
  assert.ok(!(await (await fetch(page.url())).text()).includes(key));

  // The ledger's settings here and over REST are the same.
  await page.goto(`${house.base}/settings`);
  await page.selectOption('#kd', '365');
  await page.check('input[name=words]');
  await page.click('#keep button:has-text("Save")');
  await page.waitForURL('**done=ledger*');
  assert.deepEqual((await (await read('/v1/ledger/state')).json()).settings, {detail_days: 365, seen_days: 0, keeps_queries: true});
  const patched = await read('/v1/ledger/settings', {method: 'PATCH', body: '{"keeps_queries":false}'});
  assert.equal(patched.status, 200);
  await page.goto(`${house.base}/settings`);
  assert.equal(await page.isChecked('input[name=words]'), false);
  assert.equal(await page.inputValue('#kd'), '365');

  for (let left = await page.locator('#tokens li').count(); left > 0; --left) {
    await page.locator('#tokens li button:has-text("End")').first().click();
    await page.waitForURL('**done=token*');
    await page.waitForFunction((expected) => document.querySelectorAll('#tokens li').length === expected, left - 1);
  }
  assert.equal((await read('/v1/ledger/state')).status, 401);

  // The last backup.
  assert.match(await page.textContent('#store'), /None is known of/);
  const backup = join(house.folder, 'backup');
  house.ladder.run(['backup', backup]);
  await page.goto(`${house.base}/settings`);
  assert.match(await page.textContent('#store'), /Last backup\s*Today, \d\d:\d\d, [\d.]+ [KM]B, not encrypted/);
  assert.ok((await page.textContent('#store')).includes(backup));

  // The address, as clients find it.
  await page.click('button:has-text("Check it")');
  await page.waitForSelector('#address table');
  assert.match(await page.textContent('#address'), /It answers as clients expect/);
  await look(page, 'settings-checked');
}

async function withoutScripts(house) {
  const page = await house.visitor({javaScriptEnabled: false});
  await page.goto(`${house.base}/sign-in`);
  await page.fill('#name', 'local');
  await page.fill('#pass', kNew);
  await page.click('text=Sign in with the passphrase');
  await page.goto(`${house.base}/ledger`);
  assert.equal(await heading(page), 'Ledger');
  await page.goto(`${house.base}/settings`);
  await page.selectOption('#kd', '90');
  await page.click('#keep button:has-text("Save")');
  assert.match(await page.textContent('main'), /The ledger keeps what you chose/);
  await page.context().close();
}

export async function trace(house, check) {
  const page = await house.visitor();
  await enter(page, house);
  await check('a ledger without an entry says what to do', () => emptyLedger(house, page));
  const first = new Reader(house, 'reading-desk', 'notes:title,text');
  const second = new Reader(house, 'night-owl', 'notes:title,text');
  const note = await longNote(house);
  await check('what two clients read is marked to the char', () => ranges(house, page, first, second, note));
  await check('long parts are folded, and opened', () => folds(house, page, first, note));
  await check('every answer in words; filters and search', () => entries(house, page, first, second, note));
  await check('pages of the ledger', () => paging(house, page, first, note));
  await check('an answer with many records', () => manyRecords(house, page, first));
  await check('the export is what the command line tells', () => exported(house, page, first));
  let odd;
  await check('odd letters are marked to the code point', async () => (odd = await letters(house, page)));
  await check('a text that changed is not marked', () => changedText(house, page, odd));
  await check('what was erased leaves a count', () => erased(house, page, odd));
  await check('hostile names of clients', () => hostile(house, page, first, second, note));
  await check('settings and what they change', () => settings(house, page));
  await check('ledger and settings without scripts', () => withoutScripts(house));
  await page.context().close();
}
