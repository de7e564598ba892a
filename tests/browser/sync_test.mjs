// A mail account that Ladder reads by itself, managed without scripts: added with a real Dovecot, tested, synced, paused, its
// password changed, many deletions confirmed, and removed.
import assert from 'node:assert/strict';
import http from 'node:http';

import {checkPage, signInByLink} from './fixture.mjs';
import {kMailPassword, freePort, message, startMailServer} from './mail_server.mjs';

const kSyncMs = 60_000;

async function fill(page, fixture, {port, password = kMailPassword, user = 'ann'}) {
  await page.goto(`${fixture.base}/sources/add`);
  await page.fill('#user', user);
  await page.fill('#password', password);
  await page.fill('#host', '127.0.0.1');
  await page.fill('#port', String(port));
  await page.selectOption('#security', 'plain');
  await page.fill('#name', 'choir');
}

// Reloads the page until it contains the text.
async function until(page, text, ms = kSyncMs) {
  const end = Date.now() + ms;
  for (;;) {
    await page.goto(page.url());
    const now = await page.textContent('main');
    if (text.test(now)) return now;
    if (Date.now() > end) throw new Error(`${text} did not appear: ${now}`);
    await page.waitForTimeout(300);
  }
}

const stored = (fixture) => fixture.ladder.run(['sync', 'list']).sources;

