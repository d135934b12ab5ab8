/** Calls the API of the cluster as its administrator. */
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { kubeconfig } from './place.ts'

interface Access {
  readonly server: string
  readonly ca: Buffer
  readonly token: string
}
let access: Access | null = null

/** Returns the parsed answer. @throws an error with `status` if the API refuses the request */
export async function askApi<T>(method: string, path: string, body?: object, type = 'application/json'): Promise<T> {
  access ??= readAccess()
  const { server, ca, token } = access
  const headers = { authorization: `Bearer ${token}`, 'content-type': type }
  const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const outgoing = request(`${server}${path}`, { method, ca, headers, timeout: 10_000 }, (answer) => {
      let text = ''
      answer.on('data', (part) => {
        text += part
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${method} ${path}: no answer`)))
    outgoing.on('error', reject)
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  })
  if (status >= 400) throw Object.assign(new Error(`${method} ${path}: ${status} ${text.slice(0, 500)}`), { status })
  return JSON.parse(text)
}

function readAccess(): Access {
  const { clusters, users } = JSON.parse(readFileSync(kubeconfig('admin'), 'utf8'))
  const { server, 'certificate-authority-data': ca } = clusters[0].cluster
  return { server, ca: Buffer.from(ca, 'base64'), token: users[0].user.token }
}
