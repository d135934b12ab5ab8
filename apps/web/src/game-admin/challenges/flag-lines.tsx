import { Textarea } from '@mantine/core'
import type { ChallengeEditDetail } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { type FormEvent, useState } from 'react'
import { useUnsavedWarning } from '../../shell/unsaved.tsx'
import { ActionButton } from '../../ui/base/action-button.tsx'
import { FormSection } from '../../ui/fields/form-section.tsx'
import mono from '../../ui/fields/mono-input.module.css'
import { useNamedField } from '../../ui/fields/use-named-field.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { BadLines } from './bad-lines.tsx'
import { type Checked, checkFlags, checkRemote } from './flag-input.ts'
import c from './flags.module.css'
import { useAddFlags } from './use-add-flags.ts'

const kinds = {
  static: {
    title: 'admin.flags.add',
    help: 'admin.flags.addHelp',
    label: 'admin.flags.onePerLine',
    placeholder: 'flag{…}',
    check: checkFlags,
  },
  remote: {
    title: 'admin.flags.remote',
    help: 'admin.flags.remoteHelp',
    label: 'admin.flags.remoteLines',
    placeholder: 'flag{…} https://files.example/1.zip',
    check: checkRemote,
  },
} as const

interface Props {
  readonly game: GameInfo
  readonly challenge: ChallengeEditDetail
  readonly kind: keyof typeof kinds
}

export function FlagLines({ game, challenge, kind }: Props) {
  const { t } = useTranslation()
  const field = useNamedField<HTMLTextAreaElement>(kind === 'static' ? 'flags' : 'links')
  const [text, setText] = useState('')
  const { title, help, label, placeholder, check } = kinds[kind]
  const known = new Set(challenge.flags.map(({ flag }) => flag))
  const { good, bad }: Checked<{ flag: string; url?: string }> = check(text, known)
  // Lines to be corrected stay in the field.
  const faulty = bad.filter(({ reason }) => reason !== 'known' && reason !== 'repeated')
  const add = useAddFlags(game, challenge, () => {
    setText(faulty.map((line) => line.text).join('\n'))
    // The button that has the focus becomes disabled.
    if (field.current?.form?.contains(document.activeElement)) field.current.focus()
  })
  useUnsavedWarning(text.trim() !== '' && !add.busy)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (good.length === 0) return
    void add.start(good.map(({ flag, url }) => (url ? { flag, attachmentType: 'Remote', remoteUrl: url } : { flag })))
  }
  return (
    <FormSection title={t(title)} help={t(help)}>
      <form className={c.stack} onSubmit={submit}>
        <Textarea
          ref={field}
          className={c.full}
          classNames={mono}
          label={t(label)}
          placeholder={placeholder}
          autosize
          minRows={3}
          maxRows={12}
          spellCheck={false}
          value={text}
          readOnly={add.busy}
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
