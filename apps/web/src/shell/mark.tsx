interface Props {
  readonly size?: number
  /** On a field of the accent colour: white instead of the accent. */
  readonly onField?: boolean
}

/** The platform's mark: a pennant of two fields; a simpler form below 24 px. */
export function Mark({ size = 32, onField }: Props) {
  const first = onField ? 'var(--accent-ink)' : 'var(--accent-text)'
  if (size < 24) {
    return (
      <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden>
        <path fill={first} d="M0 1h4.5l5.75 10.06L8 15z" />
        <path fill="var(--f-yellow)" d="M6 1h10l-5 8.75z" />
      </svg>
    )
  }
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden>
      <path fill={first} d="M1 3h8.25l10.875 18.85L16 29z" />
      <path fill="var(--f-yellow)" d="M11.75 3H31l-9.625 16.683z" />
    </svg>
  )
}

export function Logo({ src, size = 32, onField }: Props & { readonly src?: string | null }) {
  if (!src) return <Mark size={size} onField={onField} />
  return <img src={src} alt="" style={{ display: 'block', maxHeight: size, maxWidth: size * 1.5 }} decoding="async" />
}
