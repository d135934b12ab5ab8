import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import c from '../base/controls.module.css'

interface Props {
  /** Accessible name, read before the visible text. */
  readonly label: string
  /** Types that the file chooser offers; dropped files may have any type. */
  readonly accept?: readonly string[]
  readonly multiple?: boolean
  readonly disabled: boolean
  readonly className?: string | undefined
  readonly onFiles: (files: File[]) => void
  readonly children: ReactNode
}

export function DropPlace({ label, accept = [], multiple = false, disabled, className, onFiles, children }: Props) {
  const input = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  const drag = (event: DragEvent) => {
    event.preventDefault()
    setOver(event.type === 'dragenter' || event.type === 'dragover')
  }
  const choose = (files: FileList | null) => {
    const accepted = [...(files ?? [])].slice(0, multiple ? undefined : 1)
    if (accepted.length > 0 && !disabled) onFiles(accepted)
  }
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        accept={accept.join()}
        multiple={multiple}
        disabled={disabled}
        onChange={({ currentTarget }) => {
          choose(currentTarget.files)
          // Allows the same file to be chosen again.
          currentTarget.value = ''
        }}
      />
      <button
        type="button"
        className={className ? `${c.drop} ${className}` : c.drop}
        disabled={disabled}
        data-accept={(over && !disabled) || undefined}
        onClick={() => input.current?.click()}
        onDragEnter={drag}
        onDragOver={drag}
        onDragLeave={drag}
        onDrop={(event) => {
          drag(event)
          choose(event.dataTransfer.files)
        }}
      >
        <span className="unseen">{label} </span>
        {children}
      </button>
    </>
  )
}
