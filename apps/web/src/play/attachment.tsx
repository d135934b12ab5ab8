import { IconDownload, IconExternalLink, IconPackage, IconWorld } from '@tabler/icons-react'
import type { ChallengeDetail } from '@vexil/contract/scoreboard'
import { useTranslation } from 'react-i18next'
import { formatBytes } from '../ui/bytes.ts'
import c from './challenge-dialog.module.css'

/** The file or link of a challenge; nothing where there is none. */
export function Attachment({ context: { url, fileSize } }: Pick<ChallengeDetail, 'context'>) {
  const { t } = useTranslation()
  if (url === null) return null
  const local = url.startsWith('/assets/')
  const name = local ? decodeURIComponent(url.split('/').at(-1) ?? '') : t('play.externalLink')
  return (
    <section className={c.part}>
      <h3 className={c.partName}>{t('play.attachment')}</h3>
      <a className={c.file} href={url} target="_blank" rel="noopener noreferrer" {...(local && { download: name })}>
        {local ? <IconPackage size={24} stroke={1.5} /> : <IconWorld size={24} stroke={1.5} />}
        <span>
          <span className={c.fileName}>{name}</span>
          <span className={c.fileSize}>{local ? fileSize !== null && formatBytes(fileSize) : hostOf(url)}</span>
        </span>
        {local ? (
          <IconDownload size={20} stroke={1.6} aria-label={t('play.download')} />
        ) : (
          <IconExternalLink size={20} stroke={1.6} />
        )}
      </a>
    </section>
  )
}

function hostOf(url: string): string {
  try {
    return new URL(url).host
  } catch {
    return url
  }
}
