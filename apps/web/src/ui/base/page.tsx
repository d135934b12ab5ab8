import type { ReactNode } from 'react'
import c from './page.module.css'

interface PageProps {
  /** Maximum width of the content in pixels. */
  readonly width?: number
  readonly children: ReactNode
}

export function Page({ width = 1184, children }: PageProps) {
  return (
    <div className={c.page} style={{ maxWidth: width + 112 }}>
      {children}
    </div>
  )
}

interface HeadProps {
  readonly title: ReactNode
  readonly sub?: ReactNode
  /** Buttons at the right; below the title on phones. */
  readonly children?: ReactNode
}

export function PageHead({ title, sub, children }: HeadProps) {
  return (
    <header className={c.head}>
      <div className={c.words}>
        <h1 className={c.title}>{title}</h1>
        {sub && <p className={c.sub}>{sub}</p>}
      </div>
      {children && <div className={c.tools}>{children}</div>}
    </header>
  )
}

export function PartHead({ title, children }: { readonly title: ReactNode; readonly children?: ReactNode }) {
  return (
    <h2 className={c.part}>
      {title}
      {children && <span className={c.more}>{children}</span>}
    </h2>
  )
}
