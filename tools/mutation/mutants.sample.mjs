/** Selects a share of the mutants by a seed: the others are reported as compile errors, which do not count in a score. */
import { createHash } from 'node:crypto'

class Sample {
  static inject = []

  async init() {}

  group(mutants) {
    return [mutants.map(({ id }) => id)]
  }

  async check(mutants) {
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, isDrawn(mutant) ? passed : notDrawn]))
  }
}

const passed = { status: 'passed' }
const notDrawn = { status: 'compileError', reason: 'not in the sample' }
const [share, seed] = (process.env.VEXIL_SAMPLE ?? '0 0').split(' ')

function isDrawn({ fileName, location, mutatorName, replacement }) {
  // Each run has its sources in another folder.
  const file = fileName.replace(/.*\/(apps|packages)\//, '$1/')
  const text = JSON.stringify([seed, file, location, mutatorName, replacement])
  return (createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32) * 100 < Number(share)
}

export const strykerPlugins = [{ kind: 'Checker', name: 'sample', injectableClass: Sample }]
