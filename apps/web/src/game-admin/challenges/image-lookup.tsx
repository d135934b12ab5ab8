import { IconSearch } from '@tabler/icons-react'
import { lookUpImage } from '@vexil/contract/instances'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { useSite } from '../../shell/site.ts'
import { ActionButton } from '../../ui/base/action-button.tsx'
import { useAction, useErrorText } from '../../ui/base/use-action.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from './challenge.module.css'

const words = { here: 'imageHere', registry: 'imageRegistry', missing: 'imageGone', silent: 'imageSilent' } as const

/** Looks up the typed image in the engine, stored or not. The result is cleared when the name changes. */
export function ImageLookup({ image, busy }: { readonly image: string; readonly busy: boolean }) {
  const { t } = useTranslation()
  const { containers } = useSite()
  const errorText = useErrorText()
  const [lookup, setLookup] = useState<{ readonly of: string; readonly bad: boolean; readonly text: string }>()
  const search = useAction({
    id: 'image-lookup',
    call: async (name: string) => call(lookUpImage, { query: { name } }),
    onDone: ({ found, reason }, of) => {
      const text = t(`admin.challenge.${words[found]}`, { reason })
      setLookup({ of, bad: found === 'missing' || found === 'silent', text })
    },
    onFail: (refusal, of) => {
      setLookup({ of, bad: true, text: errorText(refusal) })
      return true
    },
  })
  if (containers === 'None') return null
  const name = image.trim()
  return (
    <>
      <div className={c.row}>
        <ActionButton
          action={search}
          size="sm"
          variant="default"
          leftSection={<IconSearch size={16} stroke={1.6} />}
          disabled={busy || name === ''}
          onClick={() => void search.start(name)}
        >
          {t('admin.challenge.imageLook')}
        </ActionButton>
        {lookup?.of === name && !lookup.bad && (
          <span className={c.note} role="status">
            {lookup.text}
          </span>
        )}
      </div>
      {lookup?.of === name && lookup.bad && (
        <p className={c.failure} role="alert">
          {lookup.text}
        </p>
      )}
    </>
  )
}
