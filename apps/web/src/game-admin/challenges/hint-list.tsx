import { ActionIcon, Textarea } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconPlus, IconX } from '@tabler/icons-react'
import { challengeLimits } from '@vexil/core/limits'
import { useEffect, useRef } from 'react'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from './challenge.module.css'
import type { HintDraft } from './challenge-form-fields.ts'

interface Props {
  readonly hints: readonly HintDraft[]
  readonly disabled?: boolean
  readonly onChange: (hints: readonly HintDraft[]) => void
}

export function HintList({ hints, disabled, onChange }: Props) {
  const { t } = useTranslation()
  const list = useRef<HTMLDivElement>(null)
  const added = useRef(false)
  useEffect(() => {
    if (!added.current) return
    added.current = false
    list.current?.querySelector<HTMLElement>(`[data-hint='${hints.length - 1}']`)?.focus()
  }, [hints.length])

  const put = (at: number, text: string) => onChange(hints.map((hint, index) => (index === at ? { ...hint, text } : hint)))
  const swap = (at: number, other: number) => {
    const [a, b] = [hints[at], hints[other]]
    if (a && b) onChange(hints.map((hint, index) => (index === at ? b : index === other ? a : hint)))
  }
  const add = () => {
    added.current = true
    onChange([...hints, { key: Math.max(-1, ...hints.map(({ key }) => key)) + 1, text: '' }])
  }
  return (
    <div ref={list}>
      <p className={c.name}>{t('admin.challenge.hints')}</p>
      <div className={c.hints}>
        {hints.map(({ key, text }, at) => (
          <div key={key} className={c.hint}>
            <Textarea
              data-hint={at}
              aria-label={t('admin.challenge.hintNumber', { number: at + 1 })}
              autosize
              minRows={1}
              maxLength={challengeLimits.hintMax}
              value={text}
              disabled={disabled}
              onChange={(event) => put(at, event.currentTarget.value)}
            />
            <span className={c.hintTools}>
              <ActionIcon
                size="sm"
                aria-label={t('admin.challenge.hintUp', { number: at + 1 })}
                disabled={disabled || at === 0}
                onClick={() => swap(at, at - 1)}
              >
                <IconArrowUp size={16} stroke={1.6} />
              </ActionIcon>
              <ActionIcon
                size="sm"
                aria-label={t('admin.challenge.hintDown', { number: at + 1 })}
                disabled={disabled || at === hints.length - 1}
                onClick={() => swap(at, at + 1)}
              >
                <IconArrowDown size={16} stroke={1.6} />
              </ActionIcon>
              <ActionIcon
                size="sm"
                aria-label={t('admin.challenge.hintRemove', { number: at + 1 })}
                disabled={disabled}
                onClick={() => onChange(hints.filter((_, index) => index !== at))}
              >
                <IconX size={16} stroke={1.6} />
              </ActionIcon>
            </span>
          </div>
        ))}
        <button
          type="button"
          className="link"
          style={{ display: 'inline-flex', gap: 8, alignItems: 'center', justifySelf: 'start' }}
          disabled={disabled || hints.length >= challengeLimits.hintsMax}
          onClick={add}
        >
          <IconPlus size={16} stroke={1.8} />
          {t('admin.challenge.hintAdd')}
        </button>
      </div>
    </div>
  )
}
