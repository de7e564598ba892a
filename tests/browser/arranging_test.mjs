// Arranging the console: tasks of Home that are postponed, dismissed and put back; sources that are renamed, hidden and shown as one; saved
// searches; and counts that leave out records of folders.
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';

import {checkPage, signIn} from './fixture.mjs';

const kWord = 'quagmire';

const go = (page, action) => Promise.all([page.waitForNavigation(), action()]);
const text = (page, selector) => page.textContent(selector);

function secondMailbox(fixture) {
  const file = join(fixture.folder, 'second.mbox');
  const mail = (no) => `From x@example.org Mon Nov  2 10:0${no}:00 2026\nMessage-ID: <second-${no}@example.org>\n` +
      `Date: Mon, 2 Nov 2026 10:0${no}:00 +0000\nFrom: Second <second@example.org>\nTo: nora@example.org\nSubject: The ${kWord} of number ${no}\n\n` +
      `A ${kWord} is a bog.\n\n`;
  writeFileSync(file, [1, 2, 3].map(mail).join(''));
  fixture.ladder.text(['connection', 'add', 'mail', '--id', 'mail-second', '--name', 'Second <mail>']);
  fixture.ladder.text(['import', file, '--connection', 'mail-second']);
}

async function tasks(fixture, page) {
  fixture.ladder.run(['grant', 'create', '--client', 'closing', '--stream', 'notes', '--expires', '3d']);
  await page.goto(`${fixture.base}/`);
  const task = () => page.locator('.needs > li', {hasText: 'closing loses access'});
  const open = page.locator('[aria-labelledby=needs] > .needs > li', {hasText: 'closing loses access'});
  const aside = page.locator('#dismissed li', {hasText: 'closing loses access'});
  assert.equal(await task().count(), 1);
  await checkPage(page, 'home-tasks');
  await go(page, () => task().locator('button[value=later]').click());
  assert.equal(await open.count(), 0);
  assert.match(await text(page, '#dismissed'), /Dismissed \(1\)/);
  assert.match(await text(page, '#dismissed'), /Comes back/);
  await page.click('#dismissed summary');
  await checkPage(page, 'home-dismissed');
  await go(page, () => aside.locator('button[value=restore]').click());
  assert.equal(await open.count(), 1);
  await go(page, () => open.locator('button[value=dismiss]').click());
  assert.equal(await open.count(), 0);
  await page.goto(`${fixture.base}/`);
  assert.equal(await open.count(), 0, 'it stays dismissed');
  await page.click('#dismissed summary');
  await go(page, () => aside.locator('button[value=restore]').click());
  await page.goto(`${fixture.base}/`);
  await go(page, () => open.locator('button:has-text("Extend 30 days")').click());
  await page.goto(`${fixture.base}/`);
  assert.equal(await page.locator('li', {hasText: 'closing loses access'}).count(), 0, 'it is done');
  // A task that nobody offers can't harm, and a foreign page can't dismiss one.
  const foreign = await page.request.post(`${fixture.base}/tasks`, {form: {do: 'dismiss', task: 'x'}, headers: {origin: 'https://evil.example'}});
  assert.equal(foreign.status(), 403);
}

async function rename(fixture, page) {
  await page.goto(`${fixture.base}/sources`);
  await go(page, () => page.click('#c-mail-second a:has-text("Manage")'));
  assert.match(await text(page, 'h1'), /Second <mail>/);
  await checkPage(page, 'source-manage');
  await page.fill('#n', 'Choir "mail" & more');
  await go(page, () => page.click('button[value=rename]'));
  assert.match(await text(page, '#c-mail-second'), /Choir "mail" & more/);
  const {connections} = fixture.ladder.run(['connection', 'list']);
  assert.ok(connections.some((one) => one.display_name === 'Choir "mail" & more'), JSON.stringify(connections));
  await page.goto(`${fixture.base}/explore?q=${kWord}`);
  assert.match(await text(page, '.hits'), /Choir "mail" & more/);
  assert.equal(fixture.ladder.run(['connection', 'rename', 'mail-second', 'Second']).display_name, 'Second');
  await page.goto(`${fixture.base}/sources`);
  assert.match(await text(page, '#c-mail-second'), /Second/);
  fixture.ladder.run(['connection', 'rename', 'mail-second', 'Choir "mail" & more']);
  await page.goto(`${fixture.base}/sources/manage?connection=no-such`);
  assert.match(await text(page, 'body'), /no-such/);
}

