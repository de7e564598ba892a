// Attacks on a signed-in owner from foreign pages and programs.
import assert from 'node:assert/strict';
import http from 'node:http';

import {checkPage, Client, give, kPassphrase, signIn} from './fixture.mjs';

const kNotes = 'notes/notes';

// A page of another server. The browser sends our cookie to other ports of localhost, because ports do not separate sites.
async function strangersPage(html) {
  const server = http.createServer((request, response) => response.setHeader('content-type', 'text/html').end(html));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    sameSite: `http://localhost:${server.address().port}/`,
    otherSite: `http://127.0.0.1:${server.address().port}/`,
    close: () => (server.closeAllConnections(), new Promise((resolve) => server.close(resolve))),
  };
}

async function connected(fixture, page, name) {
  const client = await Client.make(fixture, {client_name: name});
  await page.goto(client.askUrl());
  await give(page, kNotes, ['title']);
  await page.click('button[value=allow]');
  await page.waitForURL('**/consent?request=*');
  const answer = client.answer();
  await page.click('button:has-text("Continue")');
  const code = (await answer).get('code');
  return {client, code};
}

async function forgedForms(fixture, page) {
  const {client, code} = await connected(fixture, page, 'Victim');
  const {body: {access_token: token}} = await client.redeem(code);
  const stranger = await strangersPage(
      `<!doctype html><title>x</title><form method=post action="${fixture.base}/panic"><input name=csrf value=x></form>` +
      '<script>document.forms[0].submit()</script>');
  for (const address of [stranger.sameSite, stranger.otherSite]) {
    await page.goto(address);
    await page.waitForURL(`${fixture.base}/**`);
    assert.equal((await client.read(token, '/v1/streams/notes/records?limit=1')).status, 200, 'nothing was revoked');
  }
  assert.match(await page.textContent('body'), /form has expired|Sign in/);
  await stranger.close();
  await client.close();
}

async function frames(fixture, page) {
  const stranger =
      await strangersPage(`<!doctype html><title>x</title><iframe name=inner src="${fixture.base}/clients"></iframe>`);
  await page.goto(stranger.sameSite);
  const inner = page.frame('inner');
  assert.ok(!inner.url().startsWith(fixture.base), inner.url());
  page.faults.length = 0;  // the browser logs the refusal
  await stranger.close();
}

async function strangersScripts(fixture, page) {
  const stranger = await strangersPage('<!doctype html><title>x</title>');
  await page.goto(stranger.sameSite);
  for (const path of ['/clients', '/consent?request=x', '/v1/schema', '/passkeys']) {
    const got = await page.evaluate(
        (url) => fetch(url, {credentials: 'include'}).then((answer) => answer.text(), (error) => `refused: ${error.message}`),
        fixture.base + path);
    assert.match(got, /^refused/, path);
  }
  page.faults.length = 0;
  await stranger.close();
}

async function cookiesAndTokens(fixture, page) {
  const {client, code} = await connected(fixture, page, 'Doors');
  const {body: {access_token: token}} = await client.redeem(code);
  await page.goto(`${fixture.base}/clients`);
  const statuses = await page.evaluate(async () => {
    const found = [];
    for (const path of ['/v1/schema', '/v1/streams', '/v1/streams/notes/records']) found.push((await fetch(path)).status);
    found.push((await fetch('/mcp', {method: 'POST', headers: {'content-type': 'application/json'}, body: '{}'})).status);
    return found;
  });
  assert.deepEqual(statuses, [401, 401, 401, 401], 'a cookie gives no access to data');
  for (const path of ['/clients', '/panic', '/passkeys', '/device']) {
    const answer =
        await fetch(fixture.base + path, {redirect: 'manual', headers: {authorization: `Bearer ${token}`, accept: 'text/html'}});
    assert.equal(answer.status, 303, path);
    assert.match(answer.headers.get('location'), /^\/sign-in/);
  }
  await client.close();
}

// The address bar, the history and the referrer leak no secret to the client's page.
async function secretsStay(fixture, page) {
  const {client} = await connected(fixture, page, 'Referrer');
  assert.equal(await page.evaluate(() => document.referrer), '');
  assert.doesNotMatch(fixture.log(), /ldr_[acor]_|__Host-ladder=|token=|code=/, 'no secret in the log');
  await client.close();
}

