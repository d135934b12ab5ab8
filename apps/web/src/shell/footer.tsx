import { Markdown } from '../ui/markdown/markdown.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './footer.module.css'
import { Logo } from './mark.tsx'
import { useSite } from './site.ts'

export function Footer({ width = 1184 }: { readonly width?: number }) {
  const { t } = useTranslation()
  const site = useSite()
  return (
    <footer className={c.footer} style={{ maxWidth: width + 112 }}>
      <span className={c.name}>
        <Logo src={site.logoUrl} size={16} />
        {site.platform}
      </span>
      <span>{t('shell.runsOn')}</span>
      {site.footerInfo && <Markdown className={c.own} source={site.footerInfo} maths={false} />}
    </footer>
  )
}