async function hide(fixture, page) {
  const token = fixture.ladder.run(['grant', 'create', '--client', 'sees-all', '--connection', 'mail-second']).token;
  await page.goto(`${fixture.base}/sources/manage?connection=mail-second`);
  await go(page, () => page.click('button[value=hide]'));
  assert.match(await text(page, '#hidden'), /Hidden \(1\)/);
  assert.equal(await page.locator('[aria-labelledby=all] > .card #c-mail-second').count(), 0);
  await checkPage(page, 'sources-hidden');
  for (const path of [`/explore?q=${kWord}`, `/ask?q=${kWord}`]) {
    await page.goto(fixture.base + path);
    assert.equal(await page.locator('.hits li, .passages li').count(), 0, path);
  }
  for (const path of ['/explore?since=2026-11-02&until=2026-11-02', '/timeline?day=2026-11-02']) {
    await page.goto(fixture.base + path);
    assert.ok(!(await text(page, 'main')).includes(kWord), path);
  }
  await page.goto(`${fixture.base}/`);
  assert.ok(!(await text(page, '[aria-labelledby=have]')).includes('Choir'));
  // Apps keep their access.
  const answer = await fetch(`${fixture.base}/v1/search?q=${kWord}`, {headers: {authorization: `Bearer ${token}`}});
  assert.match(await answer.text(), /second-1|quagmire/);
  await page.goto(`${fixture.base}/sources/manage?connection=mail-second`);
  await go(page, () => page.click('button[value=show]'));
  await page.goto(`${fixture.base}/explore?q=${kWord}`);
  assert.ok(await page.locator('.hits li').count() > 0);
}

async function showAsOne(fixture, page) {
  const grants = () => fixture.ladder.run(['grant', 'list']).grants.map(({last_used_at: _, ...rest}) => rest);
  const before = grants();
  await page.goto(`${fixture.base}/sources/manage?connection=mail-second`);
  await page.fill('#g', 'All <b>mail');
  await go(page, () => page.click('button[value=merge]'));
  assert.match(await text(page, 'body'), /Choose at least one other source/);
  await page.goto(`${fixture.base}/sources/manage?connection=mail-second`);
  await page.check('input[name=with]');
  await page.fill('#g', 'All <b>mail');
  await go(page, () => page.click('button[value=merge]'));
  assert.match(await text(page, 'tr.group'), /All <b>mail/);
  assert.match(await text(page, 'tr.group'), /2 sources shown as one/);
  await checkPage(page, 'sources-group');
  await page.goto(`${fixture.base}/`);
  assert.match(await text(page, '[aria-labelledby=have]'), /All <b>mail/);
  await checkPage(page, 'home-group');
  await page.goto(`${fixture.base}/explore?source=${encodeURIComponent('group:All <b>mail')}&q=${kWord}`);
  assert.ok(await page.locator('.hits li').count() > 0);
  await page.goto(`${fixture.base}/explore?source=${encodeURIComponent('group:All <b>mail')}&q=hotel`);
  assert.ok(await page.locator('.hits li').count() > 0, 'both members are searched');
  assert.match(await text(page, '#chips'), /All <b>mail/);
  await page.goto(`${fixture.base}/explore?source=${encodeURIComponent('group:All <b>mail')}`);
  assert.match(await text(page, '[aria-labelledby=found]'), /80 messages|8\d records|records/);
  assert.deepEqual(grants(), before, 'no grant has changed');
  await page.goto(`${fixture.base}/sources/manage?connection=mail-second`);
  await go(page, () => page.click('button[value=separate]'));
  assert.equal(await page.locator('tr.group').count(), 0);
}

