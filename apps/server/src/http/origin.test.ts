import type { IncomingHttpHeaders } from 'node:http'
import { expect, test } from 'vitest'
import { isOwnOrigin } from './origin.ts'

const publicUrl = 'https://ctf.example.org'

test.each<[string, IncomingHttpHeaders, boolean]>([
  ['a tool without headers', {}, true],
  ['a browser on the same origin', { 'sec-fetch-site': 'same-origin' }, true],
  ['a browser with a typed address', { 'sec-fetch-site': 'none' }, true],
  ['a browser on a page of another site', { 'sec-fetch-site': 'cross-site' }, false],
  ['the page of PUBLIC_URL, behind a proxy', { origin: 'https://ctf.example.org' }, true],
  ['the page of the requested host', { origin: 'http://192.168.1.5:8080', host: '192.168.1.5:8080' }, true],
  ['the same host at another port', { origin: 'http://192.168.1.5:9090', host: '192.168.1.5:8080' }, false],
  ['the host of PUBLIC_URL without encryption', { origin: 'http://ctf.example.org' }, false],
  ['another host of the same domain', { origin: 'https://other.example.org' }, false],
  ['a host that starts with the host of PUBLIC_URL', { origin: 'https://ctf.example.org.evil.example' }, false],
  ['a page without an origin', { origin: 'null' }, false],
  ['nonsense', { origin: '//[' }, false],
])('%s: the origin %j is our own: %j', (_who, headers, own) => {
  expect(isOwnOrigin({ host: 'inside:8080', ...headers }, publicUrl)).toBe(own)
})
