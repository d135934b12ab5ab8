import { Button } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { submitWriteup } from '@vexil/contract/writeups'
import { fileLimits } from '@vexil/core/limits'
import { useState } from 'react'
import { keys } from '../api/query-keys.ts'
import { upload } from '../api/upload.ts'
import { formatBytes } from '../ui/base/bytes.ts'
import { Progress } from '../ui/base/progress.tsx'
import { useAction, useErrorText } from '../ui/base/use-action.ts'
import { FileButton } from '../ui/fields/file-button.tsx'
import { useConfirm } from '../ui/overlays/confirm.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { writeupFile } from './writeup-check.ts'
import c from './writeup-dialog.module.css'

interface Props {
  readonly game: number
  readonly submitted: boolean
  readonly late: boolean
}

export function WriteupUpload({ game, submitted, late }: Props) {
  const { t } = useTranslation()
  const confirm = useConfirm()
  const queries = useQueryClient()
  const errorText = useErrorText()
  const [share, setShare] = useState(0)
  const [wrong, setWrong] = useState<string>()
  const refresh = () => queries.invalidateQueries({ queryKey: keys.game(game).writeup })
  const submit = useAction({
    id: 'writeup',
    call: async (file: File) => {
      setShare(0)
      await upload(submitWriteup, file, { params: { id: game }, onProgress: setShare })
    },
    done: t('writeup.done'),
    onDone: refresh,
    onFail: (refusal) => {
      setWrong(errorText(refusal))
      void refresh()
      return true
    },
  })
  const confirmAndUpload = async (chosen: File) => {
    if (submit.busy) return
    const file = writeupFile(chosen)
    if (!file) return setWrong(t('writeup.invalid', { name: chosen.name, size: formatBytes(fileLimits.writeupBytes) }))
    setWrong(undefined)
    const replace = { title: t('writeup.replaceTitle', { name: file.name }), text: t('writeup.replaceText') }
    if (submitted && !(await confirm({ ...replace, confirm: t('writeup.replace') }))) return
    await submit.start(file)
  }
  const percent = Math.round(share * 100)
  const label = submit.busy ? t('writeup.uploading', { percent }) : t(submitted ? 'writeup.replace' : 'writeup.upload')
  return (
    <div className={c.upload}>
      <FileButton accept="application/pdf,.pdf" onFile={(file) => void confirmAndUpload(file)} disabled={late}>
        {({ onClick }) => (
          // Not disabled while it runs: the focus would be lost.
          <Button
            leftSection={<IconUpload size={18} stroke={1.6} />}
            disabled={late || submit.wait > 0}
            aria-disabled={submit.busy || undefined}
            onClick={() => !submit.busy && onClick()}
          >
            {submit.wait > 0 ? t('ui.againIn', { seconds: submit.wait }) : label}
          </Button>
        )}
      </FileButton>
      {submit.busy && <Progress label={t('ui.uploading')} share={share} />}
      {late && <p className={c.late}>{t('writeup.passed')}</p>}
      {wrong && !submit.busy && (
        <p className="poor" role="alert">
          {wrong}
        </p>
      )}
    </div>
  )
}
