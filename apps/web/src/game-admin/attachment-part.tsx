import { Button, FileButton, SegmentedControl, TextInput } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type ChallengeEditDetail, setAttachment } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { isWebLink } from '@vexil/core/flags'
import { challengeLimits } from '@vexil/core/limits'
import { type AttachmentType, attachmentTypes } from '@vexil/core/vocabulary'
import { type FormEvent, useState } from 'react'
import { call } from '../api/client.ts'
import { useUnsavedWarning } from '../shell/unsaved.tsx'
import { ActionButton } from '../ui/action-button.tsx'
import { formatBytes } from '../ui/bytes.ts'
import { useConfirm } from '../ui/confirm.tsx'
import { EntryField } from '../ui/entry-field.tsx'
import { FormSection } from '../ui/form-section.tsx'
import { useTranslation } from '../ui/organiser-texts.ts'
import { Progress } from '../ui/progress.tsx'
import { useAction } from '../ui/use-action.ts'
import c from './flags.module.css'
import { challengeQuery } from './game-admin.queries.ts'
import { uploadFile } from './upload.ts'

interface Props {
  readonly game: GameInfo
  readonly challenge: ChallengeEditDetail
}

/** One file or link for everybody. Choosing "None" asks before it takes the present one away. */
export function AttachmentPart({ game, challenge }: Props) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const confirm = useConfirm()
  const now = challenge.attachment
  const [chosen, setChosen] = useState<AttachmentType>()
  const [link, setLink] = useState<string>()
  const [share, setShare] = useState<number>()
  const kind = chosen ?? now?.type ?? 'None'
  const url = link ?? (now?.type === 'Remote' ? (now.url ?? '') : '')
  const options = {
    id: 'attachment',
    failed: t('admin.notSaved'),
    onDone: async () => {
      await queries.invalidateQueries({ queryKey: challengeQuery(game.id, challenge.id).queryKey })
      setChosen(undefined)
      setLink(undefined)
    },
  }
  const store = (body: { attachmentType: AttachmentType; fileHash?: string; remoteUrl?: string }) =>
    call(setAttachment, { params: { id: game.id, cid: challenge.id }, body })
  const clear = useAction({ ...options, call: async () => store({ attachmentType: 'None' }), done: t('admin.flags.cleared') })
  const remote = useAction({
    ...options,
    call: async () => store({ attachmentType: 'Remote', remoteUrl: url.trim() }),
    done: t('admin.flags.linkSaved'),
  })
  const local = useAction({
    ...options,
    call: async (file: File) => {
      setShare(0)
      try {
        return await store({ attachmentType: 'Local', fileHash: await uploadFile(file, { onProgress: setShare }) })
      } finally {
        setShare(undefined)
      }
    },
    working: t('ui.uploading'),
    done: t('admin.flags.fileSaved'),
    failed: t('ui.fileNotLoaded'),
  })
  const busy = clear.busy || remote.busy || local.busy
  const unsaved = link !== undefined && link !== (now?.url ?? '') && !busy
  useUnsavedWarning(unsaved)

  const choose = async (to: AttachmentType) => {
    if (to !== 'None' || !now || now.type === 'None') return setChosen(to)
    const yes = await confirm({
      title: t('admin.flags.clearTitle'),
      text: t('admin.flags.clearText'),
      confirm: t('ui.delete'),
      harmful: true,
    })
    if (yes) await clear.start()
  }
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (isWebLink(url.trim())) void remote.start()
  }
  return (
    <FormSection title={t('admin.flags.attachment')} help={t('admin.flags.attachmentHelp')}>
      <div className={c.stack}>
        <SegmentedControl
          aria-label={t('admin.flags.attachment')}
          value={kind}
          disabled={busy}
          onChange={(to) => void choose(to as AttachmentType)}
          data={attachmentTypes.map((value) => ({ value, label: t(`admin.flags.kind.${value}`) }))}
        />
        {kind === 'None' && <p className={c.part}>{t('admin.flags.noAttachment')}</p>}
        {kind === 'Remote' && (
          <form className={c.full} style={{ display: 'grid', gap: 12, justifyItems: 'start' }} onSubmit={save} noValidate>
            <TextInput
              className={c.full}
              type="url"
              label={t('admin.flags.link')}
              placeholder="https://"
              maxLength={challengeLimits.urlMax}
              value={url}
              error={url.trim() !== '' && !isWebLink(url.trim()) && t('admin.flags.linkWrong')}
              disabled={busy}
              onChange={(event) => setLink(event.currentTarget.value)}
            />
            <ActionButton action={remote} type="submit" disabled={!unsaved || !isWebLink(url.trim())}>
              {t('admin.flags.saveLink')}
            </ActionButton>
          </form>
        )}
        {kind === 'Local' && (
          <>
            {now?.type === 'Local' && now.url && (
              <div className={c.full}>
                <EntryField
                  label={t('admin.flags.file')}
                  value={decodeURIComponent(now.url.split('/').at(-1) ?? '')}
                  copies={new URL(now.url, location.href).href}
                  opens={now.url}
                />
                {now.fileSize !== null && <p className={c.part}>{formatBytes(now.fileSize)}</p>}
              </div>
            )}
            <FileButton onChange={(file) => file && void local.start(file)} disabled={busy}>
              {(props) => (
                <Button {...props} variant="default" loading={local.busy} leftSection={<IconUpload size={18} stroke={1.6} />}>
                  {t(now?.type === 'Local' ? 'admin.flags.replaceFile' : 'admin.flags.uploadFile')}
                </Button>
              )}
            </FileButton>
            {share !== undefined && <Progress label={t('ui.uploading')} share={share} />}
          </>
        )}
      </div>
    </FormSection>
  )
}
