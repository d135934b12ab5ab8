import { ActionIcon } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Tooltip } from '../overlays/tooltip.tsx'
import { useTranslation } from '../text/texts.tsx'
import c from './copy.module.css'

/** Copies a text, also on pages without a secure context. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const before = document.activeElement
    const field = document.createElement('textarea')
    field.value = text
    field.style.position = 'fixed'
    field.style.opacity = '0'
    document.body.append(field)
    field.select()
    const done = document.execCommand('copy')
    field.remove()
    // Chromium focuses a field that is selected.
    if (before instanceof HTMLElement) before.focus({ preventScroll: true })
    return done
  }
}

/** `copied` is true for two seconds after a copy. */
export function useCopy(): { copied: boolean; copy: (text: string) => Promise<boolean> } {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async (text: string) => {
    const done = await copyText(text)
    if (done) setCopied(true)
    return done
  }
  return { copied, copy }
}

interface Props {
  readonly text: string
  readonly label?: string
  readonly size?: 'sm' | 'md'
  readonly onCopied?: () => void
}

export function CopyButton({ text, label, size = 'sm', onCopied }: Props) {
  const { t } = useTranslation()
  const { copied, copy } = useCopy()
  const name = copied ? t('ui.copied') : (label ?? t('ui.copy'))
  const act = async () => {
    if (await copy(text)) onCopied?.()
  }
  return (
    <Tooltip label={name}>
      <ActionIcon size={size} aria-label={name} onClick={() => void act()}>
        {copied ? <IconCheck size={16} stroke={1.8} color="var(--ok)" /> : <IconCopy size={16} stroke={1.6} />}
      </ActionIcon>
    </Tooltip>
  )
}

interface TextProps {
  readonly text: string
  readonly label: string
  /** Shown in place of `text`. */
  readonly children: ReactNode
}

export function CopyText({ text, label, children }: TextProps) {
  const { t } = useTranslation()
  const { copied, copy } = useCopy()
  return (
    <Tooltip label={copied ? t('ui.copied') : label}>
      <button type="button" className={`${c.text} mono`} aria-label={`${label}: ${text}`} onClick={() => void copy(text)}>
        <span className="cut">{children}</span>
        {copied ? <IconCheck size={14} stroke={1.8} color="var(--ok)" /> : <IconCopy size={14} stroke={1.6} />}
      </button>
    </Tooltip>
  )
}