// The same mailbox twice: the copies become one, after a preview that names the apps whose access changes.
async function mergeForGood(fixture, page) {
  const {ladder, base} = fixture;
  const file = join(fixture.folder, 'second.mbox');
  ladder.text(['connection', 'add', 'mail', '--id', 'mail-copy', '--name', 'Copy <b>of it']);
  ladder.text(['import', file, '--connection', 'mail-copy']);
  const only = ladder.run(['grant', 'create', '--client', 'reads-the-copy', '--connection', 'mail-copy']).token;
  const other = ladder.run(['grant', 'create', '--client', 'reads-second', '--connection', 'mail-second']).token;
  const search = (token) => fetch(`${base}/v1/search?q=${kWord}`, {headers: {authorization: `Bearer ${token}`}});
  assert.equal((await search(only)).status, 200);
  await page.goto(`${base}/sources/manage?connection=mail-copy`);
  await page.selectOption('#m', 'mail-second');
  await checkPage(page, 'source-manage-merge');
  await go(page, () => page.click('button:has-text("Review")'));
  const said = await text(page, 'main');
  assert.match(said, /Merge Copy <b>of it into/);
  assert.match(said, /are the same in both/);
  assert.match(said, /1 app loses access to these records:\s+reads-the-copy/);
  assert.match(said, /can read more:[\s\S]*reads-second/);
  await checkPage(page, 'source-merge');
  await page.locator('input[name=sure]').evaluate((box) => box.removeAttribute('required'));
  await go(page, () => page.click('button:has-text("Merge")'));
  assert.match(await text(page, '[role=alert]'), /Nothing was merged/);
  await page.check('input[name=sure]');
  await go(page, () => page.click('button:has-text("Merge")'));
  await page.waitForSelector('h1:has-text("Merged")');
  assert.match(await text(page, 'main'), /is now part of/);
  await checkPage(page, 'source-merged');
  await page.goto(`${base}/sources`);
  assert.equal(await page.locator('#c-mail-copy').count(), 0);
  await page.goto(`${base}/explore?q=${kWord}`);
  assert.equal(await page.locator('.hits > li').count(), 3, 'each mail once');
  assert.equal((await search(only)).status, 403, 'its grant ended with the source');
  assert.equal((await search(other)).status, 200);
  await page.goto(`${base}/ledger`);
  assert.match(await text(page, 'main'), /erased or merged since|Parts of/);
  // The same on the command line, with another copy.
  ladder.text(['connection', 'add', 'mail', '--id', 'mail-third']);
  ladder.text(['import', file, '--connection', 'mail-third']);
  const preview = ladder.run(['connection', 'merge', 'mail-third', 'mail-second', '--dry-run']);
  assert.ok(preview.same > 0 && preview.added === 0 && preview.complete, JSON.stringify(preview));
  assert.throws(() => ladder.text(['connection', 'merge', 'mail-third', 'mail-second']), /add --yes/);
  assert.equal(ladder.run(['connection', 'merge', 'mail-third', 'mail-second', '--yes']).same, preview.same);
  assert.ok(!ladder.run(['connection', 'list']).connections.some((one) => one.connection_id === 'mail-third'));
  await page.goto(`${base}/sources/merge?connection=mail-second&into=notes`);
  assert.match(await text(page, 'main'), /different kinds of data|Source not found/);
}

