import { Button } from '@mantine/core'
import { IconArrowUp, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import type { LiveState } from '../../api/live.ts'
import { useTranslation } from '../text/texts.tsx'
import { Reconnecting } from './states.tsx'

interface Props {
  readonly live: LiveState
  readonly waiting: number
  readonly paused: boolean
  readonly onCatchUp: () => void
  /** Absent where the feed cannot be paused. */
  readonly onPause?: () => void
}

export function FeedState({ live, waiting, paused, onCatchUp, onPause }: Props) {
  const { t } = useTranslation()
  return (
    <>
      {live === 'reconnecting' && <Reconnecting />}
      {waiting > 0 && !paused && (
        <Button size="sm" leftSection={<IconArrowUp size={16} stroke={1.8} />} onClick={onCatchUp}>
          {t('ui.feed.fresh', { count: waiting })}
        </Button>
      )}
      {paused && waiting > 0 && (
        <span className="small wary" role="status">
          {t('ui.feed.paused', { count: waiting })}
        </span>
      )}
      {onPause && (live !== 'off' || paused) && (
        <Button
          size="sm"
          variant="default"
          aria-pressed={paused}
          leftSection={paused ? <IconPlayerPlay size={16} stroke={1.6} /> : <IconPlayerPause size={16} stroke={1.6} />}
          onClick={onPause}
        >
          {paused ? t('ui.feed.resume') : t('ui.feed.pause')}
        </Button>
      )}
    </>
  )
}
