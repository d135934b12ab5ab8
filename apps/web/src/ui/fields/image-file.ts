import { fileLimits } from '@vexil/core/limits'

/** Types that the server can decode. */
export const imageTypes = ['image/png', 'image/gif', 'image/jpeg', 'image/webp', 'image/avif']

/** Why a file is refused as a picture, or undefined. The server checks the content again. */
export function checkImage(file: Pick<File, 'type' | 'size'>): 'type' | 'size' | undefined {
  if (!imageTypes.includes(file.type)) return 'type'
  return file.size > 0 && file.size <= fileLimits.imageBytes ? undefined : 'size'
}
