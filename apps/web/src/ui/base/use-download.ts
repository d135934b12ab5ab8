import type { Endpoint } from '@vexil/contract/endpoint'
import type { LooseParts } from '../../api/client.ts'
import { download } from '../../api/download.ts'
import { toast } from '../overlays/toast.tsx'
import { useTranslation } from '../text/texts.tsx'
import { formatBytes } from './bytes.ts'
import { type Action, type ActionOptions, useAction } from './use-action.ts'

/** Milliseconds between updates of the progress, to avoid a render per packet. */
const showEvery = 250

export function useDownload(
  endpoint: Endpoint,
  parts: LooseParts,
  more: Pick<ActionOptions<void, string>, 'onDone' | 'onFail'> = {},
): Action<void> {
  const { t } = useTranslation()
  const id = `download-${endpoint.path}`
  const title = t('ui.downloading')
  return useAction<void, string>({
    id,
    working: title,
    call: () => {
      let shown = performance.now()
      return download(endpoint, parts, (loaded, total) => {
        if (performance.now() - shown < showEvery) return
        shown = performance.now()
        const text = total
          ? t('ui.downloadedOf', { loaded: formatBytes(loaded), total: formatBytes(total) })
          : formatBytes(loaded)
        toast({ id, kind: 'work', title, text })
      })
    },
    done: (name) => t('ui.downloaded', { name }),
    failed: t('ui.notDownloaded'),
    ...more,
  })
}
