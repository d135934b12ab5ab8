/** All screens that are photographed. */
import { ofOrganisers } from './of-organisers.ts'
import { ofPlayers } from './of-players.ts'
import { ofVisitors } from './of-visitors.ts'
import type { Screen } from './screen.ts'
import { withContainers } from './with-containers.ts'

export const screens: readonly Screen[] = [...ofVisitors, ...ofPlayers, ...ofOrganisers, ...withContainers]
