import { Button, Modal, TextInput } from '@mantine/core'
import { IconBulb, IconDownload, IconPackage, IconX } from '@tabler/icons-react'
import type { ChallengeEditDetail } from '@vexil/contract/challenges'
import { flagLimits } from '@vexil/core/limits'
import { hasContainer } from '@vexil/core/vocabulary'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { serverNow } from '../api/clock.ts'
import { CategorySign, categoryField } from '../ui/category-sign.tsx'
import { Countdown } from '../ui/countdown.tsx'
import { EntryField } from '../ui/entry-field.tsx'
import { Markdown } from '../ui/markdown.tsx'
import { toast } from '../ui/toast.tsx'
import { type ChallengeFields, writtenHints } from './challenge-fields.ts'
import c from './challenge-preview.module.css'

interface Props {
  readonly challenge: ChallengeEditDetail
  /** As they stand in the form, saved or not. */
  readonly fields: ChallengeFields
  readonly onClose: () => void
}

/** What players will see. File, instance and answers are make-believe; nothing is sent (CE-4). */
export function ChallengePreview({ challenge, fields, onClose }: Props) {
  const { t } = useTranslation()
  const [flag, setFlag] = useState('')
  const hints = writtenHints(fields.hints)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    toast({ id: 'preview', kind: 'plain', title: t('admin.preview.typed'), text: flag })
    setFlag('')
  }
  return (
    <Modal.Root opened onClose={onClose} size={1040} centered xOffset={16} yOffset={24}>
      <Modal.Overlay />
      <Modal.Content className={c.content}>
        <div className={c.dialog}>
          <header className={c.head}>
            <span className={c.field} style={categoryField(fields.category)}>
              <CategorySign category={fields.category} size={36} bare labelled={false} />
            </span>
            <div className={c.words}>
              <Modal.Title className={c.title}>{fields.title}</Modal.Title>
              <p className={c.sub}>
                <span>{fields.category}</span>
                <b className="num">
                  {fields.originalScore} {t('play.pts')}
                </b>
                <span>{t('admin.preview.note')}</span>
              </p>
            </div>
            <Modal.CloseButton className={c.close} aria-label={t('ui.close')} icon={<IconX size={20} stroke={1.6} />} />
          </header>
          <div className={c.body}>
            <div className={c.read}>
              {fields.content.trim() ? <Markdown source={fields.content} /> : <p className="faint">{t('play.noText')}</p>}
              {hints.length > 0 && (
                <div className={c.hints}>
                  {hints.map((hint) => (
                    <div key={hint} className={c.hint}>
                      <IconBulb size={20} stroke={1.6} />
                      <div>
                        <Markdown source={hint} inline />
                      </div>
                    </div>
                  ))}
                </div>
              )}
            </div>
            <aside className={c.tools}>
              <section className={c.part}>
                <h3>{t('play.attachment')}</h3>
                <p className={c.file}>
                  <IconPackage size={24} stroke={1.5} />
                  <span className="cut">{fields.fileName || 'attachment'}.zip</span>
                  <IconDownload size={20} stroke={1.6} />
                </p>
              </section>
              {hasContainer(challenge.type) && <FakeInstance />}
            </aside>
          </div>
          <footer className={c.foot}>
            <form className={c.form} onSubmit={submit}>
              <TextInput
                className={c.input}
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
          </footer>
        </div>
      </Modal.Content>
    </Modal.Root>
  )
}

const hour = 3_600_000

/** Starts, extends and ends on this screen only. */
function FakeInstance() {
  const { t } = useTranslation()
  const [until, setUntil] = useState<number>()
  return (
    <section className={c.part}>
      <h3>{t('play.instance')}</h3>
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
    </section>
  )
}
