import { type ChallengeType, hasContainer } from '@vexil/core/vocabulary'
import { useTranslation } from 'react-i18next'
import { ChallengePart } from '../ui/challenge-frame.tsx'
import c from './challenge-dialog.module.css'

/** Container challenges say why nothing can be started here; everything else of the challenge works. */
export function InstancePanel({ type }: { readonly type: ChallengeType }) {
  const { t } = useTranslation()
  if (!hasContainer(type)) return null
  return (
    <ChallengePart name={t('play.instance')}>
      <p className={c.note}>{t('play.noContainers')}</p>
    </ChallengePart>
  )
}
