// Search and record pages: hits, filters, paging, long texts, files and related records, as the owner and as a client sees them.
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';

import {checkPage, signIn} from './fixture.mjs';

const kPicture = 'iVBORw0KGgoAAAANSUhEUgAAAEAAAAAwCAIAAAAuKetIAAAAR0lEQVR42u3PQREAAAQAMKJIKIjwbvfcFmDRtfFZ' +
    'iICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgMDdAnqBIEL/rS9QAAAAAElFTkSuQmCC';
const kScript = '<script>document.title="owned";window.owned=1</script>';
const kTurned = '\u202Egnp.exe';
const kLongWord = 'zephyrine';
const kFields = ['id', 'subject', 'from', 'sent_at', 'text'];
const kClient = 'reader-of-mail';

const part = (name, type, bytes) =>
    `--b\nContent-Type: ${type}; name="${name}"\nContent-Disposition: attachment; filename="${name}"\n` +
    `Content-Transfer-Encoding: base64\n\n${Buffer.from(bytes).toString('base64').replace(/.{76}/g, '$&\n')}\n`;
const encoded = (text) => `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`;
const mail = (no, subject, more, body) =>
    `From x@example.org Mon Nov  2 10:0${no}:00 2026\nMessage-ID: <look-${no}@example.org>\nDate: Mon, 2 Nov 2026 10:0${no}:00 +0000\n` +
    `From: ${encoded('Mallory "><b onmouseover=alert(1)>x</b>')} <mallory@example.org>\nTo: nora@example.org\nSubject: ${encoded(subject)}\n` +
    `${more}\n${body}\n\n`;

// Mail that the demo lacks: text with markup and bidi controls, several kinds of files, a long text, a conversation.
export function hostileMailbox() {
  const plain = 'Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n';
  const base64 = (text) => Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\n');
  const long = Array.from({length: 700}, (_, i) => `Line ${i} of a long ${kLongWord} letter, <i>not</i> in italics & never & so on.`).join('\n');
  const mixed = 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n';
  const body = `${kScript} grumbly ${kTurned} \u2068isolated\u2069 <img src=x onerror="window.owned=1"> javascript:alert(1)`;
  const files = part('picture.png', 'image/png', Buffer.from(kPicture, 'base64')) +
      part('drawing.svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"><script>window.owned=1</script></svg>') +
      part('page.html', 'text/html', kScript) + part('liar.png', 'image/png', `<html>${kScript}</html>`);
  const html = `--b\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: base64\n\n${base64(`<p>${body}</p><script>window.owned=1</script>`)}\n`;
  return mail(1, `${kScript} ${kTurned} grumbly`, mixed, `--b\n${plain}\n${base64(body)}\n${html}${files}--b--`) +
      mail(2, `A ${kLongWord} letter`, plain, base64(long)) +
      mail(3, 'Re: a grumbly one', `In-Reply-To: <look-1@example.org>\nReferences: <look-1@example.org>\n${plain}`, base64('Yes, grumbly indeed.')) +
      mail(4, 'مرحبا يا نورا', plain, base64('هذه رسالة grumbly عن المطبخ، 42.')) +
      mail(5, `${'x'.repeat(900)} grumbly`, plain, base64(`${'y'.repeat(3000)} grumbly`));
}

const results = (page) => page.$$eval('.hits h3 a', (links) => links.map((link) => new URL(link.href).searchParams.get('id')));
const found = async (page) => (await page.textContent('#found')).trim();

// Opens the page of a hit. A click would show it in the reading pane.
const open = async (page, hit) => page.goto(new URL(await hit.getAttribute('href'), page.url()).href);
// The text of a record as it is stored: folded parts included, without the labels of the folds.
const textOf = (page) => page.$$eval('.reading [data-part]', (parts) => parts.map((part) => part.textContent).join(''));
const menu = (page, name) => page.locator('[data-menu]', {has: page.locator(`summary:text-is("${name}")`)});

// Types a query and waits for its results.
async function type(page, words) {
  await page.fill('input[name=q]', '');
  const answered = page.waitForResponse((answer) => answer.url().includes(`q=${encodeURIComponent(words).replace(/%20/g, '+')}`));
  await page.locator('input[name=q]').pressSequentially(words, {delay: 5});
  await answered;
  await page.waitForFunction((q) => new URL(location.href).searchParams.get('q') === q, words);
}

