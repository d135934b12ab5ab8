import type { Phase } from '@vexil/core/phases'
import type { ParticipationStatus } from '@vexil/core/vocabulary'

export interface Standing {
  readonly phase: Phase
  readonly practice: boolean
  readonly signedIn: boolean
  readonly hasTeam: boolean
  readonly status: ParticipationStatus
}

export type MainButton = 'ended' | 'signIn' | 'join' | 'joinPractice' | 'noTeam' | 'pending' | 'approved' | 'again' | 'banned'

export function mainButton({ phase, practice, signedIn, hasTeam, status }: Standing): MainButton {
  if (phase === 'ended' && !practice) return 'ended'
  if (!signedIn) return 'signIn'
  switch (status) {
    case 'Pending':
      return 'pending'
    case 'Accepted':
      return 'approved'
    case 'Rejected':
      return 'again'
    case 'Suspended':
      return 'banned'
    default:
      if (!hasTeam) return 'noTeam'
      return phase === 'ended' ? 'joinPractice' : 'join'
  }
}

export const isFormOpenedBy: Readonly<Record<MainButton, boolean>> = {
  ended: false,
  signIn: true,
  join: true,
  joinPractice: true,
  noTeam: false,
  pending: false,
  approved: false,
  again: true,
  banned: false,
}

export interface OtherButtons {
  readonly challenges: boolean
  readonly scoreboard: boolean
  readonly leave: boolean
}

export function otherButtons({ phase, practice, status }: Standing): OtherButtons {
  const started = phase !== 'before'
  return {
    challenges: status === 'Accepted' && started && (phase === 'running' || practice),
    scoreboard: started,
    leave: status === 'Pending' || status === 'Rejected',
  }
}
