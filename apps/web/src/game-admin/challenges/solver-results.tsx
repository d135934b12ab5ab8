import { Button } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { queryOptions, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { getSolverCheck, listSolverChecks, type SolverCheck, startSolverCheck } from '@vexil/contract/challenges'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'
import { ActionButton } from '../../ui/base/action-button.tsx'
import { useAction, useErrorText } from '../../ui/base/use-action.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { When } from '../../ui/time/when.tsx'
import { useChallengesChanged } from '../game-admin.queries.ts'
import c from './challenge.module.css'
import s from './solver-results.module.css'

const isOpen = ({ state }: SolverCheck) => state === 'Waiting' || state === 'Running'
/** Results shown before "show all". */
const shownFirst = 5

const checksQuery = (id: number, cid: number) =>
  queryOptions({
    queryKey: keys.edit.checks(id, cid),
    queryFn: ({ signal }) => call(listSolverChecks, { params: { id, cid }, signal }),
    refetchInterval: ({ state }) => (state.data?.some(isOpen) ? 2_000 : false),
  })

interface ResultsProps {
  readonly game: number
  readonly challenge: number
  /** The form is being stored. */
  readonly busy: boolean
  readonly disabled: boolean
  /** Stores the form; true when that worked or nothing was changed. */
  readonly store: () => Promise<boolean>
}

/** The button of the solver check, its progress and its results. */
export default function SolverResults({ game, challenge, busy, disabled, store }: ResultsProps) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const errorText = useErrorText()
  const changed = useChallengesChanged(game)
  const [failure, setFailure] = useState<string>()
  const [picked, setPicked] = useState<number>()
  const [all, setAll] = useState(false)
  const { queryKey } = checksQuery(game, challenge)
  const list = useQuery(checksQuery(game, challenge))
  const { data } = list
  const startCheck = useAction({
    id: 'solver-check',
    call: async () => call(startSolverCheck, { params: { id: game, cid: challenge } }),
    onDone: ({ id }) => {
      setPicked(id)
      void changed()
      return queries.invalidateQueries({ queryKey })
    },
    onFail: (refusal) => {
      if (refusal.http !== 429) setFailure(errorText(refusal))
      return true
    },
  })
  const run = async () => {
    setFailure(undefined)
    if (await store()) await startCheck.start()
  }
  const checks = data ?? []
  const running = checks.find(isOpen)
  const shown = picked ?? running?.id ?? checks[0]?.id
  return (
    <>
      <div className={c.row}>
        <ActionButton
          // A button that is disabled while the form is stored would lose the focus.
          action={{ ...startCheck, busy: startCheck.busy || running !== undefined || busy }}
          size="sm"
          variant="default"
          leftSection={<IconPlayerPlay size={16} stroke={1.6} color="var(--ok)" />}
          disabled={disabled}
          onClick={() => void run()}
        >
          {t('admin.check.run')}
        </ActionButton>
        <span className={c.note} role="status">
          {running ? t(`admin.check.now.${running.state as 'Waiting' | 'Running'}`) : data?.length === 0 && t('admin.check.none')}
        </span>
      </div>
      {failure !== undefined && (
        <p className={c.failure} role="alert">
          {failure}
        </p>
      )}
      <NotLoaded query={list} />
      {checks.length > 0 && (
        <ul className={s.list} aria-label={t('admin.check.results')}>
          {checks.slice(0, all ? undefined : shownFirst).map((check) => (
            <li key={check.id}>
              <button
                type="button"
                aria-pressed={check.id === shown}
                data-state={check.state}
                onClick={() => setPicked(check.id)}
              >
                <span className={s.state}>{t(`admin.check.state.${check.state}`)}</span>
                <When at={check.startedAt ?? check.askedAt} />{' '}
                <span className="dim">{t(`admin.check.cause.${check.cause}`)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {!all && checks.length > shownFirst && (
        <Button className={s.all} size="sm" variant="subtle" onClick={() => setAll(true)}>
          {t('admin.check.all', { count: checks.length })}
        </Button>
      )}
      {shown !== undefined && (
        <Output
          // Another output is shown from its beginning.
          key={shown}
          game={game}
          challenge={challenge}
          check={shown}
          state={checks.find(({ id }) => id === shown)?.state}
        />
      )}
    </>
  )
}

/** Why the last request failed, with a retry; nothing if it succeeded. */
function NotLoaded({ query: { error, refetch } }: { readonly query: Pick<UseQueryResult, 'error' | 'refetch'> }) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  if (!error) return null
  return (
    <p className={c.failure} role="alert">
      {errorText(error)}{' '}
      <button type="button" className="link" onClick={() => void refetch()}>
        {t('ui.retry')}
      </button>
    </p>
  )
}

interface OutputProps {
  readonly game: number
  readonly challenge: number
  readonly check: number
  /** In the list; undefined until the list has a new check. */
  readonly state: SolverCheck['state'] | undefined
}

function Output({ game, challenge, check, state }: OutputProps) {
  const { t } = useTranslation()
  const isRunning = state === 'Waiting' || state === 'Running'
  const output = useQuery({
    // An output that was read in another state is not the last one, however fresh it is.
    queryKey: [...keys.edit.checks(game, challenge), check, state],
    queryFn: ({ signal }) => call(getSolverCheck, { params: { id: game, cid: challenge, check }, signal }),
    refetchInterval: isRunning ? 2_000 : false,
  })
  const { data } = output
  if (output.error) return <NotLoaded query={output} />
  if (!data) return <div data-waiting />
  return (
    <>
      {data.problem !== null && (
        <p className={data.state === 'Failed' ? c.failure : c.note} role={data.state === 'Failed' ? 'alert' : 'status'}>
          {data.problem}
        </p>
      )}
      {data.output.trim() === '' ? (
        <p className={c.note}>{isRunning ? t('admin.check.noOutputYet') : t('admin.check.noOutput')}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard
        <section className={c.printed} tabIndex={0} aria-label={t('admin.check.output')}>
          <pre>{data.output}</pre>
        </section>
      )}
    </>
  )
}
