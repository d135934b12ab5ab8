import { Popover } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { Mark } from '../shell/mark.tsx'
import { useSite, useSlogan } from '../shell/site.ts'
import { withRetry } from '../ui/base/chunk-recovery.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import { When } from '../ui/time/when.tsx'
import c from './about.module.css'

const LicencesDialog = lazy(withRetry(() => import('./licences-dialog.tsx')))

export default function AboutScreen() {
  const { t } = useTranslation()
  const { VITE_VERSION: version, VITE_COMMIT: commit, VITE_BUILT: built } = import.meta.env
  const site = useSite()
  const slogan = useSlogan()
  const [opened, setOpened] = useState(false)
  const [licences, setLicences] = useState(false)
  return (
    <div className={c.about}>
      <h1 className={c.name}>{site.name}</h1>
      <p className={c.slogan}>
        {slogan}
        <span className={c.cursor} aria-hidden />
      </p>
      <section className={c.vexil} aria-labelledby="vexil">
        <h2 id="vexil">{t('posts.aboutVexil')}</h2>
        <p>{t('posts.aboutText')}</p>
        <ul className={c.links}>
          <li>
            <a className="link" href="https://www.apache.org/licenses/LICENSE-2.0" target="_blank" rel="noopener noreferrer">
              {t('posts.licenceHead')}: {t('posts.licence')}
            </a>
          </li>
          <li>
            <button type="button" className="link" aria-haspopup="dialog" onClick={() => setLicences(true)}>
              {t('posts.licences')}
            </button>
          </li>
          <li>
            <a className="link" href="/api/docs">
              {t('posts.apiDocs')}
            </a>
          </li>
        </ul>
      </section>
      <div className={c.version}>
        <Popover opened={opened} position="top-end" width={280}>
          <Popover.Target>
            <button
              type="button"
              className={c.badge}
              onMouseEnter={() => setOpened(true)}
              onMouseLeave={() => setOpened(false)}
              onFocus={() => setOpened(true)}
              onBlur={() => setOpened(false)}
              onKeyDown={({ key }) => key === 'Escape' && setOpened(false)}
            >
              <Mark size={18} />
              Vexil <span className="num">v{version}</span>
              {commit && <span className="num faint">{commit}</span>}
            </button>
          </Popover.Target>
          <Popover.Dropdown>
            <dl className={c.facts}>
              <dt>{t('posts.version')}</dt>
              <dd className="num">v{version}</dd>
              {commit && <dt>{t('posts.commit')}</dt>}
              {commit && <dd className="mono">{commit}</dd>}
              <dt>{t('posts.built')}</dt>
              <dd>
                <When at={built} style="exact" />
              </dd>
              <dt>{t('posts.licenceHead')}</dt>
              <dd>{t('posts.licence')}</dd>
            </dl>
          </Popover.Dropdown>
        </Popover>
      </div>
      {licences && (
        <Suspense>
          <LicencesDialog onClose={() => setLicences(false)} />
        </Suspense>
      )}
    </div>
  )
}
