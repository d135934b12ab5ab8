import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { GameInfo } from '@vexil/contract/games'
import { useState } from 'react'
import { useKeys } from '../../ui/base/keyboard.ts'
import { lazyPart } from '../../ui/base/lazy-part.tsx'
import { QueryView } from '../../ui/base/states.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { challengesQuery } from '../game-admin.queries.ts'
import { Column, GameAdminFrame } from '../game-admin-frame.tsx'
import { ChallengeList } from './challenge-list.tsx'
import { RecountButton } from './recount-button.tsx'

const BloodBonusDialog = lazyPart(() => import('./blood-bonus-dialog.tsx'))
const NewChallengeDialog = lazyPart(() => import('./new-challenge-dialog.tsx'))

export default function ChallengeListScreen() {
  const { t } = useTranslation()
  const [dialog, setDialog] = useState<'new' | 'blood'>()
  useKeys([{ key: 'n', name: t('admin.challenges.create'), act: () => setDialog('new') }])
  const create = (
    <Button leftSection={<IconPlus size={18} stroke={1.8} />} onClick={() => setDialog('new')}>
      {t('admin.challenges.create')}
    </Button>
  )
  const tools = (game: GameInfo) => (
    <>
      <RecountButton game={game} />
      <Button variant="default" onClick={() => setDialog('blood')}>
        {t('admin.blood.title')}
      </Button>
      {create}
    </>
  )
  const close = () => setDialog(undefined)
  return (
    <GameAdminFrame tab="challenges" tools={tools}>
      {(game) => (
        <Column>
          <Listed game={game} create={create} />
          {dialog === 'new' && <NewChallengeDialog wanted game={game} onClose={close} />}
          {dialog === 'blood' && <BloodBonusDialog wanted game={game} onClose={close} />}
        </Column>
      )}
    </GameAdminFrame>
  )
}

function Listed({ game, create }: { readonly game: GameInfo; readonly create: React.ReactNode }) {
  const query = useQuery(challengesQuery(game.id))
  return <QueryView query={query}>{(rows) => <ChallengeList game={game} rows={rows} create={create} />}</QueryView>
}
