import { TextInput } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Refusal } from '../api/client.ts'
import { QueryView } from '../ui/base/states.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './about.module.css'

type Licence = readonly [name: string, version: string, licence: string]

/** Written by the build. */
const licencesQuery = queryOptions({
  queryKey: ['licences'],
  queryFn: async ({ signal }): Promise<readonly Licence[]> => {
    const answer = await fetch(`/static/licences.json?${import.meta.env.VITE_VERSION}`, { signal }).catch(() => undefined)
    if (!answer?.ok) throw new Refusal(answer?.status ?? 0, undefined)
    return answer.json()
  },
  staleTime: Number.POSITIVE_INFINITY,
})

export default function LicencesDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation()
  const licences = useQuery(licencesQuery)
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  return (
    <Dialog opened onClose={onClose} title={t('posts.licences')} sub={t('posts.licencesText')} size={640} tall>
      <QueryView query={licences}>
        {(rows) => (
          <>
            <TextInput
              aria-label={t('posts.licencesFind')}
              placeholder={t('posts.licencesFind')}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <table className={c.licences}>
              <thead>
                <tr>
                  <th scope="col">{t('posts.part')}</th>
                  <th scope="col">{t('posts.version')}</th>
                  <th scope="col">{t('posts.licenceHead')}</th>
                </tr>
              </thead>
              <tbody>
                {rows
                  .filter((row) => row.some((cell) => cell.toLowerCase().includes(wanted)))
                  .map(([name, version, licence]) => (
                    <tr key={`${name} ${version}`}>
                      <td>{name}</td>
                      <td className="num">{version}</td>
                      <td>{licence}</td>
                    </tr>
                  ))}
              </tbody>
            </table>
          </>
        )}
      </QueryView>
    </Dialog>
  )
}
