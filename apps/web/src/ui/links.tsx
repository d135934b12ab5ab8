import type { IconHome } from '@tabler/icons-react'
import type { ReactNode } from 'react'
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

/** Links in a head of 60 pixels; a line marks where one is. */
export function TopLinks({ label, entries }: TopProps) {
  return (
    <nav className={c.top} aria-label={label}>
      {entries.map(({ to, name, current }) => (
        <Link key={to} to={to} aria-current={current ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  )
}

interface SideProps {
  readonly label: string
  readonly entries: readonly (Entry & { readonly Icon: typeof IconHome; readonly count?: ReactNode })[]
}

/** Links one below the other beside a screen; in a row above it on narrow windows. */
export function SideLinks({ label, entries }: SideProps) {
  return (
    <nav className={c.side} aria-label={label}>
      {entries.map(({ to, name, current, Icon, count }) => (
        <Link key={to} to={to} aria-current={current ? 'page' : undefined}>
          <Icon size={20} stroke={1.6} />
          {name}
          {count !== undefined && <span className={`${c.count} num`}>{count}</span>}
        </Link>
      ))}
    </nav>
  )
}