async function refusals(fixture, page, mail) {
  await page.goto(`${fixture.base}/sources`);
  await page.click('text=Add an account');
  await checkPage(page, 'sync-add');
  await fill(page, fixture, {port: mail.port, password: 'not-the-password'});
  await page.click('button:has-text("Test and continue")');
  assert.match(await page.textContent('[role=alert]'), /rejected the sign-in[\s\S]*app password[\s\S]*authentication_error/);
  assert.equal(await page.inputValue('#host'), '127.0.0.1', 'the fields keep what was typed');
  assert.equal(await page.inputValue('#password'), '', 'except the password');
  assert.doesNotMatch(await page.content(), /not-the-password/);
  await checkPage(page, 'sync-add-rejected');
  await fill(page, fixture, {port: await freePort()});
  await page.click('button:has-text("Test and continue")');
  assert.match(await page.textContent('[role=alert]'), /Check the server's name[\s\S]*rs_unreachable/);
  await fill(page, fixture, {port: 'many'});
  await page.click('button:has-text("Test and continue")');
  assert.match(await page.textContent('[role=alert]'), /The port must be a number/);
  assert.equal(stored(fixture).length, 0, 'nothing is stored without a successful sign-in');
}

async function add(fixture, page, plain, mail) {
  await mail.session('ann', [...Array(20).keys()].map((i) => ({append: ['INBOX', message(i + 1)]})));
  await mail.session('ann', [{append: ['Trash', message(99)]}, {append: ['Archive', message(50)]}]);
  await fill(page, fixture, {port: mail.port});
  await page.click('button:has-text("Test and continue")');
  assert.match(await page.textContent('main'), /It works\.[\s\S]*21 messages[\s\S]*Changes are announced/);
  assert.equal(await page.isChecked('input[name=folder][value=INBOX]'), true);
  assert.equal(await page.isChecked('input[name=folder][value=Trash]'), false);
  await plain.goto(page.url());
  await checkPage(plain, 'sync-choose');
  assert.equal(stored(fixture)[0].state, 'paused', 'nothing is read before the folders are chosen');
  await page.uncheck('input[name=folder][value=Archive]');
  await page.selectOption('#every', '300');
  await page.click('button:has-text("Start syncing")');
  await until(page, /Up to date/);
  assert.match(await page.textContent('main'), /20 messages new/);
  await plain.goto(page.url());
  await checkPage(plain, 'sync-source');
  const [source] = stored(fixture);
  assert.deepEqual([source.every_seconds, source.keep_deleted], [300, false]);
  assert.equal(source.folders.includes('Archive'), false);
  await page.goto(`${fixture.base}/explore?q=word7`);
  assert.match(await page.textContent('main'), /Number 7/);
}

async function steer(fixture, page, mail) {
  await page.goto(`${fixture.base}/sources`);
  await page.click('a:has-text("choir")');
  await page.click('button:has-text("Pause")');
  assert.match(await page.textContent('main'), /Paused by you/);
  await mail.session('ann', [{append: ['INBOX', message(21)]}]);
  await page.click('button:has-text("Resume")');
  await until(page, /Here\s*21/);
  await page.click('button:has-text("Test connection")');
  assert.match(await page.textContent('main'), /It works\./);
  for (const box of await page.$$('input[name=folder]:checked')) await box.uncheck();
  await page.click('button:has-text("Save")');
  assert.match(await page.textContent('[role=alert]'), /Choose at least one folder/);
  assert.ok(stored(fixture)[0].folders.length > 0, 'no choice does not mean all folders');
  await page.check('input[name=folder][value=Archive]');
  await page.click('button:has-text("Save")');
  await until(page, /Here\s*22/);
  await mail.session('ann', [{append: ['Archive', message(51)]}]);
  await page.click('button:has-text("Sync now")');
  await until(page, /Here\s*23/);
}

async function password(fixture, page) {
  await page.fill('#np', 'wrong');
  await page.click('button:has-text("Test and save")');
  assert.match(await page.textContent('#password [role=alert]'), /rejected the sign-in/);
  await page.fill('#np', kMailPassword);
  await page.click('button:has-text("Test and save")');
  await until(page, /Up to date/);
}

async function failing(fixture, page, mail) {
  const broken = fixture.ladder.text([
    'sync', 'add', 'imap', 'broken', '--user', 'eve', '--host', '127.0.0.1', '--port', String(await freePort()), '--security', 'plain',
    '--no-test'
  ], `${kMailPassword}\n`);
  assert.match(broken, /Added broken/);
  await page.goto(`${fixture.base}/sources`);
  await until(page, /The last sync failed/);
  await checkPage(page, 'sync-list-failing');
  await page.goto(`${fixture.base}/sources/sync?name=broken`);
  await checkPage(page, 'sync-failing');
  fixture.ladder.text(['sync', 'remove', 'broken']);
}

async function confirm(fixture, page, plain, mail) {
  await mail.session('ann', ['SELECT INBOX', 'STORE 1:10 +FLAGS (\\Deleted)', 'EXPUNGE']);
  await page.goto(`${fixture.base}/sources/sync?name=choir`);
  await until(page, /10 messages are no longer in what you sync/);
  await plain.goto(page.url());
  await checkPage(plain, 'sync-confirm');
  assert.equal(fixture.ladder.run(['search', 'word3']).data.length, 1, 'nothing is removed before');
  await page.click('button:has-text("Remove 10 messages here too")');
  await until(page, /Up to date/);
  assert.equal(fixture.ladder.run(['search', 'word3']).data.length, 0);
}

async function remove(fixture, page) {
  await page.goto(`${fixture.base}/sources/sync?name=choir`);
  await page.check('input[name=records][value=delete]');
  await page.click('button:has-text("Remove"):not(:has-text("here"))');
  assert.match(await page.textContent('h1'), /Erase/);
  assert.equal(stored(fixture).length, 0);
  await page.goto(`${fixture.base}/sources/sync?name=choir`);
  assert.match(await page.textContent('main'), /no synced source/);
}

// The feed is on this computer, which only the command line can allow. This process is its server, so the command does not read it.
async function feeds(fixture, page, plain) {
  const items = [1, 2, 3].map((i) => `<item><guid>g${i}</guid><title>Rung ${i}</title><description>ladderword${i}</description></item>`);
  const server = http.createServer((request, response) => response.end(`<rss><channel><title>Rungs</title>${items.join('')}</channel></rss>`));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}/feed.xml`;
  await page.goto(`${fixture.base}/sources/add`);
  await page.click('text=Feed (RSS, Atom)');
  assert.equal(await page.$('#password'), null, 'a feed has no password');
  await plain.goto(page.url());
  await checkPage(plain, 'sync-add-feed');
  await page.fill('#address', 'not an address');
  await page.click('button:has-text("Test and continue")');
  assert.match(await page.textContent('[role=alert]'), /is not the address of a feed/);
  await page.fill('#address', url);
  await page.click('button:has-text("Test and continue")');
  assert.match(await page.textContent('[role=alert]'), /private network or on this computer/);
  assert.equal(stored(fixture).length, 0);
  fixture.ladder.text(['sync', 'add', 'feed', 'rungs', '--url', url, '--allow-private', '--no-test']);
  await page.goto(`${fixture.base}/sources/sync?name=rungs`);
  await until(page, /Here\s*3 entries/);
  assert.doesNotMatch(await page.textContent('main'), /password/i);
  await page.click('button:has-text("Test connection")');
  assert.match(await page.textContent('main'), /It works\./);
  await page.selectOption('#every', '86400');
  await page.click('button:has-text("Save")');
  await until(page, /Up to date/);
  assert.equal(stored(fixture)[0].every_seconds, 86400);
  await plain.goto(page.url());
  await checkPage(plain, 'sync-feed');
  assert.equal(fixture.ladder.run(['search', 'ladderword2']).data.length, 1);
  await page.check('input[name=records][value=delete]');
  await page.click('button:has-text("Remove"):not(:has-text("here"))');
  assert.equal(stored(fixture).length, 0);
  server.close();
}

export async function syncs(fixture, check) {
  const first = await fixture.visitor();
  await check('the first sign-in', () => signInByLink(first, fixture));
  const state = await first.context().storageState();
  await first.context().close();
  const page = await fixture.visitor({javaScriptEnabled: false, storageState: state});
  const plain = await fixture.visitor({storageState: state});  // axe is a script
  const mail = await startMailServer();
  try {
    await check('mail accounts that cannot be reached are not stored', () => refusals(fixture, plain, mail));
    await check('a mail account is added without scripts', () => add(fixture, page, plain, mail));
    await check('it is paused, tested and run now', () => steer(fixture, page, mail));
    await check('its password changes after a test', () => password(fixture, page));
    await check('a failure is shown with its reason', () => failing(fixture, plain, mail));
    await check('many deletions are confirmed', () => confirm(fixture, page, plain, mail));
    await check('it is removed with its records', () => remove(fixture, page));
    await check('a feed is shown, and only the command line allows one of this computer', () => feeds(fixture, page, plain));
  } finally {
    await mail.stop();
    await page.context().close();
    await plain.context().close();
  }
}
