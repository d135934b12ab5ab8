import { TextInput } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { challengeLimits, textLimits } from '@vexil/core/limits'
import { hasAttachmentPerFlag } from '@vexil/core/vocabulary'
import type { ReactNode } from 'react'
import { MarkdownField } from '../../ui/markdown/markdown-field.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from './challenge.module.css'
import type { PartProps } from './challenge-part.ts'
import { HintList } from './hint-list.tsx'
import { CategorySelect } from './kind-selects.tsx'

export function TextPart({ challenge, fields, set, wrong, busy, children }: PartProps & { readonly children?: ReactNode }) {
  const { t } = useTranslation()
  return (
    <div className={c.left}>
      <TextInput
        label={t('admin.challenge.title')}
        maxLength={challengeLimits.titleMax}
        value={fields.title}
        error={wrong.has('title') && t('admin.challenge.titleMissing')}
        disabled={busy}
        onChange={(event) => set({ title: event.currentTarget.value })}
      />
      <div className={c.pair}>
        <CategorySelect
          label={t('admin.challenges.category')}
          value={fields.category}
          disabled={busy}
          onChange={(category) => category && set({ category })}
        />
        <div>
          <p className={c.name}>{t('admin.challenges.type')}</p>
          <p className={c.type}>
            <IconLock size={18} stroke={1.6} />
            {t(`admin.types.${challenge.type}`)}
          </p>
        </div>
      </div>
      {hasAttachmentPerFlag(challenge.type) && (
        <TextInput
          label={t('admin.challenge.fileName')}
          description={t('admin.challenge.fileNameHelp')}
          maxLength={challengeLimits.fileNameMax}
          value={fields.fileName}
          error={wrong.has('fileName') && t('admin.challenge.fileNameMissing')}
          disabled={busy}
          onChange={(event) => set({ fileName: event.currentTarget.value })}
        />
      )}
      <MarkdownField
        label={t('admin.challenge.content')}
        rows={14}
        maxLength={textLimits.markdownMax}
        value={fields.content}
        disabled={busy}
        onChange={(content) => set({ content })}
      />
      {children}
      <HintList hints={fields.hints} disabled={busy} onChange={(hints) => set({ hints })} />
    </div>
  )
}
