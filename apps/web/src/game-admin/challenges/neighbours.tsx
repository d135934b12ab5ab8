import { Button, type ButtonProps } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ChallengeEditDetail, ChallengeRow } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { Link, useNavigate } from 'react-router'
import { paths } from '../../shell/paths.ts'
import { useKeys } from '../../ui/base/keyboard.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { challengesQuery } from '../game-admin.queries.ts'
import c from './challenge.module.css'
import { neighbours } from './challenge-rows.ts'

/** The previous and next challenge by name, also by Alt and arrow keys. */
export function Neighbours({ game, challenge }: { readonly game: GameInfo; readonly challenge: ChallengeEditDetail }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const rows = useQuery(challengesQuery(game.id)).data ?? []
  const { before, after } = neighbours(rows, challenge.id)
  const open = (id: number | undefined) => id !== undefined && void navigate(paths.admin.challenge(game.id, id))
  useKeys(
    [
      { key: 'alt+ArrowLeft', name: t('keys.previousChallenge'), act: () => open(before?.id) },
      { key: 'alt+ArrowRight', name: t('keys.nextChallenge'), act: () => open(after?.id) },
    ],
    true,
  )
  const link = (row: ChallengeRow | undefined, icon: Pick<ButtonProps, 'leftSection' | 'rightSection'>) =>
    row && (
      <Button component={Link} to={paths.admin.challenge(game.id, row.id)} variant="subtle" {...icon}>
        <span className="cut">{row.title}</span>
      </Button>
    )
  return (
    <nav className={c.neighbours} aria-label={t('admin.challenge.neighbours')}>
      {link(before, { leftSection: <IconChevronLeft size={18} stroke={1.6} /> })}
      {link(after, { rightSection: <IconChevronRight size={18} stroke={1.6} /> })}
    </nav>
  )
}
