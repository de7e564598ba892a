// Ask: passages without a model, an answer with one, its access and its ledger entries, and models that misbehave.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {checkPage, signIn, signInByLink} from './fixture.mjs';

const kHere = dirname(fileURLToPath(import.meta.url));
const kQuestion = 'What is my hotel reservation number?';

// Starts the model server; {port, mode(name), log(), stop()}.
async function startModel() {
  const child = spawn(process.execPath, [join(kHere, 'model_server.mjs')], {stdio: ['ignore', 'pipe', 'inherit']});
  const port = await new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', (text) => resolve(Number(text)));
    child.once('exit', () => reject(new Error('the model server ended')));
  });
  const at = `http://127.0.0.1:${port}`;
  return {
    port,
    mode: (name) => fetch(`${at}/mode`, {method: 'POST', body: name}),
    log: async () => (await fetch(`${at}/log`)).json(),
    stop: () => child.kill(),
  };
}

// The same fixture with a server that has these options.
async function serveWith(fixture, options) {
  const server = await fixture.ladder.serve(options);
  return {...fixture, base: `http://localhost:${new URL(server.url).port}`, stop: server.stop};
}

async function ask(page, question) {
  await page.fill('input[name=q]', question);
  await Promise.all([page.waitForNavigation(), page.click('.askbox button')]);
}

async function passagesOnly(fixture, page) {
  await page.goto(`${fixture.base}/`);
  await ask(page, kQuestion);
  assert.match(page.url(), /\/ask\?q=/);
  const passages = await page.locator('.passages > li').count();
  assert.ok(passages >= 2 && passages <= 8, `${passages} passages`);
  assert.match(await page.textContent('#mod'), /No model is connected/);
  const first = page.locator('.passages > li').first();
  assert.match(await first.textContent(), /HM-20714/);
  assert.ok(await first.locator('mark').count() > 0, 'matches are marked');
  await checkPage(page, 'ask-passages');
  await first.locator('h3 a').click();
  await page.waitForURL(/\/record\?/);
  assert.ok(await page.locator('mark').count() > 0, 'the record opens with the matches marked');
  await page.goto(`${fixture.base}/ask`);
  await checkPage(page, 'ask-empty');
  await page.goto(`${fixture.base}/ask?q=${'x'.repeat(700)}`);
  assert.match(await page.textContent('main'), /at most 500 characters/);
  await page.goto(`${fixture.base}/ask?q=zzzqqq`);
  assert.match(await page.textContent('main'), /No passages found/);
}

