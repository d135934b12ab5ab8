import type { IconHome } from '@tabler/icons-react'
import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { Link } from 'react-router'
import c from './links.module.css'

interface Entry {
  readonly to: string
  readonly name: string
  readonly current: boolean
}

interface TopProps {
  readonly label: string
  readonly entries: readonly Entry[]
}

/** Scrolls an overflowing row of links to the current one. */
function useCurrentInSight(entries: readonly Entry[]): RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null)
  const current = entries.find((entry) => entry.current)?.to
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another one is current
  useEffect(() => {
    row.current?.querySelector('[aria-current]')?.scrollIntoView?.({ block: 'nearest', inline: 'center' })
  }, [current])
  return row
}

export function TopLinks({ label, entries }: TopProps) {
  return (
    <nav ref={useCurrentInSight(entries)} className={c.top} aria-label={label}>
      {entries.map(({ to, name, current }) => (
        <Link key={to} to={to} aria-current={current ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  )
}

interface SideEntry extends Entry {
  readonly Icon: typeof IconHome
  readonly count?: ReactNode
  readonly narrow?: boolean
}

interface SideProps {
  readonly label: string
  readonly entries: readonly SideEntry[]
}

/** Links in a column beside a screen; on narrow windows in a row above it. */
export function SideLinks({ label, entries }: SideProps) {
  return (
    <nav ref={useCurrentInSight(entries)} className={c.side} aria-label={label}>
      {entries.map(({ to, name, current, Icon, count, narrow }) => (
        <Link key={to} to={to} className={narrow ? c.narrow : undefined} aria-current={current ? 'page' : undefined}>
          <Icon size={20} stroke={1.6} />
          {name}
          {count !== undefined && <span className={`${c.count} num`}>{count}</span>}
        </Link>
      ))}
    </nav>
  )
}
