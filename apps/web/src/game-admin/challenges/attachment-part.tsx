import { Button, SegmentedControl, TextInput } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type ChallengeEditDetail, setAttachment } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { isWebLink } from '@vexil/core/flags'
import { challengeLimits } from '@vexil/core/limits'
import { type AttachmentType, attachmentTypes } from '@vexil/core/vocabulary'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/client.ts'
import { useUnsavedWarning } from '../../shell/unsaved.tsx'
import { ActionButton } from '../../ui/base/action-button.tsx'
import { formatBytes } from '../../ui/base/bytes.ts'
import { Progress } from '../../ui/base/progress.tsx'
import { type Action, useAction } from '../../ui/base/use-action.ts'
import { FileButton } from '../../ui/fields/file-button.tsx'
import { FormSection } from '../../ui/fields/form-section.tsx'
import { EntryField } from '../../ui/game/entry-field.tsx'
import { useConfirm } from '../../ui/overlays/confirm.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { challengeQuery } from '../game-admin.queries.ts'
import c from './flags.module.css'
import { uploadFile } from './upload-attachment.ts'

interface Props {
  readonly game: GameInfo
  readonly challenge: ChallengeEditDetail
}

interface Stored {
  readonly attachmentType: AttachmentType
  readonly fileHash?: string
  readonly remoteUrl?: string
}
const store = (id: number, cid: number, body: Stored) => call(setAttachment, { params: { id, cid }, body })

/** One file or link for all teams. "None" removes the current one after a confirmation; a file can be chosen from there too. */
export function AttachmentPart({ game, challenge }: Props) {
  const { t } = useTranslation()
  const confirm = useConfirm()
  const now = challenge.attachment
  const [chosen, setChosen] = useState<AttachmentType>()
  const [link, setLink] = useState<string>()
  const kind = chosen ?? now?.type ?? 'None'
  const storedLink = now?.type === 'Remote' ? (now.url ?? '') : ''
  const url = link ?? storedLink
  const { clear, remote, local, share } = useAttachmentActions({ game, challenge }, url, () => {
    setChosen(undefined)
    setLink(undefined)
  })
  const busy = clear.busy || remote.busy || local.busy
  const unsaved = url !== storedLink && !busy
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
        {kind === 'Remote' && <LinkForm url={url} busy={busy} action={remote} unsaved={unsaved} onChange={setLink} />}
        {kind !== 'Remote' && (
          <>
            {now?.type === 'Local' && now.url && <StoredFile url={now.url} size={now.fileSize} />}
            <UploadButton
              label={t(now?.type === 'Local' ? 'admin.flags.replaceFile' : 'admin.flags.uploadFile')}
              disabled={busy}
              action={local}
            />
            {share !== undefined && <Progress label={t('ui.uploading')} share={share} />}
          </>
        )}
      </div>
    </FormSection>
  )
}

function useAttachmentActions({ game, challenge }: Props, url: string, onDone: () => void) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const [share, setShare] = useState<number>()
  const options = {
    id: 'attachment',
    failed: t('admin.notSaved'),
    onDone: async () => {
      await queries.invalidateQueries({ queryKey: challengeQuery(game.id, challenge.id).queryKey })
      onDone()
    },
  }
  const clear = useAction({
    ...options,
    call: async () => store(game.id, challenge.id, { attachmentType: 'None' }),
    done: t('admin.flags.cleared'),
  })
  const remote = useAction({
    ...options,
    call: async () => store(game.id, challenge.id, { attachmentType: 'Remote', remoteUrl: url.trim() }),
    done: t('admin.flags.linkSaved'),
  })
  const local = useAction({
    ...options,
    call: async (file: File) => {
      setShare(0)
      try {
        return await store(game.id, challenge.id, {
          attachmentType: 'Local',
          fileHash: await uploadFile(file, { onProgress: setShare }),
        })
      } finally {
        setShare(undefined)
      }
    },
    working: t('ui.uploading'),
    done: t('admin.flags.fileSaved'),
    failed: t('ui.fileNotLoaded'),
  })
  return { clear, remote, local, share }
}

interface LinkProps {
  readonly url: string
  readonly busy: boolean
  readonly action: Action<void>
  readonly unsaved: boolean
  readonly onChange: (url: string) => void
}

function LinkForm({ url, busy, action, unsaved, onChange }: LinkProps) {
  const { t } = useTranslation()
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (isWebLink(url.trim())) void action.start()
  }
  return (
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
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <ActionButton action={action} type="submit" disabled={!unsaved || !isWebLink(url.trim())}>
        {t('admin.flags.saveLink')}
      </ActionButton>
    </form>
  )
}

function StoredFile({ url, size }: { readonly url: string; readonly size: number | null | undefined }) {
  const { t } = useTranslation()
  return (
    <div className={c.full}>
      <EntryField
        label={t('admin.flags.file')}
        value={decodeURIComponent(url.split('/').at(-1) ?? '')}
        copies={new URL(url, location.href).href}
        opens={url}
      />
      {size != null && <p className={c.part}>{formatBytes(size)}</p>}
    </div>
  )
}

interface UploadProps {
  readonly label: string
  readonly disabled: boolean
  readonly action: Action<File>
}

const UploadButton = ({ label, disabled, action }: UploadProps) => (
  <FileButton onFile={(file) => void action.start(file)} disabled={disabled}>
    {(props) => (
      <Button {...props} variant="default" loading={action.busy} leftSection={<IconUpload size={18} stroke={1.6} />}>
        {label}
      </Button>
    )}
  </FileButton>
)
