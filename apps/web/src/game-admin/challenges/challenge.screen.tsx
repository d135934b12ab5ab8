import { Button, Switch } from '@mantine/core'
import { IconEye, IconFlag, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ChallengeEditDetail } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { Refusal } from '../../api/client.ts'
import { lacksFlag } from '../../shell/challenge-problems.ts'
import NotFoundScreen from '../../shell/not-found.screen.tsx'
import { paths } from '../../shell/paths.ts'
import { lazyPart } from '../../ui/base/lazy-part.tsx'
import { QueryView } from '../../ui/base/states.tsx'
import { Tooltip } from '../../ui/overlays/tooltip.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { challengeQuery } from '../game-admin.queries.ts'
import { GameAdminFrame } from '../game-admin-frame.tsx'
import c from './challenge.module.css'
import { ChallengeForm } from './challenge-form.tsx'
import { hasFlagsInEditor } from './challenge-rows.ts'
import { DeleteChallenge } from './delete-challenge.tsx'
import { useEnabling } from './use-enabling.ts'

const NewChallengeDialog = lazyPart(() => import('./new-challenge-dialog.tsx'))

export default function ChallengeEditScreen() {
  const { id, chalId } = useParams()
  const query = useQuery(challengeQuery(Number(id), Number(chalId)))
  const [preview, setPreview] = useState(false)
  if (query.error instanceof Refusal && query.error.http === 404) return <NotFoundScreen />
  const challenge = query.data
  return (
    <GameAdminFrame
      tab="challenges"
      item={challenge?.title ?? ''}
      tools={(game) => challenge && <Tools game={game} challenge={challenge} onPreview={() => setPreview(true)} />}
    >
      {(game) => (
        <QueryView query={query}>
          {(data) => (
            <ChallengeForm
              key={data.id}
              game={game}
              challenge={data}
              preview={preview}
              onClosePreview={() => setPreview(false)}
            />
          )}
        </QueryView>
      )}
    </GameAdminFrame>
  )
}

interface ToolsProps {
  readonly game: GameInfo
  readonly challenge: ChallengeEditDetail
  readonly onPreview: () => void
}

function Tools({ game, challenge, onPreview }: ToolsProps) {
  const { t } = useTranslation()
  const { confirmAndSet, busy } = useEnabling(game, challenge)
  const refused = !challenge.isEnabled && lacksFlag({ type: challenge.type, flagCount: challenge.flags.length })
  const [creating, setCreating] = useState(false)
  return (
    <>
      <Tooltip label={t('admin.challenges.needsFlag')} disabled={!refused}>
        <Switch
          className={c.enabled}
          labelPosition="left"
          label={t('admin.challenge.enabled')}
          checked={challenge.isEnabled}
          disabled={busy || refused}
          onChange={(event) => void confirmAndSet(event.currentTarget.checked)}
        />
      </Tooltip>
      <Button variant="default" leftSection={<IconEye size={18} stroke={1.6} />} onClick={onPreview}>
        {t('ui.preview')}
      </Button>
      {!hasFlagsInEditor(challenge.type) && (
        <Button
          component={Link}
          to={paths.admin.flags(game.id, challenge.id)}
          variant="default"
          leftSection={<IconFlag size={18} stroke={1.6} />}
        >
          {t('admin.flags.title')}
        </Button>
      )}
      <Button variant="default" leftSection={<IconPlus size={18} stroke={1.8} />} onClick={() => setCreating(true)}>
        {t('admin.challenges.create')}
      </Button>
      <DeleteChallenge game={game} challenge={challenge} />
      {creating && <NewChallengeDialog wanted game={game} onClose={() => setCreating(false)} />}
    </>
  )
}
