import { fileLimits } from '@vexil/core/limits'

/** A file as the call takes it: a PDF by type and extension, within the limit; otherwise undefined. */
export function writeupFile(file: File): File | undefined {
  const fits =
    file.type === 'application/pdf' && /\.pdf$/i.test(file.name) && file.size > 0 && file.size <= fileLimits.writeupBytes
  // The server accepts only a lowercase extension.
  return fits ? new File([file], file.name.replace(/\.pdf$/i, '.pdf'), { type: file.type }) : undefined
}
