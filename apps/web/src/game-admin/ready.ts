import type { ChallengeRow } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import type { GameImage } from '@vexil/contract/instances'
import { hasAttachmentPerFlag, hasContainer } from '@vexil/core/vocabulary'
import { problemsOf } from '../shell/challenge-problems.ts'
import { paths } from '../shell/paths.ts'
import { flagPlace } from './challenges/challenge-rows.ts'
import { filesNeeded } from './challenges/flag-input.ts'

export interface ReadyFacts {
  readonly game: Pick<GameInfo, 'id' | 'hidden' | 'start' | 'end'>
  readonly rows: readonly ChallengeRow[]
  readonly accepted: number
  readonly pending: number
  /** Unknown facts are left out of the list. */
  readonly mail: boolean | undefined
  readonly captcha: boolean | undefined
  readonly engine: 'none' | 'reachable' | 'unreachable' | 'silent' | undefined
  /** Undefined where no engine is configured. */
  readonly images: readonly GameImage[] | undefined
  readonly disk: { readonly free: number; readonly total: number } | undefined
  /** Device time minus server time, milliseconds. */
  readonly clockOff: number
  /** Server time. */
  readonly now: number
}

type ReadyKind =
  | 'noChallenge'
  | 'challenges'
  | 'flag'
  | 'image'
  | 'attachment'
  | 'silent'
  | 'check'
  | 'lacksImage'
  | 'nodeLacksImage'
  | 'imageComing'
  | 'images'
  | 'fewFiles'
  | 'ended'
  | 'times'
  | 'hidden'
  | 'pending'
  | 'noMail'
  | 'mail'
  | 'noCaptcha'
  | 'captcha'
  | 'noEngine'
  | 'engineUnreachable'
  | 'engine'
  | 'diskFull'
  | 'disk'
  | 'clock'

export interface ReadyLine {
  /** `red` keeps players from playing, `amber` is a warning, `green` is fine. */
  readonly level: 'red' | 'amber' | 'green'
  readonly kind: ReadyKind
  readonly title?: string
  /** The name of an image, the node that lacks it, and why. */
  readonly image?: string
  readonly node?: string
  readonly problem?: string
  readonly count?: number
  readonly to?: string
}

const levels = ['red', 'amber', 'green'] as const

function ofChallenges({ game, rows, accepted }: ReadyFacts): ReadyLine[] {
  const enabled = rows.filter(({ isEnabled }) => isEnabled).length
  const to = paths.admin.game(game.id, 'challenges')
  const lines: ReadyLine[] = [
    enabled === 0 ? { level: 'red', kind: 'noChallenge', to } : { level: 'green', kind: 'challenges', count: enabled, to },
  ]
  for (const row of rows) {
    const level = row.isEnabled ? 'red' : 'amber'
    const { challenge, flags } = paths.admin
    for (const kind of problemsOf(row)) {
      const to =
        kind === 'flag'
          ? flagPlace(game.id, row)
          : (kind === 'image' || kind === 'silent' || kind === 'check' ? challenge : flags)(game.id, row.id)
      lines.push({ level, kind, title: row.title, to })
    }
    if (!hasAttachmentPerFlag(row.type) || row.fileCount >= filesNeeded(accepted)) continue
    const few = row.fileCount < accepted
    lines.push({
      level: few ? level : 'amber',
      kind: 'fewFiles',
      title: row.title,
      count: row.fileCount,
      to: flags(game.id, row.id),
    })
  }
  return lines
}

/** Which node lacks which image. */
function ofImages({ game, images }: ReadyFacts): ReadyLine[] {
  if (images === undefined || images.length === 0) return []
  const lines = images.flatMap(({ image, challenges, state, nodes }): ReadyLine[] => {
    const to = paths.admin.challenge(game.id, challenges[0]?.id ?? 0)
    if (state !== 'done') return [{ level: 'amber', kind: 'imageComing', image, to }]
    return nodes
      .filter((one) => one.state !== 'here')
      .map(({ node, problem }) => ({
        ...({ level: 'red', kind: node === '' ? 'lacksImage' : 'nodeLacksImage' } as const),
        ...{ image, node, problem: problem ?? '', to },
      }))
  })
  return lines.length > 0 ? lines : [{ level: 'green', kind: 'images', count: images.length }]
}

/** The larger of 2 GB and 5 %: below it captures and uploads stop. */
const isFull = ({ free, total }: { free: number; total: number }) => free < Math.max(2e9, total * 0.05)

function ofPlatform({ rows, mail, captcha, engine, disk, clockOff }: ReadyFacts): ReadyLine[] {
  const to = paths.admin.settings
  const lines: ReadyLine[] = []
  if (mail !== undefined) lines.push(mail ? { level: 'green', kind: 'mail' } : { level: 'amber', kind: 'noMail', to })
  if (captcha !== undefined) lines.push(captcha ? { level: 'green', kind: 'captcha' } : { level: 'amber', kind: 'noCaptcha', to })
  if (engine !== undefined && rows.some(({ type }) => hasContainer(type))) {
    const red = engine === 'none' ? 'noEngine' : 'engineUnreachable'
    lines.push(engine === 'reachable' ? { level: 'green', kind: 'engine' } : { level: 'red', kind: red, to })
  }
  if (disk) lines.push({ level: isFull(disk) ? 'red' : 'green', kind: isFull(disk) ? 'diskFull' : 'disk', count: disk.free })
  if (Math.abs(clockOff) > 5000) lines.push({ level: 'amber', kind: 'clock', count: Math.round(Math.abs(clockOff) / 1000) })
  return lines
}

/** All lines, worst first. */
export function readyLines(facts: ReadyFacts): ReadyLine[] {
  const { game, pending, now } = facts
  const lines = ofChallenges(facts)
  if (Date.parse(game.end) <= now) lines.push({ level: 'red', kind: 'ended' })
  else lines.push({ level: 'green', kind: 'times' })
  if (game.hidden) lines.push({ level: 'amber', kind: 'hidden' })
  if (pending > 0) lines.push({ level: 'amber', kind: 'pending', count: pending, to: paths.admin.game(game.id, 'Review') })
  lines.push(...ofImages(facts), ...ofPlatform(facts))
  return lines.sort((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level))
}
