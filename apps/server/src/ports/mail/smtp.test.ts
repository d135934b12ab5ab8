import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { type AddressInfo, createServer, Socket } from 'node:net'
import tls from 'node:tls'
import { afterEach, expect, test, vi } from 'vitest'
import { freePort } from '../../../../../e2e/platform.ts'
import { type MailServer, startMailServer } from '../../../test/mail-server.ts'
import { type Mailer, noMailer } from './mail.ts'
import { openSmtp } from './smtp.ts'

let server: MailServer | undefined
let mailer: Mailer | undefined
afterEach(async () => {
  mailer?.close()
  await server?.stop()
})

const mail = {
  id: '7.1700000000000',
  to: { name: '旗手, <b>', address: 'someone@example.org' },
  fromName: '秋季赛::CTF',
  language: 'zh_CN',
  subject: '激活您的账号 - 秋季赛::CTF',
  text: '您好，\n\n链接 https://ctf.example.org/?a=b',
  html: '<p>您好</p>',
}
const open = (more: object = {}) => {
  mailer = openSmtp({
    host: '127.0.0.1',
    port: server?.port as number,
    user: null,
    password: null,
    sender: 'ctf@example.org',
    senderName: null,
    ignoreCertificate: true,
    ...more,
  })
  return mailer
}

test('a mail arrives encrypted and complete: names, subject, text and HTML', async () => {
  server = await startMailServer({ login: { user: 'vexil', password: 'pass wörd' } })
  await open({ user: 'vexil', password: 'pass wörd' }).send(mail)
  const [got] = server.received
  expect(got).toMatchObject({
    envelope: { from: 'ctf@example.org', to: 'someone@example.org' },
    encrypted: true,
    user: 'vexil',
    text: expect.stringContaining(mail.text),
    html: expect.stringContaining(mail.html),
  })
  expect(got?.headers).toMatchObject({
    subject: mail.subject,
    from: expect.stringContaining('秋季赛::CTF'),
    to: expect.stringContaining('旗手, <b>'),
    'message-id': '<7.1700000000000@example.org>',
    'content-language': 'zh-CN',
    'auto-submitted': 'auto-generated',
    'x-auto-response-suppress': 'All',
  })
})

test('an untrusted certificate is refused unless the setting permits it', async () => {
  server = await startMailServer()
  await expect(open({ ignoreCertificate: false }).send(mail)).rejects.toMatchObject({ permanent: false })
  expect(server.received).toEqual([])
})

test('a wrong password or sender can be corrected, a refused recipient is permanent, and a full mailbox can be retried', async () => {
  const answers: Record<string, { code: number; message: string }> = {
    'gone@example.org': { code: 550, message: '5.1.1 No such user' },
    'bad@example.org': { code: 500, message: 'Not understood' },
    'full@example.org': { code: 452, message: '4.2.2 Mailbox full' },
  }
  const answerSender = (from: string) => (from === 'ctf@example.org' ? null : { code: 553, message: '5.7.1 Not owned by user' })
  server = await startMailServer({ login: { user: 'a', password: 'b' }, answer: (to) => answers[to] ?? null, answerSender })
  const wrong = open({ user: 'a', password: 'wrong' })
  await expect(wrong.check()).rejects.toMatchObject({ permanent: false, message: expect.stringContaining('535') })
  await expect(wrong.send(mail)).rejects.toMatchObject({ permanent: false })
  wrong.close()
  const foreign = open({ user: 'a', password: 'b', sender: 'other@example.org' })
  await expect(foreign.send(mail)).rejects.toMatchObject({ permanent: false, message: '553 5.7.1 Not owned by user' })
  foreign.close()
  const right = open({ user: 'a', password: 'b' })
  await right.check()
  const to = (address: string) => right.send({ ...mail, to: { name: 'x', address } })
  await expect(to('gone@example.org')).rejects.toMatchObject({ permanent: true, message: '550 5.1.1 No such user' })
  await expect(to('bad@example.org')).rejects.toMatchObject({ permanent: true })
  // Refused without a request to the server.
  await expect(to('')).rejects.toMatchObject({ permanent: true, message: 'No recipients defined' })
  await expect(to('full@example.org')).rejects.toMatchObject({ permanent: false, message: '452 4.2.2 Mailbox full' })
  await to('someone@example.org')
  expect(server.received).toHaveLength(1)
})