async function savedSearches(fixture, page) {
  await page.goto(`${fixture.base}/explore?q=hotel&stream=messages&order=newest`);
  await page.click('summary:has-text("Save this search")');
  await page.fill('#saved-name', 'My <i>hotels');
  await checkPage(page, 'search-save');
  await go(page, () => page.click('button[value=save]'));
  assert.match(page.url(), /q=hotel&stream=messages&order=newest/);
  assert.equal(await page.locator('summary:has-text("Save this search")').count(), 0, 'it is saved already');
  // The menus of saved searches are after the search box and the filters.
  for (const width of [390, 1280]) {
    await page.setViewportSize({width, height: 900});
    const top = (selector) => page.locator(selector).first().evaluate((one) => one.getBoundingClientRect().top);
    const saved = await top('#saved summary');
    assert.ok(await top('input[name=q]') < saved, `after the box at ${width}`);
    assert.ok(await top('form[role=search] .filterbar') <= saved, `after the filters at ${width}`);
    assert.ok(saved < await top('#results'), `before the results at ${width}`);
  }
  // Another browser has it, too.
  const other = await fixture.visitor({javaScriptEnabled: false});
  await signIn(other, fixture);
  await other.goto(`${fixture.base}/explore`);
  await other.click('summary:has-text("Saved searches (1)")');
  await go(other, () => other.click('a:has-text("My <i>hotels")'));
  assert.match(other.url(), /q=hotel&stream=messages&order=newest/);
  await other.click('summary:has-text("Saved searches (1)")');
  await go(other, () => other.click('.saved button'));
  assert.equal(await other.locator('summary:has-text("Saved searches")').count(), 0);
  await other.context().close();
  // With a script, the form saves what is typed now.
  await page.goto(`${fixture.base}/explore`);
  const answered = page.waitForResponse((answer) => answer.url().includes('q=valencia'));
  await page.locator('form[role=search] input[name=q]').pressSequentially('valencia');
  await answered;
  await page.waitForFunction(() => document.querySelector('#saved input[name=search]')?.value === 'q=valencia');
  await page.click('summary:has-text("Save this search")');
  await go(page, () => page.click('button[value=save]'));
  assert.match(page.url(), /q=valencia/);
  await page.click('summary:has-text("Saved searches (1)")');
  assert.match(await text(page, '.saved'), /valencia/);
  await checkPage(page, 'search-saved');
}

async function folders(fixture, page) {
  await page.goto(`${fixture.base}/sources`);
  assert.doesNotMatch(await text(page, 'main'), /filings/);
  await page.goto(`${fixture.base}/explore`);
  assert.doesNotMatch(await text(page, 'main'), /[Ff]ilings|folders of your mail/i);
  await page.goto(`${fixture.base}/`);
  assert.doesNotMatch(await text(page, 'main'), /filings/);
}

// A response that contains records of two grants is one response.
async function oneAnswerIsOne(fixture, page) {
  const token = fixture.ladder.run(['grant', 'create', '--client', 'two-sources', '--stream', 'messages', '--stream', 'notes']).token;
  const words = ['hotel', 'the', 'kitchen'];
  for (const word of words) {
    const answer = await fetch(`${fixture.base}/v1/search?q=${word}`, {headers: {authorization: `Bearer ${token}`}});
    assert.equal(answer.status, 200);
  }
  const count = async () => {
    await page.goto(`${fixture.base}/`);
    const bars = await text(page, '[aria-labelledby=read]');
    return /two-sources[\s\S]*?(\d+) responses?/.exec(bars)?.[1];
  };
  for (let i = 0; i < 100 && await count() !== '3'; ++i) await new Promise((resolve) => setTimeout(resolve, 200));
  assert.equal(await count(), '3');
}

export async function arranging(fixture, check) {
  const page = await fixture.visitor();
  await signIn(page, fixture);
  secondMailbox(fixture);
  await check('tasks of Home are postponed, dismissed, put back and done', () => tasks(fixture, page));
  await check('a source is renamed', () => rename(fixture, page));
  await check('a source is hidden', () => hide(fixture, page));
  await check('two sources are shown as one', () => showAsOne(fixture, page));
  await check('two sources are merged for good', () => mergeForGood(fixture, page));
  await check('searches are saved', () => savedSearches(fixture, page));
  await check('folders of mail are not counted', () => folders(fixture, page));
  await check('one response is counted once', () => oneAnswerIsOne(fixture, page));
  await page.context().close();
}
