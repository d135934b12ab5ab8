import { Button, TextInput } from '@mantine/core'
import type { ChallengeEditDetail } from '@vexil/contract/challenges'
import { flagLimits } from '@vexil/core/limits'
import { hasContainer } from '@vexil/core/vocabulary'
import { type FormEvent, useState } from 'react'
import { serverNow } from '../../api/clock.ts'
import frame from '../../ui/game/challenge-frame.module.css'
import { ChallengeFile, ChallengeFrame, ChallengePart, ChallengeText } from '../../ui/game/challenge-frame.tsx'
import { EntryField } from '../../ui/game/entry-field.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { Countdown } from '../../ui/time/countdown.tsx'
import { type ChallengeFields, writtenHints } from './challenge-form-fields.ts'
import c from './challenge-preview.module.css'

interface Props {
  readonly challenge: ChallengeEditDetail
  /** The values of the form, saved or not. */
  readonly fields: ChallengeFields
  readonly onClose: () => void
}

/** The challenge as players see it. File, instance and answers are fake; nothing is sent. */
export default function ChallengePreview({ challenge, fields, onClose }: Props) {
  const { t } = useTranslation()
  const [flag, setFlag] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    toast({ id: 'preview', kind: 'plain', title: t('admin.preview.typed'), text: flag })
    setFlag('')
  }
  return (
    <ChallengeFrame
      category={fields.category}
      title={fields.title}
      score={fields.originalScore}
      facts={<span>{t('admin.preview.note')}</span>}
      read={<ChallengeText content={fields.content} hints={writtenHints(fields.hints)} />}
      tools={
        <>
          <ChallengeFile name={`${fields.fileName || 'attachment'}.zip`} note={null} local />
          {hasContainer(challenge.type) && <FakeInstance />}
        </>
      }
      foot={
        <form className={frame.form} onSubmit={submit}>
          <TextInput
            className={frame.input}
            aria-label={t('play.flag')}
            placeholder="flag{…}"
            maxLength={flagLimits.flagMax}
            value={flag}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setFlag(event.currentTarget.value)}
          />
          <Button type="submit" h={44}>
            {t('play.submit')}
          </Button>
        </form>
      }
      onClose={onClose}
    />
  )
}

const hour = 3_600_000

function FakeInstance() {
  const { t } = useTranslation()
  const [until, setUntil] = useState<number>()
  return (
    <ChallengePart name={t('play.instance')}>
      {until === undefined ? (
        <Button variant="default" fullWidth onClick={() => setUntil(serverNow() + 2 * hour)}>
          {t('admin.preview.start')}
        </Button>
      ) : (
        <>
          <EntryField label={t('play.instance')} value="192.0.2.17:31337" />
          <div className={c.buttons}>
            <Countdown to={until} />
            <Button size="sm" variant="default" onClick={() => setUntil(until + 2 * hour)}>
              {t('admin.preview.extend')}
            </Button>
            <Button size="sm" variant="default" color="bad" onClick={() => setUntil(undefined)}>
              {t('admin.preview.destroy')}
            </Button>
          </div>
        </>
      )}
    </ChallengePart>
  )
}
