/** The location of the data folder. Has no imports of ours, since it is used before anything else is loaded. */
import { resolve } from 'node:path'

export const dataDirOf = (text: string | null): string => resolve(text ?? './data')

/** Exists in every folder in which a platform was started. */
export const lockName = 'vexil.lock'
