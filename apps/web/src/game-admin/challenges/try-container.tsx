import { Button } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type TriedContainer, tryTestContainer } from '@vexil/contract/challenges'
import type { Readiness } from '@vexil/core/instances'
import { call } from '../../api/client.ts'
import { useErrorText } from '../../ui/base/use-action.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from './challenge.module.css'

const words = { text: 'triedText', http: 'triedHttp', nothing: 'triedNothing', unreachable: 'triedUnreachable' } as const

interface Props {
  readonly game: number
  readonly challenge: number
  /** Start of the container; a new container is tested again. */
  readonly startedAt: string
  /** Changes when its service answers, and is then tested again: an earlier test could not connect. */
  readonly readiness: Readiness
}

export function TryContainer({ game, challenge, startedAt, readiness }: Props) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const tried = useQuery({
    queryKey: ['tried-container', game, challenge, startedAt, readiness],
    queryFn: ({ signal }) => call(tryTestContainer, { params: { id: game, cid: challenge }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  return (
    <>
      <div className={c.row}>
        <Button
          size="sm"
          variant="default"
          leftSection={<IconRefresh size={16} stroke={1.6} />}
          loading={tried.isFetching}
          onClick={() => void tried.refetch()}
        >
          {t('admin.challenge.tryAgain')}
        </Button>
        {tried.isFetching && <span className={c.note}>{t('admin.challenge.trying')}</span>}
      </div>
      {!tried.isFetching && tried.isError && (
        <p className={c.failure} role="alert">
          {errorText(tried.error)}
        </p>
      )}
      {!tried.isFetching && tried.isSuccess && <Answers tried={tried.data} />}
    </>
  )
}

function Answers({ tried: { answer, firstLine, printed, ports, containers } }: { readonly tried: TriedContainer }) {
  return (
    <>
      <PortAnswer answer={answer} firstLine={firstLine} />
      {ports.map((port) => (
        <PortAnswer key={port.name} {...port} />
      ))}
      <Printed text={printed} />
      {containers.map((one) => (
        <Printed key={one.name} name={one.name} text={one.printed} />
      ))}
    </>
  )
}

/** `name`: of the port; absent for the first one. */
function PortAnswer({ answer, firstLine, name }: Pick<TriedContainer, 'answer' | 'firstLine'> & { readonly name?: string }) {
  const { t } = useTranslation()
  const good = answer === 'text' || answer === 'http'
  return (
    <p className={good ? c.answer : c.failure} role={good ? 'status' : 'alert'}>
      {name !== undefined && <b>{t('admin.challenge.triedPort', { name })}</b>} {t(`admin.challenge.${words[answer]}`)}{' '}
      {firstLine !== null && <code>{firstLine}</code>}
    </p>
  )
}

/** `name`: of the container; absent for the first one. `text`: null where the engine did not answer. */
function Printed({ text, name }: { readonly text: string | null; readonly name?: string }) {
  const { t } = useTranslation()
  const head = name === undefined ? t('admin.challenge.printed') : t('admin.challenge.printedBy', { name })
  const nothing = name === undefined ? t('admin.challenge.printedNothing') : t('admin.challenge.printedNothingBy', { name })
  return (
    <>
      <p className={c.note}>{text === null ? t('admin.challenge.printedUnknown') : text.trim() === '' ? nothing : head}</p>
      {text?.trim() && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard
        <section className={c.printed} tabIndex={0} aria-label={head}>
          <pre>{text}</pre>
        </section>
      )}
    </>
  )
}
