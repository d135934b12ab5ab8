import { useQuery } from '@tanstack/react-query'
import { allGamesQuery } from '../api/shared.queries.ts'
import { usePhaseClock } from '../api/use-phase.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import { Countdown } from '../ui/time/countdown.tsx'

export function RunningLine() {
  const { t } = useTranslation()
  const { data } = useQuery(allGamesQuery)
  const now = usePhaseClock(data ?? [])
  const running = data
    ?.filter((game) => Date.parse(game.start) <= now && now <= Date.parse(game.end))
    .sort((a, b) => Date.parse(a.end) - Date.parse(b.end))[0]
  if (!running) return null
  return (
    <>
      {t('account.running', { title: running.title })} <Countdown to={running.end} />
    </>
  )
}
