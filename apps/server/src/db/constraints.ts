import {
  AlreadyTeamMember,
  ContainerRunning,
  EmailTaken,
  GameNotFound,
  type RuleError,
  TeamAlreadyOwned,
  UserNameTaken,
  UserNotFound,
} from '@vexil/core/rules'

type Rule = new () => RuleError<string, undefined>

const rules = {
  accounts_user_name: UserNameTaken,
  accounts_email: EmailTaken,
  teams_one_per_captain: TeamAlreadyOwned,
  team_members_once: AlreadyTeamMember,
  // The account was deleted concurrently.
  teams_captain_id_fkey: UserNotFound,
  team_members_account_id_fkey: UserNotFound,
  containers_one_test: ContainerRunning,
  // The game was deleted concurrently.
  challenges_game_id_fkey: GameNotFound,
  notices_game_id_fkey: GameNotFound,
} as const satisfies Record<string, Rule>

type Constraint = keyof typeof rules

/** Waits for `work` and throws the rule of a violated constraint. `instead` replaces the rule of a constraint. */
export async function translated<T>(work: Promise<T>, instead: Partial<Record<Constraint, Rule>> = {}): Promise<T> {
  try {
    return await work
  } catch (error) {
    const { constraint } = error as { constraint?: Constraint }
    const Broken = constraint && (instead[constraint] ?? rules[constraint])
    throw Broken ? new Broken() : error
  }
}
