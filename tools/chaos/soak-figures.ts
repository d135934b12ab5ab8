/** The samples of a long run, the criteria for them, and a plot. */
export interface Sample {
  /** Minutes since the start. */
  readonly minute: number
  /** MB of all processes of all nodes. */
  readonly memory: number
  readonly handles: number
  /** Connections to the database. */
  readonly connections: number
  /** Rows of tables that sweeps keep small. */
  readonly housekeeping: number
}

/** No figure may grow from this minute on. */
const settledAfter = 10
const growthAtMost = 0.02
const differenceAtMost = 5

/** Least squares: change of memory in 10 minutes, as a fraction of the first value. */
function memoryGrowth(samples: readonly Sample[]): number {
  const mean = (of: (one: Sample) => number) => samples.reduce((sum, one) => sum + of(one), 0) / samples.length
  const [minute, memory] = [mean((one) => one.minute), mean((one) => one.memory)]
  const spread = samples.reduce((sum, one) => sum + (one.minute - minute) ** 2, 0)
  const slope = samples.reduce((sum, one) => sum + (one.minute - minute) * (one.memory - memory), 0) / spread
  return (slope * 10) / (samples[0] as Sample).memory
}

/** Returns the problems of the samples from `settledAfter` on, of which it needs two. */
export function judge(all: readonly Sample[]): string[] {
  const samples = all.filter(({ minute }) => minute >= settledAfter)
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last || first === last) return [`There are no two samples after minute ${settledAfter}.`]
  const growth = memoryGrowth(samples)
  const wrong = growth >= growthAtMost ? [`memory rises by ${(growth * 100).toFixed(1)} % in 10 minutes`] : []
  for (const what of ['handles', 'connections'] as const) {
    if (Math.abs(last[what] - first[what]) > differenceAtMost) wrong.push(`${what}: ${first[what]}, at the end ${last[what]}`)
  }
  // A job that is under way at the time of a sample is a row of these tables.
  const fewest = (from: number, to: number) =>
    Math.min(...samples.filter(({ minute }) => minute >= from && minute <= to).map(({ housekeeping }) => housekeeping))
  const [before, after] = [fewest(first.minute, first.minute + 1), fewest(last.minute - 1, last.minute)]
  if (after > before) wrong.push(`housekeeping tables: ${before} rows, at the end ${after}`)
  return wrong
}

const [width, height, left] = [720, 120, 165]
const labels = {
  memory: 'memory (MB)',
  handles: 'open files and sockets',
  connections: 'database connections',
  housekeeping: 'housekeeping rows',
} as const

/** One curve for each figure, from zero to its highest value, over the minutes of the run. On a white background, because a page may be dark. */
export function plot(samples: readonly Sample[]): string {
  const end = Math.max(1, samples.at(-1)?.minute ?? 1)
  const curves = (['memory', 'handles', 'connections', 'housekeeping'] as const).map((what, place) => {
    const most = Math.max(1, ...samples.map((one) => one[what]))
    const top = place * height
    const points = samples.map((one) => {
      const x = left + (one.minute / end) * (width - left - 10)
      return `${x.toFixed(1)},${(top + height - 10 - (one[what] / most) * (height - 30)).toFixed(1)}`
    })
    const base = `<path stroke="#999" d="M${left} ${top + height - 10}H${width - 10}"/>`
    return `<text x="4" y="${top + 34}">${labels[what]}</text><text x="4" y="${top + 52}">0 to ${Math.round(most)}</text>${base}<polyline fill="none" stroke="#000" points="${points.join(' ')}"/>`
  })
  const foot = `<text x="${left}" y="${4 * height + 14}">0</text><text x="${width - 10}" y="${4 * height + 14}" text-anchor="end">${Math.round(end)} minutes</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${4 * height + 24}" font-family="sans-serif" font-size="13"><title>Memory, handles, connections and housekeeping rows over the minutes of the run</title><rect width="100%" height="100%" fill="#fff"/>${curves.join('')}${foot}</svg>\n`
}
