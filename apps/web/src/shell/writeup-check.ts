import { fileLimits } from '@vexil/core/limits'

/** A file as the call takes it: a PDF by type and ending, within the limit (WU-1). Undefined when it is none. */
export function writeupFile(file: File): File | undefined {
  const fits =
    file.type === 'application/pdf' && /\.pdf$/i.test(file.name) && file.size > 0 && file.size <= fileLimits.writeupBytes
  // The server takes the ending in small letters only.
  return fits ? new File([file], file.name.replace(/\.pdf$/i, '.pdf'), { type: file.type }) : undefined
}