async function codes(fixture, page) {
  const {client, code} = await connected(fixture, page, 'Codes');
  const other = await Client.make(fixture, {client_name: 'Other'});
  const error = async (answer) => (await answer).body.error;
  assert.equal(await error(client.redeem(code, {code_verifier: 'x'.repeat(43)})), 'invalid_grant', 'another verifier');
  assert.equal(await error(client.redeem(code, {code_verifier: ''})), 'invalid_grant', 'no verifier');
  assert.equal(await error(other.redeem(code, {code_verifier: client.verifier})), 'invalid_grant', 'another client');
  assert.equal(await error(client.redeem(code, {redirect_uri: other.redirect})), 'invalid_grant', 'another redirect');
  assert.equal(await error(client.redeem(code, {resource: 'https://other.example/mcp'})), 'invalid_target');
  const token = await client.redeem(code);
  assert.equal(token.status, 200, JSON.stringify(token.body));
  assert.equal(await error(client.redeem(code)), 'invalid_grant', 'twice');
  assert.equal((await client.read(token.body.access_token, '/v1/streams/notes/records?limit=1')).status, 401, 'and the first token is revoked');
  await client.close();
  await other.close();
}

async function wrongAddresses(fixture, page) {
  const client = await Client.make(fixture, {client_name: 'Straight'});
  const port = new URL(client.redirect).port;
  for (const redirect of [
         'https://evil.example/callback', `http://127.0.0.1:${port}/callback/../x`, `http://127.0.0.1:${port}@evil.example/callback`,
         `http://127.0.0.1:${port}/callback#x`, `http://127.0.0.1:${port}/callback?x=1`, `http://localhost:${port}/callback`,
         `http://127.0.0.1:${port}/Callback`, 'javascript:alert(1)', `//127.0.0.1:${port}/callback`, 'http://127.0.0.1%2eevil.example/callback',
       ]) {
    const answer = await page.goto(client.askUrl({redirect_uri: redirect}));
    assert.equal(answer.status(), 400, redirect);
    assert.ok(page.url().startsWith(`${fixture.base}/oauth/authorize`), redirect);
  }
  await checkPage(page, 'fault');
  for (const next of ['https://evil.example/', '//evil.example/', '/\\evil.example', '/clients\r\nX: y', 'javascript:alert(1)']) {
    await page.goto(`${fixture.base}/sign-in?next=${encodeURIComponent(next)}`);
    assert.equal(page.url(), `${fixture.base}/`, next);
  }
  for (const more of [{code_challenge: ''}, {code_challenge_method: 'plain'}, {code_challenge_method: ''}, {response_type: 'token'}]) {
    const answer = client.answer();
    await page.goto(client.askUrl(more));
    assert.match((await answer).get('error'), /invalid_request|unsupported_response_type/);
  }
  await client.close();
}

async function hostileNames(fixture, page) {
  const names = {
    script: '<script>alert(1)</script><img src=x onerror=alert(1)>"\'><svg onload=alert(1)>',
    bidi: 'Claude \u202egnp.exe\u202c \u2066hidden\u2069 \u200b\u{e0041}\u{e0042}',
    huge: 'Wide'.repeat(50),
    tall: 'Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f'.repeat(8),
  };
  for (const [kind, name] of Object.entries(names)) {
    const client = await Client.make(fixture, {client_name: name});
    const host = kind === 'huge' ? `https://${'claude.ai.'.repeat(12)}evil.example/${'x'.repeat(300)}` : `https://${kind}.example/back`;
    const stranger = await Client.make(fixture, {client_name: name, redirect_uris: [host]});
    await page.goto(client.askUrl());
    assert.equal(await page.locator('main script, main img, main svg[onload]').count(), 0, kind);
    if (kind === 'bidi') assert.match(await page.textContent('.origin'), /U\+202E/);
    await checkPage(page, `consent-${kind}`);
    await page.goto(stranger.askUrl({redirect_uri: host}));
    assert.match(await page.textContent('.origin'), /Not known/);
    assert.ok((await page.textContent('h1')).includes(new URL(host).host), 'the headline contains the complete address');
    await checkPage(page, `consent-${kind}-address`);
    await client.close();
    await stranger.close();
  }
  await page.goto(`${fixture.base}/clients`);
  await checkPage(page, 'clients-waiting');
}

