import { ActionIcon, Button, Skeleton } from '@mantine/core'
import { IconEye, IconEyeOff, IconRefresh } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { renewInvite, type TeamInfo } from '@vexil/contract/teams'
import { useState } from 'react'
import { call } from '../api/client.ts'
import { paths } from '../shell/paths.ts'
import { copyText } from '../ui/base/copy.tsx'
import { useAction, useErrorText } from '../ui/base/use-action.ts'
import { EntryField } from '../ui/game/entry-field.tsx'
import { useConfirm } from '../ui/overlays/confirm.tsx'
import { toast } from '../ui/overlays/toast.tsx'
import { Tooltip } from '../ui/overlays/tooltip.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './teams.module.css'
import { inviteQuery } from './teams.queries.ts'

export function InviteCode({ team }: { readonly team: TeamInfo }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const confirm = useConfirm()
  const errorText = useErrorText()
  const { data: code, error, refetch } = useQuery(inviteQuery(team.id))
  const [seen, setSeen] = useState(false)
  const renew = useAction({
    id: 'invite',
    done: t('teams.renewed'),
    failed: t('teams.notRenewed'),
    call: async () => call(renewInvite, { params: { id: team.id } }),
    onDone: (fresh) => {
      queries.setQueryData(inviteQuery(team.id).queryKey, fresh)
    },
  })
  const confirmAndReplace = async () => {
    if (await confirm({ title: t('teams.renewTitle'), text: t('teams.renewText'), confirm: t('teams.renew'), harmful: true })) {
      await renew.start()
    }
  }
  const copyLink = async () => {
    if (code && (await copyText(`${location.origin}${paths.joinTeam(code)}`)))
      toast({ id: 'invite', kind: 'good', title: t('teams.linkCopied') })
  }
  const toggle = seen ? t('teams.hide') : t('teams.show')
  return (
    <section>
      <h3 className={c.label}>{t('teams.code')}</h3>
      {error ? (
        <p className="poor">
          {errorText(error)}{' '}
          <button type="button" className="link" onClick={() => void refetch()}>
            {t('ui.retry')}
          </button>
        </p>
      ) : code === undefined ? (
        <Skeleton height={36} />
      ) : (
        <EntryField label={t('teams.code')} value={seen ? code : `${code.slice(0, -32)}${'•'.repeat(16)}`} copies={code}>
          <Tooltip label={toggle}>
            <ActionIcon size="sm" aria-label={toggle} onClick={() => setSeen(!seen)}>
              {seen ? <IconEyeOff size={16} stroke={1.6} /> : <IconEye size={16} stroke={1.6} />}
            </ActionIcon>
          </Tooltip>
          <Tooltip label={t('teams.renew')}>
            <ActionIcon
              size="sm"
              aria-label={t('teams.renew')}
              disabled={renew.busy || renew.wait > 0}
              onClick={() => void confirmAndReplace()}
            >
              <IconRefresh size={16} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        </EntryField>
      )}
      <p className={c.help}>{t('teams.codeGive')}</p>
      <Button size="sm" variant="default" mt="xs" disabled={!code} onClick={() => void copyLink()}>
        {t('teams.copyLink')}
      </Button>
    </section>
  )
}
