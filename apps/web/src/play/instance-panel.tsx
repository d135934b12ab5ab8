import { type ChallengeType, hasContainer } from '@vexil/core/vocabulary'
import { useTranslation } from 'react-i18next'
import c from './challenge-dialog.module.css'

/** Container challenges say why nothing can be started here; everything else of the challenge works. */
export function InstancePanel({ type }: { readonly type: ChallengeType }) {
  const { t } = useTranslation()
  if (!hasContainer(type)) return null
  return (
    <section className={c.part}>
      <h3 className={c.partName}>{t('play.instance')}</h3>
      <p className={c.note}>{t('play.noContainers')}</p>
    </section>
  )
}
