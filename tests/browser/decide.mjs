// An owner decides about a client that is connected: how much a day, longer, less, never again, no more. The client's key
// behaves accordingly, and the pages say what `ladder grant` says.
import assert from 'node:assert/strict';

import {Client, give, look, signInByLink} from './house.mjs';

const kNotes = 'notes/notes';
const notesOf = (client, token, more = '') => client.read(token, `/v1/streams/notes/records?limit=3${more}`);

async function heading(page) {
  return (await page.textContent('h1')).trim();
}

// Changes a choice of the form on the page and waits for the preview of it.
async function change(page, path, deed) {
  const answered = page.waitForResponse((answer) => answer.request().method() === 'POST' && answer.url().endsWith(path));
  await deed();
  await answered;
  await page.waitForTimeout(50);
}

async function connect(page, client, choose = async () => {}) {
  await page.goto(client.askUrl());
  await give(page, kNotes, ['title', 'text']);
  await choose();
  await page.click('button[value=allow]');
  await page.waitForURL('**/consent?request=*');
  assert.match(await heading(page), /is connected/);
  const answer = client.answer();
  await page.click('button:has-text("Continue")');
  const token = await client.redeem((await answer).get('code'));
  assert.equal(token.status, 200, JSON.stringify(token.body));
  return token.body.access_token;
}

const grantsOf = (house, client) =>
    house.ladder.run(['grant', 'list']).grants.filter((one) => one.client_id === client.id && one.status === 'active');

async function budget(house, page, client) {
  let token;
  await connect(page, client, async () => {
    await change(page, '/consent', () => page.check('input[name=b][value=own]'));
    await change(page, '/consent', async () => {
      await page.fill('#bn', 'many');
      await page.locator('#bn').blur();
    });
    assert.match(await page.textContent('#decide'), /Tick what you want to give|whole number/);
    await change(page, '/consent', async () => {
      await page.fill('#bn', '9,000');
      await page.locator('#bn').blur();
    });
    assert.match(await page.textContent('#decide'), /at most 9,000 characters a day and 900,000 bytes of images and other files/);
    await look(page, 'consent-budget');
  }).then((made) => (token = made));
  let refused;
  for (let reads = 0; reads < 40 && !refused; ++reads) {
    const answer = await notesOf(client, token);
    if (answer.status !== 200) refused = answer;
  }
  assert.equal(refused?.status, 429, JSON.stringify(refused?.body).slice(0, 300));
  assert.match(JSON.stringify(refused.body), /9000 characters a day/);
  await page.goto(`${house.base}/client?id=${client.id}`);
  assert.match(await page.textContent('section[aria-labelledby=today]'), /of 9,000/);
  assert.match(await page.textContent('section[aria-labelledby=lately]'), /records? of notes/);
  assert.match(await page.textContent('section[aria-labelledby=seen]'), /of \d[\d,]* records/);
  await look(page, 'client');
  await page.selectOption('#b', 'none');
  await page.click('button[value=budget]');
  await page.waitForFunction(() => !document.querySelector('section[aria-labelledby=today]').textContent.includes('of 9,000'));
  assert.equal((await notesOf(client, token)).status, 200, 'without a bound it goes on');
  return token;
}

async function extend(house, page, client, token) {
  const [before] = grantsOf(house, client);
  await page.goto(`${house.base}/client?id=${client.id}`);
  await page.click('button[value=extend-30d]');
  await page.waitForLoadState();
  const [after] = grantsOf(house, client);
  assert.notEqual(after.grant_id, before.grant_id);
  const days = (new Date(after.expires_at) - new Date(before.expires_at)) / 86_400_000;
  assert.equal(Math.round(days), 30);
  assert.equal((await notesOf(client, token)).status, 200, 'its key goes on');
  const end = new Date(after.expires_at);
  await page.goto(`${house.base}/clients`);
  const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
  const row = page.locator('.client-row', {hasText: client.name});
  assert.ok((await row.textContent()).includes(`${end.getUTCDate()} ${months[end.getUTCMonth()]} ${end.getUTCFullYear()}`));
  await look(page, 'clients-connected');
}

async function narrow(house, page, client, token) {
  assert.equal((await notesOf(client, token, '&fields=text')).status, 200);
  await page.goto(`${house.base}/client/narrow?id=${client.id}`);
  assert.match(await heading(page), /Narrow what/);
  assert.equal(await page.locator('input[name=s]').count(), 1, 'only what it has can be kept');
  await page.click('button[value=narrow]');
  assert.match(await page.textContent('.ask'), /Nothing would change/);
  await change(page, '/client/narrow', () => page.uncheck(`input[name=f][value="${kNotes}\ttext"]`));
  assert.match(await page.textContent('#diff'), /title/);
  assert.match(await page.textContent('#preview'), /text: not shared|text/);
  await look(page, 'narrow');
  await page.click('button[value=narrow]');
  await page.waitForURL('**/client?id=*');
  const left = await notesOf(client, token);
  assert.equal(left.status, 200, 'its key goes on');
  for (const {data} of left.body.data) assert.equal(data.text, undefined);
  const refused = await notesOf(client, token, '&fields=text');
  assert.equal(refused.status, 403, JSON.stringify(refused.body));
  assert.deepEqual(refused.body.error.authorization_details[0].streams, [{name: 'notes', fields: ['text']}], 'what it could ask for');
  // A form sent by hand cannot give it more.
  const wide = await page.request.post(`${house.base}/client/narrow`, {
    headers: {origin: house.base},
    form: {csrf: await page.getAttribute('input[name=csrf]', 'value'), id: client.id, s: kNotes, f: `${kNotes}\ttext`, do: 'narrow', d: 'end', b: 'none', t: 'all'}
  });
  assert.notEqual(wide.status(), 500);
  assert.equal((await notesOf(client, token, '&fields=text')).status, 403);
}

