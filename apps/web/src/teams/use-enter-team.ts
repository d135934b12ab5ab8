import { useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { paths } from '../shell/paths.ts'
import { type ActionOptions, useAction, useErrorText } from '../ui/base/use-action.ts'
import { useTeamsChanged } from './teams.queries.ts'

/** Way back to the join form of a game, with the choices made there. */
function useWayBack(): ((team?: number) => void) | undefined {
  const navigate = useNavigate()
  const [query] = useSearchParams()
  const game = Number(query.get('for'))
  if (!Number.isSafeInteger(game) || game <= 0) return undefined
  const chosen = { division: query.get('division') ?? undefined, code: query.get('code') ?? undefined }
  return (team) => void navigate(paths.joinGame(game, { team, ...chosen }))
}

type Entering<Result> = Pick<ActionOptions<void, Result>, 'call' | 'done' | 'failed'> & { readonly onDone: () => void }

const idOf = (made: unknown) => (typeof made === 'object' && made && 'id' in made ? Number(made.id) : undefined)

/** Creates or joins a team. Errors, also those of the server, are shown at the field. */
export function useEnterTeam<Result>({ onDone, ...call }: Entering<Result>) {
  const errorText = useErrorText()
  const changed = useTeamsChanged()
  const back = useWayBack()
  const [wrong, setWrong] = useState<string>()
  const action = useAction({
    ...call,
    id: 'team',
    onDone: async (made) => {
      await changed()
      if (back) back(idOf(made))
      else onDone()
    },
    onFail: (refusal) => {
      setWrong(errorText(refusal))
      return true
    },
  })
  return { action, wrong, setWrong }
}
