/** A tooltip: hover and keyboard focus show it, Escape hides it. */
import {
  cloneElement,
  type FocusEvent,
  type HTMLAttributes,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  type Ref,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { createPortal } from 'react-dom'
import c from './tooltip.module.css'

type Side = 'top' | 'right' | 'bottom'

/** Also takes the props that the target of a menu or a pop-over sets. */
interface Props extends HTMLAttributes<HTMLElement> {
  readonly ref?: Ref<HTMLElement>
  readonly label: ReactNode
  readonly position?: Side
  readonly openDelay?: number
  readonly disabled?: boolean
  readonly touch?: boolean
  readonly children: ReactElement<HTMLAttributes<HTMLElement>>
}

export function Tooltip({ children, label, position = 'top', openDelay = 300, disabled = false, touch = false, ...rest }: Props) {
  const id = useId()
  const [target, setTarget] = useState<HTMLElement>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const opened = target !== undefined && !disabled
  const hide = () => {
    clearTimeout(timer.current)
    setTarget(undefined)
  }
  const props = { ...children.props, ...rest }
  return (
    <>
      {cloneElement(children, {
        ...rest,
        className: [children.props.className, rest.className].filter(Boolean).join(' ') || undefined,
        'aria-describedby': opened ? id : props['aria-describedby'],
        onPointerEnter: (event: PointerEvent<HTMLElement>) => {
          props.onPointerEnter?.(event)
          const { currentTarget, pointerType } = event
          clearTimeout(timer.current)
          if (touch || pointerType !== 'touch') timer.current = setTimeout(() => setTarget(currentTarget), openDelay)
        },
        onPointerLeave: (event: PointerEvent<HTMLElement>) => {
          props.onPointerLeave?.(event)
          hide()
        },
        onFocus: (event: FocusEvent<HTMLElement>) => {
          props.onFocus?.(event)
          if (event.currentTarget.matches(':focus-visible')) setTarget(event.currentTarget)
        },
        onBlur: (event: FocusEvent<HTMLElement>) => {
          props.onBlur?.(event)
          hide()
        },
      })}
      {opened && <Tip id={id} target={target} position={position} label={label} onHide={hide} />}
    </>
  )
}

interface TipProps {
  readonly id: string
  readonly target: HTMLElement
  readonly position: Side
  readonly label: ReactNode
  readonly onHide: () => void
}

function Tip({ id, target, position, label, onHide }: TipProps) {
  const tip = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const put = () => tip.current && place(tip.current, target.getBoundingClientRect(), position)
    const press = ({ key }: KeyboardEvent) => key === 'Escape' && onHide()
    put()
    document.addEventListener('keydown', press)
    window.addEventListener('scroll', put, { capture: true, passive: true })
    window.addEventListener('resize', put)
    return () => {
      document.removeEventListener('keydown', press)
      window.removeEventListener('scroll', put, { capture: true })
      window.removeEventListener('resize', put)
    }
  })
  return createPortal(
    <div ref={tip} id={id} role="tooltip" className={c.tooltip}>
      {label}
    </div>,
    document.body,
  )
}

/** Pixels to the target and to the edge of the window. */
const gap = 5
const margin = 8

/** On the given side of the target, or on the opposite side where there is no room. */
function place(tip: HTMLElement, target: DOMRect, side: Side): void {
  const { offsetWidth: width, offsetHeight: height } = tip
  const choose = (before: number, after: number, size: number, end: number) =>
    side === 'top' ? (before < margin ? after : before) : after + size + margin > end ? before : after
  const centre = (middle: number, size: number, end: number) => Math.max(margin, Math.min(middle - size / 2, end - size - margin))
  const [x, y] =
    side === 'right'
      ? [
          choose(target.left - gap - width, target.right + gap, width, innerWidth),
          centre(target.top + target.height / 2, height, innerHeight),
        ]
      : [
          centre(target.left + target.width / 2, width, innerWidth),
          choose(target.top - gap - height, target.bottom + gap, height, innerHeight),
        ]
  tip.style.left = `${x}px`
  tip.style.top = `${y}px`
}
