/** Actions on the platform for the administrators' log. site/log.ts stores them. */
import type { LogLevel, TaskStatus } from '@vexil/core/vocabulary'

/** `name`: a user name, `System` (without an address) or `Anonymous`. */
export interface LogEntry {
  readonly level?: LogLevel
  readonly status: TaskStatus | ''
  readonly name: string
  readonly ip?: string
  /** In the server's language; never contains a password, token or key. Stored as one line without invisible characters. */
  readonly message: string
  /** Method and path template of the call that failed. */
  readonly route?: string
}

export interface Log {
  /** Returns at once; needs no separate commit. */
  write(entry: LogEntry): void
  flush(): Promise<void>
  close(): Promise<void>
}

/** The signed-in caller of a change and the address of the request. */
export interface Actor {
  readonly id: string
  readonly userName: string
  readonly ip: string
}

export function audit({ log }: { readonly log: Log }, { userName, ip }: Omit<Actor, 'id'>, message: string): void {
  log.write({ status: 'Success', name: userName, ip, message })
}
