import { useMemo } from 'react'
import { useSession } from './session.ts'
import { useSite } from './site.ts'
import c from './watermark.module.css'

const [width, height] = [360, 220]

/** Repeats the account's number, barely visible, where the site enables it: deters leaked screenshots. */
export function Watermark() {
  const { watermark } = useSite()
  const id = useSession().user?.userId
  const shape = useMemo(() => {
    const text = `<text x="20" y="140" transform="rotate(-24 180 110)" font-family="monospace" font-size="13">${id}</text>`
    const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${text}</svg>`
    return `url("data:image/svg+xml,${encodeURIComponent(picture)}")`
  }, [id])
  if (!watermark || !id) return null
  return <div className={c.watermark} aria-hidden data-watermark={id} style={{ maskImage: shape, WebkitMaskImage: shape }} />
}
