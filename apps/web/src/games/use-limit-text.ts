import { useTranslation } from '../ui/text/texts.tsx'

export function useLimitText(): (limit: number) => string {
  const { t } = useTranslation()
  return (limit) => {
    if (limit === 0) return t('games.limit.team')
    return limit === 1 ? t('games.limit.individual') : t('games.limit.upTo', { limit })
  }
}
