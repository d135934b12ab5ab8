/** Uploads of files that may be large: the one place where progress matters, which `fetch` does not tell. */
import type { ErrorBody } from '@vexil/contract/errors'
import { uploadFiles } from '@vexil/contract/files'
import { addressOf, Refusal } from '../api/client.ts'

interface Options {
  /** Common name of all files of a challenge; their own names would be the flags. */
  readonly filename?: string
  /** Share that is on its way, 0 to 1. */
  readonly onProgress?: (share: number) => void
}

/** Stores one file and gives its hash. */
export function uploadFile(file: File, { filename, onProgress }: Options = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(uploadFiles.method, addressOf(uploadFiles, { query: { filename } }))
    request.setRequestHeader('Accept-Language', document.documentElement.lang)
    request.responseType = 'json'
    request.upload.onprogress = ({ loaded, total, lengthComputable }) => lengthComputable && onProgress?.(loaded / total)
    request.onload = () => {
      const [stored] = Array.isArray(request.response) ? (request.response as { hash: string }[]) : []
      if (request.status < 300 && stored) return resolve(stored.hash)
      reject(new Refusal(request.status, (request.response as Partial<ErrorBody> | null) ?? undefined))
    }
    request.onerror = () => reject(new Refusal(0, undefined))
    const form = new FormData()
    form.append('files', file, file.name)
    request.send(form)
  })
}

export const dynamicName = (challenge: number) => `DYN_ATTACHMENT_${challenge}`
