// Follows an owner from the first start to the end of all access.
import assert from 'node:assert/strict';

import {addAuthenticator, change, Client, give, kPassphrase, look, signIn} from './house.mjs';

const kMail = 'mail/messages', kNotes = 'notes/notes';
const kDetailsType = 'https://pdpp.dev/data-access';

async function heading(page) {
  return (await page.textContent('h1')).trim();
}

async function firstStart(house, page) {
  await page.goto(`${house.base}/`);
  assert.match(page.url(), /\/sign-in/, 'a browser at the root is shown the pages');
  await look(page, 'sign-in');
  await page.fill('#pass', 'not the passphrase');
  await page.click('text=Sign in with the passphrase');
  assert.match(await page.textContent('[role=alert]'), /Name or passphrase is not right/);
  await look(page, 'sign-in-wrong');
  const link = house.link();
  await page.goto(link);
  await look(page, 'link');
  await page.evaluate(() => document.querySelector('#p1').removeAttribute('minlength'));
  await page.fill('#p1', 'short');
  await page.fill('#p2', 'short');
  await page.click('text=Use a passphrase');
  await look(page, 'link-fault');
  await page.fill('#p1', kPassphrase);
  await page.fill('#p2', kPassphrase);
  await page.click('text=Use a passphrase');
  await page.waitForURL(`${house.base}/`);
  await page.goto(`${house.base}/clients`);
  await look(page, 'clients-empty');
  await page.goto(link);
  assert.match(await page.textContent('main'), /was used already/);
  await look(page, 'link-used');
}

// From the address that a client opens to the answer that it gets; what was given stands in `choose`.
async function allow(page, client, url, choose, name) {
  await page.goto(url);
  if (name) await look(page, name);
  await choose();
  if (name) await look(page, `${name}-chosen`);
  await page.click('button[value=allow]');
  await page.waitForURL('**/consent?request=*');
  assert.match(await heading(page), /is connected/);
  if (name) await look(page, `${name}-connected`);
  const answer = client.answer();
  await page.click('button:has-text("Continue")');
  await page.waitForURL('**/callback*');
  const parameters = await answer;
  assert.equal(parameters.get('state'), 'xyz');
  assert.equal(parameters.get('iss'), client.house.base);
  assert.equal(parameters.get('error'), null);
  const token = await client.redeem(parameters.get('code'));
  assert.equal(token.status, 200, JSON.stringify(token.body));
  assert.equal(token.headers.get('cache-control'), 'no-store');
  return token.body;
}

// The preview shows of a field, card by card, exactly what the client reads.
async function previewIsTheRead(page, client, choose) {
  let shown;
  const token = await allow(page, client, client.askUrl(), async () => {
    await choose();
    shown = await page.$$eval('.record-card', (cards) => cards.map((card) => {
      const found = {};
      for (const name of card.querySelectorAll('dt')) found[name.textContent] = name.nextElementSibling.textContent;
      return found;
    }));
    assert.ok(shown.length > 0 && shown.length <= 5);
    assert.match(await page.textContent('#preview'), /not shared/);
  }, 'consent');
  const {status, body} = await client.read(token.access_token, `/v1/streams/messages/records?order=desc&limit=${shown.length}`);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body.data.map(({data}) => data.subject), shown.map((card) => card.subject));
  for (const {data} of body.data) assert.equal(data.text, undefined, 'what was not given is not there');
  const called = await client.call(token.access_token, 'query_records', {stream: 'messages', limit: 2});
  assert.equal(called.status, 200, called.text);
  assert.ok(called.text.includes(JSON.stringify(shown[0].subject).slice(1, -1).slice(0, 20)), called.text.slice(0, 600));
  return token;
}

