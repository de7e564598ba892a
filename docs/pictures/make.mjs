// Takes the pictures of the documentation: a server with the data of demo/life, two apps that connect and read, and Chromium.
// pngquant makes the files small. ./dev pictures builds the program and runs this script.
//   node docs/pictures/make.mjs build/release/ladder [NAME…]
import {execFileSync} from 'node:child_process';
import {statSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {chooseLevel, Client, signInByLink, startFixture} from '../../tests/browser/fixture.mjs';

const [program, ...wanted] = process.argv.slice(2);
const kFolder = dirname(fileURLToPath(import.meta.url));
const kMaxBytes = 150_000;
const kDesktop = {width: 1280, height: 900}, kTall = {width: 1280, height: 1180}, kPhone = {width: 390, height: 844};
const kLooks = {viewport: kDesktop, deviceScaleFactor: 1, colorScheme: 'light', reducedMotion: 'reduce'};
const kMail = 'mail/messages';

// Shows the consent page of an app, with a level for each kind of data.
async function ask(page, client, levels) {
  await page.goto(client.askUrl());
  for (const [kind, level] of Object.entries(levels)) await chooseLevel(page, kind, level);
}

// Allows what is chosen, and returns a function that calls a tool as the app.
async function allow(page, fixture, client) {
  await page.click('button[value=allow]');
  await page.waitForURL('**/consent?request=*');
  const answer = client.answer();
  await page.click('button:has-text("Continue")');
  const {body} = await client.redeem((await answer).get('code'));
  return async (name, args) => {
    const {status, text} = await client.call(body.access_token, name, args);
    if (status !== 200) throw new Error(text);
    return JSON.parse(text.startsWith('{') ? text : /^data: (.*)$/m.exec(text)[1]).result.structuredContent;
  };
}

// Searches as the app, and reads the text of the best hits.
async function read(call, query, {hits = 1, ...args} = {}) {
  const {results} = await call('search', {query, ...args});
  for (const {id} of results.slice(0, hits)) await call('read_record_field', {id, field_path: 'text', limit_chars: 400});
  return results;
}

async function picture(page, name, viewport, {path, prepare} = {}) {
  if (wanted.length > 0 && !wanted.includes(name)) return;
  await page.setViewportSize(viewport);
  if (path) await page.goto(path);
  if (prepare) await prepare();
  // The server has any free port; people see the usual one.
  await page.evaluate((port) => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) walker.currentNode.textContent = walker.currentNode.textContent.replaceAll(port, '7663');
    return document.fonts.ready;
  }, new URL(fixture.base).port);
  await page.mouse.move(0, 0);
  const file = join(kFolder, `${name}.png`);
  await page.screenshot({path: file, animations: 'disabled', caret: 'hide'});
  execFileSync('pngquant', ['--force', '--skip-if-larger', '--speed', '1', '--strip', '--output', file, '128', file]);
  const bytes = statSync(file).size;
  console.log(`${name}.png: ${Math.round(bytes / 1024)} KB`);
  if (bytes > kMaxBytes) throw new Error(`${name}.png has ${bytes} bytes; the limit is ${kMaxBytes}`);
}

// A new store: the empty home page and the review of an import.
async function pictureTheStart() {
  fixture = await startFixture(program, {life: false});
  const page = await fixture.visitor(kLooks);
  await signInByLink(page, fixture);
  await picture(page, 'home-empty', kDesktop, {path: fixture.base});
  await page.setInputFiles('input[type=file]', ['mail.mbox', 'chats/WhatsApp Chat with Inés Navarro.txt'].map((name) => join(kFolder, '../../demo/life', name)));
  await page.click('text=Review import');
  await page.waitForSelector('text=Start import');
  await picture(page, 'import', {width: 1280, height: 480});
  await fixture.close();
}

let fixture;
await pictureTheStart();
fixture = await startFixture(program);
try {
  const page = await fixture.visitor(kLooks);
  await signInByLink(page, fixture);
  const at = (path) => ({path: fixture.base + path});
  const record = (id) => `/record?id=${encodeURIComponent(id)}`;

  const code = await Client.make(fixture, {client_name: 'Claude Code'}), helper = await Client.make(fixture, {client_name: 'Travel helper'});
  await ask(page, code, {[kMail]: 'Headers and text'});
  const toTop = {prepare: () => page.evaluate(() => window.scrollTo(0, 0))};
  await picture(page, 'consent', kTall, toTop);
  await picture(page, 'consent-phone', kPhone, toTop);
  await page.setViewportSize(kDesktop);
  const asCode = await allow(page, fixture, code);
  await ask(page, helper, {[kMail]: 'Headers and text', 'notes/notes': 'Everything'});
  const asHelper = await allow(page, fixture, helper);

  const [booking] = await read(asCode, 'hotel reservation', {hits: 3});
  await read(asCode, 'spare key', {hits: 2});
  await asHelper('read_record_field', {id: booking.id, field_path: 'text', offset_chars: 120, limit_chars: 160});
  await read(asHelper, 'flight lisbon', {hits: 2});

  await picture(page, 'home', kDesktop, at('/'));
  await picture(page, 'home-phone', kPhone, at('/'));
  await picture(page, 'explore', kDesktop, {...at('/explore?q=hotel+reservation'), prepare: async () => {
    const hit = page.locator('.hit').first();
    if (await hit.count() > 0) await hit.locator('a').first().click();
    await page.waitForTimeout(600);
  }});
  await picture(page, 'explore-phone', kPhone, at('/explore?q=hotel+reservation'));
  await picture(page, 'record-mail', kDesktop, at(record(booking.id)));
  await picture(page, 'record-mail-phone', kPhone, at(record(booking.id)));
  await picture(page, 'ledger-record', kTall, at(`/ledger/record?id=${encodeURIComponent(booking.id)}`));
  await picture(page, 'activity', kDesktop, at('/ledger'));
  await picture(page, 'apps', kDesktop, at('/clients'));
  await picture(page, 'sources', kDesktop, at('/sources'));
  await picture(page, 'timeline', kDesktop, at('/timeline?day=2026-05-14'));
  await picture(page, 'person', kDesktop, at(`/person?name=${encodeURIComponent('Helga Brandt')}`));
  await code.close();
  await helper.close();
} finally {
  await fixture.close();
}
process.exit();
