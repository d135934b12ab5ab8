import { expect, test } from 'vitest'
import { entryLinks } from './entry-links.ts'

test('CD-8 an address opens as a page and has a command', () => {
  expect(entryLinks('play.example.org:31284', null, { site: 'https://ctf.example.org' })).toEqual({
    shown: 'play.example.org:31284',
    opens: 'http://play.example.org:31284',
    page: null,
    commands: [
      { with: 'nc', line: 'nc play.example.org 31284' },
      { with: 'python', line: 'import socket; s = socket.create_connection(("play.example.org", 31284))' },
    ],
    proxied: false,
  })
  const { opens, commands } = entryLinks('[2001:db8::7]:80', null, { site: 'https://ctf.example.org' })
  expect([opens, commands[0]?.line]).toEqual(['http://[2001:db8::7]:80', 'nc 2001:db8::7 80'])
})

test('CD-8 an id is a WebSocket of the platform, opened by the external client', () => {
  const id = '0a1b2c3d-4e5f-4000-8000-000000000000'
  expect(entryLinks(id, null, { site: 'https://ctf.example.org' })).toEqual({
    shown: `wss://ctf.example.org/api/proxy/${id}`,
    opens: `wsrx://open?url=wss%3A%2F%2Fctf.example.org%2Fapi%2Fproxy%2F${id}`,
    page: null,
    commands: [
      {
        with: 'node',
        line: `curl -sSO https://ctf.example.org/forward.mjs && node forward.mjs wss://ctf.example.org/api/proxy/${id}`,
      },
      {
        with: 'python',
        line: `curl -sSO https://ctf.example.org/forward.py && python3 forward.py wss://ctf.example.org/api/proxy/${id}`,
      },
    ],
    proxied: true,
  })
  expect(entryLinks(id, null, { site: 'http://localhost:8080' }).shown).toBe(`ws://localhost:8080/api/proxy/${id}`)
})

test('CE-3 a test container has a different kind of tunnel', () => {
  const id = '0a1b2c3d-4e5f-4000-8000-000000000000'
  const { shown, opens } = entryLinks(id, null, { site: 'https://ctf.example.org', test: true })
  expect(shown).toBe(`wss://ctf.example.org/api/proxy/noinst/${id}`)
  expect(opens).toBe(`wsrx://open?url=wss%3A%2F%2Fctf.example.org%2Fapi%2Fproxy%2Fnoinst%2F${id}`)
  expect(entryLinks('play.example.org:1', null, { test: true }).shown).toBe('play.example.org:1')
})

test('where the platform has hosts for pages of instances, the page opens in the browser', () => {
  const id = '0a1b2c3d-4e5f-4000-8000-000000000000'
  expect(entryLinks(id, 'https://*.example.net:8443', { site: 'https://ctf.example.org' }).page).toBe(
    `https://${id}.example.net:8443/`,
  )
  expect(entryLinks('a:1', 'https://*.example.net').page).toBeNull()
  expect(entryLinks(`${id}/sql`, 'https://*.example.net', { site: 'https://ctf.example.org' })).toMatchObject({
    shown: `wss://ctf.example.org/api/proxy/${id}/sql`,
    page: `https://${id}-sql.example.net/`,
  })
})

test('CD-8 where the instance accepts TLS connections, commands for them come first', () => {
  const id = '0a1b2c3d-4e5f-4000-8000-000000000000'
  const { commands } = entryLinks(id, null, { site: 'https://ctf.example.org', tls: 'ab12.tcp.example.net:8443' })
  expect(commands.slice(0, 3)).toEqual([
    { with: 'ncat', line: 'ncat --ssl ab12.tcp.example.net 8443' },
    { with: 'openssl', line: 'openssl s_client -quiet -servername ab12.tcp.example.net -connect ab12.tcp.example.net:8443' },
    { with: 'pwntools', line: 'remote("ab12.tcp.example.net", 8443, ssl=True)' },
  ])
  expect(commands.slice(3).map((command) => command.with)).toEqual(['node', 'python'])
})
