import { type FileButtonProps, FileButton as MantineFileButton } from '@mantine/core'
import { useRef } from 'react'

interface Props extends Omit<FileButtonProps, 'onChange' | 'resetRef'> {
  readonly onFile: (file: File) => void
}

/** Opens the file chooser, in which the same file can be chosen again, for instance after it was corrected. */
export function FileButton({ onFile, ...rest }: Props) {
  const reset = useRef<() => void>(null)
  const choose = (file: File | null) => {
    reset.current?.()
    if (file) onFile(file)
  }
  return <MantineFileButton {...rest} resetRef={reset} onChange={choose} />
}
