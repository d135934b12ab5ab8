import { Button } from '@mantine/core'
import { IconDownload, IconEye, IconFileTypePdf } from '@tabler/icons-react'
import type { Reply } from '@vexil/contract/endpoint'
import type { getWriteup } from '@vexil/contract/writeups'
import { lazy, Suspense, useState } from 'react'
import { formatBytes } from '../ui/base/bytes.ts'
import { withRetry } from '../ui/base/chunk-recovery.ts'
import { Waiting } from '../ui/base/states.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './writeup-dialog.module.css'

export type OwnWriteup = Reply<typeof getWriteup>

const PdfView = lazy(withRetry(() => import('../ui/pdf/pdf-view.tsx').then(({ PdfView }) => ({ default: PdfView }))))

export function WriteupFile({ writeup: { submitted, name, fileSize, url } }: { readonly writeup: OwnWriteup }) {
  const { t } = useTranslation()
  const [looking, setLooking] = useState(false)
  if (!submitted || url === null) return <p className={c.nothing}>{t('writeup.nothing')}</p>
  return (
    <>
      <div className={c.file}>
        <IconFileTypePdf size={24} stroke={1.4} />
        <span className={c.words}>
          <span className={`${c.name} mono`}>{name}</span>
          <span className="small faint num">{formatBytes(fileSize)}</span>
        </span>
        <Button
          size="sm"
          variant="default"
          aria-expanded={looking}
          leftSection={<IconEye size={16} stroke={1.6} />}
          onClick={() => setLooking(!looking)}
        >
          {t(looking ? 'writeup.hide' : 'ui.preview')}
        </Button>
        <Button
          size="sm"
          variant="default"
          component="a"
          href={url}
          download={name}
          leftSection={<IconDownload size={16} stroke={1.6} />}
        >
          {t('writeup.download')}
        </Button>
      </div>
      {looking && (
        <div className={c.preview}>
          <Suspense fallback={<Waiting />}>
            <PdfView url={url} name={name} />
          </Suspense>
        </div>
      )}
    </>
  )
}
