import { queryOptions, useQuery } from '@tanstack/react-query'
import { type ClientConfig, clientConfig } from '@vexil/contract/site'
import { defaultSiteTitle } from '@vexil/core/limits'
import { useEffect } from 'react'
import { call } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import { useTranslation } from '../ui/text/texts.tsx'

export const siteQuery = queryOptions({
  queryKey: keys.config,
  queryFn: ({ signal }) => call(clientConfig, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

export interface Site extends Partial<ClientConfig> {
  readonly name: string
  /** `{title}::CTF`, as in tabs and mails. */
  readonly platform: string
  /** False until the server has answered. */
  readonly known: boolean
}

export function useSite(): Site {
  const { data } = useQuery(siteQuery)
  const name = data?.title || defaultSiteTitle
  return { ...data, name, platform: `${name}::CTF`, known: data !== undefined }
}

/** `<screen> - <platform>`, or the platform alone. `unread` above zero is prepended. */
export function useTitle(screen?: string, unread = 0): void {
  const { platform, known } = useSite()
  useEffect(() => {
    if (!known) return
    const title = screen ? `${screen} - ${platform}` : platform
    document.title = unread > 0 ? `(${unread}) ${title}` : title
  }, [screen, platform, known, unread])
}

/** The site's slogan, or the default. */
export function useSlogan(): string {
  const { t } = useTranslation()
  return useSite().slogan?.trim() || t('shell.slogan')
}
