import { Button } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type TriedContainer, tryTestContainer } from '@vexil/contract/challenges'
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
}

export function TryContainer({ game, challenge, startedAt }: Props) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const tried = useQuery({
    queryKey: ['tried-container', game, challenge, startedAt],
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
      {!tried.isFetching && tried.isSuccess && <Answer tried={tried.data} />}
    </>
  )
}

function Answer({ tried: { answer, said, printed } }: { readonly tried: TriedContainer }) {
  const { t } = useTranslation()
  const good = answer === 'text' || answer === 'http'
  return (
    <>
      <p className={good ? c.answer : c.failure} role={good ? 'status' : 'alert'}>
        {t(`admin.challenge.${words[answer]}`)} {said !== null && <code>{said}</code>}
      </p>
      <p className={c.note}>
        {printed === null
          ? t('admin.challenge.printedUnknown')
          : printed.trim() === ''
            ? t('admin.challenge.printedNothing')
            : t('admin.challenge.printed')}
      </p>
      {printed?.trim() && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard
        <section className={c.printed} tabIndex={0} aria-label={t('admin.challenge.printed')}>
          <pre>{printed}</pre>
        </section>
      )}
    </>
  )
}
