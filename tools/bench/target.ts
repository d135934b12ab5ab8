/** What one run measures, and what it has counted so far. */
import { get } from 'node:http'
import type { Platform } from '../../e2e/platform.ts'
import { type LoadOptions, type LoadResult, load } from './load.ts'
import type { Seeded } from './seed.ts'

export interface Target {
  readonly platform: Platform
  readonly port: number
  readonly seeded: Seeded
  /** Right answers, each once in a run. */
  readonly right: () => Buffer
  /** Answers of submissions that came, and how many may have been stored without one. */
  readonly stored: { acknowledged: number; cutOff: number }
}

/** Every figure of every round by its name, for the medians. */
export const figures = new Map<string, number[]>()
export function printFigure(name: string, figure: number): void {
  figures.set(name, [...(figures.get(name) ?? []), figure])
}

/** As `load`; what it stores is counted. */
export async function store({ port, stored }: Target, how: Omit<LoadOptions, 'port'>): Promise<LoadResult> {
  const result = await load({ ...how, port })
  stored.acknowledged += result.statuses.get(200) ?? 0
  stored.cutOff += how.connections
  return result
}

export const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN

export const encoding = { 'accept-encoding': 'gzip, br' }

/** Headers of an answer whose body was received and thrown away. */
export function openOnce(port: number, path: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  get({ port, path, headers: encoding, agent: false }, (response) => {
    response.resume().once('end', () => resolve(`etag: ${response.headers.etag}`))
  }).once('error', reject)
  return promise
}
