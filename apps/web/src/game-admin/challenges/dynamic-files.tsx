import { ActionIcon } from '@mantine/core'
import { IconFiles, IconX } from '@tabler/icons-react'
import type { ChallengeEditDetail } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { useState } from 'react'
import { useUnsavedWarning } from '../../shell/unsaved.tsx'
import { ActionButton } from '../../ui/base/action-button.tsx'
import { formatBytes } from '../../ui/base/bytes.ts'
import { Progress } from '../../ui/base/progress.tsx'
import { DropPlace } from '../../ui/fields/drop-place.tsx'
import { FormSection } from '../../ui/fields/form-section.tsx'
import { useNamedField } from '../../ui/fields/use-named-field.ts'
import { toast } from '../../ui/overlays/toast.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from './flags.module.css'
import { type ChosenFile, useFileQueue } from './use-file-queue.ts'

/** Files whose names are the flags; players get all of them under one common name. */
export function DynamicFiles({ game, challenge }: { readonly game: GameInfo; readonly challenge: ChallengeEditDetail }) {
  const { t } = useTranslation()
  const place = useNamedField<HTMLDivElement>('flags')
  const [chosen, setChosen] = useState<readonly ChosenFile[]>([])
  const queue = useFileQueue(game, challenge, chosen, setChosen)
  useUnsavedWarning(chosen.length > 0)
  const start = () => {
    if (queue.ready === 0) return toast({ id: 'dynamic', kind: 'bad', title: t('admin.flags.noFile') })
    void queue.start()
  }
  return (
    <FormSection title={t('admin.flags.files')} help={t('admin.flags.filesHelp', { name: challenge.fileName ?? '' })}>
      <div className={c.stack} ref={place} tabIndex={-1}>
        <DropPlace label={t('admin.flags.chooseFiles')} multiple disabled={queue.busy} className={c.drop} onFiles={queue.choose}>
          <p className={c.dropText}>
            <IconFiles size={24} stroke={1.6} />
            {t('admin.flags.dropFiles')}
          </p>
        </DropPlace>
        {chosen.length > 0 && (
          <ul className={c.files}>
            {chosen.map(({ file, problem, failed }) => (
              <li key={`${file.name} ${file.size} ${file.lastModified}`} className={c.file}>
                <span className="mono cut">{file.name}</span>
                <span className={problem || failed ? 'small poor' : 'small faint num'}>
                  {failed ?? (problem ? t(`admin.flags.reason.${problem}`) : formatBytes(file.size))}
                </span>
                <ActionIcon
                  size="sm"
                  aria-label={t('admin.flags.removeFile', { name: file.name })}
                  disabled={queue.busy}
                  onClick={() => setChosen(chosen.filter((one) => one.file !== file))}
                >
                  <IconX size={16} stroke={1.6} />
                </ActionIcon>
              </li>
            ))}
          </ul>
        )}
        {queue.share !== undefined && <Progress label={t('ui.uploading')} share={queue.share} />}
        <ActionButton action={{ busy: queue.busy, wait: 0 }} onClick={start}>
          {queue.ready > 0 ? t('admin.flags.uploadCount', { count: queue.ready }) : t('admin.flags.uploadButton')}
        </ActionButton>
      </div>
    </FormSection>
  )
}
