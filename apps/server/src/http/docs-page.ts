/** The API description as plain HTML without scripts, generated from the OpenAPI document. */

import { escapeHtml } from '../escape-html.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly format?: string
  readonly description?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly 'x-vexil'?: true
}
type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>
interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly 'x-access': string
  readonly parameters: readonly {
    readonly name: string
    readonly in: string
    readonly required: boolean
    readonly description: string
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
}
interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const prose = (text: string) =>
  text
    .split(/\n{2,}/)
    .map((part) => `<p>${escapeHtml(part).replace(/`([^`]+)`/g, '<code>$1</code>')}</p>`)
    .join('')

function typeOf(schema: Schema, depth = 0): string {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) as string
    return `<a href="#shape-${name}">${name}</a>`
  }
  if (schema.anyOf) return schema.anyOf.map((part) => typeOf(part, depth)).join(' | ')
  if (schema.enum) return schema.enum.map((word) => `'${escapeHtml(word)}'`).join(' | ')
  if (schema.type === 'array') return schema.items ? listOf(typeOf(schema.items, depth)) : 'unknown[]'
  const map = Object.values(schema.patternProperties ?? {})[0]
  if (map) return `{ [key]: ${typeOf(map, depth)} }`
  if (schema.properties) {
    const pad = '  '.repeat(depth + 1)
    const lines = Object.entries(schema.properties).map(([name, value]) => {
      const mark = schema.required?.includes(name) ? '' : '?'
      const note = noteOf(value)
      return `${pad}${escapeHtml(name)}${mark}: ${typeOf(value, depth + 1)}${note && ` <i>${escapeHtml(note)}</i>`}`
    })
    return `{\n${lines.join('\n')}\n${'  '.repeat(depth)}}`
  }
  return schema.type === 'null' ? 'null' : (schema.type ?? 'unknown')
}

const listOf = (item: string) => (item.includes(' | ') && !item.includes('\n') ? `(${item})[]` : `${item}[]`)

/** Limits, whether it is an addition to GZ::CTF, and the meaning: `3 to 15 characters · User name.` */
function noteOf(schema: Schema): string {
  const inner = schema.anyOf?.find((part) => part.type !== 'null') ?? schema
  const { minLength, maxLength, minimum, maximum, format, description } = { ...inner, ...schema }
  const whole = minimum === -2147483648 || (minimum === undefined && maximum === undefined)
  const limits = [
    maxLength !== undefined && (minLength ? `${minLength} to ${maxLength} characters` : `at most ${maxLength} characters`),
    !whole && `${minimum ?? ''} to ${maximum ?? ''}`,
    format,
    schema['x-vexil'] && 'addition of Vexil',
  ]
  return [limits.filter(Boolean).join(', '), description?.replaceAll('`', '')].filter(Boolean).join(' · ')
}

const code = (html: string) => `<pre><code>${html}</code></pre>`
const jsonOf = (value: unknown) => code(escapeHtml(JSON.stringify(value, null, 2)))

function contentOf(title: string, content: Content | undefined): string {
  const [type, { schema, example } = {}] = Object.entries(content ?? {})[0] ?? []
  if (type === undefined) return ''
  const kind = type === 'application/json' ? '' : ` <small>${type}</small>`
  const shown = schema ? code(typeOf(schema)) : '<p>Bytes.</p>'
  return `<h4>${title}${kind}</h4><div class="pair">${shown}${example === undefined ? '' : jsonOf(example)}</div>`
}

