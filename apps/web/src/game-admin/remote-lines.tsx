import { Textarea } from '@mantine/core'
import type { ChallengeEditDetail } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useUnsavedWarning } from '../shell/unsaved.tsx'
import { ActionButton } from '../ui/action-button.tsx'
import { FormSection } from '../ui/form-section.tsx'
import mono from '../ui/mono-input.module.css'
import { BadLines } from './bad-lines.tsx'
import { checkRemote } from './flag-input.ts'
import c from './flags.module.css'
import { useAddFlags } from './use-add-flags.ts'

/** Files that lie elsewhere: a flag and its link on each line. */
export function RemoteLines({ game, challenge }: { readonly game: GameInfo; readonly challenge: ChallengeEditDetail }) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const { good, bad } = checkRemote(text, new Set(challenge.flags.map(({ flag }) => flag)))
  const add = useAddFlags(game, challenge, () => setText(''))
  useUnsavedWarning(text.trim() !== '' && !add.busy)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (good.length > 0) {
      void add.start(good.map(({ flag, url }) => ({ flag, attachmentType: 'Remote' as const, remoteUrl: url })))
    }
  }
  return (
    <FormSection title={t('admin.flags.remote')} help={t('admin.flags.remoteHelp')}>
      <form className={c.stack} onSubmit={submit}>
        <Textarea
          className={c.full}
          classNames={mono}
          label={t('admin.flags.remoteLines')}
          placeholder="flag{…} https://files.example/1.zip"
          autosize
          minRows={3}
          maxRows={12}
          spellCheck={false}
          value={text}
          disabled={add.busy}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <BadLines bad={bad} />
        <ActionButton action={add} type="submit" disabled={good.length === 0}>
          {good.length > 0 ? t('admin.flags.addCount', { count: good.length }) : t('admin.flags.addButton')}
        </ActionButton>
      </form>
    </FormSection>
  )
}
