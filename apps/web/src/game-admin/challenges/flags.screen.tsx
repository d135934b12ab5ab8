import { Button } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ChallengeEditDetail } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { generatesFlags, hasAttachmentPerFlag } from '@vexil/core/vocabulary'
import { Link, useParams } from 'react-router'
import { Refusal } from '../../api/client.ts'
import NotFoundScreen from '../../shell/not-found.screen.tsx'
import { paths } from '../../shell/paths.ts'
import { QueryView } from '../../ui/base/states.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { challengeQuery } from '../game-admin.queries.ts'
import { Column, GameAdminFrame } from '../game-admin-frame.tsx'
import { AttachmentPart } from './attachment-part.tsx'
import { FlagLines } from './flag-lines.tsx'
import { FlagList } from './flag-list.tsx'
import { TeamFiles } from './team-files.tsx'
import { TemplatePart } from './template-part.tsx'

export default function FlagsScreen() {
  const { t } = useTranslation()
  const { id, chalId } = useParams()
  const query = useQuery(challengeQuery(Number(id), Number(chalId)))
  if (query.error instanceof Refusal && query.error.http === 404) return <NotFoundScreen />
  const toEditor = query.data && (
    <Button
      component={Link}
      to={paths.admin.challenge(Number(id), query.data.id)}
      variant="default"
      leftSection={<IconPencil size={18} stroke={1.6} />}
    >
      {t('admin.flags.toEditor')}
    </Button>
  )
  return (
    <GameAdminFrame tab="challenges" item={query.data?.title ?? ''} tools={() => toEditor}>
      {(game) => (
        <Column>
          <QueryView query={query}>{(challenge) => <Parts game={game} challenge={challenge} />}</QueryView>
        </Column>
      )}
    </GameAdminFrame>
  )
}

function Parts(props: { readonly game: GameInfo; readonly challenge: ChallengeEditDetail }) {
  const { type } = props.challenge
  if (hasAttachmentPerFlag(type)) return <TeamFiles {...props} />
  return (
    <>
      <AttachmentPart {...props} />
      {generatesFlags(type) ? (
        <TemplatePart {...props} />
      ) : (
        <>
          <FlagLines kind="static" {...props} />
          <FlagList {...props} />
        </>
      )}
    </>
  )
}
