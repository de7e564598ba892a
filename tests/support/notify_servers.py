#!/usr/bin/python3
"""A mail server (SMTP with and without TLS, with sign-in) and an HTTP server that keep what arrives, for the tests of notifications.

notify_servers.py FOLDER
  prints one JSON line with the ports and the certificate, and appends one JSON line for every message to FOLDER/arrived.
  A file FOLDER/behavior with a word changes how it answers: "down" (refuse for now), "reject", "redirect", "silent" (no answer).
"""
import base64
import email
import email.policy
import http.server
import json
import logging
import os
import ssl
import subprocess
import sys
import threading
import time
import warnings

warnings.simplefilter('ignore')  # of aiosmtpd, about servers without encryption
logging.disable()

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult

folder, parent = sys.argv[1], os.getppid()
lock = threading.Lock()


def behavior():
    try:
        with open(os.path.join(folder, 'behavior'), encoding='utf-8') as file:
            return file.read().strip()
    except FileNotFoundError:
        return ''


def keep(entry):
    with lock, open(os.path.join(folder, 'arrived'), 'a', encoding='utf-8') as file:
        file.write(json.dumps(entry) + '\n')


class Mailbox:
    def __init__(self, kind):
        self.kind = kind

    async def handle_DATA(self, server, session, envelope):
        how = behavior()
        if how == 'down':
            return '451 try again later'
        if how == 'reject':
            return '554 not wanted'
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        keep({'kind': self.kind, 'from': envelope.mail_from, 'to': envelope.rcpt_tos, 'subject': str(message['Subject']),
              'headers': sorted(message.keys()), 'text': message.get_content(), 'tls': session.ssl is not None,
              'signed_in': bool(getattr(session, 'authenticated', False))})
        return '250 accepted'


def check_login(server, session, envelope, mechanism, login):
    is_right = login.login == b'ann' and login.password == b'correct-horse-battery'
    return AuthResult(success=is_right, handled=is_right)


class Hooks(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get('Content-Length', '0'))).decode()
        how = behavior()
        if how == 'silent':
            time.sleep(120)
        if how in ('down', 'reject', 'redirect'):
            self.send_response({'down': 503, 'reject': 410, 'redirect': 302}[how])
            if how == 'redirect':
                self.send_header('Location', '/elsewhere')
        else:
            self.send_response(200)
            keep({'kind': 'http', 'path': self.path, 'body': body,
                  'headers': {name.lower(): value for name, value in self.headers.items()}})
        self.send_header('Content-Length', '0')
        self.end_headers()

    def log_message(self, *arguments):
        pass


certificate, key = os.path.join(folder, 'tls.pem'), os.path.join(folder, 'tls.key')
subprocess.run(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost', '-addext',
                'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', key, '-out', certificate],
               check=True, stderr=subprocess.DEVNULL)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)


class Server(Controller):
    """With starttls: encryption is required before the sign-in. With tls: encrypted from the beginning."""

    def __init__(self, kind, **options):
        self.options = options
        super().__init__(Mailbox(kind), hostname='127.0.0.1', port=0, ssl_context=options.pop('ssl', None))

    def factory(self):
        return SMTP(self.handler, **self.options)


def started(server):
    # The controller of this version cannot find a port itself.
    import socket
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        server.port = probe.getsockname()[1]
    server.start()
    return server.port


web = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Hooks)
threading.Thread(target=web.serve_forever, daemon=True).start()
safe_web = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Hooks)
safe_web.socket = context.wrap_socket(safe_web.socket, server_side=True)
threading.Thread(target=safe_web.serve_forever, daemon=True).start()
sign_in = {'authenticator': check_login, 'auth_required': True}
ports = {
    'plain': started(Server('plain')),
    'starttls': started(Server('starttls', tls_context=context, require_starttls=True, auth_require_tls=True, **sign_in)),
    # The encryption ends in the controller, so the server must not ask for it.
    'tls': started(Server('tls', ssl=context, auth_require_tls=False, **sign_in)),
    'http': web.server_address[1],
    'https': safe_web.server_address[1],
}
print(json.dumps({**ports, 'certificate': certificate}), flush=True)
while os.getppid() == parent:  # a test that was killed leaves no servers
    time.sleep(0.5)
