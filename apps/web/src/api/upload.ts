/** Uploads of large files with progress, which `fetch` does not report. */
import type { Endpoint, Reply } from '@vexil/contract/endpoint'
import { addressOf, Refusal, refusalOf, refuseBlocked } from './client.ts'
import { markAnswered, markUnreachable } from './connection.ts'

interface Parts {
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, unknown>>
  /** Share sent, 0 to 1. */
  readonly onProgress?: (share: number) => void
}

/** Sends one file in the part that the endpoint names. @throws Refusal */
export async function upload<E extends Endpoint>(
  endpoint: E,
  file: File,
  { onProgress, ...parts }: Parts = {},
): Promise<Reply<E>> {
  refuseBlocked(endpoint)
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(endpoint.method, addressOf(endpoint, parts))
    request.setRequestHeader('Accept-Language', document.documentElement.lang)
    request.responseType = 'json'
    request.upload.onprogress = ({ loaded, total, lengthComputable }) => lengthComputable && onProgress?.(loaded / total)
    request.onload = () => {
      const { status, response } = request
      markAnswered(status)
      if (status >= 200 && status < 300) return resolve(response as Reply<E>)
      reject(refusalOf(endpoint, status, response, request.getResponseHeader('Retry-After')))
    }
    request.onerror = () => {
      markUnreachable()
      reject(new Refusal(0, undefined))
    }
    const form = new FormData()
    form.append(endpoint.shape.upload ?? 'file', file, file.name)
    request.send(form)
  })
}
