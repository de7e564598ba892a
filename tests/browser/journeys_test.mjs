// The owner's journey from the first start to revoking all access.
import assert from 'node:assert/strict';

import {addAuthenticator, change, checkPage, chooseLevel, Client, give, kindOf, kPassphrase, signIn} from './fixture.mjs';

const kMail = 'mail/messages', kNotes = 'notes/notes';
const kDetailsType = 'https://pdpp.dev/data-access';

async function heading(page) {
  return (await page.textContent('h1')).trim();
}

async function firstStart(fixture, page) {
  await page.goto(`${fixture.base}/`);
  assert.match(page.url(), /\/sign-in/, 'a browser gets the sign-in page');
  await checkPage(page, 'sign-in');
  await page.fill('#pass', 'not the passphrase');
  await page.click('text=Sign in with the passphrase');
  assert.match(await page.textContent('[role=alert]'), /Name or passphrase is not right/);
  await checkPage(page, 'sign-in-wrong');
  const link = fixture.link();
  await page.goto(link);
  await checkPage(page, 'link');
  await page.evaluate(() => document.querySelector('#p1').removeAttribute('minlength'));
  await page.fill('#p1', 'short');
  await page.fill('#p2', 'short');
  await page.click('text=Use a passphrase');
  await checkPage(page, 'link-fault');
  await page.fill('#p1', kPassphrase);
  await page.fill('#p2', kPassphrase);
  await page.click('text=Use a passphrase');
  await page.waitForURL(`${fixture.base}/`);
  await page.goto(`${fixture.base}/clients`);
  await checkPage(page, 'clients-empty');
  await page.goto(link);
  assert.match(await page.textContent('main'), /was used already/);
  await checkPage(page, 'link-used');
}

// From the authorization URL to the token. `choose` selects what to share.
async function allow(page, client, url, choose, name) {
  await page.goto(url);
  if (name) await checkPage(page, name);
  await choose();
  if (name) await checkPage(page, `${name}-chosen`);
  await page.click('button[value=allow]');
  await page.waitForURL('**/consent?request=*');
  assert.match(await heading(page), /is connected/);
  if (name) await checkPage(page, `${name}-connected`);
  const answer = client.answer();
  await page.click('button:has-text("Continue")');
  await page.waitForURL('**/callback*');
  const parameters = await answer;
  assert.equal(parameters.get('state'), 'xyz');
  assert.equal(parameters.get('iss'), client.fixture.base);
  assert.equal(parameters.get('error'), null);
  const token = await client.redeem(parameters.get('code'));
  assert.equal(token.status, 200, JSON.stringify(token.body));
  assert.equal(token.headers.get('cache-control'), 'no-store');
  return token.body;
}

// The preview cards show exactly what the client then reads.
async function previewIsTheRead(page, client, choose) {
  let shown;
  const token = await allow(page, client, client.askUrl(), async () => {
    await choose();
    shown = await page.$$eval('.record-card', (cards) => cards.map((card) => ({subject: card.querySelector('.title').textContent})));
    assert.ok(shown.length > 0 && shown.length <= 5);
    assert.match(await page.textContent('#preview'), /not shared/);
  }, 'consent');
  const {status, body} = await client.read(token.access_token, `/v1/streams/messages/records?order=desc&limit=${shown.length}`);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body.data.map(({data}) => data.subject), shown.map((card) => card.subject));
  for (const {data} of body.data) assert.equal(data.text, undefined, 'unshared fields are missing');
  const called = await client.call(token.access_token, 'query_records', {stream: 'messages', limit: 2});
  assert.equal(called.status, 200, called.text);
  assert.ok(called.text.includes(JSON.stringify(shown[0].subject).slice(1, -1).slice(0, 20)), called.text.slice(0, 600));
  return token;
}

async function askAgain(fixture, page, client) {
  await page.goto(client.askUrl({prompt: 'consent'}));
  assert.match(await heading(page), /asks for more access/);
  assert.ok(await page.locator('#diff li.same').count() > 0, 'current access is listed');
  const kind = kindOf(page, kMail);
  await kind.locator('details.choose > summary').click();
  await change(page, () => kind.locator(`input[name=f][value="${kMail}\ttext"]`).check());
  assert.match(await page.textContent('#diff li.plus'), /Text/);
  await checkPage(page, 'consent-again');
  await page.click('button[value=same]');
  await page.waitForFunction(() => document.querySelectorAll('#diff li.plus, #diff li.minus').length === 0);
  const answer = client.answer();
  await page.click('button[value=allow]');
  await page.waitForURL('**/consent?request=*');
  await page.click('button:has-text("Continue")');
  const parameters = await answer;
  const token = await client.redeem(parameters.get('code'));
  assert.equal(token.status, 200, JSON.stringify(token.body));
  return token.body;
}

