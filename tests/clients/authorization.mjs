// Third-party clients connect by the address alone, with Chromium acting for the owner: the conformance suite's
// authorization server checks, and the official clients, from the 401 to a read.
//   node authorization.mjs LADDER
import {Client as Client2, StreamableHTTPClientTransport as Http2} from '@modelcontextprotocol/client';
import {Client as Client1} from '@modelcontextprotocol/sdk/client/index.js';
import {StreamableHTTPClientTransport as Http1} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import http from 'node:http';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {change, Client, consent, kindOf, signInByLink, startFixture} from '../browser/fixture.mjs';
import {CheckCounter} from '../hosts/fixture/check_counter.mjs';

import {node22} from './node22.mjs';

const kSuite = join(dirname(fileURLToPath(import.meta.url)), 'node_modules', '.bin', 'conformance');
const kTimeoutMs = 120_000;

// Returns a free port, for programs that take theirs on the command line.
async function freePort() {
  const server = http.createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const {port} = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

// Runs every authorization server scenario of the suite; the owner answers as soon as it prints the page's address.
async function suite(fixture, page) {
  const port = await freePort();
  const client = await Client.make(fixture, {client_name: 'Conformance', redirect_uris: [`http://127.0.0.1:${port}/callback`]});
  const out = join(fixture.folder, 'authorization');
  const words = ['authorization', '--url', fixture.base, '--client-id', client.id, '--resource', `${fixture.base}/mcp`, '-p', `${port}`, '-o', out];
  const child = spawn(node22(), [kSuite, ...words], {stdio: ['ignore', 'pipe', 'pipe']});
  let said = '', opened = null;
  const listen = (part) => {
    said += part;
    const found = /https?:\/\/\S*\/oauth\/authorize\?\S+/.exec(said);
    if (found && !opened) opened = consent(page, found[0]);
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', listen);
  const timer = setTimeout(() => child.kill('SIGKILL'), kTimeoutMs);
  await new Promise((resolve) => child.on('close', resolve));
  clearTimeout(timer);
  await opened;
  await client.close();
  if (!existsSync(out)) throw new Error(`the suite did not run: ${said.slice(-2000)}`);
  const checks = [];
  for (const run of readdirSync(out)) {
    const file = join(out, run, 'checks.json');
    if (existsSync(file)) checks.push(...JSON.parse(readFileSync(file, 'utf8')).map((check) => ({run, ...check})));
  }
  return {checks, said};
}

// The host part that the SDKs require: storage, and opening a page.
class Host {
  constructor(name, port) {
    this.name = name;
    this.redirectUrl = `http://127.0.0.1:${port}/callback`;
  }
  get clientMetadata() {
    return {
      client_name: this.name,
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    };
  }
  state = () => 'a-state';
  clientInformation = () => this.information;
  saveClientInformation = (information) => (this.information = information);
  tokens = () => this.kept;
  saveTokens = (tokens) => (this.kept = tokens);
  redirectToAuthorization = (url) => (this.page = url);
  saveCodeVerifier = (verifier) => (this.verifier = verifier);
  codeVerifier = () => this.verifier;
}

// Connects from the pasted address, with `allow` as the owner on the consent page, and passes the connected client to `use`.
async function connected(fixture, {name, makeClient, Http, allow}, use) {
  const host = new Host(name, await freePort());
  const came = new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no redirect arrived')), kTimeoutMs);
    host.server = http.createServer((request, response) => {
      response.end('back');
      const answer = new URL(request.url, host.redirectUrl);
      if (answer.pathname === '/callback') (clearTimeout(timer), resolve(answer.searchParams));
    });
  });
  came.catch(() => {});
  await new Promise((resolve) => host.server.listen(Number(new URL(host.redirectUrl).port), '127.0.0.1', resolve));
  const address = new URL(`${fixture.base}/mcp`);
  const first = new Http(address, {authProvider: host});
  await assert.rejects(makeClient().connect(first), (error) => /Unauthorized/.test(error.constructor.name + error.message));
  assert.ok(host.page, 'the owner must open a page');
  await allow(String(host.page));
  const answer = await came;
  assert.equal(answer.get('state'), 'a-state');
  await first.finishAuth(first.finishAuth.length > 1 || Http === Http2 ? answer : answer.get('code'));
  assert.ok(host.kept?.access_token);
  const client = makeClient();
  await client.connect(new Http(address, {authProvider: host}));
  await use(client);
  await client.close();
  host.server.closeAllConnections();
  await new Promise((resolve) => host.server.close(resolve));
}

