import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { DetailedGame } from '@vexil/contract/games'
import type { Phase } from '@vexil/core/phases'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { myTeamsQuery } from '../api/shared.queries.ts'
import { paths, withParts } from '../shell/paths.ts'
import { reaches, useSession } from '../shell/session.ts'
import { WriteupButton } from '../shell/writeup-button.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { GameAlert } from './game-alert.tsx'
import hero from './hero.module.css'
import { JoinDialog } from './join-dialog.tsx'
import { LeaveButton } from './leave-button.tsx'
import { isFormOpenedBy, mainButton, otherButtons } from './main-button.ts'

function chosenBefore(query: URLSearchParams, divisions: readonly string[] | null) {
  if (!query.has('join')) return undefined
  const division = query.get('division')
  return {
    ...(query.get('join') && { team: query.get('join') }),
    ...(division !== null && divisions?.includes(division) && { division }),
    code: query.get('code') ?? '',
  }
}

export function GameActions({ game, phase }: { readonly game: DetailedGame; readonly phase: Phase }) {
  const { t } = useTranslation()
  const session = useSession()
  const signedIn = session.state === 'member'
  const teams = useQuery({ ...myTeamsQuery, enabled: signedIn })
  const [joining, setJoining] = useState(false)
  const standing = {
    phase,
    practice: game.practiceMode,
    signedIn,
    // Defaults to true, so that "no team" is not shown while the teams load.
    hasTeam: teams.data ? teams.data.length > 0 : true,
    status: game.status,
  }
  const main = mainButton(standing)
  const { challenges, scoreboard, leave } = otherButtons(standing)
  const label = t(`games.main.${main}`)
  const [query, setQuery] = useSearchParams()
  const back = chosenBefore(query, game.organizations)
  return (
    <>
      <div className={hero.acts}>
        {challenges && (
          <Button component={Link} to={paths.challenges(game.id)} size="lg">
            {phase === 'ended' ? t('games.practise') : t('games.openChallenges')}
          </Button>
        )}
        {main === 'signIn' ? (
          <Button component={Link} to={paths.login(paths.game(game.id))} size="lg">
            {label}
          </Button>
        ) : main === 'noTeam' ? (
          <Button component={Link} to={paths.teamsFor(game.id)} size="lg">
            {label}
          </Button>
        ) : (
          !(main === 'approved' && challenges) && (
            <Button size="lg" disabled={!isFormOpenedBy[main]} onClick={() => setJoining(true)}>
              {label}
            </Button>
          )
        )}
        <WriteupButton game={game} phase={phase} size="lg" />
        {scoreboard && (
          <Link className="link" to={paths.scoreboard(game.id)}>
            {t('games.scoreboard')}
          </Link>
        )}
        {reaches(session.role, 'Monitor') && (
          <Link className="link" to={paths.monitor(game.id)}>
            {t('games.monitor')}
          </Link>
        )}
        {reaches(session.role, 'Admin') && (
          <Link className="link" to={paths.admin.game(game.id)}>
            {t('games.edit')}
          </Link>
        )}
        {leave && <LeaveButton game={game} />}
      </div>
      <GameAlert game={game} phase={phase} main={main} />
      <JoinDialog
        key={back ? 'back' : 'here'}
        opened={joining || (back !== undefined && teams.data !== undefined && isFormOpenedBy[main])}
        onClose={() => {
          setJoining(false)
          if (back) setQuery((old) => withParts(old, { join: null, division: null, code: null }), { replace: true })
        }}
        game={game}
        teams={teams.data ?? []}
        preset={back}
      />
    </>
  )
}
