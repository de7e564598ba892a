// Optional; every page works without it. Updates the consent preview when a choice changes, searches as you type, handles passkeys,
// copies addresses, refreshes live pages, uploads dropped files in parts, steps through matches, and fills the reading pane.
'use strict';

const choices = document.querySelector('form[data-preview]');
if (choices) {
  const hide = () => {
    for (const button of document.querySelectorAll('.preview button[value=preview]')) button.hidden = true;
  };
  // Sends the choices, and replaces the parts of the page that depend on them.
  let running = null;
  const update = async (name, value, parts) => {
    if (running) running.abort();
    running = new AbortController();
    const body = new URLSearchParams(new FormData(choices));
    body.set(name, value);
    try {
      const answer = await fetch(choices.action, { method: 'POST', body, signal: running.signal });
      if (answer.redirected || !answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      for (const id of parts) {
        const shown = document.getElementById(id), made = page.getElementById(id);
        if (shown && made) shown.replaceChildren(...made.childNodes);
      }
      choices.elements.shown.value = page.querySelector('input[name=shown]').value;
      hide();
    } catch (error) {
      if (error.name !== 'AbortError') throw error;
    }
  };
  // A level selects its fields, and a field selects the level Custom.
  const follow = (input) => {
    const kind = input.closest('.kind');
    if (!kind) return;
    if (input.name === 'f') kind.querySelector('input[value=custom]').checked = true;
    if (input.type !== 'radio' || input.value === 'custom') return;
    const level = [...kind.querySelectorAll('.level input')].indexOf(input) - 1;
    for (const box of kind.querySelectorAll('input[name=f]')) box.checked = box.dataset.rank <= level;
    kind.querySelector('input[type=hidden]').value = input.value;
  };
  hide();
  choices.addEventListener('change', (event) => {
    follow(event.target);
    update('do', 'preview', ['preview', 'decide', 'diff', 'told', 'presets']);
  });
  choices.addEventListener('click', (event) => {
    const button = event.target.closest('button');
    if (!button) return;
    if (button.getAttribute('aria-disabled') === 'true') event.preventDefault();
    if (button.name !== 'preset') return;
    event.preventDefault();
    update('preset', button.value, ['preview', 'decide', 'diff', 'told', 'presets', 'kinds', 'limits']).then(
      () => [...choices.querySelectorAll('button[name=preset]')].find((one) => one.value === button.value)?.focus());
  });
}

const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
const text = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');

for (const form of document.querySelectorAll('form[data-passkey]')) {
  if (!window.PublicKeyCredential) continue;
  form.hidden = false;
  form.addEventListener('submit', async (event) => {
    if (form.elements.credential.value) return;
    event.preventDefault();
    const challenge = bytes(form.dataset.challenge);
    const rpId = location.hostname;
    const fields = form.elements;
    try {
      if (form.dataset.passkey === 'make') {
        const made = await navigator.credentials.create({ publicKey: {
          challenge, rp: { id: rpId, name: 'Ladder' },
          user: { id: bytes(form.dataset.user), name: form.dataset.name, displayName: form.dataset.name },
          pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: 'public-key', alg })),
          authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' }, attestation: 'none',
        } });
        fields.key.value = text(made.response.getPublicKey());
        fields.algorithm.value = made.response.getPublicKeyAlgorithm();
        fields.authenticator.value = text(made.response.getAuthenticatorData());
        fields.client.value = text(made.response.clientDataJSON);
        fields.credential.value = made.id;
      } else {
        const got = await navigator.credentials.get({ publicKey: { challenge, rpId, userVerification: 'required' } });
        fields.signature.value = text(got.response.signature);
        fields.authenticator.value = text(got.response.authenticatorData);
        fields.client.value = text(got.response.clientDataJSON);
        fields.credential.value = got.id;
      }
      form.submit();
    } catch (error) {
      const said = form.querySelector('[data-said]');
      said.textContent = 'The browser returned no passkey. ' + error.message;
      said.hidden = false;
    }
  });
}

// Copy buttons.
for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = !navigator.clipboard;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent.trim());
    const before = button.textContent;
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = before; }, 1600);
  });
}

// Refreshes the live part of the page until its state changes. Skips the update while it has keyboard focus.
const renew = async (live) => {
  try {
    const answer = await fetch(location.href);
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const made = answer.ok && !answer.redirected ? page.querySelector('[data-live]') : null;
    if (!made || made.dataset.state !== live.dataset.state) return location.reload();
    if (!live.contains(document.activeElement)) live.replaceChildren(...made.childNodes);
  } catch { /* the server is temporarily unavailable */ }
  setTimeout(renew, 1000, live);
};
const live = document.querySelector('[data-live]');
if (live) setTimeout(renew, 1000, live);

// Uploads files in parts. The server reports how much it has, so an interrupted upload continues there.
const kPart = 4 * 1024 * 1024, kTries = 8;

const filesOf = async (entry, folder) => {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ file, name: folder + file.name }];
  }
  const reader = entry.createReader(), found = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    for (const one of some) found.push(...await filesOf(one, `${folder}${entry.name}/`));
  }
};

