import type { GameNotice } from '@vexil/contract/games'
import { type Dispatch, type SetStateAction, useEffect } from 'react'
import { plainText } from '../ui/markdown/markdown.tsx'
import { toast } from '../ui/overlays/toast.tsx'
import { useTranslation } from '../ui/text/texts.tsx'

/** Cut after 200 characters, at a space if there is one near. */
const shortened = (text: string) =>
  text.length > 200
    ? `${text
        .slice(0, 201)
        .replace(/\s\S{0,30}$|.$/su, '')
        .trimEnd()}…`
    : text

/** Shows a toast for normal notices, new challenges and hints (not bloods); counts all notices while the tab is hidden. */
export function useNoticeToasts(unread: number, setUnread: Dispatch<SetStateAction<number>>): (notice: GameNotice) => void {
  const { t } = useTranslation()
  useEffect(() => {
    const seen = () => {
      if (!document.hidden && unread > 0) setUnread(0)
    }
    document.addEventListener('visibilitychange', seen)
    return () => document.removeEventListener('visibilitychange', seen)
  }, [unread, setUnread])
  const announce = async (id: number, source: string) => {
    const text = shortened(await plainText(source))
    toast({ id: `notice-${id}`, kind: 'plain', title: t('play.newNotice'), text })
  }
  return ({ id, type, values }) => {
    if (document.hidden) setUnread((count) => count + 1)
    const text = values.at(-1) ?? ''
    if (type === 'Normal') void announce(id, text)
    if (type === 'NewChallenge') toast({ id: `notice-${id}`, kind: 'wary', title: t('play.newChallenge'), text, closes: 5000 })
    if (type === 'NewHint') toast({ id: `notice-${id}`, kind: 'wary', title: t('play.newHint'), text, closes: 5000 })
  }
}
