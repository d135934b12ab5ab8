/** The server's texts: typed records, so that a missing translation does not compile. */
import type { Language } from '@vexil/core/vocabulary'
import { messages as en_US } from './en_US.ts'
import { messages as ja_JP } from './ja_JP.ts'
import type { Messages } from './text.ts'
import { messages as zh_CN } from './zh_CN.ts'

export const messagesOf: Record<Language, Messages> = { en_US, zh_CN, ja_JP }

/** Puts values into the `{name}` places of a text; a place without a value stays empty. */
export function fill(text: string, values: object | undefined): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String((values as Record<string, unknown> | undefined)?.[name] ?? ''))
}