for (const form of document.querySelectorAll('form[data-drop]')) {
  const box = form.querySelector('[data-arriving]'), said = form.querySelector('[data-said]');
  const bar = form.querySelector('progress'), pause = form.querySelector('[data-pause]');
  let paused = false, wake = null;

  const send = async (fields, body) => {
    for (let tries = 0;; tries += 1) {
      try {
        const answer = await fetch(`/import/upload?${new URLSearchParams(fields)}`, {
          method: 'POST', body, headers: { 'Content-Type': 'application/octet-stream', 'X-CSRF-Token': form.elements.csrf.value },
        });
        if (answer.ok && !answer.redirected) return await answer.json();
        const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
        throw Object.assign(new Error(page.querySelector('main p')?.textContent ?? `The server returned ${answer.status}.`), { final: true });
      } catch (error) {
        if (error.final || tries === kTries) throw error;
        await new Promise((resolve) => { setTimeout(resolve, 500 * 2 ** tries); });
      }
    }
  };

  const take = async (files) => {
    if (files.length === 0) return;
    box.hidden = false;
    const all = files.reduce((sum, { file }) => sum + file.size, 0);
    let before = 0;
    try {
      for (const { file, name } of files) {
        const fields = { upload: form.elements.upload.value, name, size: file.size, at: 0 };
        let { upload, have } = await send(fields, '');
        form.elements.upload.value = fields.upload = upload;
        while (have < file.size) {
          if (paused) await new Promise((resolve) => { wake = resolve; });
          bar.value = 100 * (before + have) / all;
          said.textContent = `${name}: ${Math.floor(100 * have / file.size)}%`;
          fields.at = have;
          ({ have } = await send(fields, file.slice(have, have + kPart)));
        }
        before += file.size;
      }
      bar.value = 100;
      form.elements.do.value = 'plan';
      form.querySelector('input[type=file]').value = '';
      form.submit();
    } catch (error) {
      said.textContent = `The upload stopped: ${error.message} Choose the same files to continue.`;
      box.classList.add('stopped');
    }
  };

  pause.addEventListener('click', () => {
    paused = !paused;
    pause.textContent = paused ? 'Continue' : 'Pause';
    if (paused) said.textContent = 'Paused. Uploaded parts are kept.';
    else if (wake) wake();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    take([...form.querySelector('input[type=file]').files].map((file) => ({ file, name: file.webkitRelativePath || file.name })));
  });
  const folder = form.querySelector('[data-folder]');
  if (folder) {
    const chooser = Object.assign(document.createElement('input'), { type: 'file', webkitdirectory: true });
    chooser.addEventListener('change', () => take([...chooser.files].map((file) => ({ file, name: file.webkitRelativePath || file.name }))));
    folder.addEventListener('click', () => chooser.click());
    folder.hidden = false;
  }
  form.addEventListener('dragover', (event) => event.preventDefault());
  form.addEventListener('drop', async (event) => {
    event.preventDefault();
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const plain = [...event.dataTransfer.files].map((file) => ({ file, name: file.name }));
    const found = [];
    for (const entry of entries) found.push(...await filesOf(entry, ''));
    take(found.length > 0 ? found : plain);
  });
}

// Steps through the matches of a record, with the buttons of its bar and with n and p.
const marksOf = (bar) => [...bar.closest('[data-pane], main').querySelectorAll('mark[id]')];

// Scrolls the pane around the element, or else the page. The pane must not move the page, which shows the list.
const bringIntoView = (element) => {
  const pane = element.closest('[data-pane]');
  if (!pane) return element.scrollIntoView({ block: 'center' });
  pane.scrollTop += element.getBoundingClientRect().top - pane.getBoundingClientRect().top - 0.4 * pane.clientHeight;
  return undefined;
};

