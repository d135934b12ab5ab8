/** Words about a control: pointing at it or reaching it by Tab shows them. Mantine's tooltip draws them; its code loads with the first one. */
import {
  cloneElement,
  type FocusEvent,
  type HTMLAttributes,
  type KeyboardEvent,
  type PointerEvent,
  type ReactElement,
  type Ref,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { later } from './later.tsx'
import type { TooltipWords } from './tooltip-box.tsx'

interface Props extends TooltipWords {
  readonly disabled?: boolean
  /** A touch shows it, too. */
  readonly touch?: boolean
  /** Takes a ref and the handlers of an element. */
  readonly children: ReactElement<HTMLAttributes<HTMLElement> & { ref?: Ref<HTMLElement> }>
}

const TooltipBox = later(() => import('./tooltip-box.tsx'))
const restsMs = 300

export function Tooltip({ children, disabled = false, touch = false, ...words }: Props) {
  const id = useId()
  const [target, setTarget] = useState<HTMLElement | null>(null)
  const [wanted, setWanted] = useState(false)
  const [used, setUsed] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const opened = wanted && !disabled
  if (opened && !used) setUsed(true)
  useEffect(() => () => clearTimeout(timer.current), [])
  const stop = () => {
    clearTimeout(timer.current)
    setWanted(false)
  }
  const { props } = children
  const shown = cloneElement(children, {
    'aria-describedby': opened ? id : props['aria-describedby'],
    onPointerEnter: (event: PointerEvent<HTMLElement>) => {
      props.onPointerEnter?.(event)
      setTarget(event.currentTarget)
      clearTimeout(timer.current)
      if (touch || event.pointerType !== 'touch') timer.current = setTimeout(() => setWanted(true), restsMs)
    },
    onPointerLeave: (event: PointerEvent<HTMLElement>) => {
      props.onPointerLeave?.(event)
      stop()
    },
    onFocus: (event: FocusEvent<HTMLElement>) => {
      props.onFocus?.(event)
      setTarget(event.currentTarget)
      if (event.currentTarget.matches(':focus-visible')) setWanted(true)
    },
    onBlur: (event: FocusEvent<HTMLElement>) => {
      props.onBlur?.(event)
      stop()
    },
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
      props.onKeyDown?.(event)
      if (event.key === 'Escape') stop()
    },
  })
  return (
    <>
      {shown}
      {used && <TooltipBox wanted={used} id={id} target={target} opened={opened} {...words} />}
    </>
  )
}