test('the error has the server’s response in one line, without the link of the mail', async () => {
  const message = `5.7.1 Blocked:\thttps://ctf.example.org/account/reset?token=SECRET and ?Token=SECRET ${'x'.repeat(400)}`
  server = await startMailServer({ answer: () => ({ code: 554, message }) })
  const error = await open()
    .send(mail)
    .catch((one: Error) => one)
  expect((error as Error).message).toMatch(/^554 5\.7\.1 Blocked: … and … x+$/)
  expect((error as Error).message.length).toBe(300)
})

test('an unavailable server is a temporary error', async () => {
  server = await startMailServer()
  const { port } = server
  await server.stop()
  const away = open()
  await expect(away.send(mail)).rejects.toMatchObject({ permanent: false, message: expect.stringContaining('ECONNREFUSED') })
  server = await startMailServer({ port })
  await away.send(mail)
  expect(server.received).toHaveLength(1)
})

test('without a mail server sending fails and may be retried', async () => {
  await expect(noMailer.send(mail)).rejects.toMatchObject({ permanent: false, message: 'no mail server is set up' })
})

test('port 465 uses TLS from the first byte, other ports do not', async () => {
  const dialled = new Error('dialled')
  const dial = vi.spyOn(tls, 'connect').mockImplementation(() => {
    throw dialled
  })
  try {
    await expect(open({ port: 465 }).check()).rejects.toThrow('dialled')
    const refused = await freePort()
    await expect(open({ port: refused }).check()).rejects.toThrow('ECONNREFUSED')
    expect(dial).toHaveBeenCalledTimes(1)
  } finally {
    dial.mockRestore()
  }
})

test('a server that does not greet within 10 s is a temporary error', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { promise: connected, resolve } = Promise.withResolvers<void>()
  const onSocket = (message: unknown) =>
    void (message as { socket: Socket }).socket.once('connect', () => void setImmediate(resolve))
  subscribe('net.client.socket', onSocket)
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  try {
    const { port } = silent.address() as AddressInfo
    const refused = expect(open({ port }).check()).rejects.toMatchObject({
      permanent: false,
      message: expect.stringContaining('Greeting never received'),
    })
    await connected
    vi.advanceTimersByTime(10_000)
    await refused
  } finally {
    silent.close()
    unsubscribe('net.client.socket', onSocket)
    vi.useRealTimers()
  }
})

test('a server that is silent after its greeting is a temporary error', async () => {
  const setTimeout = Socket.prototype.setTimeout
  const spy = vi.spyOn(Socket.prototype, 'setTimeout').mockImplementation(function (this: Socket, ms, ...rest) {
    return setTimeout.call(this, ms === 20_000 ? 100 : ms, ...rest)
  })
  const silent = createServer((socket) => void socket.on('error', () => undefined).write('220 mail.example.org\r\n'))
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  try {
    const { port } = silent.address() as AddressInfo
    await expect(open({ port }).check()).rejects.toMatchObject({ permanent: false, message: expect.stringContaining('Timeout') })
  } finally {
    silent.close()
    spy.mockRestore()
  }
})

test('many mails share two connections, which end with the mailer', async () => {
  server = await startMailServer({ delayMs: 50 })
  const { connections, received } = server
  const sender = open()
  let most = 0
  const sent = Array.from({ length: 6 }, async (_, at) => {
    await sender.send({ ...mail, id: String(at) })
    most = Math.max(most, connections())
  })
  await Promise.all(sent)
  expect([received.length, most]).toEqual([6, 2])
  sender.close()
  await vi.waitFor(() => expect(connections()).toBe(0))
})

test('a name or address cannot add headers or recipients', async () => {
  server = await startMailServer()
  const to = { name: 'a\r\nBcc: thief@example.org', address: 'b@example.org\r\nBcc: thief@example.org' }
  await open()
    .send({ ...mail, to, subject: 'x\r\nBcc: thief@example.org' })
    .catch(() => undefined)
  for (const { envelope, headers } of server.received) {
    expect(envelope.to).not.toContain('thief')
    expect(headers).not.toHaveProperty('bcc')
  }
})
