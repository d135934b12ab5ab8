import { uploadFiles } from '@vexil/contract/files'
import { Refusal } from '../../api/client.ts'
import { upload } from '../../api/upload.ts'

interface Options {
  /** Common name of all files of a challenge; their own names are the flags. */
  readonly filename?: string
  /** Share sent, 0 to 1. */
  readonly onProgress?: (share: number) => void
}

/** Stores one file and returns its hash. @throws Refusal */
export async function uploadFile(file: File, { filename, onProgress }: Options = {}): Promise<string> {
  const [stored] = await upload(uploadFiles, file, { query: { filename }, onProgress })
  if (!stored) throw new Refusal(0, undefined)
  return stored.hash
}

export const dynamicName = (challenge: number) => `DYN_ATTACHMENT_${challenge}`
