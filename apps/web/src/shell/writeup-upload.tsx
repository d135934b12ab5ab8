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
  const hand = useAction({
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
  const take = async (chosen: File) => {
    if (hand.busy) return
    const file = writeupFile(chosen)
    if (!file) return setWrong(t('writeup.invalid', { name: chosen.name, size: formatBytes(fileLimits.writeupBytes) }))
    setWrong(undefined)
    const replace = { title: t('writeup.replaceTitle', { name: file.name }), text: t('writeup.replaceText') }
    if (submitted && !(await confirm({ ...replace, confirm: t('writeup.replace') }))) return
    await hand.start(file)
  }
  const percent = Math.round(share * 100)
  const label = hand.busy ? t('writeup.uploading', { percent }) : t(submitted ? 'writeup.replace' : 'writeup.upload')
  return (
    <div className={c.upload}>
      <FileButton accept="application/pdf,.pdf" onFile={(file) => void take(file)} disabled={late}>
        {({ onClick }) => (
          // Not disabled while it runs: the focus would be lost.
          <Button
            leftSection={<IconUpload size={18} stroke={1.6} />}
            disabled={late || hand.wait > 0}
            aria-disabled={hand.busy || undefined}
            onClick={() => !hand.busy && onClick()}
          >
            {hand.wait > 0 ? t('ui.againIn', { seconds: hand.wait }) : label}
          </Button>
        )}
      </FileButton>
      {hand.busy && <Progress label={t('ui.uploading')} share={share} />}
      {late && <p className={c.late}>{t('writeup.passed')}</p>}
      {wrong && !hand.busy && (
        <p className="poor" role="alert">
          {wrong}
        </p>
      )}
    </div>
  )
}
