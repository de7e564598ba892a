// Records look like what they are, a hit opens at its match, and everything can be browsed.
import assert from 'node:assert/strict';
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

import {checkPage, signIn} from './fixture.mjs';

const kRare = 'quokkafinch';  // on page 3 of a document, and far into a long text
const kPicture = 'iVBORw0KGgoAAAANSUhEUgAAAEAAAAAwCAIAAAAuKetIAAAAR0lEQVR42u3PQREAAAQAMKJIKIjwbvfcFmDRtfFZ' +
    'iICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgMDdAnqBIEL/rS9QAAAAAElFTkSuQmCC';

// A PDF with one page of lines per item.
function pdf(pages) {
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>', '', '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'];
  const kids = pages.map((lines) => {
    const drawn = `BT /F1 14 Tf 72 760 Td 20 TL\n${lines.map((line) => `(${line}) Tj T*`).join('\n')}\nET`;
    const content = objects.push(`<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`);
    return objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${content} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`);
  });
  objects[1] = `<< /Type /Pages /Count ${kids.length} /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] >>`;
  let out = '%PDF-1.4\n';
  const places = objects.map((object, at) => {
    const place = out.length;
    out += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  return `${out}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${out.length}\n%%EOF\n`;
}

const attached = (name, type, bytes) => `--b\nContent-Type: ${type}; name="${name}"\nContent-Disposition: attachment; filename="${name}"\n` +
    `Content-Transfer-Encoding: base64\n\n${Buffer.from(bytes).toString('base64').replace(/.{76}/g, '$&\n')}\n`;

function mail({no, subject, body, date = `Tue, 3 Nov 2026 1${no % 10}:00:00 +0000`, answers = '', files = ''}) {
  const head = `From x@example.org Mon Nov  2 10:00:00 2026\nMessage-ID: <read-${no}@example.org>\n${date ? `Date: ${date}\n` : ''}` +
      `From: Ola Nordmann <ola@fjord.example>\nTo: Nora <nora@example.org>, Kari Berg <kari@example.org>\nCc: Workshop <shop@example.org>\n` +
      `Subject: ${subject}\n${answers ? `In-Reply-To: ${answers}\nReferences: ${answers}\n` : ''}MIME-Version: 1.0\n`;
  return files ?
      `${head}Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=utf-8\n\n${body}\n${files}--b--\n\n` :
      `${head}Content-Type: text/plain; charset=utf-8\n\n${body}\n\n`;
}

const kTable = '    slates    4,200\n    battens     610\n        (treated)';
const kNote = `# Birds of the fjord

Two **puffinlings** on [the island](https://birds.example/island), see [[Boathouse]].

- [x] binoculars
- [ ] thermos

| bird | count |
|---|---|
| puffinling | 2 |

![lake](https://tracker.example/pixel.png)

<script>window.owned = 1</script> [run](javascript:alert(1))
`;

function writeData(folder) {
  const long = Array.from({length: 3000}, (_, i) => `Paragraph ${i} of the minutes.${i === 1500 || i === 2900 ? ` The ${kRare} was seen.` : ''}`).join('\n');
  const pages = Array.from({length: 4}, (_, i) => [`Page ${i + 1}`, i === 2 ? `A ${kRare} nests here.` : 'Nothing of note.']);
  const files = attached('shore.png', 'image/png', Buffer.from(kPicture, 'base64')) + attached('survey.pdf', 'application/pdf', pdf(pages)) +
      attached('parts.csv', 'text/csv', 'pos,item\n1,gribblebolt\n');
  writeFileSync(join(folder, 'reading.mbox'),
      mail({no: 1, subject: 'Gribble roof', body: `Hi Nora,\n\n${kTable}\n\nShall I?\n\nOla\n-- \nOla Nordmann\nBergen`, files}) +
      mail({no: 2, subject: 'Re: Gribble roof', answers: '<read-1@example.org>',
            body: 'Yes, gribble please.\n\nOn Tue, 3 Nov 2026 at 11:00, Ola Nordmann <ola@fjord.example> wrote:\n> Hi Nora,\n> gribble and gribble\n>> deeper'}) +
      mail({no: 3, subject: 'Long minutes', body: long}) +
      [4, 5, 6].map((no) => mail({no, subject: `Timeless ${no}`, body: 'No date at all.', date: ''})).join('') +
      mail({no: 8, subject: 'Then as now', body: 'Four years earlier.', date: 'Thu, 3 Nov 2022 09:14:00 +0000'}) +
      mail({no: 7, subject: 'From the future', body: 'Sent in 2037.', date: 'Thu, 12 Nov 2037 09:14:00 +0000'}));
  mkdirSync(join(folder, 'fjord-notes'));
  writeFileSync(join(folder, 'fjord-notes', 'birds.md'), kNote);
}

async function open(fixture, page, q, title, more = '') {
  await page.goto(`${fixture.base}/explore?q=${encodeURIComponent(q)}${more}`);
  const href = await page.locator('.hits h3 a', {hasText: title}).first().getAttribute('href');
  await page.goto(fixture.base + href);
}

async function aMail(fixture, page) {
  await open(fixture, page, 'slates battens', /^Gribble roof/);
  const head = page.locator('.mail-head');
  assert.match(await head.textContent(), /Ola Nordmann.*ola@fjord\.example/);
  assert.match(await head.locator('summary').textContent(), /^To Nora, Kari Berg, Workshop$/);
  await head.locator('summary').click();
  assert.match(await head.locator('dl').textContent(), /shop@example\.org/);
  const body = page.locator('.reading .body').first();
  assert.ok((await body.textContent()).includes(kTable));
  assert.equal(await body.evaluate((one) => getComputedStyle(one).whiteSpaceCollapse ?? getComputedStyle(one).whiteSpace), 'preserve');
  assert.equal(await page.locator('.sig .body').isVisible(), false);
  await page.click('.sig summary');
  assert.match(await page.locator('.sig .body').textContent(), /Bergen/);
  assert.deepEqual(await page.$$eval('.tile b', (names) => names.map((name) => name.textContent)), ['shore.png', 'survey.pdf', 'parts.csv']);
  await page.waitForFunction(() => [...document.querySelectorAll('.tile img')].every((one) => one.naturalWidth > 0));
  assert.match(await page.locator('.thumb-text').textContent(), /gribblebolt/);
  assert.equal(await page.locator('text=thread derived').count(), 0);
  assert.equal(await page.locator('.reader > details dd[data-field=message_id]').isVisible(), false, 'ids are under Details');
  await checkPage(page, 'reading-mail');
}

async function folds(fixture, page) {
  await open(fixture, page, 'gribble', /^Re: Gribble/);
  assert.match(await page.locator('.quoted summary').textContent(), /2 matches/);
  assert.match(await page.locator('[data-match]').textContent(), /^Match 2 of 4$/, 'the first visible one in the text, after the title');
  await page.keyboard.press('n');
  assert.match(await page.locator('[data-match]').textContent(), /^Match 3 of 4$/);
  assert.equal(await page.locator('.quoted .body').isVisible(), true, 'a match in a fold opens it');
  assert.equal(await page.locator('.quoted blockquote blockquote').textContent().then((text) => text.includes('deeper')), true);
  await page.keyboard.press('p');
  await page.click('[data-step="1"]');
  assert.match(await page.locator('[data-match]').textContent(), /^Match 3 of 4$/);
  await checkPage(page, 'reading-quotes');
}

async function aNote(fixture, page) {
  const requested = [];
  page.on('request', (request) => requested.push(request.url()));
  await open(fixture, page, 'puffinlings', /Birds of the fjord/);
  const prose = page.locator('.prose');
  assert.equal(await prose.locator('h2').textContent(), 'Birds of the fjord');
  assert.equal(await prose.locator('strong').textContent(), 'puffinlings');
  assert.equal(await prose.locator('a').first().getAttribute('href'), 'https://birds.example/island');
  assert.match(await prose.textContent(), /\(https:\/\/birds\.example\/island\)/, 'the target of a link is shown');
  assert.equal(await prose.locator('.todo .done').count(), 1);
  assert.equal(await prose.locator('td').first().textContent(), 'puffinling');
  assert.equal(await prose.locator('img, script').count(), 0);
  assert.equal(await prose.locator('a[href^=javascript]').count(), 0);
  assert.ok((await prose.textContent()).includes('<script>'));
  assert.equal(await page.evaluate(() => window.owned), undefined);
  await page.waitForLoadState('networkidle');
  assert.deepEqual(requested.filter((url) => !url.startsWith(fixture.base) && !url.startsWith('data:')), [], 'nothing is loaded from elsewhere');
  await checkPage(page, 'reading-note');
}

async function aChat(fixture, page) {
  await page.goto(`${fixture.base}/explore?source=whatsapp`);
  const ids = await page.$$eval('.hits h3 a', (links) => links.map((link) => link.getAttribute('href')));
  await page.goto(fixture.base + ids[10]);
  assert.ok(await page.locator('.bubble').count() > 5);
  assert.equal(await page.locator('.bubble.hit').count(), 1);
  assert.ok(await page.locator('.bubbles .day').count() > 0);
  const times = await page.$$eval('.bubble time', (all) => all.map((one) => one.dateTime));
  assert.deepEqual(times, [...times].sort(), 'oldest first');
  const here = await page.locator('.bubble.hit time').getAttribute('datetime');
  await checkPage(page, 'reading-chat');
  await page.click('text=Show earlier messages');
  await page.waitForFunction((time) => document.querySelector('.bubble.hit time').dateTime < time, here);
}

async function atTheMatch(fixture, page) {
  await open(fixture, page, kRare, /Long minutes/);
  assert.match(page.url(), /at=\d+#at$/);
  const inView = () => page.waitForFunction(() => {
    const {top, bottom} = document.querySelector('mark.here').getBoundingClientRect();
    return top > 60 && bottom < innerHeight;
  });
  await inView();
  assert.match(await page.locator('.reading').textContent(), /Paragraph 1500 /);
  assert.match(await page.locator('[data-match]').textContent(), /^Match 1 of 1$/);
  await page.keyboard.press('n');
  await page.waitForURL(/from=\d+/);
  await inView();
  assert.match(await page.locator('.reading').textContent(), /Paragraph 2900 /, 'the next match is in another part');
  await page.goto(page.url().replace(/from=\d+/, 'from=110000'));
  assert.match(await page.locator('[data-match]').textContent(), /No further match/);
  await open(fixture, page, kRare, /survey\.pdf/);
  assert.match(await page.textContent('#page'), /Page 3 of 4/);
  assert.match(await page.getAttribute('.page-picture', 'src'), /page=3/);
  assert.equal(await page.locator('.reading mark').textContent(), kRare);
}

async function browsed(fixture, page) {
  await page.goto(`${fixture.base}/explore?source=mail&stream=messages`);
  const count = Number(/(\d+) records/.exec(await page.textContent('.block-head'))[1]);
  const titles = [], parts = [];
  for (;;) {
    titles.push(...await page.$$eval('.hits h3', (all) => all.map((one) => one.textContent)));
    parts.push(...await page.$$eval('.list-part', (all) => all.map((one) => one.textContent)));
    const next = page.locator('a[rel=next]');
    if (await next.count() === 0) break;
    await page.goto(await next.evaluate((link) => link.href));  // a click would not wait until the page is complete
  }
  assert.equal(titles.length, count, 'the number is that of the list');
  assert.deepEqual(titles.slice(-3).sort(), ['Timeless 4', 'Timeless 5', 'Timeless 6']);
  assert.equal(titles.at(-4), 'From the future');
  assert.ok(parts.includes('After today') && parts.at(-1) === 'Without a date', parts.join());
  await page.goto(`${fixture.base}/explore?source=mail&stream=messages&since=2037-01-01`);
  assert.match(await page.textContent('.block-head'), /1 record/);
  await menuOf(page, 'Kind').locator('summary').click();
  assert.match(await menuOf(page, 'Kind').locator('label', {hasText: 'Messages'}).textContent(), /1$/, 'a choice counts what it would list');
  await checkPage(page, 'reading-filters');
  await page.locator('.chip', {hasText: '2037'}).locator('a').click();
  assert.ok(!page.url().includes('since'));
  await page.setViewportSize({width: 390, height: 844});
  await page.goto(`${fixture.base}/explore?q=gribble&source=mail`);
  const top = await page.$eval('.hits', (list) => list.getBoundingClientRect().top);
  assert.ok(top < 600, `the hits begin on the first screen: ${top}`);
  assert.equal(await page.locator('[data-pane]').isVisible(), false);
  await page.setViewportSize({width: 1280, height: 900});
}

const menuOf = (page, name) => page.locator('[data-menu]', {has: page.locator(`summary:text-is("${name}")`)});

async function pane(fixture, page) {
  await page.goto(`${fixture.base}/explore?source=whatsapp`);
  await page.waitForSelector('[data-pane] .bubble.hit');
  await page.waitForFunction(() => {
    const {top, bottom} = document.querySelector('[data-pane] .bubble.hit').getBoundingClientRect();
    return top > 0 && bottom < innerHeight;
  });
  assert.equal(await page.evaluate(() => scrollY), 0, 'the pane scrolls, the page does not');
  await page.goto(`${fixture.base}/explore?q=hotel`);
  const title = () => page.locator('[data-pane] h2.pane-title').textContent();
  await page.waitForSelector('[data-pane] .reader');
  const titles = await page.$$eval('.hits h3', (all) => all.map((one) => one.textContent));
  assert.equal(await title(), titles[0]);
  await page.locator('h1').click();  // leaves the search field
  for (const [key, at] of [['j', 1], ['ArrowDown', 2], ['k', 1], ['ArrowUp', 0]]) {
    await page.keyboard.press(key);
    await page.waitForFunction((wanted) => document.querySelectorAll('.hits > li')[wanted].getAttribute('aria-current') === 'true', at);
    await page.waitForFunction((wanted) => document.querySelector('[data-pane] h2').textContent === wanted, titles[at]);
  }
  await page.locator('.hits h3 a').nth(1).click();
  await page.waitForFunction((wanted) => document.querySelector('[data-pane] h2').textContent === wanted, titles[1]);
  await checkPage(page, 'reading-pane');
  await page.click('text=Open full page');
  await page.waitForURL('**/record?**');
  await page.goBack();
  await page.waitForSelector('[data-pane] .reader');
  await page.locator('h1').click();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/record?**');
}

async function byDay(fixture, page) {
  await page.goto(`${fixture.base}/timeline?day=2026-11-03`);
  const first = page.locator('.tl-day').first();
  assert.equal((await first.locator('h2').textContent()).replace(/ 2026$/, ''), '3 November');
  assert.match(await first.textContent(), /Gribble roof/);
  const times = await page.$$eval('.tl-list time', (all) => all.map((one) => one.dateTime));
  assert.deepEqual(times, [...times].sort().reverse(), 'newest first');
  assert.match(await page.locator('.memory').first().textContent(), /Four years earlier\..*4 years ago.*Then as now/);
  await checkPage(page, 'reading-timeline');
  const last = times.at(-1);
  await page.click('text=Show earlier days');
  await page.waitForFunction((before) => document.querySelector('.tl-list time').dateTime < before, last);
  await page.goto(`${fixture.base}/timeline?day=2026-11-03`);
  await page.locator('.memory a').first().click();
  await page.waitForURL('**day=2022-11-03');
  assert.match(await page.locator('.tl-day').first().textContent(), /Then as now/);
  await page.goto(`${fixture.base}/timeline?day=nonsense`);
  assert.equal(await page.locator('h1').textContent(), 'Timeline');
}

async function person(fixture, page) {
  await open(fixture, page, 'slates battens', /^Gribble roof/);
  await page.locator('.mail-head a.person').click();
  assert.equal(await page.locator('h1').textContent(), 'Ola Nordmann');
  const section = (name) => page.locator('main section', {has: page.locator(`h2:text-is("${name}")`)});
  assert.match(await section('By this person').textContent(), /Gribble roof/);
  assert.equal(await section('To this person').count(), 0);
  await checkPage(page, 'reading-person');
  await page.goto(`${fixture.base}/person?name=${encodeURIComponent('Kari Berg')}`);
  assert.match(await section('To this person').textContent(), /Gribble roof/);
  await page.goto(`${fixture.base}/person?name=${encodeURIComponent('Workshop')}`);
  assert.match(await section('To this person').textContent(), /Gribble roof/, 'copies count');
  for (const name of ['', '"', 'nobody of that name', '<script>window.owned=1</script>']) {
    await page.goto(`${fixture.base}/person?name=${encodeURIComponent(name)}`);
    assert.match(await page.textContent('main'), /Nothing by or to this person/);
  }
  assert.equal(await page.evaluate(() => window.owned), undefined);
}

async function withoutScripts(fixture) {
  const page = await fixture.visitor({javaScriptEnabled: false});
  await signIn(page, fixture);
  await open(fixture, page, 'gribble', /^Re: Gribble/);
  await page.locator('.matchbar a', {hasText: '3'}).click();
  assert.equal(await page.locator('mark:target').textContent(), 'gribble');
  assert.equal(await page.locator('.quoted .body').isVisible(), true, 'the browser opens the fold of the target');
  await open(fixture, page, kRare, /Long minutes/);
  await page.click('text=Find the next match');
  assert.match(await page.locator('.reading').textContent(), /Paragraph 2900 /);
  await page.goto(`${fixture.base}/explore?q=gribble`);
  assert.equal(await page.locator('[data-pane]').isVisible(), false);
  await page.context().close();
}

export async function reading(fixture, check) {
  const page = await fixture.visitor();
  await signIn(page, fixture);
  writeData(fixture.folder);
  fixture.ladder.run(['import', join(fixture.folder, 'reading.mbox'), '--connection', 'mail']);
  fixture.ladder.run(['import', join(fixture.folder, 'fjord-notes')]);
  await check('a mail looks like a mail', () => aMail(fixture, page));
  await check('quoted text is folded and counts its matches', () => folds(fixture, page));
  await check('a note is rendered Markdown, and loads nothing', () => aNote(fixture, page));
  await check('a chat has bubbles', () => aChat(fixture, page));
  await check('a hit opens at its match', () => atTheMatch(fixture, page));
  await check('undated and future records are listed and counted', () => browsed(fixture, page));
  await check('a reading pane with keys', () => pane(fixture, page));
  await check('a timeline by day', () => byDay(fixture, page));
  await check('the page of a person', () => person(fixture, page));
  await check('reading without scripts', () => withoutScripts(fixture));
  await page.context().close();
}
