import { leetEntropy, makeTestFlag, mustBeGoodTemplate } from '@vexil/core/flags'
import { flagLimits } from '@vexil/core/limits'
import { TemplateExpandsTooFar, TemplateTooLong, TemplateTooSimple } from '@vexil/core/rules'

/** An integer from 0 to n-1, not exactly uniform; only for samples. */
const random = (n: number) => Math.floor(((crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32) * n)

export function samplesOf(template: string, count = 3): string[] {
  const sources = { random, makeGuid: () => guid() }
  if (template.trim() === '') return Array.from({ length: count }, () => `flag{${guid()}}`)
  return Array.from({ length: count }, () => makeTestFlag(template, sources))
}

/** `crypto.randomUUID` exists in secure contexts only. */
function guid(): string {
  const hex = Array.from({ length: 32 }, (_, at) => (at === 12 ? 4 : at === 16 ? 8 + random(4) : random(16)).toString(16)).join(
    '',
  )
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

export type TemplateProblem = 'weak' | 'long' | 'expands'

export function templateProblem(template: string): TemplateProblem | undefined {
  try {
    mustBeGoodTemplate(template)
    return undefined
  } catch (error) {
    if (error instanceof TemplateTooSimple) return 'weak'
    if (error instanceof TemplateTooLong) return 'long'
    if (error instanceof TemplateExpandsTooFar) return 'expands'
    throw error
  }
}

/** Random bits of a template that relies on leet alone, and the minimum. */
export const bitsOf = (template: string) => ({ bits: Math.floor(leetEntropy(template) * 10) / 10, min: flagLimits.entropyMin })