// A request with required and optional data: only required data is selected.
async function askInParticular(fixture, page) {
  const client = await Client.make(fixture, {client_name: 'Trip planner', client_uri: 'https://trips.example/'});
  const details = [{
    type: kDetailsType,
    source: {kind: 'connector', id: 'urn:ladder:import:mail'},
    purpose_code: 'https://pdpp.dev/purpose/ai_training',
    purpose_description: 'To find your bookings, and to learn from them.',
    access_mode: 'continuous',
    retention: {max_duration: 'P30D', on_expiry: 'delete'},
    client_claims: {commitments: ['Nothing is sold.']},
    streams: [{name: 'messages', necessity: 'required', fields: ['subject', 'sent_at']}, {name: 'attachments', necessity: 'optional'}],
  }];
  await page.goto(client.askUrl({authorization_details: JSON.stringify(details)}));
  assert.deepEqual(await page.$$eval('.level:not(.l0) input:checked', (all) => all.map((one) => `${one.name}=${one.value}`)), [`l ${kMail}=asked`]);
  assert.deepEqual(await page.$$eval('.preset', (all) => all.map((one) => one.value)), ['needed', 'asked'], 'presets stay within the request');
  assert.equal(await page.isChecked('input[name=training]'), false);
  await checkPage(page, 'consent-in-particular');
  await page.click('button[value=allow]');
  assert.match(await page.textContent('.ask'), /Allow that below/);
  await checkPage(page, 'consent-training');
  const answer = client.answer();
  await page.click('button[value=deny]');
  await page.waitForURL('**/callback*');
  const parameters = await answer;
  assert.equal(parameters.get('error'), 'access_denied');
  assert.equal(parameters.get('state'), 'xyz');
  assert.equal(parameters.get('iss'), fixture.base);
  await client.close();
}

