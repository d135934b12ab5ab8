import { useTranslation } from 'react-i18next'
import { useSite, useSlogan, useTitle } from '../shell/site.ts'
import c from './about.module.css'

/** The platform's name, its slogan, and what it runs on. */
export default function AboutScreen() {
  const { t } = useTranslation()
  const site = useSite()
  const slogan = useSlogan()
  useTitle(t('shell.tabs.about'))
  return (
    <div className={c.about}>
      <h1 className={c.name}>{site.name}</h1>
      <p className={c.slogan}>
        {slogan}
        <span className={c.cursor} aria-hidden />
      </p>
      <p className={c.version}>
        Vexil <span className="num">v{import.meta.env.VITE_VERSION}</span>
        <span className="faint">{t('posts.licence')}</span>
      </p>
    </div>
  )
}