// The page works without scripts, by its own button.
async function narrowPlainly(house, client) {
  const page = await house.visitor({javaScriptEnabled: false});
  await page.goto(house.link());
  await page.fill('#p1', 'four words nobody guesses');
  await page.fill('#p2', 'four words nobody guesses');
  await page.click('text=Use a passphrase');
  await page.goto(`${house.base}/client/narrow?id=${client.id}`);
  await page.check('input[name=d][value="1d"]');
  await page.click('.preview button[value=preview]');
  assert.match(await page.textContent('#diff'), /until/);
  await page.click('button[value=narrow]');
  assert.match(page.url(), /\/client\?id=/);
  const [grant] = grantsOf(house, client);
  assert.ok(new Date(grant.expires_at) - Date.now() < 90_000_000);
  await page.context().close();
}

async function block(house, page, client, token) {
  await page.goto(`${house.base}/client?id=${client.id}`);
  await page.click('button[value=block]');
  await page.waitForFunction(() => document.querySelector('main').textContent.includes('You have blocked it'));
  await look(page, 'client-blocked');
  assert.ok([401, 403].includes((await notesOf(client, token)).status));
  let answer = client.answer();
  await page.goto(client.askUrl());
  assert.equal((await answer).get('error'), 'access_denied', 'nobody is asked');
  await page.goto(`${house.base}/clients`);
  assert.match(await page.textContent('section[aria-labelledby=blocked]'), new RegExp(client.name));
  assert.match(await page.textContent('section[aria-labelledby=past]'), /by you/);
  await look(page, 'clients-blocked');
  await page.click('section[aria-labelledby=blocked] button[value=unblock]');
  await page.waitForFunction(() => !document.querySelector('section[aria-labelledby=blocked]'));
  await page.goto(client.askUrl());
  assert.match(await heading(page), /asks/);
}

async function requests(house, page, client) {
  await page.goto(`${house.base}/requests`);
  const row = page.locator('.list li', {hasText: client.name});
  assert.ok(await row.count() > 0);
  assert.ok(Number((await page.textContent('.nav .count')).replace(/\D.*/, '')) > 0, 'the menu counts it');
  await look(page, 'requests');
  await row.first().locator('button:has-text("Deny")').click();
  await page.waitForFunction(() => document.querySelector('section[aria-labelledby=done]')?.textContent.includes('Denied'));
  await look(page, 'requests-answered');
  const begun = await client.post('/oauth/device_authorization', new URLSearchParams({client_id: client.id}));
  await page.fill('#c', begun.body.user_code);
  await page.click('text=Find it');
  await page.waitForURL('**/consent?request=*');
  await page.goto(`${house.base}/requests`);
  assert.match(await page.textContent('.list'), new RegExp(begun.body.user_code));
}

// A name that would break a page, on all of these pages.
async function hostile(house, page) {
  const client = await Client.make(house, {client_name: `<img src=x onerror=alert(1)> \u202eevil ${'Wide'.repeat(40)}`});
  const token = await connect(page, client);
  assert.equal((await notesOf(client, token)).status, 200);
  for (const [name, path] of Object.entries({clients: '/clients', client: `/client?id=${client.id}`, narrow: `/client/narrow?id=${client.id}`, panic: '/panic'})) {
    await page.goto(house.base + path);
    assert.equal(await page.locator('main img').count(), 0, name);
    await look(page, `${name}-hostile`);
  }
  await page.goto(`${house.base}/clients`);
  const row = page.locator('.client-row', {hasText: 'Wide'});
  await row.locator('button[value=end]').click();
  await page.waitForLoadState();
  assert.ok([401, 403].includes((await notesOf(client, token)).status));
  assert.equal((await page.goto(`${house.base}/client?id=nobody`)).status(), 404);
  assert.equal((await page.goto(`${house.base}/client/narrow?id=nobody`)).status(), 404);
  await client.close();
}

export async function decide(house, check) {
  const page = await house.visitor();
  await signInByLink(page, house);
  const client = await Client.make(house, {client_name: 'Notebook'});
  let token;
  await check('a read budget is given, used up, refused and lifted', async () => (token = await budget(house, page, client)));
  await check('a client goes on longer with its key', () => extend(house, page, client, token));
  await check('a client goes on with less', () => narrow(house, page, client, token));
  await check('narrowing without scripts', () => narrowPlainly(house, client));
  await check('a blocked client cannot ask', () => block(house, page, client, token));
  await check('requests wait, are denied, come from devices', () => requests(house, page, client));
  await check('hostile names of clients', () => hostile(house, page));
  await client.close();
}
