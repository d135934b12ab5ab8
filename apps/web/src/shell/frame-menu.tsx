import { type ComponentType, cloneElement, type HTMLAttributes, type ReactElement, useEffect, useState } from 'react'
import { reportLostCode } from '../ui/base/lazy-part.tsx'
import { Tooltip } from '../ui/overlays/tooltip.tsx'

/** A menu around its button: opens on mount, since the button was pressed before it was loaded, with the focus on the button. */
export type LoadedMenu = ComponentType<{ readonly button: ReactElement<HTMLAttributes<HTMLElement>> }>

/** Opens a menu after a closed render, so that it returns the focus to the button. */
export function useOpenAtOnce() {
  const state = useState(false)
  const [, setOpened] = state
  useEffect(() => setOpened(true), [])
  return state
}

interface Props {
  readonly load: () => Promise<{ default: LoadedMenu }>
  readonly label?: string
  readonly position?: 'right' | 'bottom'
  readonly children: ReactElement<HTMLAttributes<HTMLElement>>
}

export function FrameMenu({ load, label, position = 'bottom', children }: Props) {
  const [Loaded, setLoaded] = useState<LoadedMenu>()
  if (Loaded) return <Loaded button={cloneElement(children, { autoFocus: true })} />
  const soon = () => void load().catch(() => {})
  const button = cloneElement(children, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: soon,
    onFocus: soon,
    onClick: () => void load().then((code) => setLoaded(() => code.default), reportLostCode),
  })
  return label ? (
    <Tooltip label={label} position={position}>
      {button}
    </Tooltip>
  ) : (
    button
  )
}
