// The test fixture: a fictional person's store, the server, Chromium, and clients that connect to it.
import {createHash, randomBytes} from 'node:crypto';
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import http from 'node:http';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {chromium} from 'playwright-core';

import {Ladder} from '../hosts/fixture/ladder.mjs';

const kHere = dirname(fileURLToPath(import.meta.url));
const kLife = join(kHere, '..', '..', 'demo', 'life');
const kAxe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const kPassphrase = 'four words nobody guesses';
const kPatienceMs = 60_000;  // for a machine that has other work to do

// `newStore` returns the location of a new store. Without it, stores are files in the fixture's folder. `life` imports the fictional
// person's mail, chats and notes first.
export async function startFixture(program, {engine = 'sqlite', newStore, life = true} = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'ladder-browser-'));
  const place = (name) => newStore ? newStore() : join(folder, `${name}.db`);
  const ladder = new Ladder(program, place('ladder'), folder);
  ladder.run(['init']);
  for (const name of life ? ['mail.mbox', 'chats', 'notes'] : []) ladder.run(['import', join(kLife, name)]);
  const server = await ladder.serve();
  const base = `http://localhost:${new URL(server.url).port}`;
  const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
  if (!executablePath) throw new Error('Chromium not found: apt-get install chromium');
  const browser = await chromium.launch({executablePath, args: ['--no-sandbox'], timeout: kPatienceMs});
  checksPages = engine === 'sqlite';
  return {
    ladder,
    base,
    folder,
    engine,
    place,
    log: server.log,
    // A separate browser context with its own cookies and passkeys.
    async visitor(options = {}) {
      const context = await browser.newContext(options);
      context.setDefaultTimeout(kPatienceMs);
      const page = await context.newPage();
      page.faults = [];
      page.on('pageerror', (error) => page.faults.push(`script: ${error.message}`));
      page.on('console', (message) => {
        // Expected 401 and 403 responses are logged there, too.
        if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) page.faults.push(message.text());
      });
      page.on('dialog', (dialog) => (page.faults.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
      return page;
    },
    link: (owner = 'local') => ladder.run(['owner', 'link', '--public-url', base, '--owner', owner]).url,
    async close() {
      await browser.close();
      await server.stop();
      rmSync(folder, {recursive: true, force: true});
    },
  };
}

// A registered client with a local redirect URI, like a host.
export class Client {
  constructor(fixture, name) {
    this.fixture = fixture;
    this.name = name;
    this.verifier = randomBytes(32).toString('base64url');
    this.answers = [];
    this.waiting = [];
  }

  static async make(fixture, registration = {}) {
    const client = new Client(fixture, registration.client_name);
    client.server = http.createServer((request, response) => {
      const answer = new URL(request.url, client.redirect);
      if (answer.pathname === '/callback') {
        if (client.waiting.length > 0) client.waiting.shift()(answer.searchParams);
        else client.answers.push(answer.searchParams);
      }
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Back</title><h1>Back at the client</h1>');
    });
    await new Promise((resolve) => client.server.listen(0, '127.0.0.1', resolve));
    client.redirect = `http://127.0.0.1:${client.server.address().port}/callback`;
    const answer = await client.post('/oauth/register', JSON.stringify({redirect_uris: ['http://127.0.0.1/callback'], ...registration}), {
      'content-type': 'application/json'
    });
    client.id = answer.body.client_id;
    return client;
  }

  async post(path, body, headers = {}) {
    const answer = await fetch(this.fixture.base + path, {method: 'POST', body, headers});
    return {status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text())};
  }

  askUrl(more = {}) {
    const challenge = createHash('sha256').update(this.verifier).digest('base64url');
    return `${this.fixture.base}/oauth/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id: this.id,
      redirect_uri: this.redirect,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state: 'xyz',
      resource: `${this.fixture.base}/mcp`,
      ...more,
    })}`;
  }

  // Waits for the next redirect to the client.
  answer() {
    const coming = new Promise((resolve, reject) => {
      if (this.answers.length > 0) return resolve(this.answers.shift());
      const timer = setTimeout(() => reject(new Error('no redirect to the client')), kPatienceMs);
      this.waiting.push((parameters) => (clearTimeout(timer), resolve(parameters)));
    });
    coming.catch(() => {});  // the error is reported by the promise itself
    return coming;
  }

  token(fields) {
    return this.post('/oauth/token', new URLSearchParams({client_id: this.id, ...fields}));
  }
  redeem(code, more = {}) {
    return this.token(
        {grant_type: 'authorization_code', code, redirect_uri: this.redirect, code_verifier: this.verifier, ...more});
  }

  async read(token, path) {
    const answer = await fetch(this.fixture.base + path, {headers: {authorization: `Bearer ${token}`}});
    return {status: answer.status, body: JSON.parse(await answer.text())};
  }
  async call(token, name, args) {
    const answer = await fetch(`${this.fixture.base}/mcp`, {
      method: 'POST',
      headers: {authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream'},
      body: JSON.stringify({jsonrpc: '2.0', id: 1, method: 'tools/call', params: {name, arguments: args}}),
    });
    const text = await answer.text();
    return {status: answer.status, text};
  }

  close() {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }
}

