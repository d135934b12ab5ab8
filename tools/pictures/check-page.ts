/** Finds problems that are easy to overlook in a picture: overflow, cut text, and accessibility violations. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from '@playwright/test'

/** Runs in the page, because it uses globals of a browser. */
const look = readFileSync(join(import.meta.dirname, 'in-page.js'), 'utf8')
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** All current problems of the page; empty if there are none. `withAxe` is not needed at each size: accessibility hardly depends on a few pixels. */
export async function checkPage(page: Page, withAxe: boolean): Promise<string[]> {
  return [...((await page.evaluate(look)) as string[]), ...(withAxe ? await findViolations(page) : [])]
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly impact: string
    readonly help: string
    readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[]
  }[]
}

async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const { violations } = (await page.evaluate(
    "axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'], resultTypes: ['violations'] })",
  )) as AxeResult
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes
        .slice(0, 4)
        .map(
          ({ target, failureSummary = '' }) =>
            `axe ${id}: ${target.join(' ')}: ${failureSummary.split('\n').slice(1, 2).join(' ').trim()}`,
        ),
    )
}