// An app that requests nothing specific gets real text with one choice and Allow.
async function oneLevel(fixture, page) {
  const client = await Client.make(fixture, {client_name: 'Claude Code'});
  await page.goto(client.askUrl());
  assert.match(await heading(page), /“Claude Code” on this computer wants to connect/);
  const allowed = () => page.getAttribute('button[value=allow]', 'aria-disabled');
  assert.equal(await allowed(), 'true');
  assert.match(await page.textContent('.why'), /Choose at least one kind of data/);
  await page.click('button[value=allow]', {force: true});
  assert.match(page.url(), /\/consent\?request=/, 'nothing is sent');
  assert.equal(await kindOf(page, kMail).getByText('Guessed character encoding').first().isVisible(), false, 'technical fields are folded');
  await checkPage(page, 'consent-nothing');
  await chooseLevel(page, kMail, 'Headers and text');
  assert.equal(await allowed(), null);
  assert.match(await page.textContent('#decide'), /“Claude Code” on this computer can read your e-mail messages: headers and text/);
  await checkPage(page, 'consent-level');
  await page.click('button[value=allow]');
  await page.waitForURL('**/consent?request=*');
  assert.match(await page.textContent('main'), /Headers and text/);
  const answer = client.answer();
  await page.click('button:has-text("Continue")');
  const token = await client.redeem((await answer).get('code'));
  const found = await client.call(token.body.access_token, 'search', {query: 'hotel reservation number'});
  assert.match(found.text, /HM-20714/, 'the text is found and shown');
  const read = await client.read(token.body.access_token, '/v1/streams/messages/records?limit=1');
  assert.ok(read.body.data[0].data.text.length > 0);
  assert.equal(read.body.data[0].data.charset_guessed, undefined);
  const files = await client.read(token.body.access_token, '/v1/streams/attachments/records?limit=1');
  assert.equal(files.status, 403, 'attachments belong to a higher level');
  assert.match(fixture.ladder.text(['grant', 'list']), /Claude Code \(cli_/);
  const isRecorded = () => /Claude Code \(cli_/.test(fixture.ladder.text(['ledger']));
  for (let tries = 0; !isRecorded() && tries < 20; ++tries) await page.waitForTimeout(500);  // the journal is swept every second
  assert.ok(isRecorded(), 'the ledger names the app');
  await client.close();
}

// Every preset selects something, says what, and shows that it is active.
async function presets(fixture, page) {
  const client = await Client.make(fixture, {client_name: 'Presets'});
  await page.goto(client.askUrl());
  const levels = () => page.$$eval('.level:not(.l0) input:checked', (all) => all.map((one) => `${one.name}=${one.value}`));
  const press = (name) => change(page, () => page.locator('.preset', {hasText: name}).click());
  const active = () => page.$$eval('.preset[aria-pressed=true] b', (all) => all.map((one) => one.textContent));
  await press('All kinds, without text');
  assert.ok((await levels()).includes(`l ${kMail}=headers`));
  assert.deepEqual(await active(), ['All kinds, without text']);
  assert.equal(await page.evaluate(() => document.activeElement.value), 'overview', 'the focus stays');
  await press('All kinds, with text');
  assert.ok((await levels()).includes(`l ${kMail}=text`));
  assert.equal(await page.isChecked('input[name=t][value="12m"]'), true);
  await press('Only Notes');
  assert.ok((await levels()).every((one) => one.startsWith('l notes/')));
  await change(page, () => kindOf(page, kNotes).locator('.l1 input').check());
  assert.deepEqual(await active(), []);
  await change(page, () => page.click('button:has-text("Clear all")'));
  assert.deepEqual(await levels(), []);
  assert.equal(await page.getAttribute('button[value=allow]', 'aria-disabled'), 'true');
  await client.close();
}

async function undo(fixture, page) {
  const client = await Client.make(fixture, {client_name: 'Second thoughts'});
  await page.goto(client.askUrl());
  await give(page, kNotes, ['title']);
  await page.click('button[value=allow]');
  await page.waitForURL('**/consent?request=*');
  await page.click('button:has-text("Undo")');
  assert.equal(await heading(page), 'Undone');
  await checkPage(page, 'undone');
  const answer = client.answer();
  await page.click('main a.btn');
  assert.equal((await answer).get('error'), 'access_denied');
  await client.close();
}

async function withoutScripts(fixture) {
  const page = await fixture.visitor({javaScriptEnabled: false});
  await signIn(page, fixture);
  const client = await Client.make(fixture, {client_name: 'Plain'});
  await page.goto(client.askUrl());
  await page.click('button[value=allow]', {force: true});  // the browser still sends it
  assert.match(await page.textContent('.why'), /Choose at least one kind of data/);
  await kindOf(page, kNotes).locator('.l1 input').check();
  await page.click('button[value=allow]', {force: true});
  assert.match(await page.textContent('#told'), /press Allow again/, 'no preview was shown yet');
  const kind = kindOf(page, kNotes);
  await kind.locator('details.choose > summary').click();
  await kind.locator(`input[name=f][value="${kNotes}\ttags"]`).uncheck();
  await page.click('.preview button[value=preview]');
  assert.equal(await kind.locator('.lc input').isChecked(), true, 'a changed field is a custom choice');
  assert.ok(await page.locator('.record-card').count() > 0, 'the preview is there');
  await page.click('button[value=allow]');
  assert.match(await heading(page), /is connected/);
  const answer = client.answer();
  await page.click('button:has-text("Continue")');
  const token = await client.redeem((await answer).get('code'));
  assert.equal(token.status, 200, JSON.stringify(token.body));
  assert.equal((await client.read(token.body.access_token, '/v1/streams/notes/records?limit=1')).status, 200);
  await client.close();
  await page.context().close();
}

// Enter never allows: the first button of the form only updates the preview.
async function byKeyboard(fixture, page) {
  const client = await Client.make(fixture, {client_name: 'Keys'});
  await page.goto(client.askUrl());
  await kindOf(page, kNotes).locator('.l0 input').focus();
  await change(page, () => page.keyboard.press('ArrowRight'));
  const sent = page.waitForNavigation();
  await page.keyboard.press('Enter');
  await sent;
  assert.match(await heading(page), /wants to connect/);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to Allow and Deny');
  await page.keyboard.press('Enter');
  for (let i = 0; i < 2; ++i) await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.value), 'allow');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/consent?request=*');
  assert.match(await heading(page), /is connected/);
  await client.close();
}

