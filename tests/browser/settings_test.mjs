// The pages of the settings: notifications, backups and the phone; the manifest, shared files and unknown addresses.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync, writeFileSync} from 'node:fs';
import http from 'node:http';
import {join} from 'node:path';

import {checkPage, kPassphrase, signIn} from './fixture.mjs';

// A server that keeps what is posted to it.
async function receiver() {
  const posts = [];
  const server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => { body += piece; });
    request.on('end', () => {
      posts.push({path: request.url, body: JSON.parse(body), headers: request.headers});
      response.end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {posts, base: `http://127.0.0.1:${server.address().port}`, close: () => (server.closeAllConnections(), server.close())};
}

async function notifications(fixture, page) {
  const home = await receiver();
  await page.goto(`${fixture.base}/settings`);
  await page.click('.subnav >> text=Notifications');
  await checkPage(page, 'notifications-empty');
  await page.click('summary:has-text("Phone (ntfy)")');
  await page.fill('#nt-u', 'http://ntfy.example/topic');
  await page.click('details[open] button:has-text("Add")');
  assert.match(await page.textContent('[role=alert]'), /address must begin with https/);
  assert.equal(await page.inputValue('#nt-u'), 'http://ntfy.example/topic', 'the input is kept');
  await checkPage(page, 'notifications-fault');
  await page.fill('#nt-u', `${home.base}/owner-9f3c`);
  await page.click('details[open] button:has-text("Add")');
  await page.waitForSelector('[role=status]:has-text("phone is added")');
  await page.click('button:has-text("Send a test")');
  await page.waitForSelector('[role=status]:has-text("The test was sent")');
  assert.equal(home.posts.length, 1);
  assert.equal(home.posts[0].body.topic, 'owner-9f3c');
  assert.equal(home.posts[0].body.click, `${fixture.base}/settings/notifications`);
  await page.click('summary:has-text("Webhook")');
  await page.fill('#wh-u', `${home.base}/hook`);
  await page.click('details[open] button:has-text("Add")');
  const key = await page.textContent('#newkey');
  assert.ok(key.length >= 32);
  await page.goto(`${fixture.base}/settings/notifications`);
  assert.ok(!(await page.content()).includes(key), 'the key is shown once');
  // The owner chooses which channel is told what.
  await page.uncheck('input[aria-label="webhook: An app asks for access"]');
  await page.click('button:has-text("Save")');
  await page.waitForSelector('[role=status]:has-text("Saved")');
  const listed = fixture.ladder.run(['notify', 'list']).channels;
  assert.ok(!listed.find((one) => one.name === 'webhook').events.includes('request'));
  assert.ok(listed.find((one) => one.name === 'phone').events.includes('request'));
  await checkPage(page, 'notifications');
  await page.click('li:has-text("webhook") button:has-text("Remove")');
  await page.waitForSelector('[role=status]:has-text("webhook is removed")');
  home.close();
  await page.click('button:has-text("Send a test")');
  await page.waitForSelector('li [role=alert]');
  await checkPage(page, 'notifications-failed');
  await page.click('li:has-text("phone") button:has-text("Remove")');
  assert.equal(fixture.ladder.run(['notify', 'list']).channels.length, 0);
}

async function backups(fixture, page) {
  await page.goto(`${fixture.base}/`);
  assert.match(await page.textContent('[aria-labelledby=needs]'), /There is no backup yet/);
  await page.click('a:has-text("Set up backups")');
  await page.waitForURL('**/settings/backups');
  await checkPage(page, 'backups-none');
  await page.fill('#fo', 'not/from/the/root');
  await page.check('input[value=week]', {force: true});
  await page.click('button:has-text("Save")');
  assert.match(await page.textContent('[role=alert]'), /from the root/);
  const folder = join(fixture.folder, 'backups');
  writeFileSync(join(fixture.folder, 'taken'), 'a file where the folder should be');
  await page.fill('#fo', join(fixture.folder, 'taken'));
  await page.click('button:has-text("Save")');
  await page.waitForSelector('[role=status]:has-text("Schedule saved")');
  await page.click('button:has-text("Back up now")');
  await page.waitForSelector('.notice:has-text("failed")', {timeout: 60_000});
  await checkPage(page, 'backups-failed');
  await page.goto(`${fixture.base}/`);
  assert.match(await page.textContent('[aria-labelledby=needs]'), /The last backup failed/);
  await page.goto(`${fixture.base}/settings/backups`);
  await page.fill('#fo', folder);
  await page.click('button:has-text("Save")');
  await page.waitForSelector('[role=status]:has-text("Schedule saved")');
  await page.click('button:has-text("Back up now")');
  await page.waitForSelector('[aria-labelledby=his]', {timeout: 120_000});
  assert.match(await page.textContent('.lead'), /Last backup: today/);
  assert.match(await page.textContent('#rs'), /ladder restore .*backups --db/);
  await checkPage(page, 'backups');
  assert.ok(existsSync(join(folder, 'ladder-backup')));
  assert.equal(fixture.ladder.run(['backup', 'verify', folder]).snapshots, 1);
  const status = fixture.ladder.run(['backup', 'status']);
  assert.equal(status.every, 'week');
  assert.equal(status.last.target, folder);
  await page.goto(`${fixture.base}/`);
  assert.doesNotMatch(await page.textContent('main'), /backup/);
}

// Reads the QR code of the page with another program, as a camera does.
async function scanned(fixture, page) {
  const picture = join(fixture.folder, 'code.png');
  await page.locator('.qr').screenshot({path: picture});
  const read = spawnSync('zbarimg', ['--quiet', '--raw', picture], {encoding: 'utf8'});
  assert.equal(read.status, 0, `${read.stderr}${read.error ?? ''}`);
  return read.stdout.trim();
}

async function shownNumber(phone) {
  await phone.waitForSelector('.code-xl');
  return (await phone.textContent('.code-xl')).trim();
}

async function phoneSignIn(fixture, page) {
  await page.goto(`${fixture.base}/settings/phone`);
  await checkPage(page, 'phone');
  await page.click('button:has-text("Show the code")');
  await page.waitForSelector('.qr svg');
  await checkPage(page, 'phone-code');
  const address = await scanned(fixture, page);
  assert.ok(address.startsWith(`${fixture.base}/sign-in/phone?code=`), address);
  const phone = await fixture.visitor({viewport: {width: 390, height: 844}, javaScriptEnabled: false});
  await phone.goto(address);
  assert.equal((await phone.context().cookies()).length, 0, 'opening the link takes nothing');
  await phone.click('button:has-text("Continue")');
  const number = await shownNumber(phone);
  await page.waitForSelector('[data-state=taken]');
  await checkPage(page, 'phone-confirm');
  assert.equal(await page.locator('button[name=number]').count(), 3);
  // Someone who scans the same code later gets nothing.
  const stranger = await fixture.visitor();
  assert.equal((await stranger.goto(address)).status(), 401);
  await checkPage(stranger, 'phone-over');
  await stranger.context().close();
  await page.click(`button[name=number]:has-text("${number}")`);
  await phone.goto(`${fixture.base}/sign-in/phone`);
  assert.equal(new URL(phone.url()).pathname, '/');
  assert.match(await phone.textContent('body'), /local/);
  assert.equal((await phone.goto(address)).status(), 401, 'the link is used up');
  await page.goto(`${fixture.base}/settings`);
  assert.ok((await page.locator('#sessions li').count()) >= 2);
  await phone.context().close();
}

// Someone else scans first: the owner, whose phone shows nothing, must guess the number. A wrong choice ends the link.
async function strangerWithTheCode(fixture, page) {
  await page.goto(`${fixture.base}/settings/phone`);
  await page.click('button:has-text("Show the code")');
  await page.waitForSelector('.qr svg');
  const address = await scanned(fixture, page);
  const stranger = await fixture.visitor({viewport: {width: 390, height: 844}});
  await stranger.goto(address);
  await checkPage(stranger, 'phone-ask');
  await stranger.click('button:has-text("Continue")');
  const number = await shownNumber(stranger);
  await checkPage(stranger, 'phone-number');
  await page.waitForSelector('[data-state=taken]');
  const numbers = await page.$$eval('button[name=number]', (all) => all.map((one) => one.value));
  await page.click(`button[name=number]:has-text("${numbers.find((one) => one !== number)}")`);
  assert.match(await page.textContent('[role=alert]'), /they got no access/);
  await checkPage(page, 'phone-wrong');
  await stranger.waitForSelector('h1:has-text("expired")');  // the page refreshes itself
  assert.equal((await stranger.goto(`${fixture.base}/settings`)).url().includes('/sign-in'), true);
  await stranger.context().close();
}

async function installable(fixture, page) {
  await page.goto(`${fixture.base}/`);
  const session = await page.context().newCDPSession(page);
  const {errors, data} = await session.send('Page.getAppManifest');
  assert.deepEqual(errors, []);
  const manifest = JSON.parse(data);
  assert.equal(manifest.share_target.action, '/import/share');
  for (const icon of manifest.icons) {
    const answer = await fetch(fixture.base + icon.src);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), icon.type);
  }
  assert.deepEqual((await session.send('Page.getInstallabilityErrors')).installabilityErrors.map(({errorId}) => errorId)
                       .filter((one) => one !== 'in-incognito'), []);
}