const showMatch = (bar, marks, at) => {
  for (const mark of marks) mark.classList.toggle('here', mark === marks[at]);
  for (let fold = marks[at].closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
  bar.querySelector('[data-match]').textContent = `Match ${at + 1} of ${marks.length}`;
  bringIntoView(marks[at]);
};

const stepMatch = (by) => {
  const bar = document.querySelector('[data-matches]');
  if (!bar) return;
  const marks = marksOf(bar), at = marks.findIndex((mark) => mark.classList.contains('here')) + by;
  const next = bar.querySelector('[data-next]');
  if (at >= marks.length && next) next.click();
  else if (marks.length > 0) showMatch(bar, marks, (at + marks.length) % marks.length);
};

// Begins with the match that the link leads to, or else with the first one that is visible without a click.
const openMatches = (bar) => {
  const steps = bar.querySelector('[data-steps]');
  if (steps) steps.hidden = false;
  const marks = marksOf(bar), isSeen = (mark) => mark && !mark.closest('details:not([open])');
  const wanted = marks.findIndex((mark) => mark.matches('.here, :target'));
  const seen = marks.findIndex((mark) => mark.closest('.reader') && isSeen(mark));
  if (marks.length > 0) showMatch(bar, marks, isSeen(marks[wanted]) || seen < 0 ? Math.max(wanted, 0) : seen);
};
for (const bar of document.querySelectorAll('[data-matches]')) openMatches(bar);

document.addEventListener('click', (event) => {
  const button = event.target.closest('[data-step]');
  if (button) stepMatch(Number(button.dataset.step));
  for (const menu of document.querySelectorAll('[data-menu][open]')) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

// Shows the selected hit next to the list in a wide window: by mouse, or with j, k and the arrow keys. Enter opens its own page.
const wide = matchMedia('(min-width: 70rem)');
const hitsOf = () => [...document.querySelectorAll('[data-panes] .hits > li:has(h3 a)')];
let opening = null;

// The pane ends at the lower edge of the window, wherever the list begins.
const fitPane = () => {
  const pane = document.querySelector('[data-pane]');
  if (pane) pane.style.maxHeight = `${innerHeight - Math.max(pane.parentElement.getBoundingClientRect().top, 16) - 16}px`;
};
addEventListener('scroll', fitPane, { passive: true });
addEventListener('resize', fitPane);

const openHit = async (hit, follow) => {
  const pane = document.querySelector('[data-pane]'), hits = hitsOf(), link = hit.querySelector('h3 a');
  for (const one of hits) one.removeAttribute('aria-current');
  hit.setAttribute('aria-current', 'true');
  if (follow) hit.scrollIntoView({ block: 'nearest' });
  if (opening) opening.abort();
  opening = new AbortController();
  try {
    const answer = await fetch(link.href, { signal: opening.signal });
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const record = page.querySelector('.reader');
    if (!answer.ok || answer.redirected || !record) return;
    const tools = document.createElement('div'), place = document.createElement('span'), full = document.createElement('a');
    const title = document.createElement('h2');
    tools.className = 'pane-tools';
    place.innerHTML = '<b></b>, keys <kbd>j</kbd> <kbd>k</kbd>';
    place.firstChild.textContent = `${hits.indexOf(hit) + 1} of ${hits.length}`;
    full.className = 'btn btn-s row-end';
    full.href = link.href;
    full.textContent = 'Open full page';
    tools.append(place, full);
    title.className = 'pane-title';
    title.append(...page.querySelector('h1').childNodes);
    const bar = record.querySelector('[data-matches]');
    if (bar) bar.after(title);
    else record.prepend(title);
    pane.replaceChildren(tools, record);
    pane.hidden = false;
    fitPane();
    pane.scrollTop = 0;
    if (bar) openMatches(bar);
    const here = pane.querySelector('#here');
    if (here && !bar) bringIntoView(here);
  } catch (error) {
    if (error.name !== 'AbortError') throw error;
  }
};

const openFirstHit = () => {
  const [first] = hitsOf();
  if (first && wide.matches) openHit(first, false);
};
openFirstHit();
wide.addEventListener('change', openFirstHit);

document.addEventListener('click', (event) => {
  const hit = event.target.closest('[data-panes] .hits > li'), link = event.target.closest('a');
  const isPlain = event.detail > 0 && event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
  if (!hit || !wide.matches || !isPlain || (link && !link.closest('h3')) || !hit.querySelector('h3 a')) return;
  event.preventDefault();
  openHit(hit, false);
});

const isTyping = (event) => event.ctrlKey || event.metaKey || event.altKey ||
  event.target.closest('input:not([type=radio], [type=checkbox]), textarea, select');
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') for (const menu of document.querySelectorAll('[data-menu][open]')) menu.open = false;
  if (isTyping(event)) return;
  if (event.key === 'n' || event.key === 'p') stepMatch(event.key === 'n' ? 1 : -1);
  const hits = hitsOf(), at = hits.findIndex((hit) => hit.hasAttribute('aria-current'));
  if (hits.length === 0 || !wide.matches || event.target.closest('[data-pane], details')) return;
  const by = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
  const next = by && hits[at + by];
  if (next) {
    event.preventDefault();
    openHit(next, true);
  } else if (event.key === 'Enter' && at >= 0 && !event.target.closest('a, button, summary, input')) {
    hits[at].querySelector('h3 a').click();
  }
});

// Search as you type: fetches the same page and replaces the results.
const search = document.querySelector('form[data-search]');
if (search) {
  let running = null, waiting = 0;
  const said = search.querySelector('[data-said]');
  const ask = async () => {
    if (running) running.abort();
    running = new AbortController();
    const fields = new URLSearchParams([...new FormData(search)].filter(([, value]) => value !== ''));
    const address = `${search.action}?${fields}`;
    try {
      const answer = await fetch(address, { signal: running.signal });
      if (answer.redirected || !answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      for (const id of search.dataset.search.split(' ')) {
        const shown = document.getElementById(id), made = page.getElementById(id);
        if (shown && made) shown.replaceChildren(...made.childNodes);
      }
      history.replaceState(null, '', address);
      openFirstHit();
      const found = document.getElementById('found');
      said.textContent = found ? found.textContent : '';
    } catch (error) {
      if (error.name !== 'AbortError') throw error;
    }
  };
  search.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, 180);
  });
}
