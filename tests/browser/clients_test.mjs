// The owner manages a connected client: daily limit, extend, reduce, block, unblock. The client's token follows each change, and the
// pages match `ladder grant`.
import assert from 'node:assert/strict';

import {checkPage, Client, give, signInByLink} from './fixture.mjs';

const kNotes = 'notes/notes';
const notesOf = (client, token, more = '') => client.read(token, `/v1/streams/notes/records?limit=3${more}`);

async function heading(page) {
  return (await page.textContent('h1')).trim();
}

// Changes a choice in the form and waits for the new preview.
async function change(page, path, action) {
  const answered = page.waitForResponse((answer) => answer.request().method() === 'POST' && answer.url().endsWith(path));
  await action();
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

const grantsOf = (fixture, client) =>
    fixture.ladder.run(['grant', 'list']).grants.filter((one) => one.client_id === client.id && one.status === 'active');

async function budget(fixture, page, client) {
  let token;
  await connect(page, client, async () => {
    await change(page, '/consent', () => page.check('input[name=b][value=own]'));
    await change(page, '/consent', async () => {
      await page.fill('#bn', 'many');
      await page.locator('#bn').blur();
    });
    assert.match(await page.textContent('#decide .why'), /must be a whole number/);
    await change(page, '/consent', async () => {
      await page.fill('#bn', '9,000');
      await page.locator('#bn').blur();
    });
    assert.match(await page.textContent('#decide'), /at most 9,000 characters a day and 900,000 bytes of images and other non-text files/);
    await checkPage(page, 'consent-budget');
  }).then((made) => (token = made));
  let refused;
  for (let reads = 0; reads < 40 && !refused; ++reads) {
    const answer = await notesOf(client, token);
    if (answer.status !== 200) refused = answer;
  }
  assert.equal(refused?.status, 429, JSON.stringify(refused?.body).slice(0, 300));
  assert.match(JSON.stringify(refused.body), /9000 characters a day/);
  await page.goto(`${fixture.base}/client?id=${client.id}`);
  assert.match(await page.textContent('section[aria-labelledby=today]'), /of 9,000/);
  assert.match(await page.textContent('section[aria-labelledby=lately]'), /records? of notes/);
  assert.match(await page.textContent('section[aria-labelledby=seen]'), /of \d[\d,]* records/);
  await checkPage(page, 'client');
  await page.selectOption('#b', 'none');
  await page.click('button[value=budget]');
  await page.waitForFunction(() => !document.querySelector('section[aria-labelledby=today]').textContent.includes('of 9,000'));
  assert.equal((await notesOf(client, token)).status, 200, 'reads succeed again without a limit');
  return token;
}

async function extend(fixture, page, client, token) {
  const [before] = grantsOf(fixture, client);
  await page.goto(`${fixture.base}/client?id=${client.id}`);
  await page.click('button[value=extend-30d]');
  await page.waitForLoadState();
  const [after] = grantsOf(fixture, client);
  assert.notEqual(after.grant_id, before.grant_id);
  const days = (new Date(after.expires_at) - new Date(before.expires_at)) / 86_400_000;
  assert.equal(Math.round(days), 30);
  assert.equal((await notesOf(client, token)).status, 200, 'its token stays valid');
  const end = new Date(after.expires_at);
  await page.goto(`${fixture.base}/clients`);
  const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
  const row = page.locator('.client-row', {hasText: client.name});
  assert.ok((await row.textContent()).includes(`${end.getUTCDate()} ${months[end.getUTCMonth()]} ${end.getUTCFullYear()}`));
  await checkPage(page, 'clients-connected');
}

async function narrow(fixture, page, client, token) {
  assert.equal((await notesOf(client, token, '&fields=text')).status, 200);
  await page.goto(`${fixture.base}/client/narrow?id=${client.id}`);
  assert.match(await heading(page), /Reduce what/);
  assert.equal(await page.locator('fieldset.kind').count(), 1, 'only existing access can be kept');
  assert.equal(await page.getAttribute('button[value=narrow]', 'aria-disabled'), 'true');
  assert.match(await page.textContent('#decide .why'), /Nothing to save/);
  await page.click('details.choose > summary');
  await change(page, '/client/narrow', () => page.uncheck(`input[name=f][value="${kNotes}\ttext"]`));
  assert.match(await page.textContent('#diff'), /titles only/);
  assert.match(await page.textContent('#preview'), /Text: not shared|Text/);
  await checkPage(page, 'narrow');
  await page.click('button[value=narrow]');
  await page.waitForURL('**/client?id=*');
  const left = await notesOf(client, token);
  assert.equal(left.status, 200, 'its token stays valid');
  for (const {data} of left.body.data) assert.equal(data.text, undefined);
  const refused = await notesOf(client, token, '&fields=text');
  assert.equal(refused.status, 403, JSON.stringify(refused.body));
  assert.deepEqual(refused.body.error.authorization_details[0].streams, [{name: 'notes', fields: ['text']}], 'the error names the missing access');
  // A hand-made form cannot grant more.
  const wide = await page.request.post(`${fixture.base}/client/narrow`, {
    headers: {origin: fixture.base},
    form: {csrf: await page.getAttribute('input[name=csrf]', 'value'), id: client.id, [`l ${kNotes}`]: 'custom', f: `${kNotes}\ttext`, do: 'narrow', d: 'end', b: 'none', t: 'all'}
  });
  assert.notEqual(wide.status(), 500);
  assert.equal((await notesOf(client, token, '&fields=text')).status, 403);
}

// The page works without JavaScript.
async function narrowPlainly(fixture, client) {
  const page = await fixture.visitor({javaScriptEnabled: false});
  await page.goto(fixture.link());
  await page.fill('#p1', 'four words nobody guesses');
  await page.fill('#p2', 'four words nobody guesses');
  await page.click('text=Use a passphrase');
  await page.goto(`${fixture.base}/client/narrow?id=${client.id}`);
  await page.check('input[name=d][value="1d"]');
  await page.click('.preview button[value=preview]');
  assert.match(await page.textContent('#diff'), /until/);
  await page.click('button[value=narrow]');
  assert.match(page.url(), /\/client\?id=/);
  const [grant] = grantsOf(fixture, client);
  assert.ok(new Date(grant.expires_at) - Date.now() < 90_000_000);
  await page.context().close();
}

async function block(fixture, page, client, token) {
  await page.goto(`${fixture.base}/client?id=${client.id}`);
  await page.click('button[value=block]');
  await page.waitForFunction(() => document.querySelector('main').textContent.includes('You blocked this app'));
  await checkPage(page, 'client-blocked');
  assert.ok([401, 403].includes((await notesOf(client, token)).status));
  let answer = client.answer();
  await page.goto(client.askUrl());
  assert.equal((await answer).get('error'), 'access_denied', 'the owner is not asked');
  await page.goto(`${fixture.base}/clients`);
  assert.match(await page.textContent('section[aria-labelledby=blocked]'), new RegExp(client.name));
  assert.match(await page.textContent('section[aria-labelledby=past]'), /by you/);
  await checkPage(page, 'clients-blocked');
  await page.click('section[aria-labelledby=blocked] button[value=unblock]');
  await page.waitForFunction(() => !document.querySelector('section[aria-labelledby=blocked]'));
  await page.goto(client.askUrl());
  assert.match(await heading(page), /wants to connect/);
}

async function requests(fixture, page, client) {
  await page.goto(`${fixture.base}/requests`);
  const row = page.locator('.list li', {hasText: client.name});
  assert.ok(await row.count() > 0);
  assert.ok(Number((await page.textContent('.nav .count')).replace(/\D.*/, '')) > 0, 'the menu shows the count');
  await checkPage(page, 'requests');
  await row.first().locator('button:has-text("Deny")').click();
  await page.waitForFunction(() => document.querySelector('section[aria-labelledby=done]')?.textContent.includes('Denied'));
  await checkPage(page, 'requests-answered');
  const begun = await client.post('/oauth/device_authorization', new URLSearchParams({client_id: client.id}));
  await page.fill('#c', begun.body.user_code);
  await page.click('text=Find request');
  await page.waitForURL('**/consent?request=*');
  await page.goto(`${fixture.base}/requests`);
  assert.match(await page.textContent('.list'), new RegExp(begun.body.user_code));
}

// A malicious client name on all client pages.
async function hostile(fixture, page) {
  const client = await Client.make(fixture, {client_name: `<img src=x onerror=alert(1)> \u202eevil ${'Wide'.repeat(40)}`});
  const token = await connect(page, client);
  assert.equal((await notesOf(client, token)).status, 200);
  for (const [name, path] of Object.entries({clients: '/clients', client: `/client?id=${client.id}`, narrow: `/client/narrow?id=${client.id}`, panic: '/panic'})) {
    await page.goto(fixture.base + path);
    assert.equal(await page.locator('main img').count(), 0, name);
    await checkPage(page, `${name}-hostile`);
  }
  await page.goto(`${fixture.base}/clients`);
  const row = page.locator('.client-row', {hasText: 'Wide'});
  await row.locator('button[value=end]').click();
  await page.waitForLoadState();
  assert.ok([401, 403].includes((await notesOf(client, token)).status));
  assert.equal((await page.goto(`${fixture.base}/client?id=nobody`)).status(), 404);
  assert.equal((await page.goto(`${fixture.base}/client/narrow?id=nobody`)).status(), 404);
  await client.close();
}

export async function clients(fixture, check) {
  const page = await fixture.visitor();
  await signInByLink(page, fixture);
  const client = await Client.make(fixture, {client_name: 'Notebook'});
  let token;
  await check('a daily limit is set, used up, enforced and lifted', async () => (token = await budget(fixture, page, client)));
  await check('extended access keeps the token', () => extend(fixture, page, client, token));
  await check('reduced access keeps the token', () => narrow(fixture, page, client, token));
  await check('access is reduced without scripts', () => narrowPlainly(fixture, client));
  await check('a blocked client cannot send requests', () => block(fixture, page, client, token));
  await check('requests are listed, denied and found by code', () => requests(fixture, page, client));
  await check('malicious client names', () => hostile(fixture, page));
  await client.close();
}
