#!/usr/bin/python3
"""An HTTP server of feeds, for the tests of synced feeds.

feed_server.py FOLDER
  prints its port, serves the files of FOLDER, and appends one JSON line for every request to FOLDER/requests.
  /NAME          the file, with ETag and Last-Modified; 304 if either matches
  /plain/NAME    the file, without validators
  /to?URL        a redirect to URL
  /status/CODE   an answer with that status
  /endless       an answer that does not end
  /long-header   an answer whose headers do not end
  /silent        no answer
"""
import email.utils
import hashlib
import http.server
import json
import os
import sys
import threading
import time

folder, parent = sys.argv[1], os.getppid()
lock = threading.Lock()


class Feeds(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *_):
        pass

    def answer(self, status, body=b'', headers=()):
        with lock, open(os.path.join(folder, 'requests'), 'a', encoding='utf-8') as file:
            file.write(json.dumps({'path': self.path, 'status': status, 'headers': dict(self.headers)}) + '\n')
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if status not in (204, 304):
            self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path.startswith('/to?'):
            return self.answer(301, headers=[('Location', self.path[4:])])
        if self.path.startswith('/status/'):
            return self.answer(int(self.path[8:]))
        if self.path == '/silent':
            return time.sleep(600)
        if self.path == '/long-header':
            return self.flood(b'HTTP/1.1 200 OK\r\nX: ', b'x' * 65536)
        if self.path == '/endless':
            return self.flood(b'HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\r\n<rss><channel>', b'<item><title>again</title></item>' * 2000)
        path = os.path.join(folder, os.path.basename(self.path))
        if not os.path.isfile(path):
            return self.answer(404)
        with open(path, 'rb') as file:
            body = file.read()
        if self.path.startswith('/plain/'):
            return self.answer(200, body)
        tag = 'W/"%s"' % hashlib.sha256(body).hexdigest()[:16]
        changed = email.utils.formatdate(os.path.getmtime(path), usegmt=True)
        if self.headers.get('If-None-Match') == tag:
            return self.answer(304, headers=[('ETag', tag)])
        return self.answer(200, body, [('ETag', tag), ('Last-Modified', changed), ('Content-Type', 'application/xml')])

    def flood(self, head, piece):
        try:
            self.wfile.write(head)
            while True:
                self.wfile.write(piece)
        except OSError:
            self.close_connection = True


def end_with_parent():
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(0)


server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Feeds)
server.daemon_threads = True
threading.Thread(target=end_with_parent, daemon=True).start()
print(server.server_address[1], flush=True)
server.serve_forever()
