import type { GameInfo, ParticipationInfo } from '@vexil/contract/games'
import { keepFile } from '../../api/download.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { reviewSheet } from './review.ts'

const columns = [
  'id',
  'team',
  'division',
  'status',
  'user',
  'captain',
  'registered',
  'realName',
  'stdNumber',
  'email',
  'phone',
] as const

export function useReviewSheet(game: GameInfo): (teams: readonly ParticipationInfo[]) => void {
  const { t } = useTranslation()
  return (teams) => {
    const heads = columns.map((name) => t(`admin.review.column.${name}`))
    const text = reviewSheet(teams, heads, (status) => t(`admin.status.${status}`), t('admin.review.yes'))
    const name = `${game.title.replace(/[\\/:*?"<>|]/g, ' ').trim() || game.id}.csv`
    keepFile(new Blob([text], { type: 'text/csv;charset=utf-8' }), name)
  }
}
