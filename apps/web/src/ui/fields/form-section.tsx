import type { ReactNode } from 'react'
import c from './form-section.module.css'

interface Props {
  readonly id?: string
  readonly title: string
  readonly help?: ReactNode
  readonly children: ReactNode
}

/** A part of a long form: name and help at the left, fields at the right in two columns (`Wide` spans both). */
export function FormSection({ id, title, help, children }: Props) {
  return (
    <section id={id} className={c.section}>
      <div>
        <h2 className={c.title}>{title}</h2>
        {help && <p className={c.help}>{help}</p>}
      </div>
      <div className={c.fields}>{children}</div>
    </section>
  )
}

export function Wide({ children }: { readonly children: ReactNode }) {
  return <div className={c.wide}>{children}</div>
}

interface RowProps {
  readonly label: ReactNode
  readonly help?: ReactNode
  readonly children: ReactNode
}

export function SwitchRow({ label, help, children }: RowProps) {
  return (
    <div className={c.row}>
      <div>
        <div className={c.name}>{label}</div>
        {help && <p className={c.help}>{help}</p>}
      </div>
      {children}
    </div>
  )
}
