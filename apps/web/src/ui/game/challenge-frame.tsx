import { Modal } from '@mantine/core'
import { IconBulb, IconDownload, IconExternalLink, IconPackage, IconWorld, IconX } from '@tabler/icons-react'
import type { ChallengeCategory } from '@vexil/core/vocabulary'
import { type ReactNode, useEffect, useRef } from 'react'
import { Markdown } from '../markdown/markdown.tsx'
import { FocusBack } from '../overlays/focus-back.tsx'
import { FocusKept } from '../overlays/focus-kept.tsx'
import { useEscape } from '../overlays/use-escape.ts'
import { useTranslation } from '../text/texts.tsx'
import { useFormats } from '../time/time.ts'
import { CategorySign, categoryField } from './category-sign.tsx'
import c from './challenge-frame.module.css'

interface Props {
  readonly category: ChallengeCategory
  readonly title: string
  readonly score: number | string
  /** Shown after category and points. */
  readonly facts: ReactNode
  readonly steps?: ReactNode
  readonly read: ReactNode
  /** File and instance: beside the text; on narrow windows always visible above the flag form. */
  readonly tools: ReactNode
  /** Below the tools; below the text on narrow windows and when the text is short. */
  readonly more?: ReactNode
  readonly short?: boolean
  /** Above the flag form, for a moment. */
  readonly moment?: ReactNode
  /** The flag form, across both columns. */
  readonly foot: ReactNode
  /** Focuses the text where no form takes the focus. */
  readonly focusText?: boolean
  /** Ids of elements that get the focus after it closes if its opener no longer exists. */
  readonly focusBack?: readonly string[]
  readonly onClose: () => void
}

/** A challenge as players see it: text, tools, flag form at the foot; full screen on narrow windows. */
export function ChallengeFrame(props: Props) {
  const { category, title, score, facts, steps, read, tools, more, short, moment, foot, focusText, focusBack, onClose } = props
  const { t } = useTranslation()
  const { number } = useFormats()
  const text = useRef<HTMLDivElement>(null)
  useEscape(true, onClose)
  useEffect(() => {
    // The form that had the focus was removed.
    if (focusText && document.activeElement === document.body) text.current?.focus()
  }, [focusText])
  return (
    <Modal.Root opened onClose={onClose} closeOnEscape={false} size={1040} centered xOffset={16} yOffset={24}>
      <Modal.Overlay />
      <Modal.Content className={c.content} classNames={{ inner: c.inner }}>
        <FocusBack instead={focusBack} />
        <FocusKept />
        <div className={c.dialog}>
          <div className={c.head}>
            <span className={c.field} style={categoryField(category)}>
              <CategorySign category={category} size={36} bare labelled={false} />
            </span>
            <div className={c.words}>
              <Modal.Title className={c.title}>{title}</Modal.Title>
              <p className={c.sub}>
                <span>{category}</span>
                <b className="num">
                  {typeof score === 'number' ? number(score) : score} {t('play.pts')}
                </b>
                {facts}
              </p>
            </div>
            <div className={c.actions}>
              {steps}
              <Modal.CloseButton aria-label={t('ui.close')} icon={<IconX size={20} stroke={1.6} />} />
            </div>
          </div>
          <div className={c.body}>
            <div ref={text} className={c.read} tabIndex={-1} data-autofocus={focusText || undefined}>
              {read}
              <div className={short ? c.shortMore : c.narrowMore}>{more}</div>
            </div>
            <aside className={c.tools}>
              {tools}
              {!short && more}
            </aside>
          </div>
          <div className={c.narrowTools}>{tools}</div>
          <div>
            {moment}
            <footer className={c.foot}>{foot}</footer>
          </div>
        </div>
      </Modal.Content>
    </Modal.Root>
  )
}

interface TextProps {
  readonly content: string
  readonly hints: readonly string[] | null
  /** Hints that arrived while the dialog was open. */
  readonly fresh?: ReadonlySet<string>
}

/** Characters of text and hints up to which they fill less than half of the column. */
const shortText = 600

/** Whether text and hints leave room below them for more. */
export const isShort = ({ content, hints }: Pick<TextProps, 'content' | 'hints'>): boolean =>
  [content, ...(hints ?? [])].join('').length <= shortText && !content.includes('![')

export function ChallengeText({ content, hints, fresh }: TextProps) {
  const { t } = useTranslation()
  return (
    <>
      {content.trim() ? <Markdown source={content} /> : <p className="faint">{t('play.noText')}</p>}
      {hints && hints.length > 0 && (
        <section className={c.hints} aria-label={t('play.hintsTitle')}>
          {hints.map((hint, index) => (
            <div key={hint} className={c.hint}>
              <IconBulb size={20} stroke={1.6} />
              <div>
                <p className={c.hintName}>
                  {t('play.hint', { number: index + 1 })}
                  {fresh?.has(hint) && <span className={c.tag}> {t('play.newMark')}</span>}
                </p>
                <Markdown source={hint} inline />
              </div>
            </div>
          ))}
        </section>
      )}
    </>
  )
}

interface PartProps {
  readonly name: string
  readonly count?: string
  readonly tone?: 'ok'
  readonly children: ReactNode
}

export function ChallengePart({ name, count, tone, children }: PartProps) {
  return (
    <section className={c.part}>
      <h3 className={c.partName}>
        <span>{name}</span>
        {count !== undefined && <span className={tone ? c.ok : 'num'}>{count}</span>}
      </h3>
      {children}
    </section>
  )
}

interface FileProps {
  readonly name: string
  /** Size or host. */
  readonly note: ReactNode
  /** Absent in a preview. */
  readonly url?: string
  /** Stored on the platform. */
  readonly local: boolean
}

export function ChallengeFile({ name, note, url, local }: FileProps) {
  const { t } = useTranslation()
  const line = (
    <>
      {local ? <IconPackage size={24} stroke={1.5} /> : <IconWorld size={24} stroke={1.5} />}
      <span>
        <span className={c.fileName}>{name}</span>
        <span className={c.fileNote}>{note}</span>
      </span>
      {local ? (
        <IconDownload size={20} stroke={1.6} aria-label={t('play.download')} />
      ) : (
        <IconExternalLink size={20} stroke={1.6} />
      )}
    </>
  )
  return (
    <ChallengePart name={t('play.attachment')}>
      {url === undefined ? (
        <p className={c.file}>{line}</p>
      ) : (
        <a className={c.file} href={url} target="_blank" rel="noopener noreferrer" {...(local && { download: name })}>
          {line}
        </a>
      )}
    </ChallengePart>
  )
}
