/** Where the data folder is. Imports nothing of ours, for it is asked before anything else is loaded. */
import { resolve } from 'node:path'

/** Of the variable `DATA_DIR`, null when it is absent. */
export const dataDirOf = (text: string | null): string => resolve(text ?? './data')

/** A file that every folder has in which a platform was started. */
export const lockName = 'vexil.lock'
