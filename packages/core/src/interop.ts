/**
 * Constants that exist only so that tools and challenge images made for GZ::CTF keep working. They are protocol, not
 * our name: nothing else in the platform carries it.
 */

/** Signed for each team. Outside checkers and challenge servers verify the signature over exactly this text. */
export const signedTeamText = (teamId: number): string => `GZCTF_TEAM_${teamId}`

/** Hashed into a game's salt. Outside flag generators and stored team hashes depend on it. */
export const gameSaltText = (storedPrivateKey: string): string => `GZCTF@${storedPrivateKey}@PK`

/** Environment variables that hold the flag of a dynamic container. Images made for GZ::CTF read the last one at start. */
export const flagVariables = ['FLAG', 'VEXIL_FLAG', 'GZCTF_FLAG'] as const

/** Environment variables that hold the team's number. Images made for GZ::CTF read the last one. */
export const teamVariables = ['VEXIL_TEAM_ID', 'GZCTF_TEAM_ID'] as const

/** In place of a team's number in a test container. Images made for GZ::CTF tell a test by it. */
export const testTeam = 'admin'
