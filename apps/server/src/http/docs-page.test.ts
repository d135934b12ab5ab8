import { expect, test } from 'vitest'
import { docsPage } from './docs-page.ts'

const info = { title: 'Vexil', version: '1.2.3', description: '' }
const pageOf = (schemas: object, call: object = {}) => {
  const operation = {
    ...{ operationId: 'one', tags: ['games'], summary: '', description: '' },
    parameters: [],
    responses: {},
    ...call,
  }
  const tags = [{ name: 'games', description: '' }]
  return docsPage({ info, tags, paths: { '/api/one': { get: operation } }, components: { schemas } })
}

test('a shape has a line for each property: what is optional, its type, its limits and its meaning', () => {
  const properties = {
    id: { type: 'integer', minimum: -2147483648, maximum: 2147483647 },
    score: { type: 'integer', minimum: 0, maximum: 500, description: 'Points of `one` solve.' },
    ratio: { type: 'number', minimum: -1.5, maximum: 0 },
    title: { type: 'string', minLength: 3, maxLength: 15 },
    note: { anyOf: [{ type: 'string', maxLength: 9, format: 'email' }, { type: 'null' }] },
    kinds: { type: 'array', items: { enum: ['A', 'B'] } },
    teams: { type: 'array', items: { $ref: '#/components/schemas/Team' } },
    counts: { type: 'object', patternProperties: { '^.*$': { type: 'integer' } }, 'x-vexil': true },
  }
  const shape = { type: 'object', properties, required: Object.keys(properties).slice(1) }
  expect(pageOf({ Game: shape })).toContain(`<h3 id="shape-Game">Game</h3><pre><code>{
  id?: integer
  score: integer <i>0 to 500 · Points of one solve.</i>
  ratio: number <i>-1.5 to 0</i>
  title: string <i>3 to 15 characters</i>
  note: string | null <i>at most 9 characters, email</i>
  kinds: ('A' | 'B')[]
  teams: <a href="#shape-Team">Team</a>[]
  counts: { [key]: integer } <i>addition of Vexil</i>
}</code></pre>`)
})

test('a call has its parameters, and its refusals with their status', () => {
  const schema = { type: 'integer', minimum: 0, maximum: 50 }
  const parameters = [
    { name: 'id', in: 'path', required: true, description: 'The game.', schema: { type: 'integer' } },
    { name: 'count', in: 'query', required: false, description: 'Most entries, < 51.', schema },
  ]
  const responses = {
    200: { description: '- `not.a.refusal`' },
    404: { description: '- `game.not_found`: No such game.\n- `team.not_found`' },
  }
  const page = pageOf({}, { parameters, responses })
  expect(page.match(/<tr>.*?<\/tr>/gs)).toEqual([
    '<tr><td><code>id</code></td><td>path</td><td>integer <i>The game.</i></td></tr>',
    '<tr><td><code>count</code></td><td>query, optional</td><td>integer <i>0 to 50 · Most entries, &lt; 51.</i></td></tr>',
    '<tr><td>404</td><td><code>game.not_found</code></td><td>No such game.</td></tr>',
    '<tr><td>404</td><td><code>team.not_found</code></td><td></td></tr>',
  ])
  expect(page).toContain('200 without a body.')
})
