/** An upload over a raw socket that stops where a test wants it to. */
import { connect } from 'node:net'

export interface SlowUpload {
  /** Sends the rest of the file and the end of the form. */
  finish(): void
  /** Disconnects like a closed browser. */
  leave(): void
  /** Status line, headers and body as received; '' if the connection ended without them. */
  readonly answer: Promise<string>
  /** Whether any part of the answer has arrived. */
  answered(): boolean
}

interface Asked {
  readonly port: number
  readonly line: string
  readonly cookie: string
  readonly part: string
  readonly name?: string
  readonly type?: string
  readonly bytes: Buffer
  /** How much of the file is sent at first. */
  readonly first: number
}

const border = 'slow-upload-border'

export function slowUpload({ port, line, cookie, part, name = 'a', type = 'image/png', bytes, first }: Asked): SlowUpload {
  const head = `--${border}\r\nContent-Disposition: form-data; name="${part}"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`
  const tail = `\r\n--${border}--\r\n`
  const headers = [
    `${line} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    `Cookie: ${cookie}`,
    `Content-Type: multipart/form-data; boundary=${border}`,
    `Content-Length: ${head.length + bytes.length + tail.length}`,
  ]
  const socket = connect(port, '127.0.0.1')
  socket.write(`${headers.join('\r\n')}\r\n\r\n${head}`)
  socket.write(bytes.subarray(0, first))
  let got = ''
  const answer = new Promise<string>((resolve) => {
    socket.on('data', (chunk) => {
      got += chunk
      if (got.includes('\r\n\r\n')) resolve(got)
    })
    socket.on('close', () => resolve(got))
    socket.on('error', () => undefined)
  })
  return {
    finish: () => void socket.write(Buffer.concat([bytes.subarray(first), Buffer.from(tail)])),
    leave: () => void socket.destroy(),
    answer,
    answered: () => got !== '',
  }
}
