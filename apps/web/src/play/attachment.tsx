import type { ChallengeDetail } from '@vexil/contract/scoreboard'
import { formatBytes } from '../ui/base/bytes.ts'
import { ChallengeFile } from '../ui/game/challenge-frame.tsx'
import { useTranslation } from '../ui/text/texts.tsx'

export function Attachment({ context: { url, fileSize } }: Pick<ChallengeDetail, 'context'>) {
  const { t } = useTranslation()
  if (url === null) return null
  const local = url.startsWith('/assets/')
  const name = local ? decodeURIComponent(url.split('/').at(-1) ?? '') : t('play.externalLink')
  const note = local ? fileSize !== null && formatBytes(fileSize) : hostOf(url)
  return <ChallengeFile name={name} note={note} url={url} local={local} />
}

function hostOf(url: string): string {
  try {
    return new URL(url).host
  } catch {
    return url
  }
}
