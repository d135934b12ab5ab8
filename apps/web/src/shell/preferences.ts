/** Preferences of this device: colour, density and the chart of the scoreboard. They are never sent. */
import { useSyncExternalStore } from 'react'
import { forgetAnswers } from '../api/answer-cache.ts'
import { makeStorageWatchers } from '../api/watchers.ts'
import { isColour } from '../ui/base/ramp.ts'

/** Empty: the site's. `brand`: the platform's. Otherwise `#RRGGBB`. */
export type ColourChoice = '' | 'brand' | `#${string}`
export type Density = 'comfortable' | 'compact'

const colourKey = 'colour'
const densityKey = 'density'
const watchers = makeStorageWatchers()
const subscribe = (watcher: () => void) =>
  watchers.subscribe(() => {
    showDensity()
    watcher()
  })

function read(key: string): string {
  try {
    return localStorage.getItem(key) ?? ''
  } catch {
    return ''
  }
}

function write(key: string, value: string): void {
  try {
    if (value === '') localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    // Storage is off: the choice is lost with the page.
  }
  watchers.notify()
}

export function readColour(): ColourChoice {
  const stored = read(colourKey)
  return stored === 'brand' || isColour(stored) ? (stored as ColourChoice) : ''
}

export function chooseColour(choice: ColourChoice): void {
  write(colourKey, choice)
}

export function useColourChoice(): ColourChoice {
  return useSyncExternalStore(subscribe, readColour)
}

/** Own colour, else the site's, else the platform's. */
export function colourInForce(choice: ColourChoice, site: string | null | undefined): string | null {
  if (choice === 'brand') return null
  if (choice !== '') return choice
  return site && isColour(site) ? site : null
}

export function readDensity(): Density {
  return read(densityKey) === 'compact' ? 'compact' : 'comfortable'
}

export function showDensity(): void {
  document.documentElement.dataset.density = readDensity()
}

export function chooseDensity(density: Density): void {
  write(densityKey, density === 'compact' ? density : '')
  showDensity()
}

export function useDensity(): Density {
  return useSyncExternalStore(subscribe, readDensity)
}

const chartKey = 'chart'

export function foldChart(folded: boolean): void {
  write(chartKey, folded ? 'folded' : '')
}

/** Whether the chart above the scoreboard is hidden. */
export function useChartFolded(): boolean {
  return useSyncExternalStore(subscribe, () => read(chartKey) === 'folded')
}

/** Discards fetched data; language, scheme, colour and density stay. */
export function clearCache(): void {
  forgetAnswers()
  location.reload()
}
