import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'

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
 * Evaluates the contract while building and sends its calls and tables without schemas and their library, since only
 * the server validates. A module that exports functions is sent as written.
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