async function shared(fixture, page) {
  const cookie = (await page.context().cookies()).find((one) => one.name === '__Host-ladder').value;
  // fetch() sets some of these headers by itself.
  const post = (headers, path = '/import/share') => new Promise((resolve, reject) => {
    const body = '--x\r\ncontent-disposition: form-data; name="files"; filename="shared.md"\r\n\r\n# Shared\n\nFrom the phone.\r\n--x--\r\n';
    const request = http.request(fixture.base + path, {method: 'POST', headers: {'content-type': 'multipart/form-data; boundary=x', ...headers}},
                                 (answer) => {
      let text = '';
      answer.on('data', (piece) => { text += piece; });
      answer.on('end', () => resolve({status: answer.statusCode, location: answer.headers.location, text}));
    });
    request.on('error', reject);
    request.end(body);
  });
  const browsers = {'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', origin: 'null'};
  const own = {...browsers, cookie: `__Host-ladder=${cookie}`};
  // A page can make a browser send these, but without the cookie.
  assert.equal((await post({...own, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example'})).status, 403);
  assert.equal((await post({...own, 'sec-fetch-site': 'cross-site'})).status, 403);
  assert.equal((await post({...own, 'sec-fetch-site': 'same-site', origin: fixture.base})).status, 403);
  assert.equal((await post({...own, 'sec-fetch-site': 'same-origin', origin: fixture.base})).status, 403);
  assert.equal((await post({...own, 'sec-fetch-mode': 'cors'})).status, 403);
  assert.equal((await post({cookie: own.cookie})).status, 403);
  assert.equal((await post(own, '/import')).status, 403, 'only this path takes files without a form token');
  assert.equal((await post(browsers)).status, 401, 'signed out');
  const taken = await post(own);
  assert.equal(taken.status, 303, taken.text);
  await page.goto(fixture.base + taken.location);
  await page.waitForSelector('[data-state=planned]');
  assert.match(await page.textContent('[aria-labelledby=plan]'), /1 file|shared/);
  const found = fixture.ladder.run(['search', 'phone']);
  assert.ok(!JSON.stringify(found).includes('shared.md'), 'nothing is imported before the review');
  await page.click('button:has-text("Discard")');
}

// A page of another site posts a file in a real browser.
async function forgedShare(fixture, page) {
  const server = http.createServer((request, response) => response.setHeader('content-type', 'text/html').end(
      `<!doctype html><title>x</title><form method=post enctype="multipart/form-data" action="${fixture.base}/import/share">` +
      '<input type=file name=files></form><script>const files = new DataTransfer(); files.items.add(new File(["# Evil"], "evil.md"));' +
      'document.forms[0].elements.files.files = files.files; document.forms[0].submit()</script>'));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  for (const host of ['localhost', '127.0.0.1']) {
    await page.goto(`http://${host}:${server.address().port}/`);
    await page.waitForURL(`${fixture.base}/import/share`);
    assert.doesNotMatch(await page.textContent('body'), /Review/);
  }
  page.faults.length = 0;
  server.closeAllConnections();
  server.close();
  await page.goto(`${fixture.base}/import`);
  assert.doesNotMatch(await page.textContent('main'), /evil/);
}

async function unknownAddress(fixture, page) {
  const answer = await page.goto(`${fixture.base}/setings`);
  assert.equal(answer.status(), 404);
  assert.match(await page.textContent('h1'), /does not exist/);
  await checkPage(page, 'not-found');
  const program = await fetch(`${fixture.base}/setings`);
  assert.equal(program.status, 404);
  assert.match(program.headers.get('content-type'), /json/);
}

export async function settings(fixture, check) {
  const page = await fixture.visitor();
  await page.goto(fixture.link());
  await page.fill('#p1', kPassphrase);
  await page.fill('#p2', kPassphrase);
  await page.click('text=Use a passphrase');
  await page.waitForURL(`${fixture.base}/`);
  await check('backups: reminder, schedule, failure, one now', () => backups(fixture, page));
  await check('notifications: channels, a test, events', () => notifications(fixture, page));
  await check('a phone signs in by a code', () => phoneSignIn(fixture, page));
  await check('a stranger with the code gets nothing', () => strangerWithTheCode(fixture, page));
  await check('the pages can be installed', () => installable(fixture, page));
  await check('a phone shares files', () => shared(fixture, page));
  await check('a foreign page cannot share files', () => forgedShare(fixture, page));
  await check('an unknown address is a page', () => unknownAddress(fixture, page));
  await page.context().close();
}