const connects = (fixture, page, name, makeClient, Http) =>
    connected(fixture, {name, makeClient, Http, allow: (url) => consent(page, url)}, async (client) => {
      const {content, isError} = await client.callTool({name: 'query_records', arguments: {stream: 'notes', limit: 2}});
      assert.ok(!isError, content[0].text);
      assert.match(content[0].text, /title/);
      const refused = await client.callTool({name: 'query_records', arguments: {stream: 'attachments'}});
      assert.equal(refused.isError, true, 'ungranted data stays closed');
    });

// The owner's three clicks: one choice on the consent page, Allow, Continue. Nothing else on the page is touched.
async function allowOne(page, url, choose) {
  await page.goto(url);
  assert.equal(await page.getAttribute('button[value=allow]', 'aria-disabled'), 'true', 'nothing is shared before a choice');
  await change(page, () => choose(page));
  await page.click('button[value=allow]');
  await page.waitForURL('**/consent?request=*');
  await page.click('button:has-text("Continue")');
}

// Answers a question as an agent does that sees only text: it searches, follows the call that the best hit names, and reads.
async function answers(client) {
  const ask = async (name, args) => {
    const {content, isError} = await client.callTool({name, arguments: args});
    const text = content.map((part) => part.text).join('\n');
    assert.ok(!isError, `${name} ${JSON.stringify(args)}: ${text}`);
    return text;
  };
  const hits = await ask('search', {query: 'hotel reservation number'});
  const hit = hits.split('\n').find((line) => /Hotel Miramar/.test(line));
  assert.ok(hit, `no hit is the mail of the hotel: ${hits}`);
  const next = /(\w+) args=(\{[^{}]*\})/.exec(hit);  // the first call; others lead to records around it
  assert.ok(next, `the hit names no next call: ${hit}`);
  assert.equal(next[1], 'read_record_field', 'the words are in the text of the mail');
  const text = await ask(next[1], JSON.parse(next[2]));
  assert.match(text, /Your reservation number is HM-20714\./, 'the body of the mail arrives, not only its id');
  assert.match(text, /Thursday 14 May to Sunday 17 May 2026/);
  const mail = JSON.parse(next[2]).id;
  assert.match(await ask('fetch', {id: mail}), /"subject"|Booking confirmation/);
  for (const stream of ['attachments', 'notes']) {
    const refused = await client.callTool({name: 'query_records', arguments: {stream}});
    assert.equal(refused.isError, true, `${stream} was not chosen`);
  }
}

const info = {
  name: 'ladder-tests',
  version: '1'
};
const tally = new CheckCounter();
const fixture = await startFixture(process.argv[2]);
try {
  const page = await fixture.visitor();
  await signInByLink(page, fixture);
  await tally.check('authorization, the conformance suite', async () => {
    const {checks, said} = await suite(fixture, page);
    const bad = checks.filter(({status}) => status === 'FAILURE' || status === 'WARNING');
    assert.deepEqual(bad.map(({run, id, errorMessage}) => `${run} ${id}: ${errorMessage}`), [], said.slice(-1500));
    const passed = checks.filter(({status}) => status === 'SUCCESS');
    for (const scenario of ['authorization-server-metadata-endpoint', 'authorization-code-grant'])
      assert.ok(passed.some(({run}) => run.includes(scenario)), `${scenario} did not run: ${said.slice(-1500)}`);
    tally.passed += passed.length - 1;
    console.log(`[ ok ] authorization, the conformance suite: ${passed.length} checks pass`);
  });
  await tally.check('authorization, sdk 1.x', () => connects(fixture, page, 'sdk 1.x', () => new Client1(info), Http1));
  for (const mode of ['legacy', 'auto'])
    await tally.check(`authorization, client 2.x, ${mode}`, () => connects(fixture, page, `client 2.x, ${mode}`, () => new Client2(info, {versionNegotiation: {mode}}), Http2));
  const kMail = 'mail/messages';
  const choices = {
    'the level of one kind': (on) => kindOf(on, kMail).locator('.level', {hasText: 'Headers and text'}).locator('input').check(),
    'the preset of one kind': (on) => on.locator('.preset', {hasText: 'Only Mail'}).click(),
  };
  const clients = {
    'sdk 1.x': [() => new Client1(info), Http1],
    'client 2.x': [() => new Client2(info, {versionNegotiation: {mode: 'auto'}}), Http2]
  };
  for (const [choice, choose] of Object.entries(choices))
    for (const [name, [makeClient, Http]] of Object.entries(clients))
      await tally.check(`authorization, ${choice} and Allow, ${name}: the agent answers`, () =>
          connected(fixture, {name: `${name}, ${choice}`, makeClient, Http, allow: (url) => allowOne(page, url, choose)}, answers));
} finally {
  await fixture.close();
}
tally.end();
process.exit();  // a failed check may have left handles open
