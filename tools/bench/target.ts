/** The platform that a run measures, and the counts of the run. */
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
  /** Number of acknowledged submissions, and of those that may have been stored without an answer. */
  readonly stored: { acknowledged: number; cutOff: number }
}

/** Every figure of every round by its name, for the medians. */
export const figures = new Map<string, number[]>()
export function printFigure(name: string, figure: number): void {
  figures.set(name, [...(figures.get(name) ?? []), figure])
}

/** As `load`, and counts the stored submissions. */
export async function store({ port, stored }: Target, how: Omit<LoadOptions, 'port'>): Promise<LoadResult> {
  const result = await load({ ...how, port })
  stored.acknowledged += result.statuses.get(200) ?? 0
  stored.cutOff += how.connections
  return result
}

export const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN

export const encoding = { 'accept-encoding': 'gzip, br' }

/** Returns the ETag header of an answer; its body is received and discarded. */
export function openOnce(port: number, path: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  get({ port, path, headers: encoding, agent: false }, (response) => {
    response.resume().once('end', () => resolve(`etag: ${response.headers.etag}`))
  }).once('error', reject)
  return promise
}