async function passkey(fixture) {
  const page = await fixture.visitor();
  await addAuthenticator(page);
  await page.goto(fixture.link());
  await page.click('text=Create a passkey');
  await page.waitForURL(`${fixture.base}/`);
  await page.click('button:has-text("Sign out")');
  await page.waitForURL('**/sign-in*');
  await page.click('text=Sign in with a passkey');
  await page.waitForURL(`${fixture.base}/`);
  await page.goto(`${fixture.base}/passkeys`);
  assert.match(await page.textContent('.lead'), /1 passkey, and a passphrase/);
  await checkPage(page, 'passkeys');
  await page.click('button:has-text("Remove")');
  await page.waitForFunction(() => document.querySelector('.lead').textContent.startsWith('0 passkeys'));
  await page.click('button:has-text("Add a passkey")');
  await page.waitForFunction(() => document.querySelector('.lead').textContent.startsWith('1 passkey'));
  await page.context().close();
}

async function device(fixture, page) {
  const client = await Client.make(fixture, {client_name: 'A television'});
  const begun = await client.post('/oauth/device_authorization', new URLSearchParams({client_id: client.id}));
  const poll = () =>
      client.token({grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: begun.body.device_code});
  assert.equal((await poll()).body.error, 'authorization_pending');
  await page.goto(begun.body.verification_uri);
  await checkPage(page, 'device');
  await page.fill('#c', 'BBBB-2222');
  await page.click('text=Find request');
  await checkPage(page, 'device-unknown');
  await page.fill('#c', begun.body.user_code.toLowerCase().replace('-', ' '));
  await page.click('text=Find request');
  await page.waitForURL('**/consent?request=*');
  assert.ok((await heading(page)).includes(begun.body.user_code), 'a device is named by its code');
  await give(page, kNotes, ['title']);
  await checkPage(page, 'consent-device');
  await page.click('button[value=allow]');
  await page.waitForFunction(() => document.querySelector('h1').textContent === 'Allowed');
  await checkPage(page, 'allowed');
  const token = await poll();
  assert.equal(token.status, 200, JSON.stringify(token.body));
  assert.equal((await client.read(token.body.access_token, '/v1/streams/notes/records?limit=1')).status, 200);
  assert.equal((await poll()).body.error, 'invalid_grant', 'once');
  await client.close();
}

// Approves the request in a terminal instead of the browser.
async function terminal(fixture) {
  const client = await Client.make(fixture, {client_name: 'Over SSH'});
  const begun = await client.post('/oauth/device_authorization', new URLSearchParams({client_id: client.id}));
  const {spawnSync} = await import('node:child_process');
  const approve = (...words) => spawnSync(
      fixture.ladder.program, ['approve', begun.body.user_code, ...words], {env: fixture.ladder.env, encoding: 'utf8'});
  const shown = approve('--stream', kNotes);
  assert.match(shown.stdout, /notes\/notes: .* of \d+ records/, shown.stderr);
  assert.match(shown.stderr, /Nothing was changed/);
  const done = approve('--stream', kNotes, '--for', '1d', '--yes');
  assert.match(done.stdout, /Allowed/, done.stderr);
  const token =
      await client.token({grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: begun.body.device_code});
  assert.equal(token.status, 200, JSON.stringify(token.body));
  await client.close();
  return {client, token: token.body.access_token};
}

async function sessions(fixture, page) {
  const other = await fixture.visitor();
  await signIn(other, fixture);
  await page.goto(`${fixture.base}/settings`);
  const rows = page.locator('#sessions li', {hasNotText: 'This session'});
  const before = await rows.count();
  assert.ok(before > 0);
  for (let left = before; left > 0; --left) {
    await rows.first().locator('button').click();
    await page.waitForFunction((want) => document.querySelectorAll('#sessions li').length === want, left);
  }
  await other.goto(`${fixture.base}/clients`);
  assert.match(other.url(), /\/sign-in/, 'its session has ended');
  await other.context().close();
}

