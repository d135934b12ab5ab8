import type { ReactNode } from 'react'
import { Link } from 'react-router'
import c from './gate.module.css'
import { LanguageMenu } from './language-menu.tsx'
import { Logo } from './mark.tsx'
import { paths } from './paths.ts'
import { SchemeSwitch } from './scheme-switch.tsx'
import { useSite, useSlogan } from './site.ts'

interface Props {
  /** Large text on the field; the site's slogan by default. */
  readonly lead?: ReactNode
  readonly text?: ReactNode
  readonly heading: ReactNode
  readonly wide?: boolean
  readonly unnamed?: boolean
  readonly children: ReactNode
}

export function Gate({ lead, text, heading, wide, unnamed, children }: Props) {
  const site = useSite()
  const slogan = useSlogan()
  return (
    <div className={c.gate}>
      <div className={c.field}>
        <div className={c.words}>
          <Link className={c.name} to={paths.home}>
            <Logo src={unnamed ? null : site.logoUrl} size={30} onField />
            <span className="cut">{unnamed ? 'Vexil' : site.name}</span>
          </Link>
          <p className={c.lead}>{lead ?? slogan}</p>
          {text && <p className={c.text}>{text}</p>}
        </div>
      </div>
      <div className={c.corner}>
        <LanguageMenu />
        <SchemeSwitch />
      </div>
      <div className={c.side}>
        <div className={wide ? `${c.form} ${c.wide}` : c.form}>
          <h1 className={c.heading}>{heading}</h1>
          {children}
        </div>
      </div>
    </div>
  )
}