async function newest(fixture, page) {
  await page.goto(`${fixture.base}/explore`);
  assert.equal(await found(page), 'Newest first');
  const times = await page.$$eval('.hits time', (all) => all.map((one) => one.dateTime));
  assert.equal(times.length, 20);
  assert.deepEqual(times, [...times].sort().reverse(), 'newest first over all streams');
  await checkPage(page, 'explore');
  const seen = [];
  for (;;) {
    seen.push(...await results(page));
    const next = page.locator('a[rel=next]');
    if (await next.count() === 0) break;
    await next.click();
  }
  assert.equal(new Set(seen).size, seen.length, 'no duplicate records');
  assert.ok(seen.length > 150, `${seen.length}`);
  await page.click('text=First page');
  assert.deepEqual(await results(page), seen.slice(0, 20));
}

async function search(fixture, page) {
  await page.goto(`${fixture.base}/explore`);
  await type(page, 'hotel');
  assert.match(await found(page), /^\d+ records?$/);
  const marks = await page.$$eval('.hits mark', (all) => all.map((one) => one.textContent.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')));
  assert.ok(marks.length > 0 && marks.every((mark) => mark.includes('hotel')), marks.join());
  assert.equal(await page.textContent('[data-said]'), await page.textContent('#found'), 'announced to screen readers');
  await checkPage(page, 'explore-search');
  const typed = await page.$$eval('.hits > li h3', (all) => all.map((one) => one.textContent));
  await page.goto(`${fixture.base}/explore?q=hotel`);
  assert.deepEqual(await page.$$eval('.hits > li h3', (all) => all.map((one) => one.textContent)), typed, 'the same without typing');
}

async function filters(fixture, page) {
  await page.goto(`${fixture.base}/explore?q=la`);
  const whatsapp = page.locator('input[name=source][value=whatsapp]');
  await menu(page, 'Source').locator('summary').click();
  const answered = page.waitForResponse((answer) => answer.url().includes('source=whatsapp'));
  await whatsapp.check();
  await answered;
  await page.waitForFunction(() => location.search.includes('source=whatsapp'));
  for (const id of await results(page)) assert.match(id, /^whatsapp\//);
  await page.goto(`${fixture.base}/explore?q=la&source=whatsapp`);
  assert.equal(await whatsapp.isChecked(), true);
  assert.ok((await results(page)).length > 0);
  await page.goto(`${fixture.base}/explore?q=the&stream=notes`);
  for (const id of await results(page)) assert.match(id, /\/notes:/);
  await page.goto(`${fixture.base}/explore?q=nora&since=2026-03-01&until=2026-03-31&stream=messages`);
  const times = await page.$$eval('.hits time', (list) => list.map((one) => one.dateTime));
  assert.ok(times.length > 0 && times.every((time) => time >= '2026-02-28' && time <= '2026-04-01'), times.join());
  await page.goto(`${fixture.base}/explore?q=the&order=newest`);
  const order = await page.$$eval('.hits time', (list) => list.map((one) => one.dateTime));
  assert.deepEqual(order, [...order].sort().reverse());
  await page.goto(`${fixture.base}/explore?q=the&source=whatsapp&stream=notes`);
  assert.equal(await found(page), 'Nothing found');
  await page.click('text=Search without the filters');
  assert.ok((await results(page)).length > 0);
  await page.goto(`${fixture.base}/explore?stream=filings`);
  for (const id of await results(page)) assert.match(id, /\/filings:/);
}

async function paging(fixture, page) {
  await page.goto(`${fixture.base}/explore?q=the`);
  const seen = [];
  for (;;) {
    seen.push(...await results(page));
    const next = page.locator('a[rel=next]');
    if (await next.count() === 0) break;
    await next.click();
  }
  assert.ok(seen.length > 20, `${seen.length}`);
  assert.equal(new Set(seen).size, seen.length);
  await page.goto(`${fixture.base}/explore?q=the&cursor=nonsense`);
  assert.match(await page.textContent('#results'), /Start again/);
  await checkPage(page, 'explore-cursor');
  await page.goto(`${fixture.base}/explore?q=%22`);
  assert.equal(await page.locator('h1').textContent(), 'Search');
}

async function nothing(fixture, page) {
  await page.goto(`${fixture.base}/explore?q=%2Bhottel+qqqzzz`);
  assert.equal(await found(page), 'Nothing found');
  assert.match(await page.textContent('#results'), /qqqzzz is in no record/);
  await checkPage(page, 'explore-nothing');
  await page.locator('#results a', {hasText: /^hotel$/i}).first().click();
  assert.ok((await results(page)).length > 0);
  await page.goto(`${fixture.base}/explore?q=hottel+qqqzzz`);
  assert.match(await page.textContent('#results'), /corrected: hottel → hotel/i);
  assert.ok((await results(page)).length > 0);
}

async function conversation(fixture, page) {
  await page.goto(`${fixture.base}/explore?q=grumbly`);
  const more = page.locator('.hits .meta a', {hasText: 'more in this'}).first();
  assert.match(await more.textContent(), /^1 more in this thread$/);
  await more.click();
  assert.equal((await results(page)).length, 2);
  await checkPage(page, 'explore-thread');
  await page.click('text=Back to all results');
  await page.goto(`${fixture.base}/explore?q=indeed+grumbly`);
  await open(page, page.locator('.hits h3 a', {hasText: 'Re: a'}).first());
  assert.equal(await page.locator('.thread li').count(), 2);
  assert.equal((await page.locator('.thread li[aria-current] .soft').textContent()).trim(), 'This message');
  await page.locator('.thread a').first().click();
  assert.match(await page.textContent('h1'), /grumbly/);
}

async function hostile(fixture, page) {
  await page.goto(`${fixture.base}/explore?q=grumbly`);
  await checkPage(page, 'explore-hostile');
  assert.ok((await page.textContent('.hits')).includes(kScript), 'it is shown as text');
  await open(page, page.locator('.hits h3 a', {hasText: '<script>'}).first());
  assert.ok((await page.textContent('h1')).includes(kScript));
  assert.ok((await page.textContent('h1')).includes('U+202E'), 'bidi controls are shown as U+XXXX');
  assert.ok((await page.textContent('.reading')).includes('onerror='));
  assert.equal(await page.evaluate(() => window.owned), undefined);
  assert.equal(await page.locator('main script, main iframe, .reading img').count(), 0);
  assert.match(await page.textContent('[aria-labelledby=seen]'), /No app has seen this/);
  await checkPage(page, 'record-hostile');
  await page.locator('.reader > details > summary').click();
  await page.click('text=Show the source');
  assert.ok((await page.textContent('.reading')).includes('<p>'));
  assert.equal(await page.evaluate(() => window.owned), undefined);
  await checkPage(page, 'record-html');
  await page.goto(`${fixture.base}/explore?q=xxxxxxxx*+grumbly`);
  await checkPage(page, 'explore-long');
  await page.goto(`${fixture.base}/explore?q=%D9%85%D8%B1%D8%AD%D8%A8%D8%A7`);
  await open(page, page.locator('.hits h3 a').first());
  assert.equal(await page.$eval('h1', (one) => getComputedStyle(one).direction), 'rtl');
  assert.equal(await page.$eval('.reading [data-part]', (one) => getComputedStyle(one).direction), 'rtl');
  await checkPage(page, 'record-rtl');
  const bad = await page.goto(`${fixture.base}/record?id=${encodeURIComponent('"><script>window.owned=1</script>')}`);
  assert.ok(bad.status() >= 400 && bad.status() < 500);
  assert.equal(await page.evaluate(() => window.owned), undefined);
}

async function recordPage(fixture, page) {
  await page.goto(`${fixture.base}/explore?q=hotel+miramar+booking`);
  await open(page, page.locator('.hits h3 a').first());
  assert.match(await page.textContent('h1'), /Hotel Miramar/);
  assert.match(await page.textContent('article'), /reservas@hotel-miramar\.example/);
  assert.match(await page.textContent('article'), /Paseo del Faro/);
  // The app of the journeys has read it, if that suite ran before.
  assert.match(await page.textContent('[aria-labelledby=seen]'), /No app has seen this|In the text.*Claude Code/s);
  await checkPage(page, 'record');
  await page.click('.crumb a:nth-of-type(2)');
  assert.match(page.url(), /\/explore\?q=hotel/);
  const gone = await page.goto(`${fixture.base}/record?id=mail/messages:nothing`);
  assert.equal(gone.status(), 404);
  await checkPage(page, 'record-gone');
  await page.goto(`${fixture.base}/explore?q=4MZ-118&stream=attachments`);
  await open(page, page.locator('.hits h3 a').first());
  assert.match(await page.textContent('#page'), /Page 1 of 1/);
  assert.match(await page.textContent('.reading'), /Lyon Part-Dieu/);
  assert.match(await page.textContent('[aria-labelledby=related]'), /Vos billets/);
  await page.waitForFunction(() => document.querySelector('.page-picture').naturalWidth > 500);
  await checkPage(page, 'record-pdf');
}

// PDF pages are images rendered by a separate process. If a page cannot be rendered, the image shows the reason.
async function documentPages(fixture, page) {
  const words = await painted(fixture, page, '4MZ-118', 'attachments');
  assert.ok(words.dark > 200, `the page is not blank: ${JSON.stringify(words)}`);
  await page.goto(`${fixture.base}/explore?q=insurance&stream=documents`);
  await open(page, page.locator('.hits h3 a').first());
  const [, count] = /Page 1 of (\d+)/.exec(await page.textContent('#page'));
  assert.ok(Number(count) > 1, `the document has pages to turn: ${count}`);
  await page.click('#page >> text=Next page');
  await page.waitForFunction(() => /Page 2 of/.test(document.querySelector('#page').textContent));
  assert.match(await page.getAttribute('.page-picture', 'src'), /page=2/);
  const src = new URL(await page.getAttribute('.page-picture', 'src'), fixture.base);
  const picture = await page.request.get(src.href);
  assert.equal(picture.headers()['content-type'], 'image/png');
  assert.match(picture.headers()['content-security-policy'], /default-src 'none'; sandbox/);
  assert.equal(picture.headers()['x-content-type-options'], 'nosniff');
  src.searchParams.set('page', '999');
  const none = await page.request.get(src.href);
  assert.equal(none.headers()['content-type'], 'image/svg+xml');
  assert.match(await none.text(), /cannot be shown as a picture: the file has (one page|\d+ pages)/);
  assert.match(none.headers()['content-security-policy'], /default-src 'none'; sandbox/);
  const stranger = await fixture.visitor();
  assert.equal((await stranger.request.get(src.href, {maxRedirects: 0})).status(), 303, 'other visitors cannot read it');
  await stranger.context().close();
  const plain = await page.request.get(`${fixture.base}/record/page?id=${encodeURIComponent('mail/messages:x')}`);
  assert.equal(plain.status(), 404);
}

async function assets(fixture, page) {
  await page.goto(`${fixture.base}/explore`);
  for (const [what, of] of [['link[rel=stylesheet]', 'href'], ['script[src]', 'src']]) {
    const address = fixture.base + await page.getAttribute(what, of);
    const packed = await page.request.get(address, {headers: {'accept-encoding': 'br;q=1.0, gzip;q=0.8'}});
    const plain = await page.request.get(address, {headers: {'accept-encoding': 'identity, gzip;q=0'}});
    assert.equal(packed.headers()['content-encoding'], 'gzip');
    assert.equal(plain.headers()['content-encoding'], undefined);
    assert.equal(await packed.text(), await plain.text());
    assert.ok(Number(packed.headers()['content-length']) < Number(plain.headers()['content-length']) / 2);
    assert.equal(plain.headers().vary, 'Accept-Encoding');
  }
}

// Counts the dark pixels in the image of the first page.
async function painted(fixture, page, q, stream) {
  await page.goto(`${fixture.base}/explore?q=${q}&stream=${stream}`);
  await open(page, page.locator('.hits h3 a').first());
  await page.waitForFunction(() => document.querySelector('.page-picture').naturalWidth > 0);
  return page.evaluate(() => {
    const picture = document.querySelector('.page-picture');
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [picture.naturalWidth, picture.naturalHeight];
    const context = canvas.getContext('2d');
    context.drawImage(picture, 0, 0);
    const {data} = context.getImageData(0, 0, canvas.width, canvas.height);
    let dark = 0;
    for (let i = 0; i < data.length; i += 4) dark += data[i] < 128 ? 1 : 0;
    return {width: canvas.width, height: canvas.height, dark};
  });
}

async function longText(fixture, page) {
  const token = fixture.ladder.run(['token', 'create']).token;
  await page.goto(`${fixture.base}/explore?q=${kLongWord}`);
  await open(page, page.locator('.hits h3 a').first());
  const id = new URL(page.url()).searchParams.get('id');
  let text = '', upto = 0;
  for (;;) {
    const [, from, to, size] = /Characters ([\d,]+) to ([\d,]+) of ([\d,]+)/.exec(await page.textContent('#text')).map((n) => Number(n.replace(/,/g, '')));
    assert.equal(from, upto);
    upto = to;
    text += await textOf(page);
    if (text.length < 17000) await checkPage(page, 'record-window');
    if (to === size) break;
    await page.click('#text >> text=Show more');
    await page.waitForFunction((start) => document.querySelector('#text .num').textContent.includes(`Characters ${start.toLocaleString('en')} `), to);
  }
  const [connection, key] = [id.split('/')[0], id.split(':')[1]];
  const answer = await fetch(`${fixture.base}/v1/streams/messages/records/${key}?connection_id=${connection}`, {headers: {authorization: `Bearer ${token}`}});
  assert.equal(text, (await answer.json()).data.text, 'the windows add up to the text');
  await page.click('#text >> text=Previous');
}

async function files(fixture, page) {
  await page.goto(`${fixture.base}/explore?q=grumbly+isolated&stream=messages`);
  await open(page, page.locator('.hits h3 a', {hasText: '<script>'}).first());
  const picture = page.locator('img.thumb');
  await picture.first().scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelector('img.thumb').naturalWidth === 64);
  await checkPage(page, 'record-files');
  assert.equal(await page.textContent('#files'), '4 files');
  for (const link of await page.$$eval('a[download]', (all) => all.map((one) => one.href))) {
    const answer = await page.request.get(link);
    assert.equal(answer.headers()['content-type'], 'application/octet-stream', link);
    assert.match(answer.headers()['content-disposition'], /^attachment; filename="/);
    const shown = await page.request.get(`${link}&look=1`);
    const isPicture = (await shown.body()).subarray(1, 4).toString() === 'PNG';
    assert.equal(shown.headers()['content-type'], isPicture ? 'image/png' : 'application/octet-stream');
    assert.match(shown.headers()['content-disposition'], isPicture ? /^inline/ : /^attachment/);
    assert.match(shown.headers()['content-security-policy'], /default-src 'none'; sandbox/);
    assert.equal(shown.headers()['x-content-type-options'], 'nosniff');
  }
  const stranger = await fixture.visitor();
  const refused = await stranger.request.get(await page.$eval('a[download]', (one) => one.href), {maxRedirects: 0});
  assert.equal(refused.status(), 303, 'other visitors cannot read it');
  await stranger.context().close();
}

// Every field is shown or has a bar, exactly as the client's token reads it.
async function asClient(fixture, page) {
  const owner = fixture.ladder.run(['token', 'create']).token;
  const given = fixture.ladder.run(['grant', 'create', '--client', kClient, '--stream', `mail/messages:${kFields.join()}`, '--since', '2026-02-01']);
  const read = async (token, path) => {
    const answer = await fetch(fixture.base + path, {headers: {authorization: `Bearer ${token}`}});
    return {status: answer.status, body: await answer.json()};
  };
  const list = (await read(owner, '/v1/streams/messages/records?connection_id=mail&limit=100')).body.data;
  const before = list.find(({data}) => data.sent_at < '2026-02-01');
  for (const {id} of [...list.filter(({data}) => data.sent_at >= '2026-02-01').slice(0, 4), before]) {
    const path = `/v1/streams/messages/records/${id}?connection_id=mail`;
    const own = await read(owner, path), theirs = await read(given.token, path);
    await page.goto(`${fixture.base}/record?id=${encodeURIComponent(`mail/messages:${id}`)}&as=${kClient}`);
    const bars = await page.$$eval('article .withheld, h1 .withheld', (all) => all.map((bar) => bar.closest('[data-field]')?.dataset.field).filter(Boolean));
    const isThere = (value) => value !== null && value !== '' && JSON.stringify(value) !== '[]';
    const names = Object.entries(own.body.data).filter(([name, value]) => isThere(value) && name !== 'blob_ref').map(([name]) => name);
    const withheld = names.filter((name) => theirs.status !== 200 || !(name in theirs.body.data));
    assert.deepEqual(new Set(bars), new Set(withheld));
    if (theirs.status === 200) {
      assert.equal(await textOf(page), theirs.body.data.text.slice(0, 16384));
      const sent = {...theirs.body.data, text: theirs.body.data.text.slice(0, 16384)};  // longer text is read in windows
      assert.deepEqual(JSON.parse(await page.$eval('pre.window', (one) => one.textContent)), sent);
    } else {
      assert.match(await page.textContent('.notice'), /gets nothing of this record/);
      await checkPage(page, 'record-as-client-nothing');
    }
  }
  const inside = list.find(({data}) => data.sent_at >= '2026-02-01');
  await page.goto(`${fixture.base}/record?id=${encodeURIComponent(`mail/messages:${inside.id}`)}`);
  await page.click(`.as-bar a:has-text("${kClient}")`);
  await checkPage(page, 'record-as-client');
  for (const q of ['hotel', 'nora', 'the']) {
    const {body} = await read(given.token, `/v1/search?q=${q}&limit=20`);
    await page.goto(`${fixture.base}/explore?q=${q}&as=${kClient}`);
    const shown = await page.locator('.hits').count() > 0 ? await results(page) : [];
    assert.deepEqual(shown, body.data.map(({id}) => id), 'it finds what the client finds');
  }
  await checkPage(page, 'explore-as-client');
  const files = await page.request.get(`${fixture.base}/record/file?id=${encodeURIComponent('mail/attachments:x')}&as=${kClient}`);
  assert.ok(files.status() >= 400);
  // Filter by time, because reads of the client itself may be written later.
  const begin = new Date();
  const notedSince = () => fixture.ladder.run(['ledger', '--client', kClient, '--limit', '1000']).data.filter(({at}) => new Date(at) >= begin);
  await new Promise((resolve) => setTimeout(resolve, 1100));
  for (const path of [`/record?id=${encodeURIComponent(`mail/messages:${inside.id}`)}`, '/explore?q=hotel', '/explore']) {
    await page.goto(`${fixture.base}${path}${path.includes('?') ? '&' : '?'}as=${kClient}`);
  }
  await new Promise((resolve) => setTimeout(resolve, 1500));
  assert.deepEqual(notedSince(), [], 'viewing as a client is not recorded');
  await page.goto(`${fixture.base}/record?id=${encodeURIComponent(`mail/messages:${inside.id}`)}`);
  await page.waitForFunction(async (name) => {
    const answer = await fetch(location.href);
    return (await answer.text()).includes(`/client?id=${name}`);
  }, kClient);
  await page.reload();
  assert.match(await page.textContent('[aria-labelledby=seen]'), new RegExp(kClient), 'actual reads of the client are listed');
  assert.equal((await page.goto(`${fixture.base}/explore?as=nobody-of-that-name`)).status(), 404);
}

async function keyboard(fixture, page) {
  await page.goto(`${fixture.base}/explore`);
  assert.equal(await page.evaluate(() => document.activeElement.name), 'q');
  await page.keyboard.type('miramar booking');
  const gone = page.waitForURL('**q=miramar**');
  await page.keyboard.press('Enter');
  await gone;
  await page.waitForSelector('.hits');
  await page.focus('input[name=q]');
  // The button, four filters and the menu that saves the search are before the hits.
  for (let i = 0; i < 7 && !(await page.evaluate(() => document.activeElement.closest('h3'))); ++i) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/record?id=**');
  assert.match(await page.textContent('h1'), /Miramar/);
}

async function withoutScripts(fixture) {
  const page = await fixture.visitor({javaScriptEnabled: false});
  await signIn(page, fixture);
  await page.goto(`${fixture.base}/explore`);
  await page.fill('input[name=q]', 'hotel');
  await menu(page, 'Source').locator('summary').click();
  await page.check('input[name=source][value=mail]');
  await menu(page, 'Source').locator('text=Apply').click();
  assert.match(page.url(), /q=hotel/);
  const ids = await results(page);
  assert.ok(ids.length > 0 && ids.every((id) => id.startsWith('mail/')));
  await open(page, page.locator('.hits h3 a').first());
  assert.ok((await page.textContent('.reading')).length > 20);
  await page.context().close();
}

export async function explore(fixture, check) {
  const page = await fixture.visitor();
  await signIn(page, fixture);
  const mailbox = join(fixture.folder, 'hostile.mbox');
  writeFileSync(mailbox, hostileMailbox());
  fixture.ladder.run(['import', mailbox, '--connection', 'mail']);
  await check('newest records, page by page', () => newest(fixture, page));
  await check('search as you type, with marked matches', () => search(fixture, page));
  await check('filters by source, kind and time', () => filters(fixture, page));
  await check('pages of hits', () => paging(fixture, page));
  await check('an empty result explains why', () => nothing(fixture, page));
  await check('conversations in results and on the record page', () => conversation(fixture, page));
  await check('a record', () => recordPage(fixture, page));
  await check('PDF pages as images', () => documentPages(fixture, page));
  await check('the stylesheet and the script are compressed', () => assets(fixture, page));
  await check('a long text in windows', () => longText(fixture, page));
  await check('files: images are shown, nothing runs', () => files(fixture, page));
  await check('malicious text stays text', () => hostile(fixture, page));
  await check('exactly as a client sees it', () => asClient(fixture, page));
  await check('search by keyboard', () => keyboard(fixture, page));
  await check('search without scripts', () => withoutScripts(fixture));
  await page.context().close();
}
