/** Draws a number of mutants by a seed: the others are reported as compile errors, which do not count in a score. */
import { createHash } from 'node:crypto'

const [size, seed] = (process.env.VEXIL_SAMPLE ?? '0 0').split(' ')
const passed = { status: 'passed' }
const notDrawn = { status: 'compileError', reason: 'not in the sample' }

function placeOf({ fileName, location, mutatorName, replacement }) {
  // Each run has its sources in another folder.
  const file = fileName.replace(/.*\/(apps|packages)\//, '$1/')
  const text = JSON.stringify([seed, file, location, mutatorName, replacement])
  return createHash('sha256').update(text).digest('hex')
}

class Sample {
  static inject = []

  async init() {}

  /** One group: the sample is drawn from all mutants. */
  group(mutants) {
    return [mutants.map(({ id }) => id)]
  }

  async check(mutants) {
    const places = new Map(mutants.map((mutant) => [mutant.id, placeOf(mutant)]))
    const drawn = new Set([...places.keys()].toSorted((a, b) => (places.get(a) < places.get(b) ? -1 : 1)).slice(0, Number(size)))
    return Object.fromEntries(mutants.map(({ id }) => [id, drawn.has(id) ? passed : notDrawn]))
  }
}

export const strykerPlugins = [{ kind: 'Checker', name: 'sample', injectableClass: Sample }]
