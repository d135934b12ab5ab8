/** A user of a browser with any engine. All waiting and finding is done here, so that it is the same for all engines. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Tab } from './browser-engine.ts'

/** Elements are found by their full accessible name, or by a pattern of it; each action waits until it is possible. */
export interface Person {
  /** Loads a path of the platform. */
  goto(path: string): Promise<void>
  /** Replaces the text of the field with that label. */
  fill(label: string, text: string): Promise<void>
  /** Opens the list of the field with that label and takes an option. */
  choose(label: string, option: RegExp): Promise<void>
  /** Clicks a button, link, label or option that nothing covers. */
  click(name: string | RegExp): Promise<void>
  /** Waits for a text; several texts must be in one row of a table or list. */
  see(...texts: string[]): Promise<void>
  /** Waits until a JavaScript expression is truthy, and returns its value. */
  until(expression: string): Promise<unknown>
  /** Saves the viewport as a PNG. */
  picture(file: string): Promise<void>
}

const WITHIN = 15_000
const AGAIN = 2000
const SETTLED = 400
const find = readFileSync(join(import.meta.dirname, 'in-page.js'), 'utf8')
  .replace(/^[^;]*;/, '')
  .trim()

type Kind = 'field' | 'control'

/** @param address of the platform */
export function atBrowser(tab: Tab, address: string): Person {
  async function until(expression: string, what = expression, within = WITHIN): Promise<unknown> {
    let last: unknown
    for (const end = Date.now() + within; Date.now() < end; await sleep(100)) {
      // While a page is loading there may be no document to evaluate it in.
      last = await tab.evaluate(expression).catch((error: Error) => error)
      if (last && !(last instanceof Error)) return last
    }
    throw new Error(`not within ${within / 1000} s: ${what}${last instanceof Error ? ` (${last.message})` : ''}`)
  }
  const findIn = (kind: Kind, name: string | RegExp) =>
    `(${find})('${kind}', ${name instanceof RegExp ? name : JSON.stringify(name)})`
  /** While a page loads its data, elements move away from under the mouse, so it waits until the position is the same twice. */
  async function click(kind: Kind, name: string | RegExp) {
    let last = ''
    for (const end = Date.now() + WITHIN; Date.now() < end; await sleep(150)) {
      const point = (await until(findIn(kind, name), `${kind} ${name}`)) as { x: number; y: number }
      if (last === JSON.stringify(point)) return tab.click(point.x, point.y)
      last = JSON.stringify(point)
    }
    throw new Error(`does not rest within ${WITHIN / 1000} s: ${kind} ${name}`)
  }
  /** A field that moved between the search and the click is clicked again, as a user would do. */
  async function focus(label: string) {
    const has = (within?: number) =>
      until(`${findIn('field', label)}?.focused && !document.activeElement.select()`, `focus in field ${label}`, within)
    await click('field', label)
    await has(AGAIN).catch(() => click('field', label))
    await has()
  }
  return {
    until: (expression) => until(expression),
    goto: (path) => tab.goto(address + path),
    async fill(label, text) {
      await focus(label)
      await tab.type(text)
      await until(`document.activeElement.value === ${JSON.stringify(text)}`)
    },
    async choose(label, option) {
      await click('field', label)
      await click('control', option)
    },
    click: (name) => click('control', name),
    async see(...texts) {
      const place = texts.length > 1 ? 'tr, li' : 'body'
      const holds = `({ innerText }) => ${JSON.stringify(texts)}.every((text) => innerText.includes(text))`
      await until(`[...document.querySelectorAll('${place}')].some(${holds})`, `text ${texts.join(', ')}`)
    },
    async picture(file) {
      await until(`document.fonts.status === 'loaded'`)
      await sleep(SETTLED)
      writeFileSync(file, await tab.screenshot())
    },
  }
}
