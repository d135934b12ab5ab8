import c from './progress.module.css'

interface Props {
  readonly label: string
  /** 0 to 1. */
  readonly share: number
}

export function Progress({ label, share }: Props) {
  const percent = Math.round(share * 100)
  return (
    <div
      className={c.progress}
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <i style={{ width: `${percent}%` }} />
    </div>
  )
}