async function askAgain(house, page, client) {
  await page.goto(client.askUrl({prompt: 'consent'}));
  assert.match(await heading(page), /asks again/);
  assert.ok(await page.locator('#diff li.same').count() > 0, 'what it has stands there');
  const box = page.locator(`input[name=f][value="${kMail}\ttext"]`);
  await change(page, () => box.check());
  assert.match(await page.textContent('#diff li.plus'), /text/);
  await look(page, 'consent-again');
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

// Names what it needs and what it would like: only the first is ticked.
async function askInParticular(house, page) {
  const client = await Client.make(house, {client_name: 'Trip planner', client_uri: 'https://trips.example/'});
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
  assert.deepEqual(await page.$$eval('input[name=s]:checked', (all) => all.map((one) => one.value)), [kMail]);
  assert.equal(await page.isChecked('input[name=training]'), false);
  await look(page, 'consent-in-particular');
  await page.click('button[value=allow]');
  assert.match(await page.textContent('.ask'), /Tick that it may/);
  await look(page, 'consent-training');
  const answer = client.answer();
  await page.click('button[value=deny]');
  await page.waitForURL('**/callback*');
  const parameters = await answer;
  assert.equal(parameters.get('error'), 'access_denied');
  assert.equal(parameters.get('state'), 'xyz');
  assert.equal(parameters.get('iss'), house.base);
  await client.close();
}

async function undo(house, page) {
  const client = await Client.make(house, {client_name: 'Second thoughts'});
  await page.goto(client.askUrl());
  await give(page, kNotes, ['title']);
  await page.click('button[value=allow]');
  await page.waitForURL('**/consent?request=*');
  await page.click('button:has-text("Undo")');
  assert.equal(await heading(page), 'Undone');
  await look(page, 'undone');
  const answer = client.answer();
  await page.click('main a.btn');
  assert.equal((await answer).get('error'), 'access_denied');
  await client.close();
}

async function withoutScripts(house) {
  const page = await house.visitor({javaScriptEnabled: false});
  await signIn(page, house);
  const client = await Client.make(house, {client_name: 'Plain'});
  await page.goto(client.askUrl());
  await page.check(`input[name=s][value="${kNotes}"]`);
  await page.check(`input[name=f][value="${kNotes}\ttitle"]`);
  await page.click('.preview button[value=preview]');
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

// Enter never allows: the first button of the form only makes a preview.
async function byKeyboard(house, page) {
  const client = await Client.make(house, {client_name: 'Keys'});
  await page.goto(client.askUrl());
  await page.focus(`input[name=s][value="${kNotes}"]`);
  await page.keyboard.press('Space');
  await page.focus(`input[name=f][value="${kNotes}\ttitle"]`);
  await change(page, () => page.keyboard.press('Space'));
  const sent = page.waitForNavigation();
  await page.keyboard.press('Enter');
  await sent;
  assert.match(await heading(page), /asks/);
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

async function passkey(house) {
  const page = await house.visitor();
  await addAuthenticator(page);
  await page.goto(house.link());
  await page.click('text=Make a passkey');
  await page.waitForURL(`${house.base}/`);
  await page.click('button:has-text("Sign out")');
  await page.waitForURL('**/sign-in*');
  await page.click('text=Sign in with a passkey');
  await page.waitForURL(`${house.base}/`);
  await page.goto(`${house.base}/passkeys`);
  assert.match(await page.textContent('.lead'), /1 passkey, and a passphrase/);
  await look(page, 'passkeys');
  await page.click('button:has-text("Remove")');
  await page.waitForFunction(() => document.querySelector('.lead').textContent.startsWith('0 passkeys'));
  await page.click('button:has-text("Add a passkey")');
  await page.waitForFunction(() => document.querySelector('.lead').textContent.startsWith('1 passkey'));
  await page.context().close();
}

async function device(house, page) {
  const client = await Client.make(house, {client_name: 'A television'});
  const begun = await client.post('/oauth/device_authorization', new URLSearchParams({client_id: client.id}));
  const poll = () =>
      client.token({grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: begun.body.device_code});
  assert.equal((await poll()).body.error, 'authorization_pending');
  await page.goto(begun.body.verification_uri);
  await look(page, 'device');
  await page.fill('#c', 'BBBB-2222');
  await page.click('text=Find it');
  await look(page, 'device-unknown');
  await page.fill('#c', begun.body.user_code.toLowerCase().replace('-', ' '));
  await page.click('text=Find it');
  await page.waitForURL('**/consent?request=*');
  assert.ok((await heading(page)).includes(begun.body.user_code), 'a device is called by its code');
  await give(page, kNotes, ['title']);
  await look(page, 'consent-device');
  await page.click('button[value=allow]');
  await page.waitForFunction(() => document.querySelector('h1').textContent === 'Allowed');
  await look(page, 'allowed');
  const token = await poll();
  assert.equal(token.status, 200, JSON.stringify(token.body));
  assert.equal((await client.read(token.body.access_token, '/v1/streams/notes/records?limit=1')).status, 200);
  assert.equal((await poll()).body.error, 'invalid_grant', 'once');
  await client.close();
}

// A person at a terminal answers for the browser.
async function terminal(house) {
  const client = await Client.make(house, {client_name: 'Over SSH'});
  const begun = await client.post('/oauth/device_authorization', new URLSearchParams({client_id: client.id}));
  const {spawnSync} = await import('node:child_process');
  const approve = (...words) => spawnSync(
      house.ladder.program, ['approve', begun.body.user_code, ...words], {env: house.ladder.env, encoding: 'utf8'});
  const shown = approve('--stream', kNotes);
  assert.match(shown.stdout, /notes\/notes: .* of \d+ records/, shown.stderr);
  assert.match(shown.stderr, /Nothing was done/);
  const done = approve('--stream', kNotes, '--for', '1d', '--yes');
  assert.match(done.stdout, /Allowed/, done.stderr);
  const token =
      await client.token({grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: begun.body.device_code});
  assert.equal(token.status, 200, JSON.stringify(token.body));
  await client.close();
  return {client, token: token.body.access_token};
}

async function sessions(house, page) {
  const other = await house.visitor();
  await signIn(other, house);
  await page.goto(`${house.base}/settings`);
  const rows = page.locator('#sessions li', {hasNotText: 'This one'});
  const before = await rows.count();
  assert.ok(before > 0);
  for (let left = before; left > 0; --left) {
    await rows.first().locator('button').click();
    await page.waitForFunction((want) => document.querySelectorAll('#sessions li').length === want, left);
  }
  await other.goto(`${house.base}/clients`);
  assert.match(other.url(), /\/sign-in/, 'its session has ended');
  await other.context().close();
}

async function end(house, page, client, token) {
  await page.goto(`${house.base}/clients`);
  await look(page, 'clients');
  const row = page.locator('.client-row', {hasText: client.name});
  await row.locator('button:has-text("End")').click();
  await page.waitForFunction((name) => !document.querySelector('.client-list').textContent.includes(name), client.name);
  assert.ok([401, 403].includes((await client.read(token, '/v1/streams/messages/records?limit=1')).status));
}

async function panic(house, page, left) {
  assert.equal((await left.client.read(left.token, '/v1/streams/notes/records?limit=1')).status, 200);
  await page.goto(`${house.base}/clients`);
  await page.click('.panic button:has-text("End all access")');
  await page.waitForURL('**/panic*');
  await look(page, 'panic');
  await page.click('button:has-text("End all access now")');
  await page.waitForFunction(() => document.querySelector('h1').textContent === 'All access has ended');
  await look(page, 'panic-done');
  assert.ok([401, 403].includes((await left.client.read(left.token, '/v1/streams/notes/records?limit=1')).status));
  const again = await terminal(house);
  assert.equal((await again.client.read(again.token, '/v1/streams/notes/records?limit=1')).status, 200);
  assert.equal(house.ladder.run(['panic']).ended_grants, 1);
  assert.ok([401, 403].includes((await again.client.read(again.token, '/v1/streams/notes/records?limit=1')).status));
}

async function carriedCode(house, page) {
  const client = await Client.make(house, {client_name: 'Far away'});
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
  await look(page, 'consent-carried');
  await page.click('button[value=allow]');
  await page.waitForURL('**/consent?request=*');
  await page.click('button:has-text("Continue")');
  assert.equal(await heading(page), 'Give the client this code');
  await look(page, 'code');
  const code = (await page.textContent('.mono code')).trim();
  const got = await client.post('/consent/exchange', JSON.stringify({code}), {'content-type': 'application/json'});
  assert.equal(got.status, 200, JSON.stringify(got.body));
  await client.close();
}

export async function journeys(house, check) {
  const page = await house.visitor();
  await check('the first start: a link, a passphrase', () => firstStart(house, page));
  await check('a passkey', () => passkey(house));
  const client = await Client.make(house, {client_name: 'Inspector'});
  let token;
  await check('what the preview shows is what the client reads', async () => {
    token = await previewIsTheRead(page, client, () => give(page, kMail, ['subject', 'from', 'sent_at']));
  });
  await check('asking again shows what would change; the same as before is one click', async () => {
    const old = token;
    token = await askAgain(house, page, client);
    assert.ok([401, 403].includes((await client.read(old.access_token, '/v1/streams/messages/records?limit=1')).status), 'it was replaced');
    assert.equal((await client.read(token.access_token, '/v1/streams/messages/records?limit=1')).status, 200);
  });
  await check('what is needed is ticked, training is not; Deny goes back', () => askInParticular(house, page));
  await check('Undo before the key goes out', () => undo(house, page));
  await check('a device with a code', () => device(house, page));
  await check('a code that is carried over', () => carriedCode(house, page));
  await check('without scripts', () => withoutScripts(house));
  await check('by keyboard', () => byKeyboard(house, page));
  await check('sessions are listed and ended', () => sessions(house, page));
  await check('one client is ended', () => end(house, page, client, token.access_token));
  await client.close();
  let left;
  await check('a terminal approves', async () => (left = await terminal(house)));
  await check('all access ends at once, by a button and by a command', () => panic(house, page, left));
  await page.context().close();
}
