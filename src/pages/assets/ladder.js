// Optional. Every page works without it: it sends the consent form for a new preview when a choice changes, searches while words
// are typed, and asks the browser for a passkey.
'use strict';

const choices = document.querySelector('form[data-preview]');
if (choices) {
  for (const button of document.querySelectorAll('.preview button[value=preview]')) button.hidden = true;
  let running = null;
  choices.addEventListener('change', async () => {
    if (running) running.abort();
    running = new AbortController();
    const body = new URLSearchParams(new FormData(choices));
    body.set('do', 'preview');
    try {
      const answer = await fetch(choices.action, { method: 'POST', body, signal: running.signal });
      if (answer.redirected || !answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      for (const id of ['preview', 'decide', 'diff']) {
        const shown = document.getElementById(id), made = page.getElementById(id);
        if (shown && made) shown.replaceChildren(...made.childNodes);
      }
      choices.elements.shown.value = page.querySelector('input[name=shown]').value;
      for (const button of document.querySelectorAll('.preview button[value=preview]')) button.hidden = true;
    } catch (error) {
      if (error.name !== 'AbortError') throw error;
    }
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
      said.textContent = 'The browser gave no passkey. ' + error.message;
      said.hidden = false;
    }
  });
}

// Search as you type: the same page is asked for, and what it found takes the place of what stands there.
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
