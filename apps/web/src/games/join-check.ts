import type { DetailedGame } from '@vexil/contract/games'

export interface JoinForm {
  readonly team: string | null
  readonly code: string
  readonly division: string | null
}

/** Missing fields in the order of the form. */
export function missingToJoin(
  game: Pick<DetailedGame, 'inviteCodeRequired' | 'organizations'>,
  { team, code, division }: JoinForm,
): (keyof JoinForm)[] {
  return [
    ...(team ? [] : (['team'] as const)),
    ...(game.inviteCodeRequired && code.trim() === '' ? (['code'] as const) : []),
    ...((game.organizations?.length ?? 0) > 0 && !division ? (['division'] as const) : []),
  ]
}
