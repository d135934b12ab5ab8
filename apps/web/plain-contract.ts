import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'

/** What the browser needs of a call: it makes the request and nothing else. */
const callOf = ({ method, path, shape: { access, upload } }: Call) => ({ method, path, shape: { access, upload } })
interface Call {
  readonly method: string
  readonly path: string
  readonly shape: { readonly access: string; readonly upload?: string }
}
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isCall = (value: unknown): value is Call => isObject(value) && 'method' in value && 'path' in value && 'shape' in value
const isSchema = (value: unknown) => isObject(value) && '~kind' in value
const isPlain = (value: unknown): boolean =>
  isObject(value) ? Object.values(value).every((one) => !isSchema(one) && isPlain(one)) : typeof value !== 'function'

/**
 * The contract as the browser gets it: its calls and tables, worked out while building. Schemas, and the library that they are made with,
 * stay behind: only the server validates. A module that exports functions is sent as it is written.
 */
export const plainContract: Plugin = {
  name: 'plain-contract',
  apply: 'build',
  async load(id) {
    if (!/[/]packages[/]contract[/]src[/][\w-]+[.]ts$/.test(id)) return
    const exported = Object.entries(await import(pathToFileURL(id).href))
    if (exported.some(([, value]) => typeof value === 'function')) return
    return exported
      .filter(([, value]) => isCall(value) || isPlain(value))
      .map(([name, value]) => `export const ${name} = ${JSON.stringify(isCall(value) ? callOf(value) : value)}\n`)
      .join('')
  },
}
