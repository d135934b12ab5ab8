import { Button } from '@mantine/core'
import { IconFileText } from '@tabler/icons-react'
import type { DetailedGame } from '@vexil/contract/games'
import type { Phase } from '@vexil/core/phases'
import { lazy, Suspense, useState } from 'react'
import { usePast } from '../api/use-past.ts'
import { withRetry } from '../ui/base/chunk-recovery.ts'
import { useTranslation } from '../ui/text/texts.tsx'

const WriteupDialog = lazy(withRetry(() => import('./writeup-dialog.tsx')))

interface Props {
  readonly game: DetailedGame
  readonly phase: Phase
  readonly size?: 'sm' | 'lg'
}

/** Opens the writeup of the own team, from the start until the deadline; an open dialog stays after it. */
export function WriteupButton({ game, phase, size }: Props) {
  const { t } = useTranslation()
  const [opened, setOpened] = useState(false)
  const late = usePast(game.writeupDeadline)
  const due = game.writeupRequired && game.status === 'Accepted' && phase !== 'before' && !late
  return (
    <>
      {due && (
        <Button
          variant="default"
          size={size}
          leftSection={<IconFileText size={18} stroke={1.6} />}
          aria-haspopup="dialog"
          onClick={() => setOpened(true)}
        >
          {t('writeup.handIn')}
        </Button>
      )}
      {opened && (
        <Suspense>
          <WriteupDialog game={game.id} onClose={() => setOpened(false)} />
        </Suspense>
      )}
    </>
  )
}
