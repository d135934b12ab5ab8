/**
 * Constants that exist only so that tools and challenge images made for GZ::CTF keep working. They are protocol, not
 * our name: nothing else in the platform carries it.
 */

/** Signed for each team. Outside checkers and challenge servers verify the signature over exactly this text. */
export const signedTeamText = (teamId: number): string => `GZCTF_TEAM_${teamId}`

/** Hashed into a game's salt. Outside flag generators and stored team hashes depend on it. */
export const gameSaltText = (storedPrivateKey: string): string => `GZCTF@${storedPrivateKey}@PK`

/** Variables of a container, by which images made for that platform read their flag and their team; ours are set as well. */
export const flagVariables = ['FLAG', 'VEXIL_FLAG', 'GZCTF_FLAG'] as const
export const teamVariables = ['VEXIL_TEAM_ID', 'GZCTF_TEAM_ID'] as const
