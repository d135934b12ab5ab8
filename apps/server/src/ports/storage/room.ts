import { statfs } from 'node:fs/promises'

/** Whether captures may be written there: the larger of 2 GB and 5 % stays free for the database and files. */
export async function hasRoom(folder: string): Promise<boolean> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return bavail * bsize > Math.max(2e9, blocks * bsize * 0.05)
}
