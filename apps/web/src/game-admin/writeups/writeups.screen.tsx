import { useQuery } from '@tanstack/react-query'
import { QueryView } from '../../ui/base/states.tsx'
import { participationsQuery, writeupsQuery } from '../game-admin.queries.ts'
import { Column, GameAdminFrame } from '../game-admin-frame.tsx'
import { WriteupReader } from './writeup-reader.tsx'
import { WriteupTools } from './writeup-tools.tsx'
import { writeupRows } from './writeups.ts'

export default function WriteupsScreen() {
  return (
    <GameAdminFrame tab="Writeups" tools={(game) => <WriteupTools game={game} />}>
      {(game) => (
        <Column bare>
          <Listed game={game.id} />
        </Column>
      )}
    </GameAdminFrame>
  )
}

function Listed({ game }: { readonly game: number }) {
  const writeups = useQuery(writeupsQuery(game))
  const teams = useQuery(participationsQuery(game)).data ?? []
  return <QueryView query={writeups}>{(data) => <WriteupReader rows={writeupRows(data, teams)} />}</QueryView>
}
