import type { ReactNode } from 'react'
import { useTranslation } from '../ui/text/texts.tsx'
import type { NamedScreen } from './screen-table.ts'
import { useTitle } from './site.ts'

export function Titled({ title, children }: Pick<NamedScreen, 'title'> & { readonly children: ReactNode }) {
  const { t } = useTranslation()
  // Organisers' texts are loaded with the code of the screen.
  useTitle(title.map((key) => t(key as 'ui.save')).join(' - '))
  return children
}
