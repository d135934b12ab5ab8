import { useTranslation } from '../ui/text/organiser-texts.ts'
import c from './monitor.module.css'
import { deepCount, foundShown } from './monitor.queries.ts'

/** What a search covers, and how many of the found entries are shown. */
export function SearchNote({ found }: { readonly found: number }) {
  const { t } = useTranslation()
  return (
    <p className={c.note}>
      {t('monitor.deep', { count: deepCount })} {found > foundShown && t('monitor.rest', { shown: foundShown, count: found })}
    </p>
  )
}