async function end(fixture, page, client, token) {
  await page.goto(`${fixture.base}/clients`);
  await checkPage(page, 'clients');
  const row = page.locator('.client-row', {hasText: client.name});
  await row.locator('button:has-text("Revoke access")').click();
  await page.waitForFunction((name) => !document.querySelector('.client-list').textContent.includes(name), client.name);
  assert.ok([401, 403].includes((await client.read(token, '/v1/streams/messages/records?limit=1')).status));
}

async function panic(fixture, page, left) {
  assert.equal((await left.client.read(left.token, '/v1/streams/notes/records?limit=1')).status, 200);
  await page.goto(`${fixture.base}/clients`);
  await page.click('.panic button:has-text("Revoke all access")');
  await page.waitForURL('**/panic*');
  await checkPage(page, 'panic');
  await page.click('button:has-text("Revoke all access now")');
  await page.waitForFunction(() => document.querySelector('h1').textContent === 'All access is revoked');
  await checkPage(page, 'panic-done');
  assert.ok([401, 403].includes((await left.client.read(left.token, '/v1/streams/notes/records?limit=1')).status));
  const again = await terminal(fixture);
  assert.equal((await again.client.read(again.token, '/v1/streams/notes/records?limit=1')).status, 200);
  assert.equal(fixture.ladder.run(['panic']).ended_grants, 1);
  assert.ok([401, 403].includes((await again.client.read(again.token, '/v1/streams/notes/records?limit=1')).status));
}

async function carriedCode(fixture, page) {
  const client = await Client.make(fixture, {client_name: 'Far away'});
  const details = [{
    type: kDetailsType,
    source: {kind: 'connector', id: 'urn:ladder:import:notes'},
    purpose_code: 'https://pdpp.dev/purpose/agent_context',
    access_mode: 'continuous',
    streams: [{name: 'notes', fields: ['title']}],
  }];
  const pushed = await client.post(
      '/oauth/par', JSON.stringify({client_id: client.id, authorization_details: details}), {'content-type': 'application/json'});
  assert.equal(pushed.status, 201, JSON.stringify(pushed.body));
  await page.goto(pushed.body.authorization_url);
  await checkPage(page, 'consent-carried');
  await page.click('button[value=allow]');
  await page.waitForURL('**/consent?request=*');
  await page.click('button:has-text("Continue")');
  assert.equal(await heading(page), 'Enter this code in the app');
  await checkPage(page, 'code');
  const code = (await page.textContent('.mono code')).trim();
  const got = await client.post('/consent/exchange', JSON.stringify({code}), {'content-type': 'application/json'});
  assert.equal(got.status, 200, JSON.stringify(got.body));
  await client.close();
}

export async function journeys(fixture, check) {
  const page = await fixture.visitor();
  await check('the first start: a link, a passphrase', () => firstStart(fixture, page));
  await check('a passkey', () => passkey(fixture));
  const client = await Client.make(fixture, {client_name: 'Inspector'});
  let token;
  await check('the preview shows what the client reads', async () => {
    token = await previewIsTheRead(page, client, () => give(page, kMail, ['subject', 'from', 'sent_at']));
  });
  await check('a second request shows the changes; keeping the same is one click', async () => {
    const old = token;
    token = await askAgain(fixture, page, client);
    assert.ok([401, 403].includes((await client.read(old.access_token, '/v1/streams/messages/records?limit=1')).status), 'it was replaced');
    assert.equal((await client.read(token.access_token, '/v1/streams/messages/records?limit=1')).status, 200);
  });
  await check('required data is preselected, training is not; Deny returns to the client', () => askInParticular(fixture, page));
  await check('one level and Allow give an app real text', () => oneLevel(fixture, page));
  await check('presets', () => presets(fixture, page));
  await check('Undo before the client gets access', () => undo(fixture, page));
  await check('a device with a code', () => device(fixture, page));
  await check('a code copied by hand', () => carriedCode(fixture, page));
  await check('without scripts', () => withoutScripts(fixture));
  await check('by keyboard', () => byKeyboard(fixture, page));
  await check('sessions are listed and ended', () => sessions(fixture, page));
  await check('one client is revoked', () => end(fixture, page, client, token.access_token));
  await client.close();
  let left;
  await check('a terminal approves', async () => (left = await terminal(fixture)));
  await check('all access is revoked, by a button and by a command', () => panic(fixture, page, left));
  await page.context().close();
}
