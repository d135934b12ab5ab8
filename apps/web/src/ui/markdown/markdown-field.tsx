import { type KeyboardEvent, useId, useState } from 'react'
import { useTranslation } from '../text/organiser-texts.ts'
import { Markdown } from './markdown.tsx'
import c from './markdown-field.module.css'

interface Props {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly rows?: number
  /** For hints and notices: no blocks. */
  readonly inline?: boolean
  readonly maxLength?: number
  readonly disabled?: boolean
  readonly autoFocus?: boolean
}

export function MarkdownField({ label, value, onChange, rows = 8, inline, maxLength, disabled, autoFocus }: Props) {
  const { t } = useTranslation()
  const id = useId()
  const [side, setSide] = useState<'write' | 'preview'>('write')
  /** Arrow keys move the focus between tabs; Enter or Space selects. */
  const move = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
    const other = event.currentTarget.id === `${id}-write` ? 'preview' : 'write'
    document.getElementById(`${id}-${other}`)?.focus()
  }
  const tab = (name: 'write' | 'preview') => (
    <button
      type="button"
      role="tab"
      id={`${id}-${name}`}
      className={c.side}
      aria-selected={side === name}
      aria-controls={`${id}-panel`}
      tabIndex={side === name ? 0 : -1}
      onClick={() => setSide(name)}
      onKeyDown={move}
    >
      {name === 'write' ? t('admin.write') : t('ui.preview')}
    </button>
  )
  return (
    <div className={c.field}>
      <label className={c.label} htmlFor={`${id}-text`}>
        {label}
      </label>
      <div className={c.editor}>
        <div className={c.head}>
          <div role="tablist" aria-label={label}>
            {tab('write')}
            {tab('preview')}
          </div>
          <span className={c.hint}>{inline ? t('admin.inlineMarkdown') : t('admin.fullMarkdown')}</span>
        </div>
        <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${side}`}>
          {side === 'write' ? (
            <textarea
              id={`${id}-text`}
              className={c.text}
              rows={Math.max(rows, Math.min(28, value.split('\n').length + 1))}
              value={value}
              maxLength={maxLength}
              disabled={disabled}
              spellCheck={false}
              data-autofocus={autoFocus || undefined}
              onChange={(event) => onChange(event.currentTarget.value)}
            />
          ) : (
            <div className={c.shown} style={{ minHeight: rows * 21 + 24 }}>
              {value.trim() ? <Markdown source={value} inline={inline} /> : <p className={c.empty}>{t('admin.nothingYet')}</p>}
            </div>
          )}
        </div>
      </div>
    </div>
  )
}
