/** What can be done with the entry of an instance. */
import { useTranslation } from 'react-i18next'

export interface EntryLinks {
  /** As the field shows it. */
  readonly shown: string
  readonly copies: string
  /** Where the open icon leads. */
  readonly opens: string
  /** A command for a terminal; none behind the platform proxy. */
  readonly command: string | null
  readonly proxied: boolean
}

/** An entry is `host:port`, or behind the platform proxy an id of 36 signs; `site` is the origin of the platform. */
export function entryLinks(entry: string, site: string = window.location.origin): EntryLinks {
  if (entry.includes(':')) {
    const port = entry.slice(entry.lastIndexOf(':') + 1)
    const host = entry.slice(0, entry.lastIndexOf(':')).replace(/^\[|\]$/g, '')
    return { shown: entry, copies: entry, opens: `http://${entry}`, command: `nc ${host} ${port}`, proxied: false }
  }
  const socket = `${site.replace(/^http/, 'ws')}/api/proxy/${entry}`
  return { shown: socket, copies: socket, opens: `wsrx://open?url=${encodeURIComponent(socket)}`, command: null, proxied: true }
}

/** "2 hours", "45 minutes", in the language of the screen. */
export function useMinutes(): (minutes: number) => string {
  const { t } = useTranslation()
  return (minutes) => (minutes % 60 === 0 ? t('play.hours', { count: minutes / 60 }) : t('play.minutes', { count: minutes }))
}
