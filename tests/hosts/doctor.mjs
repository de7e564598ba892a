// `ladder doctor --public-url` behind proxies that each break one thing: it reports the fault, the remedy, and the
// hosts that fail. Then the public address itself: how it is written, and what it answers.
//   node doctor.mjs LADDER
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import http from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

import {startSpoiling, without} from '../clients/proxy.mjs';

import {Ladder} from './fixture/ladder.mjs';
import {CheckCounter} from './fixture/check_counter.mjs';

const folder = mkdtempSync(join(tmpdir(), 'ladder-doctor-'));
const ladder = new Ladder(process.argv[2], join(folder, 'ladder.db'), folder);
ladder.run(['init']);

// Returns the findings about the address and the hosts. The proxy runs in this process, so the command must run
// asynchronously.
async function examine(url) {
  const {stdout} = await new Promise((resolve, reject) => execFile(
      ladder.program, ['doctor', '--public-url', url, '--json'], {env: ladder.env},
      (error, stdout, stderr) => (error && error.code !== 1 ? reject(new Error(stderr)) : resolve({stdout}))));
  const found = JSON.parse(stdout).findings.filter(({check}) => check === 'reach' || check === 'host');
  const passing = found.filter(({check, text}) => check === 'host' && text.startsWith('pass')).map(({thing}) => thing);
  return {passing, wrong: found.filter(({check, health}) => check === 'reach' && health !== 'ok')};
}

// Starts a server behind the proxy, with the proxy's address unless another is given, and checks it.
async function behind(spoil, look, publicUrl) {
  let server;
  const proxy = await startSpoiling(() => server?.url ?? 'http://127.0.0.1:9', spoil);
  server = await ladder.serve(['--public-url', publicUrl ?? proxy.url]);
  try {
    await look(await examine(proxy.url), proxy.url);
  } finally {
    await server.stop();
    await proxy.close();
  }
}

// Expects one fault with these words and this remedy, and the hosts that still pass.
const kNear = ['Claude Code', 'Cursor', 'VS Code', 'Codex', 'Gemini CLI', 'opencode', 'MCP Inspector'];
function tells({passing, wrong}, text, remedy, hosts = []) {
  const said = JSON.stringify(wrong, null, 1);
  assert.ok(wrong.some((one) => text.test(one.text) && remedy.test(one.remedy)), said);
  assert.deepEqual(passing, hosts, said);
}

const tally = new CheckCounter();
await tally.check('a proxy that changes nothing', () => behind({}, ({passing, wrong}) => {
  assert.deepEqual(wrong, []);
  assert.deepEqual(passing, kNear);
}));
await tally.check('the address of MCP itself may be given', () => behind({}, async (_, url) => assert.deepEqual((await examine(`${url}/mcp`)).wrong, [])));
await tally.check('no Authorization', () => behind({request: (headers) => without(headers, 'authorization')},
    (found) => tells(found, /removes the Authorization header/, /forward Authorization/)));
await tally.check('no WWW-Authenticate', () => behind({answer: (headers) => without(headers, 'www-authenticate')},
    (found) => tells(found, /without WWW-Authenticate/, /forward WWW-Authenticate/)));
await tally.check('another Host', () => behind({request: (headers) => without(headers, 'host', 'Host', 'inner.example')},
    (found) => tells(found, /responds 421/, /forward the Host header/)));
await tally.check('a Host of loopback', () => behind({request: (headers) => without(headers, 'host', 'Host', '127.0.0.1:7663')},
    ({passing, wrong}) => assert.deepEqual([passing, wrong], [kNear, []])));
await tally.check('another public address', () => behind({request: (headers) => without(headers, 'host', 'Host', 'localhost')},
    (found) => tells(found, /names "https:\/\/other\.example\/mcp"/, /start `ladder serve --public-url http:/), 'https://other.example'));
await tally.check('the proxy keeps /.well-known/ for itself', () => behind({
  request: (headers, {url}) => (url.startsWith('/.well-known/') ? {status: 404, headers: {server: 'nginx'}, body: '<h1>Not Found</h1>'} : headers)
}, (found) => tells(found, /responds 404 \(its server calls itself nginx\), which is not Ladder/, /forward every path/)));
await tally.check('a redirect', () => behind({
  request: (headers, {url}) => ({status: 308, headers: {location: `https://data.example${url}`}})
}, (found) => tells(found, /redirects to https:\/\/data\.example\/\S+ with 308/, /https address/)));
await tally.check('a rule against bots', () => behind({
  request: (headers, asked) => (/httpx|Claude/.test(asked.headers['user-agent'] ?? '') ? {status: 403} : headers)
}, (found) => tells(found, /blocks claude\.ai, which sends the name "Claude-User": it responds 403/, /rules against bots/, kNear)));
await tally.check('a sign-in page before it', () => behind({request: () => ({status: 401, headers: {'www-authenticate': 'Basic'}})},
    (found) => tells(found, /something in front of the server blocks requests/, /sign-in pages/)));
await tally.check('CORS headers', () => behind({answer: (headers) => without(headers, 'access-control-allow-origin')},
    (found) => tells(found, /Access-Control-Allow-Origin/, /not to change the CORS headers/, kNear.slice(0, -1))));
await tally.check('no server behind the proxy', () => behind({request: () => ({status: 502, headers: {server: 'Caddy'}})},
    (found) => tells(found, /responds 502 \(its server calls itself Caddy\): the proxy is running/, /start `ladder serve`/)));
await tally.check('no server at all', async () => tells(await examine('http://127.0.0.1:9'), /127\.0\.0\.1:9/, /proxy or tunnel is running/));
await tally.check('no such name', async () => tells(await examine('https://nowhere.invalid'), /nowhere\.invalid/, /the name resolves to this machine/));

// Sends a request as a proxy does that replaces the Host header by the server's own address, nginx's default.
function sent(server, path, headers, method = 'GET') {
  const {hostname, port} = new URL(server.url);
  return new Promise((resolve, reject) => {
    const request = http.request({hostname, port, path, method, headers: {host: `127.0.0.1:${port}`, ...headers}}, async (answer) => {
      let body = '';
      for await (const part of answer.setEncoding('utf8')) body += part;
      resolve({status: answer.statusCode, type: answer.headers['content-type'], body});
    });
    request.on('error', reject).end();
  });
}
await tally.check('forms of the public address arrive under another Host, and those of others do not', async () => {
  const server = await ladder.serve(['--public-url', 'https://data.example']);
  try {
    const own = await sent(server, '/sign-in', {origin: 'https://data.example'}, 'POST');
    assert.match(own.type, /text\/html/, own.body);
    const other = await sent(server, '/sign-in', {origin: 'https://evil.example'}, 'POST');
    assert.equal(other.status, 403);
    assert.match(other.body, /pages of that Origin may not call this server/);
  } finally {
    await server.stop();
  }
});
await tally.check('the public address is written as browsers write it', async () => {
  const server = await ladder.serve(['--public-url', 'HTTPS://Data.Example:443/']);
  try {
    assert.equal(JSON.parse((await sent(server, '/.well-known/oauth-protected-resource/mcp', {})).body).resource, 'https://data.example/mcp');
  } finally {
    await server.stop();
  }
});
for (const wrong of ['data.example', 'https://data.example/mcp', 'https://data.example/a', 'ftp://data.example', 'https://me@data.example']) {
  await tally.check(`--public-url ${wrong} is refused`, () => assert.rejects(
      ladder.serve(['--public-url', wrong]), /cannot be the public address: use only scheme and name, such as https:\/\/data\.example/));
}
rmSync(folder, {recursive: true, force: true});
tally.end();
