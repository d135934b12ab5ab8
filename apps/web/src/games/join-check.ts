import type { DetailedGame } from '@vexil/contract/games'

export interface JoinForm {
  readonly team: string | null
  readonly code: string
  readonly division: string | null
}

/** What is still missing, in the order in which it is told (GD-1). */
export function missingToJoin(
  game: Pick<DetailedGame, 'inviteCodeRequired' | 'organizations'>,
  { team, code, division }: JoinForm,
): 'team' | 'code' | 'division' | undefined {
  if (!team) return 'team'
  if (game.inviteCodeRequired && code.trim() === '') return 'code'
  return (game.organizations?.length ?? 0) > 0 && !division ? 'division' : undefined
}
