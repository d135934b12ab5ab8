import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import type { HealthReport } from '@vexil/contract/health'
import { useState } from 'react'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { When } from '../../ui/time/when.tsx'
import { BackupDialog } from './backup-dialog.tsx'
import { LevelIcon } from './check-table.tsx'
import c from './health.module.css'

/** The worst level, how many checks have which, when they ran, and the download of a backup. */
export function HealthSummary({ report: { checks, checkedAt } }: { readonly report: HealthReport }) {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  const countOf = (level: 'warning' | 'error') => checks.filter((check) => check.level === level).length
  const counts = (['error', 'warning'] as const).filter((level) => countOf(level) > 0)
  return (
    <div className={c.head}>
      <LevelIcon level={counts[0] ?? 'ok'} />
      <div className={c.words}>
        <p className={c.name} role="status">
          {counts.length === 0
            ? t('admin.health.well')
            : counts.map((level) => t(`admin.health.${level}`, { count: countOf(level) })).join(' · ')}
        </p>
        <p className="dim">
          {t('admin.health.at')} <When at={checkedAt} style="exact" />
        </p>
      </div>
      <Button variant="default" leftSection={<IconDownload size={16} stroke={1.6} />} onClick={() => setIsOpen(true)}>
        {t('admin.health.backup.title')}
      </Button>
      {isOpen && <BackupDialog onClose={() => setIsOpen(false)} />}
    </div>
  )
}
