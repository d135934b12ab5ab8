import { useTranslation } from '../ui/text/texts.tsx'

export function useMinutes(): (minutes: number) => string {
  const { t } = useTranslation()
  return (minutes) => (minutes % 60 === 0 ? t('play.hours', { count: minutes / 60 }) : t('play.minutes', { count: minutes }))
}
