import { ActionIcon, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'

/** Puts a text on the clipboard, also on pages without a secure context. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const field = document.createElement('textarea')
    field.value = text
    field.style.position = 'fixed'
    field.style.opacity = '0'
    document.body.append(field)
    field.select()
    const done = document.execCommand('copy')
    field.remove()
    return done
  }
}

/** Copies and remembers for two seconds that it did. */
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
  /** Name of what is copied, for instance "Copy the address". */
  readonly label?: string
  readonly size?: 'sm' | 'md'
}

/** Icon button that copies a text and shows a tick for a moment. */
export function CopyButton({ text, label, size = 'sm' }: Props) {
  const { t } = useTranslation()
  const { copied, copy } = useCopy()
  const name = copied ? t('ui.copied') : (label ?? t('ui.copy'))
  return (
    <Tooltip label={name}>
      <ActionIcon size={size} aria-label={name} onClick={() => void copy(text)}>
        {copied ? <IconCheck size={16} stroke={1.8} color="var(--ok)" /> : <IconCopy size={16} stroke={1.6} />}
      </ActionIcon>
    </Tooltip>
  )
}