function refusalsOf(responses: Operation['responses']): string {
  const rows = Object.entries(responses)
    .filter(([status]) => !status.startsWith('2'))
    .flatMap(([status, { description }]) =>
      description.split('\n').map((line) => {
        const [, name = '', rest = ''] = /^- `([^`]+)`(.*)$/s.exec(line) ?? []
        return `<tr><td>${status}</td><td><code>${escapeHtml(name)}</code></td><td>${escapeHtml(rest.replace(/^: /, ''))}</td></tr>`
      }),
    )
  return rows.length ? `<h4>Refusals</h4><div class="wide"><table>${rows.join('')}</table></div>` : ''
}

function callOf(method: string, path: string, call: Operation): string {
  const parameters = call.parameters.map(
    ({ name, in: place, required, schema, description }) =>
      `<tr><td><code>${escapeHtml(name)}</code></td><td>${place}${required ? '' : ', optional'}</td><td>${typeOf(schema)} <i>${escapeHtml(noteOf({ ...schema, description }))}</i></td></tr>`,
  )
  return `<details id="${call.operationId}"><summary><b class="${method}">${method.toUpperCase()}</b>
<span class="path">${escapeHtml(path)}</span><span class="say">${escapeHtml(call.summary)}</span><span class="who">${call['x-access']}</span></summary>
<div class="call">${prose(call.description)}
${parameters.length ? `<h4>Parameters</h4><div class="wide"><table>${parameters.join('')}</table></div>` : ''}
${contentOf('Body', call.requestBody?.content)}
${contentOf('Answer', call.responses['200']?.content) || '<h4>Answer</h4><p>200 without a body.</p>'}
${refusalsOf(call.responses)}</div></details>`
}

const style = `
:root{color-scheme:light dark;--page:light-dark(#f7f9fb,#10151c);--ink:light-dark(#121a26,#e8edf4);--soft:light-dark(#5a6678,#98a5b8);
--line:light-dark(#dfe5ec,#263140);--field:light-dark(#eef2f6,#18202a);--link:light-dark(#12469b,#8ab4f8)}
*{box-sizing:border-box}body{margin:0;background:var(--page);color:var(--ink);font:15px/1.55 Inter,system-ui,sans-serif}
a{color:var(--link)}code,pre,.path{font-family:ui-monospace,"JetBrains Mono",monospace;font-size:13px}
.page{display:grid;grid-template-columns:220px minmax(0,1fr);gap:40px;max-width:1240px;margin:0 auto;padding:32px 24px 96px}
nav{position:sticky;top:32px;align-self:start;display:grid;gap:2px;max-height:calc(100vh - 64px);overflow:auto}
nav a{padding:5px 8px;border-radius:4px;color:inherit;text-decoration:none}nav a:hover{background:var(--field)}
nav hr{width:100%;border:0;border-top:1px solid var(--line);margin:8px 0}
h1{font-size:28px;line-height:1.2;margin:0 0 12px}h1 small{font-size:15px;font-weight:400;color:var(--soft);margin-left:8px}
h2{font-size:20px;margin:44px 0 2px;text-transform:capitalize}h2+p{color:var(--soft);margin:0 0 12px}
h3{font-size:15px;margin:20px 0 6px}h4{font-size:13px;margin:18px 0 6px;color:var(--soft);font-weight:600}h4 small{font-weight:400}
p{margin:0 0 10px;max-width:75ch}details{border-top:1px solid var(--line)}section details:last-child{border-bottom:1px solid var(--line)}
summary{display:grid;grid-template-columns:64px minmax(0,1fr) auto;gap:2px 12px;padding:9px 4px;cursor:pointer;list-style:none;align-items:baseline}
summary::-webkit-details-marker{display:none}summary:hover{background:var(--field)}.say{grid-column:2;color:var(--soft);font-size:14px}
.path{overflow-wrap:anywhere}.who{grid-row:1;grid-column:3;color:var(--soft);font-size:13px}
summary b{font-size:12px;letter-spacing:.03em;color:var(--link)}b.delete{color:light-dark(#b3261e,#f28b82)}b.post,b.put{color:light-dark(#17713a,#7bd39a)}
.call{padding:4px 4px 24px 76px}.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,300px),1fr));gap:12px}
pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;padding:12px;background:var(--field);border-radius:6px;overflow:auto;max-height:420px}pre i,td i{color:var(--soft);font-style:normal}
.wide{overflow-x:auto}table{border-collapse:collapse}td{padding:4px 16px 4px 0;vertical-align:top;border-bottom:1px solid var(--line);font-size:14px}
@media(max-width:760px){.page{grid-template-columns:minmax(0,1fr);padding:20px 16px 64px;gap:16px}nav{position:static;display:flex;flex-wrap:wrap;max-height:none}nav hr{display:none}
.call{padding-left:4px}summary{grid-template-columns:56px minmax(0,1fr)}.who{grid-row:3;grid-column:2}}`

export function docsPage(json: unknown): string {
  const { info, tags, paths, components } = json as Document
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => ({ method, path, call })),
  )
  const rooms = tags.map(({ name, description }) => {
    const inside = calls.filter(({ call }) => call.tags.includes(name))
    return `<section id="${name}"><h2>${name}</h2><p>${escapeHtml(description)}</p>${inside.map(({ method, path, call }) => callOf(method, path, call)).join('')}</section>`
  })
  const shapes = Object.entries(components.schemas).map(
    ([name, schema]) => `<h3 id="shape-${name}">${name}</h3>${code(typeOf(schema))}`,
  )
  const links = tags.map(({ name }) => `<a href="#${name}">${name}</a>`).join('')
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(info.title)}: the interface</title><style>${style}</style></head><body><div class="page">
<nav aria-label="Rooms">${links}<hr><a href="#shapes">shapes</a><a href="/api/openapi.json">openapi.json</a></nav>
<main><h1>${escapeHtml(info.title)}<small>${escapeHtml(info.version)}</small></h1>${prose(info.description)}
${rooms.join('\n')}
<section id="shapes"><h2>shapes</h2><p>Shapes that several calls share.</p>${shapes.join('')}</section></main></div></body></html>`
}