async function withModel(fixture, page, model) {
  await model.mode('honest');
  const before = (await model.log()).length;
  await page.goto(`${fixture.base}/ask?q=${encodeURIComponent(kQuestion)}`);
  assert.match(await page.textContent('main'), /It has no access yet/);
  await checkPage(page, 'ask-no-access');
  assert.equal((await model.log()).length, before, 'nothing is sent before the owner allows it');
  await Promise.all([page.waitForNavigation(), page.click('button[value=allow]')]);
  assert.equal((await model.log()).length, before, 'a link sends nothing');
  await ask(page, kQuestion);
  assert.match(await page.textContent('.answer'), /[Rr]eservation/);
  const cites = await page.locator('.answer .cite').allTextContents();
  assert.ok(cites.length > 0 && cites.every((one) => Number(one) >= 1 && Number(one) <= 8), cites.join());
  await page.click('.answer .cite >> nth=0');
  assert.match(page.url(), /#p\d$/);
  await checkPage(page, 'ask-answer');

  // The page, the request and the ledger agree on what was sent.
  const sent = (await model.log()).at(-1);
  assert.equal(sent.url, '/api/chat');
  assert.equal(sent.stream, false);
  const prompt = sent.messages.at(-1).content;
  assert.equal((await page.textContent('pre.window')).trim(), prompt.trim());
  assert.ok(prompt.length < 9000, `${prompt.length} characters`);
  await page.click('text=See it in Activity');
  await page.waitForURL(/\/ledger\?/);
  assert.match(await page.textContent('main'), /Ask \(local model\)/);
  const entries = fixture.ladder.run(['ledger', '--client', 'Ask (local model)']).data;
  assert.equal(entries.length, 1, 'one question is one response');
  assert.equal(entries[0].kind, 'search');
  await page.goto(`${fixture.base}/clients`);
  assert.match(await page.textContent('main'), /Ask \(local model\)/);
  await checkPage(page, 'ask-clients');
}

async function hostileModel(fixture, page, model) {
  await model.mode('hostile');
  await page.goto(`${fixture.base}/ask`);
  await ask(page, kQuestion);
  assert.match(await page.textContent('main'), /[3-9] sentences were removed/);
  assert.equal(await page.evaluate(() => globalThis.owned), undefined);
  assert.equal(await page.locator('.answer img, .answer script, main a[href^="javascript"]').count(), 0);
  assert.doesNotMatch(await page.textContent('.answer'), /987654321|zeppelin|secret record/);
  const removed = await page.textContent('main .notice details');
  assert.match(removed, /doesn't exist/);
  assert.match(removed, /cites no passage/);
  assert.match(removed, /doesn't say this/);
  await checkPage(page, 'ask-hostile');
  await model.mode('silent');
  await ask(page, kQuestion);
  assert.match(await page.textContent('main'), /found no answer/);
  assert.ok(await page.locator('.passages > li').count() > 1);
  for (const [mode, words] of [['failing', /status 500: out of memory <b>now<\/b>/], ['broken', /not a chat answer/], ['away', /status 302/],
                               ['endless', /longer than 256 KiB|within 3 seconds/], ['hang', /within 3 seconds/]]) {
    await model.mode(mode);
    await ask(page, kQuestion);
    assert.match(await page.textContent('main'), words, mode);
    assert.ok(await page.locator('.passages > li').count() > 1, `${mode}: the passages are shown`);
  }
  await checkPage(page, 'ask-failed');
}

async function attacks(fixture, page, model) {
  await model.mode('honest');
  const before = (await model.log()).length;
  // A form of another page has no token, and a link asks nothing.
  const foreign = await page.request.post(`${fixture.base}/ask`, {form: {do: 'ask', q: kQuestion}, headers: {origin: 'https://evil.example'}});
  assert.equal(foreign.status(), 403);
  await page.goto(`${fixture.base}/ask?do=ask&q=hotel`);
  await page.goto(`${fixture.base}/ask?do=allow&q=hotel`);
  assert.equal((await model.log()).length, before);
  // Revoked access stops the model at once.
  fixture.ladder.run(['grant', 'revoke', '--client', 'Ask (local model)']);
  await page.goto(`${fixture.base}/ask?q=hotel`);
  assert.match(await page.textContent('main'), /It has no access yet/);
  const csrf = await page.inputValue('input[name=csrf] >> nth=0');
  await page.request.post(`${fixture.base}/ask`, {form: {do: 'ask', q: kQuestion, csrf}, headers: {origin: fixture.base}});
  assert.equal((await model.log()).length, before, 'nothing was sent');
}

// A grant for some data only: the model gets nothing else.
async function reducedAccess(fixture, page, model) {
  const {connections} = fixture.ladder.run(['connection', 'list']);
  const mail = connections.find((one) => JSON.stringify(one).includes('mail'));
  assert.ok(mail);
  await page.goto(`${fixture.base}/ask?q=hotel`);
  await Promise.all([page.waitForNavigation(), page.click('button[value=allow]')]);
  await ask(page, kQuestion);
  const prompt = (await model.log()).at(-1).messages.at(-1).content;
  assert.match(prompt, /HM-20714/);
}

async function commandLine(fixture, model) {
  await model.mode('honest');
  const at = `http://127.0.0.1:${model.port}/v1`;
  const words = ['ask', kQuestion, '--ask-endpoint', at, '--ask-model', 'small'];
  fixture.ladder.env.LADDER_ASK_KEY = 'key-of-the-model';
  const answer = fixture.ladder.run([...words, '--allow']);
  delete fixture.ladder.env.LADDER_ASK_KEY;
  assert.ok(answer.answer.length > 0 && answer.answer.every((one) => one.passages.length > 0), JSON.stringify(answer));
  assert.ok(answer.passages.length <= 8 && answer.passages[0].record.includes(':'));
  const sent = (await model.log()).at(-1);
  assert.equal(sent.url, '/v1/chat/completions');
  assert.equal(sent.key, 'Bearer key-of-the-model');
  assert.match(fixture.ladder.text(words), /\[1\] /);
  const only = fixture.ladder.run(['ask', kQuestion, '--passages']);
  assert.equal(only.answer, undefined);
  assert.ok(only.passages.length > 1);
  const keyFile = join(fixture.folder, 'model.key');
  writeFileSync(keyFile, 'key-in-a-file\n');
  fixture.ladder.run([...words, '--ask-key-file', keyFile]);
  assert.equal((await model.log()).at(-1).key, 'Bearer key-in-a-file');
  const count = (await model.log()).length;
  assert.throws(() => fixture.ladder.run(['ask', 'hotel', '--ask-endpoint', 'http://192.0.2.1/v1', '--ask-model', 'small']), /not allowed/);
  await model.mode('hostile');
  const hostile = fixture.ladder.text(words);
  assert.match(hostile, /sentences were removed/);
  assert.ok(!hostile.includes('\u202E') && !hostile.includes('zeppelin'));
  assert.equal((await model.log()).length, count + 1);
}

async function withoutScripts(fixture, model) {
  await model.mode('honest');
  const page = await fixture.visitor({javaScriptEnabled: false});
  await signIn(page, fixture);
  await ask(page, kQuestion);
  assert.ok(await page.locator('.answer .cite').count() > 0);
  await page.context().close();
}

export async function asking(fixture, check) {
  const model = await startModel();
  let served;
  try {
    const page = await fixture.visitor();
    await check('ask shows passages without a model', async () => {
      await signInByLink(page, fixture);
      await passagesOnly(fixture, page);
    });
    served = await serveWith(fixture, ['--ask-endpoint', `http://127.0.0.1:${model.port}`, '--ask-model', 'small', '--ask-timeout', '3']);
    await check('ask: a model that the owner allows writes an answer with citations', () => withModel(served, page, model));
    await check('ask: a hostile model', () => hostileModel(served, page, model));
    await check('ask: foreign pages and revoked access', () => attacks(served, page, model));
    await check('ask: access again', () => reducedAccess(served, page, model));
    await check('ask on the command line, with an OpenAI-compatible server', () => commandLine(served, model));
    await check('ask without scripts', () => withoutScripts(served, model));
    await page.context().close();
  } finally {
    if (served) await served.stop();
    model.stop();
  }
}
