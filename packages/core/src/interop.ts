/** Constants for compatibility with tools and challenge images made for GZ::CTF. They are part of its protocol; the rest of the platform uses its own names. */

/** Signed for each team. External checkers and challenge servers verify the signature of exactly this text. */
export const signedTeamText = (teamId: number): string => `GZCTF_TEAM_${teamId}`

/** Hashed into a game's salt. External flag generators and stored team hashes depend on it. */
export const gameSaltText = (storedPrivateKey: string): string => `GZCTF@${storedPrivateKey}@PK`

/** Container variables with the flag and the team; the GZCTF names are for images made for GZ::CTF. */
export const flagVariables = ['FLAG', 'VEXIL_FLAG', 'GZCTF_FLAG'] as const
export const teamVariables = ['VEXIL_TEAM_ID', 'GZCTF_TEAM_ID'] as const