async function anotherOwner(fixture, page) {
  fixture.ladder.run(['init', '--owner', 'mara']);
  const mara = await fixture.visitor();
  await mara.goto(fixture.link('mara'));
  await mara.fill('#p1', kPassphrase);
  await mara.fill('#p2', kPassphrase);
  await mara.click('text=Use a passphrase');
  await mara.waitForURL(`${fixture.base}/`);
  const client = await Client.make(fixture, {client_name: 'Not for Mara'});
  await page.goto(client.askUrl());
  const address = page.url();
  const answer = await mara.goto(address);
  assert.equal(answer.status(), 404, 'a request belongs to the owner who opened it');
  await checkPage(mara, 'request-of-another');
  const unknown = await fixture.visitor();
  await unknown.goto(`${fixture.base}/sign-in`);
  const said = [];
  for (const name of ['mara', 'nobody-of-that-name']) {
    await unknown.fill('#name', name);
    await unknown.fill('#pass', 'not the passphrase');
    await unknown.click('text=Sign in with the passphrase');
    said.push((await unknown.textContent('[role=alert]')).trim());
  }
  assert.equal(said[0], said[1], 'the error does not reveal which owners exist');
  await unknown.context().close();
  await mara.context().close();
  await client.close();
}

// Client documents are never fetched from internal addresses.
async function innerDocuments(fixture, page) {
  let called = 0;
  const inside = http.createServer((request, response) => (++called, response.end('{}')));
  await new Promise((resolve) => inside.listen(0, '127.0.0.1', resolve));
  const client = await Client.make(fixture, {client_name: 'Inner'});
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '169.254.169.254', '10.0.0.1', '0x7f.1']) {
    const answer =
        await page.goto(client.askUrl({client_id: `https://${host}:${inside.address().port}/client.json`}));
    assert.equal(answer.status(), 400, host);
    assert.match(await page.textContent('main'), /cannot be used|invalid/, host);
  }
  assert.equal(called, 0);
  await new Promise((resolve) => inside.close(resolve));
  await client.close();
}

// Passphrase guessing is throttled, and the response says when to retry.
async function guessing(fixture) {
  const page = await fixture.visitor();
  await page.goto(`${fixture.base}/sign-in`);
  let status = 0;
  for (let i = 0; i < 10 && status !== 429; ++i) {
    await page.fill('#name', 'guessed');
    await page.fill('#pass', `guess number ${i}`);
    const [answer] = await Promise.all([page.waitForNavigation(), page.click('text=Sign in with the passphrase')]);
    status = answer.status();
    if (status === 429) assert.ok(Number(answer.headers()['retry-after']) >= 1);
  }
  assert.equal(status, 429);
  await checkPage(page, 'sign-in-later');
  await page.context().close();
}

export async function attacks(fixture, check) {
  const page = await fixture.visitor();
  await check('the owner signs in before the attacks', () => signIn(page, fixture));
  await check('foreign forms do nothing', () => forgedForms(fixture, page));
  await check('foreign pages cannot frame ours', () => frames(fixture, page));
  await check('foreign scripts read nothing', () => strangersScripts(fixture, page));
  await check('cookies open only pages, tokens only data', () => cookiesAndTokens(fixture, page));
  await check('no secret in referrers and logs', () => secretsStay(fixture, page));
  await check('a code is bound and works once', () => codes(fixture, page));
  await check('redirects never leave this server', () => wrongAddresses(fixture, page));
  await check('misleading names and addresses', () => hostileNames(fixture, page));
  await check('requests and names of another owner', () => anotherOwner(fixture, page));
  await check('documents at internal addresses are not fetched', () => innerDocuments(fixture, page));
  await check('guessing is throttled', () => guessing(fixture));
  await page.context().close();
}
