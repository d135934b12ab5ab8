import type { Endpoint } from '@vexil/contract/endpoint'
import { type LooseParts, Refusal, send } from './client.ts'

/** The file name of a `content-disposition`: the extended form first, then the plain one. */
export function fileNameOf(disposition: string | null): string | undefined {
  const exact = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1]
  if (exact) {
    try {
      return decodeURIComponent(exact)
    } catch {}
  }
  return /filename="([^"]*)"/i.exec(disposition ?? '')?.[1]
}

/** Size of the parts that bytes are joined into, which the browser may keep outside of the page's memory. */
const part = 8 * 1024 * 1024

/** All bytes of a response. `total` is undefined where the server does not know it. @throws Refusal when it breaks off */
export async function readBytes(
  answer: Response,
  onProgress?: (loaded: number, total: number | undefined) => void,
): Promise<Blob> {
  const total = Number(answer.headers.get('content-length')) || undefined
  const parts: Blob[] = []
  let some: Uint8Array<ArrayBuffer>[] = []
  let [size, loaded] = [0, 0]
  const gather = () => {
    parts.push(new Blob(some))
    some = []
    size = 0
  }
  const reader = answer.body?.getReader()
  for (;;) {
    const step = await reader?.read().catch(() => {
      throw new Refusal(0, undefined)
    })
    if (!step || step.done) break
    some.push(step.value)
    size += step.value.length
    loaded += step.value.length
    if (size >= part) gather()
    onProgress?.(loaded, total)
  }
  gather()
  return new Blob(parts, { type: answer.headers.get('content-type') ?? '' })
}

export function keepFile(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}

/** Downloads a file under the name in the response. @throws Refusal */
export async function download(
  endpoint: Endpoint,
  parts: LooseParts,
  onProgress: (loaded: number, total: number | undefined) => void,
): Promise<string> {
  const answer = await send(endpoint, parts)
  const name = fileNameOf(answer.headers.get('content-disposition')) ?? 'download'
  keepFile(await readBytes(answer, onProgress), name)
  return name
}