// Checks the page in light and dark, wide and narrow: no axe violations, no horizontal overflow, no console errors. LADDER_SHOTS names a
// folder for screenshots.
const kWidths = [1280, 320];
let checksPages = true;  // false: check only for script errors
export async function checkPage(page, name) {
  const faults = [];
  if (!checksPages) {
    faults.push(...page.faults.splice(0));
    if (faults.length > 0) throw new Error(`${name}: ${faults.join('\n')}`);
    return;
  }
  const before = page.viewportSize();
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({colorScheme, reducedMotion: 'reduce'});
    for (const width of kWidths) {
      const where = `${name}, ${colorScheme}, ${width}`;
      await page.setViewportSize({width, height: 900});
      const out = await page.evaluate(() => {
        const room = document.documentElement.clientWidth;
        if (document.documentElement.scrollWidth <= room) return '';
        const wide = [...document.querySelectorAll('body *')].find((one) => one.getBoundingClientRect().right > room + 1);
        return wide ? `${wide.tagName}.${wide.className}` : 'the page';
      });
      if (out) faults.push(`${where}: ${out} overflows`);
      // Colors depend on the scheme and positions on the width, so two of the four combinations cover both.
      const axeRuns = (colorScheme === 'light') === (width === kWidths[0]) || process.env.LADDER_SHOTS;
      if (axeRuns) await page.evaluate(kAxe);
      const {violations} = axeRuns ?
          await page.evaluate(() => globalThis.axe.run(document, {resultTypes: ['violations']})) : {violations: []};
      for (const {id, nodes} of violations) faults.push(`${where}: ${id}: ${nodes.map((node) => node.target).join(' | ').slice(0, 300)}`);
      if (process.env.LADDER_SHOTS) {
        mkdirSync(process.env.LADDER_SHOTS, {recursive: true});
        await page.screenshot({path: join(process.env.LADDER_SHOTS, `${name}-${colorScheme}-${width}.png`), fullPage: true});
      }
    }
  }
  await page.emulateMedia({colorScheme: 'light', reducedMotion: 'reduce'});
  if (before) await page.setViewportSize(before);
  faults.push(...page.faults.splice(0));
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

// A virtual authenticator that confirms automatically.
export async function addAuthenticator(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true
    }
  });
}

export async function signIn(page, fixture, name = 'local') {
  await page.goto(`${fixture.base}/sign-in`);
  await page.fill('#name', name);
  await page.fill('#pass', kPassphrase);
  await page.click('text=Sign in with the passphrase');
  await page.waitForURL(`${fixture.base}/`);
}

// Changes a choice and waits for the new preview.
export async function change(page, action) {
  const before = await page.inputValue('input[name=shown]');
  const answered = page.waitForResponse((answer) => answer.request().method() === 'POST' && answer.url().endsWith('/consent'));
  await action();
  await answered;
  await page.waitForFunction((old) => document.querySelector('input[name=shown]').value !== old, before);
}

export const kindOf = (page, stream) => page.locator('fieldset.kind', {has: page.locator(`input[name="l ${stream}"]`)});

// Shows a kind of data that the request does not name.
async function unfold(kind) {
  const fold = kind.locator('xpath=ancestor::details[1]');
  if (await fold.count() > 0 && (await fold.getAttribute('open')) === null) await fold.locator('summary').first().click();
}

// Selects a level of a kind of data by its name.
export async function chooseLevel(page, stream, level) {
  const kind = kindOf(page, stream);
  await unfold(kind);
  await change(page, () => kind.locator('.level', {hasText: level}).locator('input').check());
}

// Selects exactly the given fields of a stream.
export async function give(page, stream, fields) {
  const kind = kindOf(page, stream);
  await unfold(kind);
  if (await kind.locator('.l0 input').isChecked()) await change(page, () => kind.locator('.l1 input').check());
  await kind.locator('details.choose > summary').click();
  const wanted = new Set(fields.map((field) => `${stream}\t${field}`));
  for (const value of await kind.locator('input[name=f]').evaluateAll((all) => all.map((one) => one.value))) {
    const box = kind.locator(`input[name=f][value="${value}"]`);
    if (await box.isChecked() === wanted.has(value)) continue;
    const fold = box.locator('xpath=ancestor::details[1]');
    if ((await fold.getAttribute('open')) === null) await fold.locator('summary').first().click();
    await change(page, () => box.setChecked(wanted.has(value)));
  }
}

// Signs in with a link from the command line.
export async function signInByLink(page, fixture) {
  await page.goto(fixture.link());
  await page.fill('#p1', kPassphrase);
  await page.fill('#p2', kPassphrase);
  await page.click('text=Use a passphrase');
  await page.waitForURL(`${fixture.base}/`);
}

// Approves the request of a host: shares the titles and texts of the notes, and continues to the client.
export async function consent(page, url) {
  const came = await page.goto(url);
  if (came.status() !== 200) throw new Error(`${url} returned ${came.status()}: ${await page.textContent('main')}`);
  await give(page, 'notes/notes', ['title', 'text']);
  await page.click('button[value=allow]');
  await page.waitForURL('**/consent?request=*');
  await page.click('button:has-text("Continue")');
}
